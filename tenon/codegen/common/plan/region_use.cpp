#include "tenon/codegen/common/plan/loop_plan.h"
#include "tenon/codegen/common/region/region_evaluator.h"

#include "tenon/ir/chlo.h"
#include "tenon/ir/traits.h"
#include "tenon/ir/trip_count.h"
#include "tenon/ir/types.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/DenseSet.h"

using mlir::AffineExpr;

namespace tenon::codegen {

// All iterations, in each of which scalars are one number for many elements.
static double iterationNanoseconds(stablehlo::WhileOp loop, const CostModel &costs) {
  double nanoseconds = 0;
  for (mlir::Operation &op : loop.getBody().front().without_terminator())
    if (elementForm(&op) == ElementForm::kComputed && !shapeOf(op.getResult(0)).empty())
      nanoseconds += elementwiseNanoseconds(&op, costs);
  return nanoseconds * static_cast<double>(std::max(ir::tripCount(loop), costs.unknownTrips));
}

double elementwiseNanoseconds(mlir::Operation *op, const CostModel &costs) {
  if (auto loop = llvm::dyn_cast<stablehlo::WhileOp>(op))
    return iterationNanoseconds(loop, costs);
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
    return costs.trigonometric * scale;
  case ir::ElementCost::kExponential:
  case ir::ElementCost::kRemainder:
    return costs.exponential * scale;
  case ir::ElementCost::kDivision:
  case ir::ElementCost::kRoot:
    return (llvm::isa<mlir::IntegerType>(elementTypeOf(op->getResult(0))) ? costs.integerDivision : costs.division) *
           scale;
  case ir::ElementCost::kSpecial:
    return (llvm::isa<chlo::ErfOp>(op) ? costs.exponential : costs.simpleOp) * scale;
  case ir::ElementCost::kSimple:
    return costs.simpleOp * scale;
  }
  llvm_unreachable("all classes have a time");
}

namespace {
// Collects what depends on the iteration space.
class UseCollector : public RegionEvaluator<UseCollector> {
public:
  UseCollector(const KernelSource &source, RegionIndexer &indexer, const CostModel &costs, const RowSpace *rows,
               RegionUse &use)
      : source_(source), indexer_(indexer), costs_(costs), rows_(rows), use_(use) {}

  void visit(mlir::Value value, llvm::ArrayRef<AffineExpr> index) {
    if (!seen_.insert({value, indexKey(indexer_.space().context(), index)}).second)
      return;
    if (!index.empty())
      noteType(value);
    use_.evaluations += source_.inputNumber(value) < 0 ? 1 : 0;
    evaluate(source_, indexer_, value, index);
  }

  void array(mlir::Value value, llvm::ArrayRef<AffineExpr> index) {
    AffineExpr position = indexer_.space().linearize(index, shapeOf(value));
    use_.accesses.push_back({value, IndexVector(index), position, false, conditional_});
    visitSymbols(position);
  }

  void constant(mlir::DenseElementsAttr) {}

  void iota(mlir::Operation *, AffineExpr expr) { use_.indices.push_back(expr); }

  void moved(mlir::Operation *op, llvm::ArrayRef<AffineExpr>, llvm::ArrayRef<Source> sources) {
    bool outer = conditional_;
    conditional_ |= sources.size() > 1;
    for (const Source &from : sources) {
      visitConditions(from.conditions);
      visit(op->getOperand(from.operand), from.index);
    }
    conditional_ = outer;
  }

  // A reduction inside another loop nest: its elements are computed in loops of their own.
  void reduced(mlir::OpResult result, llvm::ArrayRef<AffineExpr> index) {
    mlir::Operation *op = result.getOwner();
    llvm::SmallVector<int64_t> extents = RegionIndexer::reducedExtents(op);
    std::optional<IndexVector> row;
    if (rows_)
      row = rows_->reducedIndex(op, index, indexer_.space());
    IndexVector inner = row.value_or(IndexVector());
    if (!row)
      for (int64_t extent : extents)
        inner.push_back(indexer_.space().addDim(extent));
    unsigned count = op->getNumOperands() / 2;
    double before = use_.nanoseconds;
    bool outer = conditional_;
    conditional_ |= !row;
    if (std::optional<Source> from = indexer_.reducedSource(op, index, inner)) {
      visitConditions(from->conditions);
      for (mlir::Value operand : op->getOperands().take_front(count))
        visit(operand, from->index);
    }
    double each = use_.nanoseconds - before + costs_.reductionStep * count;
    use_.nanoseconds = before + each * (row ? 1 : elementCount(extents));
    conditional_ = outer;
    for (mlir::Value init : op->getOperands().drop_front(count))
      visit(init, {});
  }

