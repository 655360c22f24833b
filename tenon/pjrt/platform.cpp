#include "tenon/pjrt/platform.h"

#include "tenon/support/library_version.h"

#include <cstring>
#include <map>
#include <memory>
#include <mutex>

namespace tenon::pjrt {
namespace {

BackendFactory backendFactory = nullptr;

PJRT_NamedValue namedValue(const char *name) {
  PJRT_NamedValue value{};
  value.struct_size = PJRT_NamedValue_STRUCT_SIZE;
  value.name = name;
  value.name_size = std::strlen(name);
  return value;
}

// JAX reads the attributes of GPUs; it looks for "cuda" in the version.
void describe(Platform &platform) {
  platform.build = libraryVersion() + ", for " + platform.backend->target();
  std::string settings = platform.backend->settings();
  platform.version = platform.build + (settings.empty() ? "" : ", " + settings);
  platform.deviceKind = "tenon-cpu";
  platform.deviceClass = "CpuDevice";
  if (platform.devices.empty())
    return;
  const runtime::DeviceProperties &properties = platform.devices.front()->properties();
  platform.deviceKind = properties.name;
  platform.deviceClass = "CudaDevice";
  platform.computeCapability = properties.computeCapability;
  platform.attributes = {attribute("compute_capability", platform.computeCapability),
                         attribute("core_count", properties.cores), attribute("slice_index", int64_t{0})};
}

} // namespace

PJRT_NamedValue attribute(const char *name, int64_t number) {
  PJRT_NamedValue value = namedValue(name);
  value.type = PJRT_NamedValue_kInt64;
  value.int64_value = number;
  value.value_size = 1;
  return value;
}

PJRT_NamedValue attribute(const char *name, const std::string &text) {
  PJRT_NamedValue value = namedValue(name);
  value.type = PJRT_NamedValue_kString;
  value.string_value = text.c_str();
  value.value_size = text.size();
  return value;
}

void setBackendFactory(BackendFactory factory) { backendFactory = factory; }

StatusOr<const Platform *> findPlatform(std::string_view name) {
  static std::mutex mutex;
  static auto *known = new std::map<std::string, std::unique_ptr<Platform>, std::less<>>();
  std::lock_guard lock(mutex);
  if (auto found = known->find(name); found != known->end())
    return found->second.get();
  if (name != "cpu" && name != "cuda")
    return invalidArgument("the platform is '" + std::string(name) + "'; it can be 'cpu' or 'cuda'");
  auto made = std::make_unique<Platform>();
  made->name = name;
  TENON_ASSIGN_OR_RETURN(made->backend, backendFactory(name));
  made->devices = made->backend->devices();
  describe(*made);
  std::unique_ptr<Platform> &entry = (*known)[made->name];
  entry = std::move(made);
  return entry.get();
}

} // namespace tenon::pjrt
