// Emits elementwise ops and scalar regions made of them.
#include "tenon/codegen/llvm/element/kind.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Matchers.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/ir/traits.h"
#include "llvm/ADT/DenseMap.h"

using namespace llvm;

namespace tenon::codegen {

static mlir::Type elementTypeOf(mlir::Value value) { return mlir::getElementTypeOrSelf(value.getType()); }

// The function that computes the op, or null if its types or the op are not supported.
static ElementFunction supportedFunction(mlir::Operation *op) {
  if (op->getNumResults() != 1 || op->getNumRegions() != 0 || op->getNumOperands() == 0)
    return nullptr;
  for (mlir::Type type : concat<const mlir::Type>(op->getOperandTypes(), op->getResultTypes())) {
    auto shaped = dyn_cast<mlir::ShapedType>(type);
    if (!shaped || !isElementTypeSupported(shaped.getElementType()))
      return nullptr;
  }
  return elementFunction(op);
}

bool isElementwiseSupported(mlir::Operation *op) { return supportedFunction(op) != nullptr; }

FailureOr<Element> emitElementwise(ElementContext &context, mlir::Operation *op, ArrayRef<Element> operands,
                                   unsigned lanes) {
  ElementFunction function = supportedFunction(op);
  if (!function)
    return op->emitError("this operation has no elementwise code for its element type");
  return function({context.builder, elementTypeOf(op->getOperand(0)), op, lanes}, operands);
}

// --- Regions ---

// Whether the op gives its operands unchanged, each being a single element.
static bool isScalarIdentity(mlir::Operation *op) {
  auto isScalar = [](mlir::Type type) {
    auto shaped = dyn_cast<mlir::ShapedType>(type);
    return shaped && shaped.hasStaticShape() && shaped.getNumElements() == 1;
  };
  return isa<stablehlo::OptimizationBarrierOp>(op) ||
         (op->hasTrait<ir::Reindexes>() && isScalar(op->getOperand(0).getType()) &&
          isScalar(op->getResult(0).getType()));
}

bool isScalarRegionSupported(mlir::Region &region) {
  if (!region.hasOneBlock())
    return false;
  for (mlir::BlockArgument argument : region.getArguments())
    if (!isElementTypeSupported(elementTypeOf(argument)))
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

FailureOr<SmallVector<Element>> emitScalarRegion(ElementContext &context, mlir::Region &region,
                                                 ArrayRef<Element> arguments, unsigned lanes) {
  LLVMContext &llvmContext = context.builder.getContext();
  DenseMap<mlir::Value, Element> values;
  for (auto [argument, element] : zip_equal(region.getArguments(), arguments))
    values[argument] = element;
  auto operandsOf = [&](mlir::Operation &op) -> FailureOr<SmallVector<Element>> {
    SmallVector<Element> elements;
    for (mlir::Value operand : op.getOperands()) {
      if (auto found = values.find(operand); found != values.end()) {
        elements.push_back(found->second);
        continue;
      }
      mlir::DenseElementsAttr constant;
      FailureOr<Element> outer = failure();
      if (mlir::matchPattern(operand, mlir::m_Constant(&constant)) && constant.isSplat())
        outer = constantElement(llvmContext, constant, 0, lanes);
      else if (context.captured)
        outer = context.captured(operand);
      if (failed(outer))
        return op.emitError("the region uses a value from outside that is not available to its code");
      elements.push_back(values[operand] = *outer);
    }
    return elements;
  };
  for (mlir::Operation &op : region.front()) {
    if (mlir::matchPattern(&op, mlir::m_Constant()))
      continue; // emitted at their uses
    FailureOr<SmallVector<Element>> operands = operandsOf(op);
    if (failed(operands) || op.hasTrait<mlir::OpTrait::IsTerminator>())
      return operands;
    if (isScalarIdentity(&op)) {
      for (auto [result, operand] : zip(op.getResults(), *operands))
        values[result] = operand;
      continue;
    }
    FailureOr<Element> result = emitElementwise(context, &op, *operands, lanes);
    if (failed(result))
      return failure();
    values[op.getResult(0)] = *result;
  }
  return failure();
}

} // namespace tenon::codegen
