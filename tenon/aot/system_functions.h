// The functions that LLVM's code may call by name, which every system's C library, mathematics library or compiler's
// support library has. Private to the folder.
#pragma once

#include "llvm/TargetParser/Triple.h"

#include <string>

namespace tenon::aot {

bool isSystemFunction(const std::string &name, const llvm::Triple &triple);

} // namespace tenon::aot
