#include "tenon/backend/launch.h"

#include "tenon/runtime/control/deadlock.h"
#include "tenon/support/hash.h"
#include "tenon/support/library_version.h"

#include <algorithm>
#include <cstdlib>

namespace tenon::backend {

StatusOr<runtime::ProcessesOptions> processesOptions(const Backend &backend) {
  runtime::ProcessesOptions options;
  TENON_RETURN_IF_ERROR(runtime::readEnvironment(options));
  options.version = libraryVersion();
  options.fingerprint = options.version;
  options.cpuLevel = backend.target();
  return options;
}

void setDefault(CompileOptions &options, std::string_view name, OptionValue value) {
  if (std::ranges::none_of(options.overrides, [&](const auto &entry) { return entry.first == name; }))
    options.overrides.emplace_back(name, std::move(value));
}

void askForOverlap(const std::vector<runtime::Node> &nodes, CompileOptions &options) {
  if (!std::getenv("TENON_OVERLAP") &&
      std::ranges::any_of(nodes, [&](const auto &node) { return node.bootId != nodes.front().bootId; }))
    setDefault(options, "overlap", true);
}

runtime::OtherProcesses::Options otherProcesses(runtime::Processes &processes, uint64_t launch,
                                                const program::Program *program, LaunchedGrid grid) {
  runtime::OtherProcesses::Options options;
  options.transport = &processes.transport();
  options.launch.self = processes.self();
  options.launch.devices = std::move(grid.devices);
  options.launch.number = launch;
  if (program) {
    options.launch.programHash = stableHash(program->fingerprint);
    options.launch.program = " of program '" + program->name + "' (" + program->fingerprint + ")";
  }
  options.peers = std::move(grid.peers);
  options.onWait = [&processes, launch, devices = std::move(grid.localDevices)](int64_t process,
                                                                                const std::string &what) {
    runtime::Activity activity;
    activity.device = devices[static_cast<size_t>(process)];
    if (!what.empty()) {
      activity.state = runtime::Activity::State::kRunning;
      activity.launch = launch;
      activity.what = what;
    }
    processes.setActivity(activity);
  };
  return options;
}

void addOpenMeetings(const runtime::Rendezvous &rendezvous, const runtime::OtherProcesses::Launch &launch,
                     std::vector<runtime::OpenMeeting> &meetings) {
  auto deviceOf = [&](int64_t process) { return launch.devices[static_cast<size_t>(process)]; };
  for (const runtime::Rendezvous::Waiting &waiting : rendezvous.waiting()) {
    runtime::OpenMeeting &meeting = meetings.emplace_back();
    meeting.id = runtime::meetingId(launch.number, waiting.turn, waiting.number ^ launch.programHash);
    meeting.what = waiting.what + launch.program + " (launch " + std::to_string(launch.number) + ")";
    meeting.devices = {deviceOf(waiting.process)};
    for (int64_t missing : waiting.missing)
      meeting.awaited.push_back({launch.self, deviceOf(missing)});
  }
}

} // namespace tenon::backend
