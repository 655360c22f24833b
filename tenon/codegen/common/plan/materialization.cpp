// Which values of a region to compute into memory, because one loop nest cannot compute them well.
//
// Inside a kernel every value is computed again for each index map it is needed at. Two neighbours of a stencil are two
// maps, and a stencil of a stencil of a stencil has 5 * 5 * 5: the code grows exponentially with the depth. The bound
// here counts maps from the outputs down (values used at the same index share theirs); where it exceeds a limit, the
// value is computed once, into memory, and the count starts again at one.
#include "tenon/codegen/common/plan/loop_plan.h"
#include "tenon/codegen/common/region/region_evaluator.h"

#include "tenon/ir/tenon.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

#include <algorithm>

namespace tenon::codegen {

namespace {

class MaterializationChooser : RegionEvaluator<MaterializationChooser> {
public:
  MaterializationChooser(const KernelSource &source, llvm::function_ref<bool(mlir::Operation *)> alone)
      : source_(source), alone_(alone) {}

  llvm::SmallVector<mlir::Value> choose() {
    constexpr int64_t kMaxCode = 4000;
    for (int64_t limit = 16; limit >= 1; limit /= 2) {
      countMaps(limit);
      if (total_ <= kMaxCode || limit == 1)
        break;
    }
    std::reverse(chosen_.begin(), chosen_.end());
    return chosen_;
  }

private:
  // The maps at which a value is needed: `set` identifies them, `count` bounds their number.
  struct Maps {
    const void *set = nullptr;
    int64_t count = 0;
  };

  void countMaps(int64_t limit) {
    needs_.clear();
    chosen_.clear();
    total_ = 0;
    mlir::Block &block = source_.op->getRegion(0).front();
    for (mlir::Value output : source_.outputs)
      need(output, {&block, 1});
    for (mlir::Operation &op : llvm::reverse(block.without_terminator()))
      visit(&op, limit);
  }

  void need(mlir::Value value, Maps maps) {
    if (mlir::Operation *op = value.getDefiningOp())
      needs_[op].push_back(maps);
  }

  void visit(mlir::Operation *op, int64_t limit) {
    auto found = needs_.find(op);
    if (found == needs_.end())
      return;
    Maps maps = combine(op, found->second);
    bool isOutput =
        llvm::any_of(op->getResults(), [&](mlir::Value v) { return llvm::is_contained(source_.outputs, v); });
    bool scalar = llvm::all_of(op->getResults(), [](mlir::Value v) { return shapeOf(v).empty(); });
    ElementForm form = elementForm(op);
    bool worth = form == ElementForm::kReduced || form == ElementForm::kComputed;
    bool apart = alone_(op) && !(isOutput && source_.outputs.size() == op->getNumResults());
    if (apart || (worth && !scalar && maps.count > limit)) {
      llvm::append_range(chosen_, llvm::reverse(op->getResults()));
      maps = {op, 1};
    }
    total_ += maps.count;
    evaluate(op->getResult(0), maps);
  }

  Maps combine(mlir::Operation *op, llvm::ArrayRef<Maps> needs) {
    llvm::SmallSetVector<const void *, 4> sets;
    int64_t count = 0;
    for (const Maps &maps : needs)
      if (sets.insert(maps.set))
        count += maps.count;
    constexpr int64_t kMany = int64_t(1) << 40;
    return {sets.size() == 1 ? sets[0] : op, std::min(count, kMany)};
  }

  // How often what an op needs is needed: see RegionEvaluator.
  friend RegionEvaluator;
  void array(mlir::Value, const Maps &) {}
  void constant(mlir::DenseElementsAttr) {}
  void iota(mlir::Operation *, const Maps &) {}
  void moved(mlir::Operation *op, const Maps &maps) { needElsewhere(op, maps.count); }

  void reduced(mlir::OpResult result, const Maps &maps) {
    mlir::Operation *op = result.getOwner();
    auto window = llvm::dyn_cast<stablehlo::ReduceWindowOp>(op);
    int64_t copies = window ? std::min(kUnrolledWindow, elementCount(window.getWindowDimensions())) : 1;
    needElsewhere(op, copies * maps.count);
  }

  void computed(mlir::OpResult result, const Maps &maps) {
    for (mlir::OpOperand &operand : result.getOwner()->getOpOperands())
      need(operand.get(), shapeOf(operand.get()).empty() ? Maps{&operand, maps.count} : maps);
  }

  // Each operand at indices of its own.
  void needElsewhere(mlir::Operation *op, int64_t count) {
    for (mlir::OpOperand &operand : op->getOpOperands())
      need(operand.get(), {&operand, count});
  }

  const KernelSource &source_;
  llvm::function_ref<bool(mlir::Operation *)> alone_;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<Maps, 2>> needs_;
  llvm::SmallVector<mlir::Value> chosen_;
  int64_t total_ = 0;
};

} // namespace

llvm::SmallVector<mlir::Value> chooseMaterialized(const KernelSource &source,
                                                  llvm::function_ref<bool(mlir::Operation *)> alone) {
  if (!llvm::isa<ir::FusionOp>(source.op))
    return {};
  return MaterializationChooser(source, alone).choose();
}

} // namespace tenon::codegen
