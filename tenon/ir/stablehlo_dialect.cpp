#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "tenon/ir/checks.h"
#include "tenon/ir/inliner.h"
#include "tenon/ir/stablehlo.h"
#include "llvm/ADT/TypeSwitch.h"

#include "tenon/ops/stablehlo_dialect.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "tenon/ops/stablehlo_types.cpp.inc"

namespace tenon::stablehlo {

using mlir::Attribute;
using mlir::OpBuilder;
using mlir::OperationState;
using mlir::Type;
using mlir::Value;

void StablehloDialect::initialize() {
  registerStablehloDialectOperations(this);
  registerAttributes();
  registerTypes();
  addInterfaces<ir::InlineAnywhere>();
  getContext()->loadDialect<mlir::quant::QuantDialect>();
}

void StablehloDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "tenon/ops/stablehlo_types.cpp.inc"
      >();
}

mlir::Operation *StablehloDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type,
                                                       mlir::Location loc) {
  auto elements = llvm::dyn_cast<mlir::ElementsAttr>(value);
  if (!elements || elements.getType() != type)
    return nullptr;
  return ConstantOp::create(builder, loc, type, elements);
}

//===- constant --------------------------------------------------------------------------------------------------===//

void ConstantOp::build(OpBuilder &, OperationState &state, Attribute value) {
  mlir::ElementsAttr elements = llvm::dyn_cast<mlir::ElementsAttr>(value);
  if (!elements) {
    // One number stands for the scalar tensor of it.
    auto typed = llvm::cast<mlir::TypedAttr>(value);
    elements = mlir::DenseElementsAttr::get(mlir::RankedTensorType::get({}, typed.getType()), value);
  }
  state.getOrAddProperties<Properties>().value = elements;
  state.addTypes(elements.getType());
}

mlir::OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValueAttr(); }

/// `%c` for integers and booleans, `%cst` for others.
void ConstantOp::getAsmResultNames(mlir::OpAsmSetValueNameFn setName) {
  setName(getResult(), llvm::isa<mlir::IntegerType>(getType().getElementType()) ? "c" : "cst");
}

//===- Builders and interfaces -----------------------------------------------------------------------------------===//

void ConvertOp::build(OpBuilder &builder, OperationState &state, Value operand, Type resultElementType) {
  auto type = llvm::cast<mlir::RankedTensorType>(operand.getType());
  build(builder, state, mlir::Type(type.clone(resultElementType)), operand);
}

void CompareOp::build(OpBuilder &builder, OperationState &state, Value lhs, Value rhs, ComparisonDirection direction,
                      ComparisonType type) {
  mlir::MLIRContext *context = builder.getContext();
  build(builder, state, lhs, rhs, ComparisonDirectionAttr::get(context, direction),
        type == ComparisonType::NOTYPE ? ComparisonTypeAttr() : ComparisonTypeAttr::get(context, type));
}

void CustomCallOp::getEffects(
    llvm::SmallVectorImpl<mlir::SideEffects::EffectInstance<mlir::MemoryEffects::Effect>> &effects) {
  if (!getHasSideEffect() && !ir::isCheck(*this))
    return;
  effects.emplace_back(mlir::MemoryEffects::Read::get());
  effects.emplace_back(mlir::MemoryEffects::Write::get());
}

llvm::LogicalResult CompositeOp::verifySymbolUses(mlir::SymbolTableCollection &symbols) {
  auto function = symbols.lookupNearestSymbolFrom<mlir::func::FuncOp>(*this, getDecompositionAttr());
  if (!function)
    return emitOpError() << "'" << getDecomposition() << "' does not reference a valid function";
  if (function.getResultTypes() != getResultTypes() || function.getArgumentTypes() != getInputs().getTypes())
    return emitOpError() << "has other operand or result types than its decomposition '" << getDecomposition()
                         << "' of type " << function.getFunctionType();
  return llvm::success();
}

} // namespace tenon::stablehlo
