// A product, rows of it and a product of these in one kernel: a fusion of kind attention.
//
// Its parts are planned as kernels of their own. A task is a block of rows, of which it runs all three parts: what is
// between them is in the worker's scratch memory, which the parts see as a part of the whole array, by a pointer to
// where this would begin. So each element is computed as it would be by the three kernels, with the same bits.
#pragma once

#include "tenon/codegen/kernel/attention/parts.h"

namespace tenon::codegen {

struct AttentionPlan {
  Kernel kernel;
  DotPlan scores;
  RowsPart rows;
  DotPlan product;
  mlir::Operation *scoresOp = nullptr, *productOp = nullptr;
  ScoresShape shape;
  int64_t rowBlock = 1; // rows of a task
  bool inPlace = false; // the rows' results replace the scores
  // A row reads no scores at columns beyond its number plus this: they are not computed.
  std::optional<int64_t> visibleOffset;
  // Columns at the end in which all of a block's rows have weights of zero are left out of the product, unless that is
  // with elements that are not finite.
  bool skipsZeros = false;
  // Offsets in scratch: the scores, what the rows make of them, and each part's own scratch memory.
  int64_t scoresAt = 0, weightsAt = 0, scoresScratch = 0, partScratch = 0;
  int64_t isFiniteAt = 0, countAt = 0; // of skipsZeros: what the functions below store

  int64_t rowBlocks() const { return (shape.rowCount + rowBlock - 1) / rowBlock; }
  void print(llvm::raw_ostream &os) const;
};

bool isAttention(mlir::Operation *op);
// None where there is no such kernel for the op, or where the three alone are better.
std::optional<AttentionPlan> planAttention(mlir::Operation *op, llvm::StringRef symbol, const ProductTarget &target);
llvm::LogicalResult emitAttention(const AttentionPlan &plan, llvm::Module &module, const EmissionTarget &target);

// The least offset such that nothing depends on elements of the value, [..., rows, columns] of a fusion of rows, at
// columns beyond row + offset.
std::optional<int64_t> visibleOffset(mlir::Value scores, int64_t rows, int64_t columns);
// The greatest that elements of an f32 of that shape are at columns beyond row + offset, if that is known.
std::optional<float> greatestHidden(mlir::Value value, int64_t offset);

} // namespace tenon::codegen
