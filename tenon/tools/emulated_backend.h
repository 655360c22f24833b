// The target `emulated`: a GPU that the host plays (runtime/emulator).
#pragma once

#include "tenon/backend/backend.h"

namespace tenon::tools {

// Lives as long as the process.
backend::Backend &emulatedBackend();

} // namespace tenon::tools
