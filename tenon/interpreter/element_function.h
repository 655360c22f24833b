// A region applied to single elements: the bodies of reduce, sort, map, scatter and their like.
#pragma once

#include "tenon/interpreter/evaluator.h"

namespace tenon::interpreter {

// Regions made of elementwise ops on rank-0 tensors are flattened into a list of scalar steps on registers, which runs
// without allocating. Any other region runs as a block, with each element wrapped in a tensor.
class ElementFunction {
public:
  ElementFunction(mlir::Region &region, Invocation &call);

  // The element type of argument i of the region.
  ElementType argumentType(unsigned i) const { return argumentTypes_[i]; }
  // Whether the region takes `arguments` and gives `results` rank-0 tensors; reports through the invocation.
  LogicalResult check(unsigned arguments, unsigned results);

  // The arguments must be values of the argument types.
  LogicalResult operator()(llvm::ArrayRef<Scalar> arguments, llvm::MutableArrayRef<Scalar> results);

private:
  struct Step {
    ScalarKernel kernel;
    unsigned operands[3];
    unsigned result;
  };
  bool flatten();
  // Register of a rank-0 tensor from outside the region or a constant; nullopt for other values.
  std::optional<unsigned> registerOf(mlir::Value value);
  bool flattenOp(mlir::Operation &op);
  LogicalResult runAsBlock(llvm::ArrayRef<Scalar> arguments, llvm::MutableArrayRef<Scalar> results);

  mlir::Region &region_;
  Invocation &call_;
  llvm::SmallVector<ElementType, 4> argumentTypes_;
  bool flat_ = false;
  std::vector<Scalar> registers_;
  std::vector<Step> steps_;
  llvm::SmallVector<unsigned, 2> outputs_;
  llvm::DenseMap<mlir::Value, unsigned> numbers_;
};

} // namespace tenon::interpreter
