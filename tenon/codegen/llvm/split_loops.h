// Keeps compile time linear in the number of loops that a program runs one after the other.
#pragma once

#include "llvm/IR/PassManager.h"

namespace llvm {
class Function;
} // namespace llvm

namespace tenon::codegen {

// Makes the loops of a function of very many blocks functions of their own, appended to the module: as one function,
// branch folding, block placement and register allocation take time that grows faster than it. A loop that is itself
// too large is kept, and those inside of it are looked at instead. Values that such a loop hands on go through memory
// variables, which should be promoted afterwards. Analyses of a changed function are invalidated.
void splitLoops(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);

} // namespace tenon::codegen
