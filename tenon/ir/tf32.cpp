#include "tenon/ir/tf32.h"

#include "tenon/ir/stablehlo.h"

namespace tenon::ir {

void copyTf32Operands(mlir::Operation *from, mlir::Operation *to) {
  if (mlir::Attribute isSaid = from->getDiscardableAttr(kTf32OperandsAttribute))
    to->setDiscardableAttr(kTf32OperandsAttribute, isSaid);
}

bool mayRoundToTf32(mlir::Operation *contraction, bool allowsTf32) {
  if (!allowsTf32 || contraction->hasAttr(kTf32OperandsAttribute))
    return contraction->hasAttr(kTf32OperandsAttribute);
  auto dot = llvm::dyn_cast<stablehlo::DotGeneralOp>(contraction);
  mlir::ArrayAttr precision =
      dot ? dot.getPrecisionConfigAttr() : llvm::cast<stablehlo::ConvolutionOp>(contraction).getPrecisionConfigAttr();
  return !precision || llvm::none_of(precision, [](mlir::Attribute operand) {
    return llvm::cast<stablehlo::PrecisionAttr>(operand).getValue() == stablehlo::Precision::HIGHEST;
  });
}

mlir::ArrayAttr highestPrecision(mlir::MLIRContext *context) {
  mlir::Attribute highest = stablehlo::PrecisionAttr::get(context, stablehlo::Precision::HIGHEST);
  return mlir::ArrayAttr::get(context, {highest, highest});
}

} // namespace tenon::ir
