// Constants.
#include "tenon/frontend/builder/call.h"
#include "tenon/ir/stablehlo.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APInt.h"

namespace xla {

namespace sh = tenon::stablehlo;
using internal::Call;

namespace {

// The elements of a row-major array without padding. Elements of fewer than 8 bits are given by their bits.
mlir::DenseElementsAttr elementsOf(mlir::RankedTensorType type, const Literal &literal) {
  mlir::Type element = type.getElementType();
  const auto *bytes = static_cast<const char *>(literal.untyped_data());
  if (!element.isIntOrFloat() || element.getIntOrFloatBitWidth() % 8 == 0)
    return mlir::DenseElementsAttr::getFromRawBuffer(type, {bytes, static_cast<size_t>(literal.size_bytes())});
  unsigned width = element.getIntOrFloatBitWidth();
  llvm::SmallVector<mlir::Attribute> values;
  for (int64 i = 0; i < literal.size_bytes(); ++i) {
    llvm::APInt bits(width, static_cast<uint8>(bytes[i]), /*isSigned=*/false, /*implicitTrunc=*/true);
    if (auto floatType = mlir::dyn_cast<mlir::FloatType>(element))
      values.push_back(mlir::FloatAttr::get(floatType, llvm::APFloat(floatType.getFloatSemantics(), bits)));
    else
      values.push_back(mlir::IntegerAttr::get(element, bits));
  }
  return mlir::DenseElementsAttr::get(type, values);
}

// Null after an error.
mlir::Value constant(Call &call, const Literal &literal) {
  mlir::RankedTensorType type = call.type(literal.shape(), "literal");
  if (!type)
    return {};
  Layout layout = LayoutUtil::LayoutOf(literal.shape());
  bool dense = LayoutUtil::IsDefault(layout) && !LayoutUtil::IsPadded(layout, literal.shape());
  mlir::DenseElementsAttr elements =
      dense ? elementsOf(type, literal)
            : elementsOf(type, literal.Relayout(LayoutUtil::GetDefaultLayout(type.getRank())));
  return sh::ConstantOp::create(call.ops(), elements);
}

} // namespace

ComputationDataHandle ComputationBuilder::ConstantLiteral(const Literal &literal, At at) {
  Call call(*state_, "ConstantLiteral", at);
  if (call.failed() || !call.checkShape(literal.shape(), "literal"))
    return {};
  llvm::SmallVector<mlir::Value, 1> leaves;
  for (const Literal *leaf : literal.Leaves())
    leaves.push_back(constant(call, *leaf));
  return call.result(ShapeUtil::WithoutLayout(literal.shape()), leaves);
}

} // namespace xla
