// stablehlo.concatenate of many arrays as a kernel of its own.
#pragma once

#include "tenon/codegen/common/kernel.h"
#include "tenon/codegen/cpu/target.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Module.h"

namespace tenon::codegen {

// Whether the op joins so many arrays that loops over the result do not pay: those have a branch, and code, for each.
bool canEmitConcatenation(mlir::Operation *op);
// A loop over a table of the operands, whose code does not grow with their number.
llvm::FailureOr<Kernel> emitConcatenationKernel(mlir::Operation *op, llvm::Module &module, llvm::StringRef symbol);

} // namespace tenon::codegen
