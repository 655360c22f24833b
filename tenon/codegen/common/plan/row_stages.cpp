// Which reductions of a row kernel are computed together, and what is kept between them. See RowReductionPlan.
#include "tenon/codegen/common/plan/row_stages.h"

#include "tenon/codegen/common/region/region_evaluator.h"
#include "tenon/ir/element_time.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using mlir::AffineExpr;

namespace tenon::codegen {

bool RowSpace::isRow(mlir::Operation *op) const {
  return llvm::isa<stablehlo::ReduceOp>(op) &&
         elementCount(RegionIndexer::reducedExtents(op)) == elementCount(reducedShape) &&
         elementCount(shapeOf(op->getResult(0))) == elementCount(keptShape);
}

std::optional<IndexVector> RowSpace::reducedIndex(mlir::Operation *op, llvm::ArrayRef<AffineExpr> index,
                                                  const IndexSpace &space) const {
  if (!isRow(op) || space.linearize(index, shapeOf(op->getResult(0))) != keptPosition)
    return std::nullopt;
  return IndexVector(space.reshape(reduced, reducedShape, RegionIndexer::reducedExtents(op)));
}

IndexVector RowSpace::inputIndex(mlir::Operation *reduce, const IndexSpace &space) const {
  IndexVector index(space.reshape(kept, keptShape, shapeOf(reduce->getResult(0))));
  return RegionIndexer::reduceInputIndex(reduce, index, *reducedIndex(reduce, index, space));
}

namespace {

// Assigns reductions to stages and finds what is worth keeping between them.
class StagePlanner : public RegionEvaluator<StagePlanner> {
public:
  StagePlanner(const KernelSource &source, const CostModel &costs, RowReductionPlan &plan)
      : source_(source), costs_(costs), plan_(plan) {}

  void run() {
    unsigned last = 0;
    for (const OutputPlan &output : plan_.outputs)
      last = std::max(last, level(output.value));
    plan_.stages.resize(last);
    for (mlir::Operation *reduce : reduces_)
      plan_.stages[levels_[reduce] - 1].reduces.push_back(reduce);
    RowStage writes;
    bool needReductions = false;
    for (unsigned i = 0; i < plan_.outputs.size(); ++i)
      if (!llvm::is_contained(plan_.rowOutputs, i)) {
        writes.outputs.push_back(i);
        needReductions |= level(plan_.outputs[i].value) > 0;
      }
    // What the only pass makes already is written by it. Where there are more, the next ones may read what a result
    // takes the place of.
    if (last == 1 && !needReductions)
      plan_.stages.front().outputs = writes.outputs;
    else if (!writes.outputs.empty())
      plan_.stages.push_back(writes);
    for (stage_ = 0; stage_ < plan_.stages.size(); ++stage_)
      visitStage(plan_.stages[stage_]);
  }

  // Nanoseconds for one element: of its op alone, and with what the op needs.
  struct Cost {
    double own = 0, total = 0;
  };

  Cost array(mlir::Value, llvm::ArrayRef<AffineExpr>) { return small(); }
  Cost constant(mlir::DenseElementsAttr) { return small(); }
  Cost iota(mlir::Operation *, AffineExpr) { return small(); }
  Cost reduced(mlir::OpResult, llvm::ArrayRef<AffineExpr>) { return {costs_.innerReduction, costs_.innerReduction}; }

  Cost moved(mlir::Operation *op, llvm::ArrayRef<AffineExpr>, llvm::ArrayRef<Source> sources) {
    double operands = 0;
    for (const Source &from : sources)
      operands += visit(op->getOperand(from.operand), from.index);
    return {0, operands};
  }

  Cost computed(mlir::OpResult result, llvm::ArrayRef<AffineExpr> index) {
    mlir::Operation *op = result.getOwner();
    double own = ir::elementwiseNanoseconds(op, costs_), operands = 0;
    for (mlir::Value operand : op->getOperands())
      operands += visit(operand, RegionIndexer::elementwiseIndex(operand, index));
    return {own, own + operands};
  }

private:
  // Number of the stage after which the value is known (0: needs no reduction).
  unsigned level(mlir::Value value) {
    mlir::Operation *op = value.getDefiningOp();
    if (source_.inputNumber(value) >= 0 || !op)
      return 0;
    if (auto found = levels_.find(op); found != levels_.end())
      return found->second;
    unsigned result = 0;
    for (mlir::Value operand : op->getOperands())
      result = std::max(result, level(operand));
    if (plan_.rows.isRow(op)) {
      ++result;
      reduces_.push_back(op);
    }
    levels_[op] = result;
    return result;
  }

