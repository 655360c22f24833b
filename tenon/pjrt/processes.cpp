#include "tenon/pjrt/processes.h"

#include "tenon/backend/launch.h"
#include "tenon/pjrt/client.h"
#include "tenon/pjrt/key_store.h"

#include <atomic>

namespace tenon::pjrt {

StatusOr<std::unique_ptr<runtime::Processes>>
startProcesses(const PJRT_Client_Create_Args &args, const Platform &platform, ProcessPlace place, int devices) {
  TENON_ASSIGN_OR_RETURN(runtime::ProcessesOptions options, backend::processesOptions(*platform.backend));
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
  for (const auto &[weak, launch] : launches) {
    if (std::shared_ptr<runtime::Rendezvous> rendezvous = weak.lock())
      backend::addOpenMeetings(*rendezvous, launch, meetings);
  }
  return meetings;
}

static runtime::OtherProcesses::Options describeLaunch(const PJRT_LoadedExecutable &executable, int64_t launchId) {
  PJRT_Client &client = *executable.client;
  backend::LaunchedGrid grid;
  for (int32_t id : executable.deviceIds) {
    grid.peers.push_back(client.lookup(id)->description.processIndex);
    grid.devices.push_back(static_cast<uint32_t>(id));
    grid.localDevices.push_back(client.lookup(id)->localId);
  }
  const program::Program &program = executable.program->executable->program();
  return backend::otherProcesses(*client.processes, static_cast<uint32_t>(launchId), &program, std::move(grid));
}

std::shared_ptr<runtime::Rendezvous> makeRendezvous(const PJRT_LoadedExecutable &executable, int64_t launchId) {
  if (executable.program->isUnpartitioned)
    return nullptr;
  std::vector<std::string> names;
  names.reserve(executable.deviceIds.size());
  for (int32_t id : executable.deviceIds)
    names.push_back("device " + std::to_string(id));
  if (!executable.spansProcesses())
    return std::make_shared<runtime::Rendezvous>(std::move(names));
  runtime::OtherProcesses::Options others = describeLaunch(executable, launchId);
  runtime::OtherProcesses::Launch launch = others.launch;
  auto rendezvous = std::make_shared<runtime::Rendezvous>(std::move(names),
                                                          std::make_unique<runtime::OtherProcesses>(std::move(others)));
  executable.client->launches->add({rendezvous, std::move(launch)});
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
