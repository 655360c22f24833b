// What the OS processes of a job tell each other, of themselves and of each launch: alike whether the environment makes
// the job (job.h) or a framework does (pjrt/processes.h).
#pragma once

#include "tenon/backend/backend.h"
#include "tenon/runtime/collectives/other_processes.h"
#include "tenon/runtime/control/processes.h"

namespace tenon::backend {

// The job that the environment describes, as this process takes part in it with the backend.
StatusOr<runtime::ProcessesOptions> processesOptions(const Backend &backend);

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

} // namespace tenon::backend
