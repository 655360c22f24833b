#include "tenon/runtime/core/device_call.h"

#include "tenon/runtime/core/guarded_call.h"

#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace tenon::runtime {
namespace {

using program::RuntimeCall;

struct Registry {
  std::mutex mutex;
  std::map<std::pair<RuntimeCall::Kind, std::string>, DeviceCallFactory> factories;
};

Registry &registry() {
  static Registry *instance = new Registry();
  return *instance;
}

} // namespace

void registerDeviceCall(RuntimeCall::Kind kind, std::string_view target, DeviceCallFactory factory) {
  Registry &r = registry();
  std::lock_guard lock(r.mutex);
  r.factories.insert_or_assign({kind, std::string(target)}, std::move(factory));
}

StatusOr<std::unique_ptr<DeviceCallInstance>> instantiateDeviceCall(const RuntimeCall &runtimeCall) {
  DeviceCallFactory factory;
  {
    Registry &r = registry();
    std::lock_guard lock(r.mutex);
    auto found = r.factories.find({runtimeCall.kind, runtimeCall.target});
    if (found == r.factories.end())
      return std::unique_ptr<DeviceCallInstance>();
    factory = found->second;
  }
  StatusOr<std::unique_ptr<DeviceCallInstance>> instance = factory(runtimeCall);
  if (instance.ok())
    return instance;
  std::string where = runtimeCall.location.empty() ? "" : " (used at " + runtimeCall.location + ")";
  return Status(instance.status().code(), "'" + runtimeCall.target + "': " + instance.status().message() + where);
}

Status makeDeviceCall(DeviceCallInstance &instance, const RuntimeCall &runtimeCall, const DeviceCallBuffers &call) {
  return guardedCall(runtimeCall, [&] { return instance.call(call); });
}

} // namespace tenon::runtime
