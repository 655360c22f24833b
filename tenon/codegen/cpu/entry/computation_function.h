// Computations of reduce, sort and the like that have loops, branches, or ops on arrays of their own are compiled as
// main is: kernels for the ops in them, a buffer plan, and a function with native control flow.
#pragma once

#include "tenon/codegen/cpu/target.h"

namespace tenon::codegen::entry {

// The first op in the computation that has no native code there (a library routine, a custom call), or null.
mlir::Operation *findUncomputable(mlir::Region &computation, const CpuTarget &target);

// See KernelTarget::outlineComputation.
llvm::FailureOr<llvm::Function *> emitComputationFunction(mlir::Region &computation, llvm::Module &module,
                                                          llvm::StringRef symbol, const CpuTarget &target);

} // namespace tenon::codegen::entry
