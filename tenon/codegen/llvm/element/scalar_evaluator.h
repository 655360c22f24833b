// Evaluates values of one element each: those of a scalar computation, which a kernel applies to many elements at a
// time, and the numbers that an entry function has in registers.
#pragma once

#include "tenon/codegen/common/region/region_evaluator.h"
#include "tenon/codegen/llvm/element/element.h"

#include "llvm/ADT/DenseMap.h"

#include <functional>

namespace tenon::codegen {

class ScalarEvaluator : RegionEvaluator<ScalarEvaluator> {
public:
  // The element of a value that is neither bound nor a constant. It reports an error where there is none.
  using Outside = std::function<llvm::FailureOr<Element>(mlir::Value)>;

  // Elements are vectors of `lanes`.
  ScalarEvaluator(llvm::IRBuilderBase &builder, unsigned lanes, Outside outside)
      : builder_(builder), lanes_(lanes), outside_(std::move(outside)) {}

  void bind(mlir::Value value, Element element) { elements_[value] = element; }
  llvm::FailureOr<Element> element(mlir::Value value);
  // Emits the op, whose operands have elements by now, and binds its result.
  llvm::LogicalResult compute(mlir::Operation *op);

private:
  struct OnlyIndex {};

  friend RegionEvaluator;
  llvm::FailureOr<Element> array(mlir::Value value, OnlyIndex) { return outside_(value); }
  llvm::FailureOr<Element> constant(mlir::DenseElementsAttr data);
  llvm::FailureOr<Element> iota(mlir::Operation *op, OnlyIndex);
  llvm::FailureOr<Element> moved(mlir::Operation *op, OnlyIndex);
  llvm::FailureOr<Element> reduced(mlir::OpResult result, OnlyIndex);
  llvm::FailureOr<Element> computed(mlir::OpResult result, OnlyIndex);

  llvm::IRBuilderBase &builder_;
  unsigned lanes_;
  Outside outside_;
  llvm::DenseMap<mlir::Value, Element> elements_;
};

// Whether emitScalarRegion takes the region: one block of elementwise ops, splat constants and rank-0 shape changes.
bool isScalarRegionSupported(mlir::Region &region);

// The operands of the terminator (stablehlo.return or tenon.yield), given the block arguments.
llvm::FailureOr<llvm::SmallVector<Element>> emitScalarRegion(llvm::IRBuilderBase &builder, mlir::Region &region,
                                                             llvm::ArrayRef<Element> arguments, unsigned lanes);

} // namespace tenon::codegen
