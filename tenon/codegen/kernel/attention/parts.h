// What the kernels of an attention and of its gradient have in common: their parts work on blocks of rows of arrays as
// large as the scores, [batches, rows, keys], which they see as a part of the whole array, by a pointer to where this
// would begin.
#pragma once

#include "tenon/codegen/kernel/attention/rows.h"
#include "tenon/codegen/kernel/contraction/contraction.h"

#include "llvm/Support/MathExtras.h"

namespace tenon::codegen {

// The sizes of such arrays.
struct ScoresShape {
  int64_t batch = 1, rowCount = 1, keys = 1; // rows of each batch

  bool operator==(const ScoresShape &) const = default;
};

// Tasks that are enough for the workers; a fixed number, so that their number changes no bits.
constexpr int64_t kAttentionTasks = 8;

// Memory of a worker, piece by piece.
class ScratchPlan {
public:
  int64_t reserve(int64_t bytes) {
    int64_t start = bytes_;
    bytes_ = int64_t(llvm::alignTo(uint64_t(bytes_ + bytes), 64));
    return start;
  }
  int64_t bytes() const { return bytes_; }

private:
  int64_t bytes_ = 0;
};

// The argument of a fusion of rows that stands for what the other part makes; null if there is none.
mlir::Value argumentOf(mlir::Operation *rows, mlir::Operation *made);
int64_t elementBytes(mlir::Operation *made, unsigned result = 0);

// A product that makes such an array, row after row; none if it cannot be a part.
std::optional<DotPlan> planScoresPart(mlir::Operation *op, llvm::StringRef symbol, const ProductTarget &target);
ScoresShape shapeOfScores(const DotPlan &plan);
// The steps of k in the rhs.
StridedDims rhsSteps(const matmul::Problem &product);
// A product of rows that lie in scratch memory with something else, which is the rhs. In blocks of rows it has one row
// for each of them; in blocks of k it sums over them, and has a row for each key: of kDepthSums, in an array [batches,
// keys, columns] of accumulators.
std::optional<DotPlan> planProductWithRows(mlir::Operation *op, const RowsPart &rows, DotPart part,
                                           const ScoresShape &shape, llvm::StringRef symbol,
                                           const ProductTarget &target);

// Writes a kernel of parts: their tables of buffers, and the arrays that are blocks in scratch memory.
class PartsWriter {
public:
  PartsWriter(llvm::Module &module, llvm::StringRef symbol, mlir::Operation *fusion, int64_t keys);

protected:
  // A part's table of buffers, with those that are the kernel's own. `result`: the number of the kernel's that it
  // makes.
  llvm::Value *table(mlir::Operation *part, std::optional<unsigned> result = std::nullopt);
  void place(llvm::Value *table, size_t i, llvm::Value *pointer);
  // What `source` makes, wherever the part reads it.
  void placeOperand(llvm::Value *table, mlir::Operation *part, mlir::Value source, llvm::Value *pointer);
  void placeResult(llvm::Value *table, mlir::Operation *part, llvm::Value *pointer, unsigned result = 0);
  llvm::Value *kernelResult(unsigned number);
  llvm::Value *scratch(int64_t offset);
  llvm::Value *temporary(); // the kernel's block
  // An operand of a part that is one of the kernel's.
  llvm::Value *throughOperand(mlir::Operation *part, unsigned number);
  // How many columns of the scores a block of rows needs that sees none beyond row + offset: whole panels, or all.
  llvm::Value *visibleColumns(const DotPlan &scores, std::optional<int64_t> offset, llvm::Value *block);
  // The rows make nothing of scores that are not computed, but may calculate with them: with what is left in scratch
  // memory that would be slow where it is subnormal.
  void clearScores(const DotPlan &scores, int64_t offset, int64_t elementBytes);
  // Where the array would begin whose row `row` is at `offset` in scratch.
  llvm::Value *wholeArray(int64_t offset, int64_t elementBytes, llvm::Value *row);

  llvm::Module &module_;
  Emitter e_;

private:
  mlir::Operation *fusion_;
  int64_t keys_;
};

} // namespace tenon::codegen
