#include "tenon/ir/checks.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"

namespace tenon::ir {

using mlir::dyn_cast;
using mlir::RankedTensorType;

namespace {

CheckAttribute attributeOf(mlir::NamedAttribute named) {
  CheckAttribute attribute{named.getName().str(), {}};
  if (auto integer = dyn_cast<mlir::IntegerAttr>(named.getValue())) {
    bool isNegative = !integer.getType().isUnsignedInteger() && integer.getValue().isNegative();
    if (integer.getValue().getBitWidth() <= 64 && !isNegative)
      attribute.value = integer.getValue().getZExtValue();
  } else if (auto number = dyn_cast<mlir::FloatAttr>(named.getValue())) {
    attribute.value = number.getValueAsDouble();
  }
  return attribute;
}

// Whether all layouts are row-major, since a check reads both operands in the same order.
bool isRowMajor(mlir::ArrayAttr layouts) {
  return llvm::all_of(layouts.getAsRange<mlir::DenseIntElementsAttr>(), [](mlir::DenseIntElementsAttr layout) {
    auto order = llvm::to_vector(layout.getValues<int64_t>());
    return std::is_sorted(order.rbegin(), order.rend());
  });
}

} // namespace

bool isCheck(stablehlo::CustomCallOp call) { return checkNamed(call.getCallTargetName()).has_value(); }

mlir::DictionaryAttr checkAttributes(stablehlo::CustomCallOp call) {
  mlir::NamedAttrList attributes;
  for (mlir::Attribute config : {call.getBackendConfigAttr(), call->getAttr("mhlo.backend_config")})
    if (auto dictionary = llvm::dyn_cast_or_null<mlir::DictionaryAttr>(config))
      for (mlir::NamedAttribute attribute : dictionary)
        attributes.set(attribute.getName(), attribute.getValue());
  for (mlir::NamedAttribute attribute : call->getDiscardableAttrs())
    if (isCheckAttribute(attribute.getName().getValue()))
      attributes.set(attribute.getName(), attribute.getValue());
  return attributes.getDictionary(call.getContext());
}

StatusOr<ElementCheck> elementCheck(stablehlo::CustomCallOp call) {
  llvm::SmallVector<CheckAttribute> attributes = llvm::map_to_vector(checkAttributes(call), attributeOf);
  return makeElementCheck(*checkNamed(call.getCallTargetName()), attributes);
}

llvm::LogicalResult verifyCheck(stablehlo::CustomCallOp call) {
  auto broken = [&] { return call.emitOpError() << call.getCallTargetName() << ": "; };
  if (call->getNumOperands() != 2)
    return broken() << "there must be two operands, what is there and what is expected, got " << call->getNumOperands();
  auto actual = dyn_cast<RankedTensorType>(call->getOperand(0).getType());
  auto expected = dyn_cast<RankedTensorType>(call->getOperand(1).getType());
  if (!actual || !expected || actual.getElementType() != expected.getElementType() ||
      failed(mlir::verifyCompatibleShape(actual, expected)))
    return broken() << "the operands must be tensors of one type, got " << call->getOperand(0).getType() << " and "
                    << call->getOperand(1).getType();
  if (llvm::isa<mlir::quant::QuantizedType>(actual.getElementType()) &&
      checkNamed(call.getCallTargetName()) != ElementCheck::Kind::Equal)
    return broken() << "the operands must not be quantized, got " << actual << "; check.expect_eq compares storage";
  auto verdict = RankedTensorType::get({}, mlir::IntegerType::get(call.getContext(), 1));
  if (call->getNumResults() > 1 || (call->getNumResults() == 1 && call->getResult(0).getType() != verdict))
    return broken() << "there must be no result, or one of type " << verdict << ", got " << call->getResultTypes();
  if (auto text = llvm::dyn_cast_or_null<mlir::StringAttr>(call.getBackendConfigAttr()); text && !text.empty())
    return broken() << "backend_config must be a dictionary, got " << text;
  if (auto layouts = call.getOperandLayoutsAttr(); layouts && !isRowMajor(layouts))
    return broken() << "operand_layouts must be row-major, got " << layouts;
  StatusOr<ElementCheck> check = elementCheck(call);
  if (!check.ok())
    return broken() << check.status().message();
  return llvm::success();
}

} // namespace tenon::ir
