// Computations of reduce, sort and the like that have loops, branches, or ops on arrays of their own are compiled as
// main is: kernels for the ops in them, a buffer plan, and a function with native control flow.
#pragma once

#include "tenon/codegen/kernel/kernel_plan.h"

namespace tenon::codegen::entry {

// The first op in the computation that has no native code there (a library routine, a custom call), or null.
mlir::Operation *findUncomputable(mlir::Region &computation, const ProductTarget &target);

// The plan of a function named `symbol`, and its kernels' plans. Errors are reported at the op that has the region.
llvm::FailureOr<std::shared_ptr<const ComputationPlan>>
planComputation(mlir::Region &computation, llvm::StringRef symbol, const ProductTarget &target);

// See EmissionTarget::outlineComputation. A module has the function once.
llvm::FailureOr<llvm::Function *> emitComputation(const ComputationPlan &plan, llvm::Module &module,
                                                  const ProductTarget &target);

void print(const ComputationPlan &plan, llvm::raw_ostream &os);

} // namespace tenon::codegen::entry
