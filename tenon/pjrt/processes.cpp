#include "tenon/pjrt/processes.h"

#include "tenon/pjrt/client.h"
#include "tenon/pjrt/key_store.h"
#include "tenon/pjrt/version.h"

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

} // namespace tenon::pjrt
