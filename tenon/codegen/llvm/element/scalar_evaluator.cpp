#include "tenon/codegen/llvm/element/scalar_evaluator.h"

#include "tenon/ir/traits.h"

#include "mlir/IR/Matchers.h"

using namespace llvm;

namespace tenon::codegen {

static bool hasOneElement(mlir::Value value) {
  auto type = dyn_cast<mlir::ShapedType>(value.getType());
  return type && type.hasStaticShape() && type.getNumElements() == 1;
}

// Whether the op gives its operand unchanged, which is a single element.
static bool isScalarIdentity(mlir::Operation *op) {
  return op->hasTrait<ir::Reindexes>() && hasOneElement(op->getOperand(0)) && hasOneElement(op->getResult(0));
}

FailureOr<Element> ScalarEvaluator::element(mlir::Value value) {
  if (auto found = elements_.find(value); found != elements_.end())
    return found->second;
  mlir::Operation *op = value.getDefiningOp();
  return op && elementForm(op) == ElementForm::kConstant ? evaluate(cast<mlir::OpResult>(value), OnlyIndex())
                                                         : outside_(value);
}

LogicalResult ScalarEvaluator::compute(mlir::Operation *op) {
  FailureOr<Element> element = evaluate(op->getResult(0), OnlyIndex());
  if (succeeded(element))
    bind(op->getResult(0), *element);
  return element;
}

FailureOr<Element> ScalarEvaluator::constant(mlir::DenseElementsAttr data) {
  return constantElement(builder_.getContext(), data, 0, lanes_);
}

FailureOr<Element> ScalarEvaluator::iota(mlir::Operation *op, OnlyIndex) {
  return op->emitError("this operation is none of a single element");
}

FailureOr<Element> ScalarEvaluator::moved(mlir::Operation *op, OnlyIndex) {
  return isScalarIdentity(op) ? element(op->getOperand(0)) : computed(op->getResult(0), OnlyIndex());
}

FailureOr<Element> ScalarEvaluator::reduced(mlir::OpResult result, OnlyIndex) {
  return result.getOwner()->emitError("this operation is none of a single element");
}

FailureOr<Element> ScalarEvaluator::computed(mlir::OpResult result, OnlyIndex) {
  mlir::Operation *op = result.getOwner();
  SmallVector<Element> operands;
  for (mlir::Value operand : op->getOperands()) {
    FailureOr<Element> element = this->element(operand);
    if (failed(element))
      return failure();
    operands.push_back(*element);
  }
  return emitElementwise(builder_, op, operands, lanes_);
}

bool isScalarRegionSupported(mlir::Region &region) {
  if (!region.hasOneBlock())
    return false;
  for (mlir::BlockArgument argument : region.getArguments())
    if (!isElementTypeSupported(mlir::getElementTypeOrSelf(argument)))
      return false;
  for (mlir::Operation &op : region.front().without_terminator()) {
    mlir::DenseElementsAttr constant;
    bool isConstant = mlir::matchPattern(&op, mlir::m_Constant(&constant)) && constant.isSplat() &&
                      isElementTypeSupported(constant.getElementType());
    if (!isConstant && !isScalarIdentity(&op) && !isElementwiseSupported(&op))
      return false;
  }
  return true;
}

FailureOr<SmallVector<Element>> emitScalarRegion(IRBuilderBase &builder, mlir::Region &region,
                                                 ArrayRef<Element> arguments, unsigned lanes) {
  ScalarEvaluator evaluator(builder, lanes, [&](mlir::Value) -> FailureOr<Element> {
    return region.getParentOp()->emitError("the region uses a value from outside that is not available to its code");
  });
  for (auto [argument, element] : zip_equal(region.getArguments(), arguments))
    evaluator.bind(argument, element);
  for (mlir::Operation &op : region.front().without_terminator())
    if (failed(evaluator.compute(&op)))
      return failure();
  SmallVector<Element> results;
  for (mlir::Value operand : region.front().getTerminator()->getOperands()) {
    FailureOr<Element> element = evaluator.element(operand);
    if (failed(element))
      return failure();
    results.push_back(*element);
  }
  return results;
}

} // namespace tenon::codegen
