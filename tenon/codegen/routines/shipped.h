// Routines of usual products, compiled when the library was built, for the levels of x86.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace tenon::codegen {

// An archive of codegen/llvm/routines.h.
llvm::StringRef shippedRoutines();

// Has the process use them, from the first call on.
void useShippedRoutines();

} // namespace tenon::codegen
