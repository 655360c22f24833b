// What the OS processes of a job tell each other, of themselves and of each launch: alike whether the environment makes
// the job (job.h) or a framework does (pjrt/processes.h).
#pragma once

#include "tenon/backend/backend.h"
#include "tenon/runtime/collectives/other_processes.h"
#include "tenon/runtime/control/processes.h"

#include <string_view>
#include <vector>

namespace tenon::backend {

// The job that the environment describes, as this process takes part in it with the backend.
StatusOr<runtime::ProcessesOptions> processesOptions(const Backend &backend);

// Gives an option a value where nobody has given it one.
void setDefault(CompileOptions &options, std::string_view name, OptionValue value);
// Programs of processes on several machines compute while a network is busy, unless the option or TENON_OVERLAP says
// something else. On one machine what moves data needs the processors that compute.
void askForOverlap(const std::vector<runtime::Node> &nodes, CompileOptions &options);

// A grid that is launched, process by process.
struct LaunchedGrid {
  std::vector<runtime::Peer> peers;  // the OS process that each is in
  std::vector<uint32_t> devices;     // its device's number, which is unique in all OS processes
  std::vector<int64_t> localDevices; // and its number among the devices there
};
// The members of the launch's meetings in other OS processes, over the connections of `processes`, which lives longer,
// and to which it says what the devices here wait for. `program`: what all must agree on; null: programs may differ.
runtime::OtherProcesses::Options otherProcesses(runtime::Processes &processes, uint64_t launch,
                                                const program::Program *program, LaunchedGrid grid);

// Adds the meetings, and other waits, of a launch in which devices here wait for others of this process.
void addOpenMeetings(const runtime::Rendezvous &rendezvous, const runtime::OtherProcesses::Launch &launch,
                     std::vector<runtime::OpenMeeting> &meetings);

} // namespace tenon::backend
