#pragma once

#include "tenon/program/program.h"

#include "mlir/IR/Operation.h"
#include "mlir/Support/LLVM.h"

namespace tenon::codegen {

// What runs an op that has no native code: a registered custom call, or a routine of the runtime's library. Fails, with
// an error at the op, if it is neither.
llvm::FailureOr<program::RuntimeCall> makeRuntimeCall(mlir::Operation *op);

// How many elements the kernel computes at once that applies the computation of a collective's reduction.
int64_t reductionBlock(mlir::Operation *op);

} // namespace tenon::codegen
