// Emits elementwise ops and scalar regions made of them.
#include "tenon/codegen/llvm/element/kind.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Matchers.h"
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

// Whether the op gives its operand unchanged, which is a single element.
static bool isScalarIdentity(mlir::Operation *op) {
  auto isScalar = [](mlir::Type type) {
    auto shaped = dyn_cast<mlir::ShapedType>(type);
    return shaped && shaped.hasStaticShape() && shaped.getNumElements() == 1;
  };
  return op->hasTrait<ir::Reindexes>() && isScalar(op->getOperand(0).getType()) && isScalar(op->getResult(0).getType());
}

FailureOr<Element> emitElementwise(IRBuilderBase &builder, mlir::Operation *op, ArrayRef<Element> operands,
                                   unsigned lanes) {
  if (isScalarIdentity(op))
    return operands.front();
  ElementFunction function = supportedFunction(op);
  if (!function)
    return op->emitError("this operation has no elementwise code for its element type");
  return function({builder, elementTypeOf(op->getOperand(0)), op, lanes}, operands);
}

// --- Regions ---

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

FailureOr<SmallVector<Element>> emitScalarRegion(IRBuilderBase &builder, mlir::Region &region,
                                                 ArrayRef<Element> arguments, unsigned lanes) {
  DenseMap<mlir::Value, Element> values;
  for (auto [argument, element] : zip_equal(region.getArguments(), arguments))
    values[argument] = element;
  for (mlir::Operation &op : region.front()) {
    if (mlir::matchPattern(&op, mlir::m_Constant()))
      continue; // emitted at their uses
    SmallVector<Element> operands;
    for (mlir::Value operand : op.getOperands()) {
      mlir::DenseElementsAttr constant;
      if (auto found = values.find(operand); found != values.end())
        operands.push_back(found->second);
      else if (mlir::matchPattern(operand, mlir::m_Constant(&constant)) && constant.isSplat())
        operands.push_back(constantElement(builder.getContext(), constant, 0, lanes));
      else
        return op.emitError("the region uses a value from outside that is not available to its code");
    }
    if (op.hasTrait<mlir::OpTrait::IsTerminator>())
      return operands;
    FailureOr<Element> result = emitElementwise(builder, &op, operands, lanes);
    if (failed(result))
      return failure();
    values[op.getResult(0)] = *result;
  }
  return failure();
}

} // namespace tenon::codegen
