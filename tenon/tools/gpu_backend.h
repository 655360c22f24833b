// The targets `cuda`, the first GPU of the machine, and `emulated`, a GPU that the host plays (runtime/emulator).
#pragma once

#include "tenon/backend/backend.h"

#include <string_view>

namespace tenon::tools {

bool isGpuTarget(std::string_view name);

// Lives as long as the process. For `cuda` NOT_FOUND where the machine has no driver, and other errors where it has no
// GPU that there is code for.
StatusOr<backend::Backend *> gpuBackend(std::string_view name);

} // namespace tenon::tools