  void computed(mlir::OpResult result, llvm::ArrayRef<AffineExpr> index) {
    mlir::Operation *op = result.getOwner();
    for (mlir::Value other : op->getResults()) // computed with this one
      seen_.insert({other, indexKey(indexer_.space().context(), RegionIndexer::elementwiseIndex(other, index))});
    double nanoseconds = index.empty() ? 0 : elementwiseNanoseconds(op, costs_);
    use_.nanoseconds += nanoseconds;
    use_.longFunctions |= ir::elementCost(op->getName()) == ir::ElementCost::kTrigonometric;
    if (llvm::any_of(op->getOperands(), isWide) || llvm::any_of(op->getResults(), isWide))
      use_.wideNanoseconds += nanoseconds;
    use_.arithmetic = true;
    if (auto loop = llvm::dyn_cast<stablehlo::WhileOp>(op))
      noteIteration(loop);
    for (mlir::Value operand : op->getOperands())
      visit(operand, RegionIndexer::elementwiseIndex(operand, index));
  }

private:
  // What one iteration is as code.
  void noteIteration(stablehlo::WhileOp loop) {
    for (mlir::Operation &op : loop.getBody().front().without_terminator()) {
      use_.longFunctions |= ir::elementCost(op.getName()) == ir::ElementCost::kTrigonometric;
      ++use_.evaluations;
      if (!shapeOf(op.getResult(0)).empty())
        noteType(op.getResult(0));
    }
    mlir::Block &body = loop.getBody().front();
    unsigned changed = 0;
    for (auto [argument, next] : llvm::zip(body.getArguments(), body.getTerminator()->getOperands()))
      changed += next != argument && !shapeOf(argument).empty();
    use_.iterated = std::max(use_.iterated, changed);
  }

  void noteType(mlir::Value value) {
    mlir::Type type = elementTypeOf(value);
    if (auto complex = llvm::dyn_cast<mlir::ComplexType>(type))
      type = complex.getElementType();
    if (type.isIntOrFloat())
      use_.widestBytes = std::max<int>(use_.widestBytes, (type.getIntOrFloatBitWidth() + 7) / 8);
  }

  static bool isWide(mlir::Value value) { return ir::partWidth(elementTypeOf(value)) == 64; }

  void visitSymbols(AffineExpr expr) {
    expr.walk([&](AffineExpr part) {
      if (auto symbol = llvm::dyn_cast<mlir::AffineSymbolExpr>(part)) {
        IndexSymbol info = indexer_.symbolInfo(symbol.getPosition());
        visit(info.tensor, info.index);
      }
    });
  }

  void visitConditions(llvm::ArrayRef<Condition> conditions) {
    for (const Condition &condition : conditions) {
      use_.conditions.push_back(condition);
      use_.indices.push_back(condition.expr);
      visitSymbols(condition.expr);
    }
  }

  const KernelSource &source_;
  RegionIndexer &indexer_;
  const CostModel &costs_;
  const RowSpace *rows_;
  RegionUse &use_;
  bool conditional_ = false;
  llvm::DenseSet<std::pair<mlir::Value, mlir::AffineMap>> seen_;
};
} // namespace

RegionUse collectUse(llvm::ArrayRef<IndexedValue> values, const KernelSource &source, RegionIndexer &indexer,
                     const CostModel &costs, const RowSpace *rows) {
  RegionUse use;
  UseCollector collector(source, indexer, costs, rows, use);
  for (auto &[value, index] : values)
    collector.visit(value, index);
  return use;
}

} // namespace tenon::codegen
