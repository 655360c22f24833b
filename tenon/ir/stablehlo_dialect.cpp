#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Quant/IR/Quant.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "tenon/ir/checks.h"
#include "tenon/ir/inliner.h"
#include "tenon/ir/process_groups.h"
#include "tenon/ir/stablehlo.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/TypeSwitch.h"

#include <utility>

#include "tenon/ops/stablehlo_dialect.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "tenon/ops/stablehlo_types.cpp.inc"

namespace tenon::stablehlo {

using mlir::Attribute;
using mlir::OpBuilder;
using mlir::OperationState;
using mlir::Type;
using mlir::Value;

namespace {

/// Long lists of processes stand before a program, once for all collectives that have them: `#groups`, `#ids`. Shorter
/// ones, and those that groups by axes need not be, stand where they are used.
class ListAliases : public mlir::OpAsmDialectInterface {
public:
  using OpAsmDialectInterface::OpAsmDialectInterface;

  AliasResult getAlias(Attribute attribute, llvm::raw_ostream &stream) const override {
    if (auto list = llvm::dyn_cast<mlir::DenseI64ArrayAttr>(attribute); list && list.size() > kShortest) {
      stream << "ids";
      return AliasResult::OverridableAlias;
    }
    if (auto table = llvm::dyn_cast<mlir::DenseIntElementsAttr>(attribute); table && hasProcesses(table)) {
      stream << "groups";
      return AliasResult::OverridableAlias;
    }
    return AliasResult::NoAlias;
  }

private:
  static constexpr int64_t kShortest = 16;

  /// Whether it may be replica_groups or source_target_pairs: no column has a process twice.
  static bool hasProcesses(mlir::DenseIntElementsAttr table) {
    if (table.getType().getRank() != 2 || !table.getElementType().isSignlessInteger(64) || table.isSplat() ||
        table.size() <= kShortest)
      return false;
    int64_t columns = table.getType().getDimSize(1), place = 0;
    llvm::DenseSet<std::pair<int64_t, int64_t>> seen;
    for (int64_t id : table.getValues<int64_t>()) {
      if (id < -1 || id >= ir::kMaxProcesses || (id >= 0 && !seen.insert({place++ % columns, id}).second))
        return false;
    }
    return true;
  }
};

} // namespace

void StablehloDialect::initialize() {
  registerStablehloDialectOperations(this);
  registerAttributes();
  registerTypes();
  addInterfaces<ir::InlineAnywhere, ListAliases>();
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