  void visitStage(RowStage &stage) {
    seen_.clear();
    for (mlir::Operation *reduce : stage.reduces) {
      IndexVector index = plan_.rows.inputIndex(reduce, plan_.space());
      for (mlir::Value operand : reduce->getOperands().take_front(reduce->getNumResults()))
        visit(operand, index);
    }
    for (unsigned output : stage.outputs)
      visit(plan_.outputs[output].value, plan_.outputs[output].index);
    for (auto &[key, cost] : seen_) {
      firstStage_.try_emplace(key, stage_);
      stage.nanoseconds += cost.own;
    }
  }

  bool variesAlongRow(llvm::ArrayRef<AffineExpr> index) const {
    return llvm::any_of(llvm::seq<unsigned>(plan_.keptDims, plan_.dims.size()),
                        [&](unsigned dim) { return variesAlong(index, dim); });
  }

  // Returns the cost of one element.
  double visit(mlir::Value value, llvm::ArrayRef<AffineExpr> index) {
    mlir::Operation *op = value.getDefiningOp();
    if (!op || source_.inputNumber(value) >= 0 || levels_.lookup(op) > stage_)
      return 0;
    if (!variesAlongRow(index)) {
      addRowValue(value, index);
      return 0;
    }
    auto key = std::make_pair(value, indexKey(plan_.space().context(), index));
    if (auto found = seen_.find(key); found != seen_.end())
      return found->second.total;
    if (auto earlier = firstStage_.find(key); earlier != firstStage_.end() && totals_[key] >= costs_.savedValue) {
      save(value, index, earlier->second);
      seen_[key] = small();
      return small().total;
    }
    Cost cost = evaluate(source_, *plan_.indexer, value, index);
    seen_[key] = cost;
    totals_[key] = cost.total;
    return cost.total;
  }

  static bool contains(llvm::ArrayRef<IndexedValue> list, mlir::Value value, llvm::ArrayRef<AffineExpr> index) {
    return llvm::any_of(
        list, [&](const IndexedValue &entry) { return entry.first == value && llvm::ArrayRef(entry.second) == index; });
  }

  // The place of other rows' values may be outside of the array where the value is not taken.
  void addRowValue(mlir::Value value, llvm::ArrayRef<AffineExpr> index) {
    llvm::ArrayRef<int64_t> shape = shapeOf(value);
    if (levels_.lookup(value.getDefiningOp()) > 0 && elementCount(shape) == elementCount(plan_.rows.keptShape) &&
        plan_.space().linearize(index, shape) == plan_.rows.keptPosition &&
        !contains(plan_.stages[stage_].rowValues, value, index))
      plan_.stages[stage_].rowValues.push_back({value, IndexVector(index)});
  }

  void save(mlir::Value value, llvm::ArrayRef<AffineExpr> index, unsigned from) {
    if (!contains(plan_.stages[from].saved, value, index))
      plan_.stages[from].saved.push_back({value, IndexVector(index)});
    plan_.stages[stage_].loaded.push_back({value, IndexVector(index)});
  }

  // What an element costs that is only loaded, or is a number.
  Cost small() const { return {costs_.simpleOp, costs_.simpleOp}; }

  using Key = std::pair<mlir::Value, mlir::AffineMap>;

  const KernelSource &source_;
  const CostModel &costs_;
  RowReductionPlan &plan_;
  unsigned stage_ = 0;
  llvm::SmallVector<mlir::Operation *> reduces_;
  llvm::DenseMap<mlir::Operation *, unsigned> levels_;
  llvm::DenseMap<Key, Cost> seen_;
  llvm::DenseMap<Key, double> totals_;
  llvm::DenseMap<Key, unsigned> firstStage_;
};

} // namespace

void planRowStages(const KernelSource &source, const CostModel &costs, RowReductionPlan &plan) {
  StagePlanner(source, costs, plan).run();
}

} // namespace tenon::codegen
