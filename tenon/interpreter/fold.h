// Folding a sequence of element tuples with a region's function.
#pragma once

#include "tenon/interpreter/element_function.h"

namespace tenon::interpreter {

// Any in-order tree is a legal schedule of a reduction: operands keep their order, only the association is free. This
// one goes left to right through blocks and combines the blocks pairwise, so that the rounding error of a long sum
// grows with the logarithm of its length. The initial value enters once, at the left.
class Fold {
public:
  Fold(ElementFunction &body, unsigned width) : body_(body), width_(width), arguments_(2 * width) {}

  void start(llvm::ArrayRef<Scalar> init) {
    stack_.clear();
    current_.assign(init.begin(), init.end());
    inBlock_ = 0;
    empty_ = false;
  }
  // Starts a fold that has no initial value.
  void start() {
    stack_.clear();
    inBlock_ = 0;
    empty_ = true;
  }
  LogicalResult add(llvm::ArrayRef<Scalar> element);
  LogicalResult finish(llvm::MutableArrayRef<Scalar> result);

private:
  static constexpr int kBlock = 64;
  struct Partial {
    int level;
    llvm::SmallVector<Scalar, 2> values;
  };
  // left := body(left, right)
  LogicalResult combine(llvm::SmallVectorImpl<Scalar> &left, llvm::ArrayRef<Scalar> right);

  ElementFunction &body_;
  unsigned width_;
  llvm::SmallVector<Scalar, 4> arguments_;
  llvm::SmallVector<Scalar, 2> current_;
  llvm::SmallVector<Partial, 8> stack_;
  int inBlock_ = 0;
  bool empty_ = true;
};

} // namespace tenon::interpreter
