#include "tenon/codegen/common/plan/loop_plan.h"

#include "tenon/ir/stablehlo.h"
#include "tenon/ir/traits.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using mlir::AffineExpr;

namespace tenon::codegen {

double elementwiseNanoseconds(mlir::Operation *op) {
  double scale = 1;
  if (op->getNumResults() == 1) {
    mlir::Type type = elementTypeOf(op->getResult(0));
    if (auto complex = llvm::dyn_cast<mlir::ComplexType>(type)) {
      scale = 4;
      type = complex.getElementType();
    }
    if (type.isIntOrFloat() && type.getIntOrFloatBitWidth() == 64)
      scale *= 2;
  }
  switch (ir::elementCost(op->getName()).value_or(ir::ElementCost::kSimple)) {
  case ir::ElementCost::kTrigonometric:
    return 0.5 * scale;
  case ir::ElementCost::kExponential:
  case ir::ElementCost::kRemainder:
    return 0.2 * scale;
  case ir::ElementCost::kDivision:
  case ir::ElementCost::kRoot:
    return (llvm::isa<mlir::IntegerType>(elementTypeOf(op->getResult(0))) ? 2.0 : 0.08) * scale;
  case ir::ElementCost::kSimple:
  case ir::ElementCost::kSpecial:
    return 0.02 * scale;
  }
  llvm_unreachable("all classes have a time");
}

namespace {
class UseWalk {
public:
  UseWalk(const KernelSource &source, RegionIndexer &indexer, const RowSpace *rows, RegionUse &use)
      : source_(source), indexer_(indexer), rows_(rows), use_(use) {}

  void visit(mlir::Value value, llvm::ArrayRef<AffineExpr> index) {
    if (!seen_.insert({value, indexKey(indexer_.space().context(), index)}).second)
      return;
    mlir::Type type = elementTypeOf(value);
    if (auto complex = llvm::dyn_cast<mlir::ComplexType>(type))
      type = complex.getElementType();
    if (!index.empty() && type.isIntOrFloat())
      use_.widestBytes = std::max<int>(use_.widestBytes, (type.getIntOrFloatBitWidth() + 7) / 8);
    if (source_.inputNumber(value) >= 0) {
      access(value, index);
      return;
    }
    if (mlir::Operation *op = value.getDefiningOp())
      visitOp(op, index);
  }

private:
  void access(mlir::Value value, llvm::ArrayRef<AffineExpr> index) {
    AffineExpr position = indexer_.space().linearize(index, shapeOf(value));
    use_.accesses.push_back({value, IndexVector(index), position, false, conditional_});
    visitSymbols(position);
  }

  void visitSymbols(AffineExpr expr) {
    expr.walk([&](AffineExpr part) {
      if (auto symbol = llvm::dyn_cast<mlir::AffineSymbolExpr>(part)) {
        IndexSymbol info = indexer_.symbolInfo(symbol.getPosition());
        visit(info.tensor, info.index);
      }
    });
  }

  void visitOp(mlir::Operation *op, llvm::ArrayRef<AffineExpr> index) {
    ++use_.evaluations;
    if (llvm::isa<stablehlo::ConstantOp>(op)) {
      auto dense = llvm::dyn_cast<mlir::DenseElementsAttr>(llvm::cast<stablehlo::ConstantOp>(op).getValue());
      if (dense && !dense.isSplat() && dense.getNumElements() > 1)
        access(op->getResult(0), index);
    } else if (auto iota = llvm::dyn_cast<stablehlo::IotaOp>(op)) {
      use_.indices.push_back(index[iota.getIotaDimension()]);
    } else if (RegionIndexer::movesElements(op)) {
      llvm::SmallVector<Source, 2> sources = indexer_.sources(op, index);
      bool outer = conditional_;
      conditional_ |= sources.size() > 1;
      for (const Source &from : sources) {
        visitConditions(from.conditions);
        visit(op->getOperand(from.operand), from.index);
      }
      conditional_ = outer;
    } else if (llvm::isa<stablehlo::ReduceOp, stablehlo::ReduceWindowOp>(op)) {
      visitReduction(op, index);
    } else {
      use_.nanoseconds += index.empty() ? 0 : elementwiseNanoseconds(op);
      use_.arithmetic = true;
      for (mlir::Value operand : op->getOperands())
        visit(operand, RegionIndexer::elementwiseIndex(operand, index));
    }
  }

  void visitConditions(llvm::ArrayRef<Condition> conditions) {
    for (const Condition &condition : conditions) {
      use_.conditions.push_back(condition);
      use_.indices.push_back(condition.expr);
      visitSymbols(condition.expr);
    }
  }

  // A reduction inside another loop nest: its elements are computed in loops of their own.
  void visitReduction(mlir::Operation *op, llvm::ArrayRef<AffineExpr> index) {
    IndexSpace &space = indexer_.space();
    bool window = llvm::isa<stablehlo::ReduceWindowOp>(op);
    llvm::SmallVector<int64_t> extents;
    if (window)
      extents = windowDims(op, "window_dimensions", index.size(), 1);
    else
      for (int64_t dim : llvm::cast<stablehlo::ReduceOp>(op).getDimensions())
        extents.push_back(shapeOf(op->getOperand(0))[dim]);
    IndexVector inner;
    std::optional<IndexVector> row;
    if (rows_ && !window)
      row = rows_->reducedIndex(op, index, space);
    if (row)
      inner = *row;
    else
      for (int64_t extent : extents)
        inner.push_back(space.addDim(extent));
    unsigned count = op->getNumOperands() / 2;
    double before = use_.nanoseconds;
    bool outer = conditional_;
    conditional_ |= !row;
    if (window) {
      if (std::optional<Source> from = indexer_.windowSource(op, index, inner)) {
        visitConditions(from->conditions);
        for (unsigned i = 0; i < count; ++i)
          visit(op->getOperand(i), from->index);
      }
    } else {
      for (unsigned i = 0; i < count; ++i)
        visit(op->getOperand(i), RegionIndexer::reduceInputIndex(op, index, inner));
    }
    double each = use_.nanoseconds - before + 0.05 * count;
    use_.nanoseconds = before + each * (row ? 1 : elementCount(extents));
    conditional_ = outer;
    for (unsigned i = 0; i < count; ++i)
      visit(op->getOperand(count + i), {});
  }

  const KernelSource &source_;
  RegionIndexer &indexer_;
  const RowSpace *rows_;
  RegionUse &use_;
  bool conditional_ = false;
  llvm::DenseSet<std::pair<mlir::Value, mlir::AffineMap>> seen_;
};
} // namespace

RegionUse collectUse(llvm::ArrayRef<IndexedValue> values, const KernelSource &source, RegionIndexer &indexer,
                     const RowSpace *rows) {
  RegionUse use;
  UseWalk walk(source, indexer, rows, use);
  for (auto &[value, index] : values)
    walk.visit(value, index);
  return use;
}

} // namespace tenon::codegen
