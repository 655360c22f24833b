#include "tenon/pjrt/processes.h"

#include "tenon/pjrt/client.h"
#include "tenon/pjrt/key_store.h"
#include "tenon/runtime/collectives/other_processes.h"
#include "tenon/support/hash.h"
#include "tenon/support/library_version.h"

#include <atomic>

namespace tenon::pjrt {

StatusOr<std::unique_ptr<runtime::Processes>> startProcesses(const PJRT_Client_Create_Args &args, ProcessPlace place,
                                                             int devices) {
  runtime::ProcessesOptions options;
  TENON_RETURN_IF_ERROR(runtime::readEnvironment(options));
  std::unique_ptr<runtime::KeyStore> keys;
  if (place.count > 1) {
    options.self = place.self;
    options.count = place.count;
    options.coordinator.clear();
    keys = keyStoreOf(args);
    if (!keys)
      return invalidArgument("client option num_nodes is " + std::to_string(place.count) +
                             ", but the framework gives no store of keys by which the processes find each other");
  }
  if (options.count == 1 && options.mpiShim.empty())
    return std::unique_ptr<runtime::Processes>();
  // The framework's store keeps what clients before this one have put there.
  static std::atomic<int> starts{0};
  options.earlierStarts = starts++;
  options.version = libraryVersion();
  options.fingerprint = options.version;
  TENON_ASSIGN_OR_RETURN(const Platform *platform, findPlatform("cpu"));
  options.cpuLevel = platform->backend->target();
  options.devices = devices;
  return runtime::Processes::start(options, keys.get());
}

void LaunchRegistry::add(Launch launch) {
  std::lock_guard lock(mutex_);
  std::erase_if(launches_, [](const Launch &each) { return each.rendezvous.expired(); });
  launches_.push_back(std::move(launch));
}

std::vector<runtime::OpenMeeting> LaunchRegistry::meetings() {
  std::vector<Launch> launches;
  {
    std::lock_guard lock(mutex_);
    launches = launches_;
  }
  std::vector<runtime::OpenMeeting> meetings;
  for (const Launch &launch : launches) {
    std::shared_ptr<runtime::Rendezvous> rendezvous = launch.rendezvous.lock();
    if (!rendezvous)
      continue;
    auto deviceOf = [&](int64_t process) { return launch.devices[static_cast<size_t>(process)]; };
    for (const runtime::Rendezvous::Waiting &waiting : rendezvous->waiting()) {
      runtime::OpenMeeting &meeting = meetings.emplace_back();
      meeting.id = runtime::meetingId(launch.number, waiting.turn, waiting.purpose->number() ^ launch.programHash);
      meeting.what = waiting.purpose->sentence() + launch.program + " (launch " + std::to_string(launch.number) + ")";
      meeting.devices = {deviceOf(waiting.process)};
      for (int64_t missing : waiting.missing)
        meeting.awaited.push_back({launch.self, deviceOf(missing)});
    }
  }
  return meetings;
}

namespace {

LaunchRegistry::Launch describeLaunch(const PJRT_LoadedExecutable &executable, int64_t launchId) {
  const program::Program &program = executable.program->executable->program();
  LaunchRegistry::Launch launch;
  launch.devices.assign(executable.deviceIds.begin(), executable.deviceIds.end());
  launch.self = executable.client->processes->self();
  launch.number = static_cast<uint32_t>(launchId);
  launch.programHash = stableHash(program.fingerprint);
  launch.program = " of program '" + program.name + "' (" + program.fingerprint + ")";
  return launch;
}

std::unique_ptr<runtime::Rendezvous::Elsewhere> makeElsewhere(const PJRT_LoadedExecutable &executable,
                                                              const LaunchRegistry::Launch &launch) {
  PJRT_Client &client = *executable.client;
  runtime::OtherProcesses::Options options;
  options.transport = &client.processes->transport();
  options.self = launch.self;
  std::vector<int> localIds; // a run may go on when the executable has gone
  for (int32_t id : executable.deviceIds) {
    options.peers.push_back(client.lookup(id)->description.processIndex);
    localIds.push_back(client.lookup(id)->localId);
  }
  options.devices = launch.devices;
  options.launch = launch.number;
  options.programHash = launch.programHash;
  options.program = launch.program;
  options.onWait = [processes = client.processes.get(), localIds, number = launch.number](int64_t process,
                                                                                          const std::string &what) {
    runtime::Activity activity;
    activity.device = localIds[static_cast<size_t>(process)];
    if (!what.empty()) {
      activity.state = runtime::Activity::State::kRunning;
      activity.launch = number;
      activity.what = what;
    }
    processes->setActivity(activity);
  };
  return std::make_unique<runtime::OtherProcesses>(std::move(options));
}

} // namespace

std::shared_ptr<runtime::Rendezvous> makeRendezvous(const PJRT_LoadedExecutable &executable, int64_t launchId) {
  if (executable.program->isUnpartitioned)
    return nullptr;
  std::vector<std::string> names;
  for (int32_t id : executable.deviceIds)
    names.push_back("device " + std::to_string(id));
  if (!executable.spansProcesses())
    return std::make_shared<runtime::Rendezvous>(std::move(names));
  LaunchRegistry::Launch launch = describeLaunch(executable, launchId);
  auto rendezvous = std::make_shared<runtime::Rendezvous>(std::move(names), makeElsewhere(executable, launch));
  launch.rendezvous = rendezvous;
  executable.client->launches->add(std::move(launch));
  return rendezvous;
}

CompilingActivity::CompilingActivity(PJRT_Client &client) : client_(client) {
  if (client.processes)
    client.processes->setActivity({.state = runtime::Activity::State::kCompiling, .what = "a program"});
}

CompilingActivity::~CompilingActivity() {
  if (client_.processes)
    client_.processes->setActivity({});
}

} // namespace tenon::pjrt
