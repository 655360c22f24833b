// Index arithmetic of kernel plans: affine expressions over a kernel's iteration dimensions, with known ranges.
//
// Every value inside a fused region is computed at an index that is a function of the iteration dimensions. These
// functions are mlir::AffineExpr (uniqued, so equal indices are equal pointers), kept in one canonical form: a sum of
// scaled atoms and a constant, where an atom is a dimension, a symbol (a number known only at run time, such as the
// start of a dynamic_slice or a gathered index) or a floordiv/mod that the ranges could not remove. The rules that
// matter are those that make reshapes disappear:
//
//   (x floordiv n) * n + (x mod n)  ->  x
//   (n * y + r) floordiv n          ->  y       when 0 <= r < n
//   (n * y + r) mod n               ->  r       when 0 <= r < n
//
// A floordiv that would disappear if an iteration dimension were split in two is recorded as a SplitRequest; the
// planner then refines the iteration space and starts again.
#pragma once

#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <utility>

namespace tenon::codegen {

// Inclusive bounds.
struct IndexRange {
  int64_t min = 0, max = 0;
};

// Dimension `dim` would better be (dim / factor, dim % factor).
struct SplitRequest {
  unsigned dim;
  int64_t factor;
};

// Sum of coefficient * atom, plus constant.
struct LinearForm {
  int64_t constant = 0;
  llvm::SmallVector<std::pair<mlir::AffineExpr, int64_t>, 4> terms;

  int64_t coefficient(mlir::AffineExpr atom) const;
};

class IndexSpace {
public:
  explicit IndexSpace(mlir::MLIRContext *context) : context_(context) {}

  // Appends a dimension with values [0, extent). The expression of a dimension of extent 1 is the constant 0.
  mlir::AffineExpr addDim(int64_t extent);
  mlir::AffineExpr addSymbol(IndexRange range);
  mlir::AffineExpr dim(unsigned index) const;
  mlir::AffineExpr constant(int64_t value) const;
  unsigned numDims() const { return dims_.size(); }
  IndexRange dimRange(unsigned dim) const { return dims_[dim]; }
  // Narrows (or restores) what a dimension may be, for code that only runs in a part of the iteration space.
  void setDimRange(unsigned dim, IndexRange range) { dims_[dim] = range; }

  IndexRange range(mlir::AffineExpr expr) const;
  static LinearForm linearForm(mlir::AffineExpr expr);
  mlir::AffineExpr fromLinear(LinearForm form) const;

  mlir::AffineExpr add(mlir::AffineExpr a, mlir::AffineExpr b) const;
  mlir::AffineExpr addConstant(mlir::AffineExpr a, int64_t c) const;
  mlir::AffineExpr scale(mlir::AffineExpr a, int64_t factor) const;
  mlir::AffineExpr floorDiv(mlir::AffineExpr a, int64_t divisor) const;
  mlir::AffineExpr mod(mlir::AffineExpr a, int64_t divisor) const;

  // Row-major position of `index` in an array of this shape.
  mlir::AffineExpr linearize(llvm::ArrayRef<mlir::AffineExpr> index, llvm::ArrayRef<int64_t> shape) const;
  // The index whose row-major position is `position`.
  llvm::SmallVector<mlir::AffineExpr> delinearize(mlir::AffineExpr position, llvm::ArrayRef<int64_t> shape) const;
  // The index in an array of shape `to` that holds the same element as `index` in one of shape `from`.
  llvm::SmallVector<mlir::AffineExpr> reshape(llvm::ArrayRef<mlir::AffineExpr> index, llvm::ArrayRef<int64_t> from,
                                              llvm::ArrayRef<int64_t> to) const;

  llvm::ArrayRef<SplitRequest> splitRequests() const { return splitRequests_; }
  mlir::MLIRContext *context() const { return context_; }

private:
  void requestSplit(const LinearForm &rest, int64_t divisor) const;

  mlir::MLIRContext *context_;
  llvm::SmallVector<IndexRange> dims_, symbols_;
  mutable llvm::SmallVector<SplitRequest> splitRequests_;
};

} // namespace tenon::codegen
