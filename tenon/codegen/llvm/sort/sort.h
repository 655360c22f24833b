// stablehlo.sort and chlo.top_k as kernels.
#pragma once

#include "tenon/codegen/common/kernel.h"
#include "tenon/codegen/llvm/kernel_target.h"
#include "tenon/codegen/llvm/sort/radix.h"
#include "tenon/codegen/llvm/sort/rank.h"
#include "tenon/ir/chlo.h"
#include "tenon/ir/stablehlo.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Module.h"

namespace tenon::codegen::sort {

struct SortPlan {
  Kernel kernel;
  stablehlo::SortOp op;
  // A row is `count` elements, `stride` apart; there are outer * stride of them.
  int64_t outer = 1, stride = 1, count = 0;
  // One of them, or none: a merge sort calls the comparator.
  std::optional<RankPlan> ranks;
  std::optional<RadixPlan> radix;

  void print(llvm::raw_ostream &os) const;
};
bool canEmitSort(mlir::Operation *op, const KernelTarget &target);
SortPlan planSort(mlir::Operation *op, llvm::StringRef symbol, const KernelTarget &target);
llvm::LogicalResult emitSort(const SortPlan &plan, llvm::Module &module, const EmissionTarget &target);

struct TopKRows {
  mlir::Type element;
  unsigned positionBits = 32;         // of the second result's elements
  int64_t rows = 0, count = 0, k = 0; // elements of a row, results of a row
};

struct TopKPlan {
  Kernel kernel;
  TopKRows rows;
  bool inserts = false; // keeps the k best in order, where k is small
  int64_t capacity = 0; // of the buffer of candidates
  int64_t lanes = 1;

  void print(llvm::raw_ostream &os) const;
};
bool canEmitTopK(mlir::Operation *op);
TopKPlan planTopK(mlir::Operation *op, llvm::StringRef symbol, const KernelTarget &target);
TopKPlan planTopK(const TopKRows &rows, llvm::StringRef symbol, const KernelTarget &target);
void emitTopK(const TopKPlan &plan, llvm::Module &module);

} // namespace tenon::codegen::sort
