// A product, rows of it and a product of these in one kernel: a fusion of kind attention.
//
// Its parts are planned as kernels of their own. A task is a block of rows, of which it runs all three parts: what is
// between them is in the worker's scratch memory, which the parts see as a part of the whole array, by a pointer to
// where this would begin. So each element is computed as it would be by the three kernels, with the same bits.
#pragma once

#include "tenon/codegen/cpu/contraction/contraction.h"
#include "tenon/codegen/llvm/loop/row_reduction.h"

namespace tenon::codegen {

struct AttentionPlan {
  Kernel kernel;
  DotPlan scores;
  loop::RowKernelPlan rows;
  DotPlan product;
  KernelSource rowsSource;
  mlir::Operation *scoresOp = nullptr, *rowsOp = nullptr, *productOp = nullptr;
  int64_t batch = 1, rowCount = 1, keys = 1; // of each batch; columns of the scores
  int64_t rowBlock = 1;                      // rows of a task
  // Of each kept dimension of `rows`: how far apart its indices are in the scores' order of rows.
  llvm::SmallVector<int64_t> rowStrides;
  bool inPlace = false; // the rows' results replace the scores
  // Offsets in scratch: the scores, what the rows make of them, and each part's own scratch memory.
  int64_t scoresAt = 0, weightsAt = 0, scoresScratch = 0, partScratch = 0;

  int64_t rowBlocks() const { return (rowCount + rowBlock - 1) / rowBlock; }
  void print(llvm::raw_ostream &os) const;
};

bool isAttention(mlir::Operation *op);
// None where there is no such kernel for the op, or where the three alone are better.
std::optional<AttentionPlan> planAttention(mlir::Operation *op, llvm::StringRef symbol, const CpuTarget &target);
llvm::LogicalResult emitAttention(const AttentionPlan &plan, llvm::Module &module, const EmissionTarget &target);

// What a part's operand is of the fusion: itself, or what a reshape inside of it is of.
mlir::Value throughReshapes(mlir::Value value);

} // namespace tenon::codegen
