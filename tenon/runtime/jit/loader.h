// Loads compiled programs into this process.
#pragma once

#include "tenon/program/program.h"
#include "tenon/runtime/core/loaded_program.h"
#include "tenon/status.h"

#include <memory>

namespace tenon::runtime {

struct LoadOptions {
  // Keep the objects' bytes in LoadedProgram::program(), for serialisation later.
  bool keepObjects = false;
};

// Links the program's objects. They may refer to each other, to the runtime's C ABI and to memcpy, memmove and memset;
// any other undefined symbol is an error. FAILED_PRECONDITION if the program needs CPU features this machine lacks.
StatusOr<std::unique_ptr<LoadedProgram>> loadProgram(program::Program program, const LoadOptions &options = {});

} // namespace tenon::runtime
