#include "tenon/pjrt/processes.h"

#include "tenon/pjrt/client.h"
#include "tenon/pjrt/key_store.h"
#include "tenon/pjrt/version.h"
#include "tenon/runtime/collectives/other_processes.h"
#include "tenon/support/hash.h"

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
  if (options.count == 1)
    return std::unique_ptr<runtime::Processes>();
  // The framework's store keeps what clients before this one have put there.
  static std::atomic<int> starts{0};
  options.earlierStarts = starts++;
  options.version = libraryVersion();
  options.fingerprint = options.version;
  options.cpuLevel = backend().target();
  options.devices = devices;
  return runtime::Processes::start(options, keys.get());
}

namespace {

std::unique_ptr<runtime::Rendezvous::Elsewhere> makeElsewhere(const PJRT_LoadedExecutable &executable,
                                                              int64_t launchId) {
  PJRT_Client &client = *executable.client;
  const program::Program &program = executable.program->executable->program();
  runtime::OtherProcesses::Options options;
  options.transport = &client.processes->transport();
  options.self = client.processes->self();
  for (int32_t id : executable.deviceIds) {
    options.peers.push_back(client.lookup(id)->description.processIndex);
    options.devices.push_back(static_cast<uint32_t>(id));
  }
  options.launch = static_cast<uint32_t>(launchId);
  options.programHash = stableHash(program.fingerprint);
  options.program = " of program '" + program.name + "' (" + program.fingerprint + ")";
  std::vector<int> localIds; // a run may go on when the executable has gone
  for (int32_t id : executable.deviceIds)
    localIds.push_back(client.lookup(id)->localId);
  options.onWait = [processes = client.processes.get(), localIds, launchId](int64_t process, const std::string &what) {
    runtime::Activity activity;
    activity.device = localIds[static_cast<size_t>(process)];
    if (!what.empty()) {
      activity.state = runtime::Activity::State::kRunning;
      activity.launch = static_cast<uint32_t>(launchId);
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
  return std::make_shared<runtime::Rendezvous>(
      std::move(names), executable.spansProcesses() ? makeElsewhere(executable, launchId) : nullptr);
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
