#pragma once

#include "llvm/IR/Module.h"

namespace tenon::aot {

// Writes what LLVM's code generator for the module's target cannot do, or does by functions that no library has, in
// operations that it can. Private to the folder.
void prepareForTarget(llvm::Module &module);

} // namespace tenon::aot
