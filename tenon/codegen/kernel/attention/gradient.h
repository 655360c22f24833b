// The gradient of an attention in one kernel: a fusion of kind attention with more than two products.
//
//   scores  = q k^T, dO v^T: the scores, and the weights' gradients
//   rows    of the two: the scores' gradients, and the weights if dv is asked for
//   products of these: dq = gradients k, dk = gradients^T q, dv = weights^T dO
//
// A task is a batch, or where there are few, a part of its rows. It makes a block of rows of the first two after the
// other, as an attention does, in the worker's scratch memory, and of each block the rows of dq and what it adds to dk
// and dv. So the scores are computed again, but nothing is as large as they are. Sums over rows are made of those of
// the blocks, in their order; those of a batch's parts go to the temporary block, from which the second phase adds them
// up.
#pragma once

#include "tenon/codegen/kernel/attention/parts.h"

namespace tenon::codegen {

struct AttentionGradientPlan {
  // An array that is a block of rows in scratch memory: what a product makes, which the rows read.
  struct Scores {
    mlir::Operation *op = nullptr;
    DotPlan plan;
    std::optional<int64_t> visibleOffset; // as of an attention
    int64_t at = 0, scratchAt = 0;
  };
  struct Product {
    mlir::Operation *op = nullptr;
    DotPlan plan; // what a task calls
    // Where batches have parts, the product itself if it sums over rows, as it stores the sums of the parts, and where
    // these are in the temporary block.
    std::optional<DotPlan> whole;
    int64_t sumsAt = 0;
    bool isOverRows = false; // it has one row for each key
    bool skipsZeros = false; // as of an attention
    unsigned source = 0;     // of the rows' results
    unsigned result = 0;     // of the kernel's
    int64_t scratchAt = 0;
  };

  Kernel kernel;
  llvm::SmallVector<Scores, 2> scores;
  RowsPart rows;
  // What the rows make: one of the kernel's results, or in scratch.
  struct RowsResult {
    std::optional<unsigned> result = std::nullopt;
    int64_t at = 0;
  };
  llvm::SmallVector<RowsResult, 3> rowsResults;
  int64_t partScratch = 0;
  llvm::SmallVector<Product, 3> products;
  ScoresShape shape;
  int64_t rowBlock = 1, partBlocks = 1; // rows of a block, and blocks of a part
  int64_t keyBlock = 1;                 // rows of the sums that a task of the second phase stores

  int64_t rowBlocks() const { return (shape.rowCount + rowBlock - 1) / rowBlock; }
  int64_t parts() const { return (rowBlocks() + partBlocks - 1) / partBlocks; } // of a batch
  int64_t keyBlocks() const { return (shape.keys + keyBlock - 1) / keyBlock; }
  void print(llvm::raw_ostream &os) const;
};

// Whether a fusion of kind attention is one of a gradient.
bool isAttentionGradient(mlir::Operation *op);
// None where there is no such kernel for the op, or where several are better.
std::optional<AttentionGradientPlan> planAttentionGradient(mlir::Operation *op, llvm::StringRef symbol,
                                                           const ProductTarget &target);
llvm::LogicalResult emitAttentionGradient(const AttentionGradientPlan &plan, llvm::Module &module,
                                          const EmissionTarget &target);

} // namespace tenon::codegen
