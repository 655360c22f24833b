#include "tenon/codegen/common/plan/byte_lanes.h"
#include "tenon/codegen/common/plan/loop_plan.h"
#include "tenon/codegen/common/region/region_evaluator.h"

#include "tenon/ir/chlo.h"
#include "tenon/ir/element_time.h"
#include "tenon/ir/elementwise_loop.h"
#include "tenon/ir/traits.h"
#include "tenon/ir/trip_count.h"
#include "tenon/ir/types.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/DenseSet.h"

#include <utility>

using mlir::AffineExpr;

namespace tenon::codegen {

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
    if (llvm::isa<mlir::BlockArgument>(value) && source_.inputNumber(value) < 0) // carried by a loop, in registers
      return;
    AffineExpr position = indexer_.space().linearize(index, shapeOf(value));
    use_.accesses.push_back({value, IndexVector(index), position, false, conditional_, repeated_});
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
    if (auto loop = llvm::dyn_cast<stablehlo::WhileOp>(op)) {
      iterated(loop, index);
      return;
    }
    double nanoseconds = index.empty() ? 0 : ir::elementwiseNanoseconds(op, costs_);
    use_.nanoseconds += nanoseconds;
    std::optional<ir::ElementCost> kind = ir::elementCost(op->getName());
    use_.longFunctions |= kind == ir::ElementCost::kSpecial && !llvm::isa<chlo::ErfOp>(op);
    if (llvm::any_of(op->getOperands(), isWide) || llvm::any_of(op->getResults(), isWide))
      use_.wideNanoseconds += nanoseconds;
    use_.arithmetic = true;
    use_.widensBytes |= !isOnBytes(op);
    for (mlir::Value operand : op->getOperands())
      visit(operand, RegionIndexer::elementwiseIndex(operand, index));
  }

private:
  // All iterations.
  void iterated(stablehlo::WhileOp loop, llvm::ArrayRef<AffineExpr> index) {
    mlir::Block &body = loop.getBody().front();
    mlir::ValueRange next = body.getTerminator()->getOperands();
    for (auto [number, first] : llvm::enumerate(loop->getOperands()))
      if (!ir::writtenPart(loop, number))
        visit(first, RegionIndexer::elementwiseIndex(first, index));
    RegionUse before = std::exchange(use_, RegionUse());
    bool outer = std::exchange(repeated_, true);
    unsigned changed = 0;
    visit(loop.getCond().front().getTerminator()->getOperand(0), {});
    for (auto [number, value] : llvm::enumerate(next)) {
      if (stablehlo::DynamicUpdateSliceOp part = ir::writtenPart(loop, number)) {
        mlir::Value update = part.getUpdate();
        IndexVector inPart(indexer_.space().reshape(index, ir::elementShape(loop), shapeOf(update)));
        visit(update, inPart);
        visitSymbols(indexer_.updatePosition(part, inPart));
        use_.nanoseconds += costs_.access;
        continue;
      }
      visit(value, RegionIndexer::elementwiseIndex(value, index));
      changed += !ir::isUnchanged(loop, number) && !shapeOf(value).empty();
    }
    repeated_ = outer;
    use_.nanoseconds += costs_.access * static_cast<double>(use_.accesses.size());
    addIterations(before, changed, static_cast<double>(std::max(ir::tripCount(loop), costs_.unknownTrips)));
  }

  // What is in use_ as one iteration of so many, behind what was `before`.
  void addIterations(RegionUse &before, unsigned changed, double trips) {
    std::swap(use_, before);
    const RegionUse &each = before;
    llvm::append_range(use_.accesses, each.accesses);
    llvm::append_range(use_.conditions, each.conditions);
    llvm::append_range(use_.indices, each.indices);
    use_.evaluations += each.evaluations;
    use_.nanoseconds += each.nanoseconds * trips;
    use_.wideNanoseconds += each.wideNanoseconds * trips;
    use_.widestBytes = std::max(use_.widestBytes, each.widestBytes);
    use_.longFunctions |= each.longFunctions;
    use_.arithmetic = use_.widensBytes = true;
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
  bool conditional_ = false, repeated_ = false;
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
