// What a kernel computes and how the values inside it depend on each other's elements: the target-independent half of
// the loop kernels. A planner walks this without emitting anything; a target's emitter walks the same functions.
#pragma once

#include "tenon/codegen/common/region/index_space.h"
#include "tenon/ir/types.h"

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"

#include <cstdint>
#include <optional>

namespace tenon::codegen {

using IndexVector = llvm::SmallVector<mlir::AffineExpr, 4>;

// The values a kernel function reads (in the order of its buffer table) and those it writes. A function that is one
// phase of several may also read what earlier phases left in the temporary block, and leave something there.
struct KernelSource {
  mlir::Operation *op = nullptr;
  llvm::SmallVector<mlir::Value> inputs; // the op's operands, then values in the temporary block
  llvm::SmallVector<mlir::Value> outputs;
  llvm::SmallVector<int64_t> inputOffsets;  // of the inputs in the temporary block
  llvm::SmallVector<int64_t> outputOffsets; // of all outputs, or empty: the outputs are the op's results
  int64_t tempBase = 0;                     // where the phase's own part of the temporary block begins

  // Buffer number of a value that is read from memory, or -1.
  int inputNumber(mlir::Value value) const;
};

// A fusion's body, or the op itself.
KernelSource kernelSource(mlir::Operation *op);

using ir::elementTypeOf;
using ir::shapeOf;
int64_t elementCount(llvm::ArrayRef<int64_t> shape);

// min <= expr <= max.
struct Condition {
  mlir::AffineExpr expr;
  int64_t min, max;
};

// Leaves out the conditions that always hold. Whether all of them hold:
enum class Truth { kNever, kSometimes, kAlways };
Truth simplify(IndexSpace &space, llvm::SmallVectorImpl<Condition> &conditions);

// Where an element comes from: operand `operand` at `index`, if the conditions hold.
struct Source {
  unsigned operand;
  IndexVector index;
  llvm::SmallVector<Condition, 2> conditions;
};

// A number read at run time that indices depend on: an element of an integer tensor, clamped.
struct IndexSymbol {
  mlir::Value tensor;
  IndexVector index;
  IndexRange clamp;
};

// Follows indices through the ops that only move elements. Whoever copies one continues on their own: the dimensions
// and symbols added to a copy are the copy's.
class RegionIndexer {
public:
  explicit RegionIndexer(IndexSpace space) : space_(std::move(space)) {}

  // Element `index` of the op's result is the first of these whose conditions hold (the last has none). Conditions that
  // always hold are left out, and so are sources that are never chosen.
  llvm::SmallVector<Source, 2> sources(mlir::Operation *op, llvm::ArrayRef<mlir::AffineExpr> index);
  // Index at which an elementwise op reads `operand`: the result's, or none for a scalar beside other shapes.
  static IndexVector elementwiseIndex(mlir::Value operand, llvm::ArrayRef<mlir::AffineExpr> index);
  // Sizes of what is combined into one element: the reduced dimensions of a reduce, the window of a reduce_window.
  static llvm::SmallVector<int64_t> reducedExtents(mlir::Operation *op);
  // Index in the inputs of a reduce or reduce_window of what its result's element `index` takes at `reduced` (within
  // those sizes), and the conditions under which that is inside of them; nothing if it never is.
  std::optional<Source> reducedSource(mlir::Operation *op, llvm::ArrayRef<mlir::AffineExpr> index,
                                      llvm::ArrayRef<mlir::AffineExpr> reduced);
  // The same for a reduce, whose index always is inside.
  static IndexVector reduceInputIndex(mlir::Operation *reduce, llvm::ArrayRef<mlir::AffineExpr> index,
                                      llvm::ArrayRef<mlir::AffineExpr> reduced);
  // The same for ops with windows.
  std::optional<Source> windowSource(mlir::Operation *op, llvm::ArrayRef<mlir::AffineExpr> index,
                                     llvm::ArrayRef<mlir::AffineExpr> window);

  // Row-major position in the result of a dynamic_update_slice of element `index` of the update.
  mlir::AffineExpr updatePosition(mlir::Operation *update, llvm::ArrayRef<mlir::AffineExpr> index);

  // Element `index` of `tensor`, clamped, which starts a slice or is a gathered place: a symbol, or an expression of
  // the dimensions where affineValue() finds one that is in range.
  mlir::AffineExpr symbol(mlir::Value tensor, IndexVector index, IndexRange clamp);
  const IndexSymbol &symbolInfo(unsigned position) const { return symbols_[position]; }

  IndexSpace &space() { return space_; }
  const IndexSpace &space() const { return space_; }

private:
  IndexSpace space_;
  llvm::SmallVector<IndexSymbol, 4> symbols_; // by symbol position
  llvm::DenseMap<std::pair<mlir::Value, mlir::AffineMap>, llvm::SmallVector<std::pair<int64_t, mlir::AffineExpr>, 1>>
      symbolCache_;
};

// One key for an index, whatever the number of dimensions in use.
mlir::AffineMap indexKey(mlir::MLIRContext *context, llvm::ArrayRef<mlir::AffineExpr> index);

// The dimensions that a dense i64 elements attribute or array attribute lists; `fallback` n times when absent.
llvm::SmallVector<int64_t> windowDims(mlir::Operation *op, llvm::StringRef attribute, size_t n, int64_t fallback);
// Pairs (low, high) of the `padding` attribute, zeros when absent.
llvm::SmallVector<std::pair<int64_t, int64_t>> windowPadding(mlir::Operation *op, size_t n);

} // namespace tenon::codegen
