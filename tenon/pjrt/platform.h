// What a client's devices are: this process's CPU, or GPUs.
#pragma once

#include "tenon/backend/backend.h"
#include "tenon/runtime/core/device.h"
#include "tenon/status.h"

#include "xla/pjrt/c/pjrt_c_api.h"

#include <string>
#include <string_view>
#include <vector>

namespace tenon::pjrt {

struct Platform {
  // "cpu", "cuda". JAX chooses its lowering rules, donation, caching and callbacks by this name.
  std::string name;
  backend::Backend *backend = nullptr;
  std::vector<runtime::Device *> devices; // none: arrays are in the memory of the host
  // Names the build of the library and the machine it compiles for.
  std::string build;
  // And what the environment says of how. Compiled programs may be kept for other processes with the same version.
  std::string version;
  std::string deviceKind;
  std::string deviceClass;                 // "CpuDevice", as JAX prints devices
  std::string computeCapability;           // of `attributes`
  std::vector<PJRT_NamedValue> attributes; // of each device
};

// Gives the backend of a platform. The plugin says it before it hands out the API.
using BackendFactory = StatusOr<backend::Backend *> (*)(std::string_view platform);
void setBackendFactory(BackendFactory factory);

// Lives as long as the process. INVALID_ARGUMENT for a name that is none, or the backend's error.
StatusOr<const Platform *> findPlatform(std::string_view name);

PJRT_NamedValue attribute(const char *name, int64_t number);
PJRT_NamedValue attribute(const char *name, const std::string &text); // which outlives it

} // namespace tenon::pjrt
