// Kernels of the emulation that say what they access, before they do: see runtime/emulator/block.h.
#pragma once

#include "llvm/IR/Module.h"

namespace tenon::codegen {

// Puts a call of tenon_emu_access before each load and store of memory that is not the function's own.
void insertAccessChecks(llvm::Module &module);

} // namespace tenon::codegen
