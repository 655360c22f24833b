// Reductions in parts, which a second phase combines: see RowReductionPlan::splitSize.
#pragma once

#include "tenon/codegen/llvm/loop/row_reduction.h"

namespace tenon::codegen::loop {

struct SplitReductionPlan {
  Kernel kernel;
  RowReductionPlan parts;       // of the phase that reduces the parts
  RowReductionPlan combination; // of the phase that combines them
  int64_t count = 1;            // of the parts
  unsigned partDim = 0;         // that numbers them, a dimension of both phases' index spaces
  // Partial results, in the temporary block: of each accumulator an array [part][row].
  llvm::SmallVector<mlir::Type, 4> types;
  llvm::SmallVector<int64_t> offsets; // bytes
  mlir::AffineExpr position;          // elements
  // All rows advance together, `streamStep` elements at a time, their partial results in memory. Otherwise one row
  // comes after the other.
  bool streams = false;
  int64_t streamStep = 1;
  // So many of the outer kept dimensions lie apart in memory, as images of a batch do: rows that differ in these are
  // not advanced together, but one after the other.
  unsigned apartDims = 0;
  // Not zero: how many sums of blocks of a part wait in scratch memory, as a tree for each row; which dimension is cut
  // into blocks, and of which size; where the sums of each accumulator are, and the size of one level of their trees.
  int64_t blocks = 0;
  unsigned blockDim = 0;
  int64_t blockSize = 1;
  llvm::SmallVector<int64_t> sumOffsets, sumSizes; // bytes

  void print(llvm::raw_ostream &os) const;
};
SplitReductionPlan planSplitReduction(const KernelSource &source, RowReductionPlan rows, llvm::StringRef symbol,
                                      const KernelTarget &target);
llvm::LogicalResult emitSplitReduction(const SplitReductionPlan &plan, const KernelSource &source, llvm::Module &module,
                                       const EmissionTarget &target);

} // namespace tenon::codegen::loop
