// stablehlo.concatenate of many arrays as a kernel of its own.
#pragma once

#include "tenon/codegen/common/kernel.h"
#include "tenon/codegen/llvm/kernel_target.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Module.h"

namespace tenon::codegen {

// Whether the op joins so many arrays that loops over the result do not pay: those have a branch, and code, for each.
bool canEmitConcatenation(mlir::Operation *op);

// A loop over a table of the operands, whose code does not grow with their number. A piece is what one operand has for
// one index of the dimensions before the joined one: bytes that lie together in the operand and in the result. Pieces
// are numbered as they lie in the result.
struct ConcatenationPlan {
  Kernel kernel;
  int64_t outer = 1, rowBytes = 0;           // rows of pieces in the result, and their size
  llvm::SmallVector<int64_t> sizes, offsets; // of the operands' pieces: bytes, and where they begin in a row
  int64_t pieces = 0, perTask = 1;

  void print(llvm::raw_ostream &os) const;
};
ConcatenationPlan planConcatenation(mlir::Operation *op, llvm::StringRef symbol, const KernelTarget &target);
void emitConcatenation(const ConcatenationPlan &plan, llvm::Module &module);

} // namespace tenon::codegen
