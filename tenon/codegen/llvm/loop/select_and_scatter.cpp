// For each source element: run over its window of the operand, keeping the selected element and its position, then
// combine the source element into the result at that position. Windows overlap, so the source elements of one image are
// taken in order; dimensions without windows (batch, channels) are independent: they are the tasks, and the innermost
// of them is vectorised if it is contiguous.
#include "tenon/codegen/llvm/loop/select_and_scatter.h"

#include "tenon/codegen/llvm/loop/window_selection.h"

#include "tenon/ir/stablehlo.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/IR/Constants.h"
#include "llvm/Support/MathExtras.h"

using mlir::AffineExpr;

namespace tenon::codegen::loop {

SelectAndScatterPlan planSelectAndScatter(const KernelSource &source, llvm::StringRef symbol,
                                          const KernelTarget &target) {
  SelectAndScatterPlan plan;
  plan.op = llvm::cast<stablehlo::SelectAndScatterOp>(source.op);
  llvm::ArrayRef<int64_t> shape = shapeOf(plan.op.getOperand());
  mlir::Type type = elementTypeOf(plan.op.getOperand());
  size_t rank = shape.size();
  plan.window = windowDims(plan.op, "window_dimensions", rank, 1);
  auto strides = windowDims(plan.op, "window_strides", rank, 1);
  auto padding = windowPadding(plan.op, rank);
  IndexSpace &space = plan.indexer.emplace(IndexSpace(plan.op.getContext())).space();
  plan.index.resize(rank);
  for (size_t d = 0; d < rank; ++d) {
    bool independent = plan.window[d] == 1 && strides[d] == 1 && padding[d] == std::pair<int64_t, int64_t>(0, 0);
    if (!independent) {
      plan.windowed.push_back(d);
      continue;
    }
    plan.dims.push_back({shape[d], false});
    plan.index[d] = space.addDim(shape[d]);
  }
  plan.keptDims = plan.dims.size();
  bool contiguous = !plan.dims.empty() && (plan.windowed.empty() || plan.windowed.back() + 1 < rank);
  if (contiguous && !llvm::isa<mlir::ComplexType>(type)) {
    plan.vectorDim = plan.dims.size() - 1;
    uint64_t extent = plan.dims.back().extent;
    int64_t lanes = std::max<int64_t>(1, target.vectorBits() / 8 / std::max<int64_t>(4, storageBytes(type)));
    plan.lanes = std::min<int64_t>(lanes, llvm::bit_floor(extent | 1));
  }
  int64_t sources = elementCount(shapeOf(plan.op.getSource()));
  const CostModel &costs = target.costs();
  plan.nanoseconds =
      costs.kernel + costs.selection * elementCount(shape) + costs.selectionTap * sources * elementCount(plan.window);
  planTasks(plan, plan.dims.size(), plan.lanes, plan.nanoseconds, costs);
  plan.kernel.kind = "select_and_scatter";
  plan.kernel.bytes = trafficBytes(source);
  plan.kernel.resultInit.push_back(-1);
  plan.kernel.phases.push_back({symbol.str(), std::max<int64_t>(plan.tasks, 1), plan.nanoseconds});
  return plan;
}

void SelectAndScatterPlan::print(llvm::raw_ostream &os) const {
  LoopPlan::print(os);
  os << "windows of";
  for (int64_t size : window)
    os << ' ' << size;
  os << '\n';
}

namespace {

class SelectAndScatterEmitter {
public:
  SelectAndScatterEmitter(const SelectAndScatterPlan &plan, LoopEvaluator &evaluator)
      : plan_(plan), op_(plan.op), shape_(shapeOf(op_.getOperand())), sourceShape_(shapeOf(op_.getSource())),
        type_(elementTypeOf(op_.getOperand())), index_(plan.index), evaluator_(&evaluator) {}

  void emit() {
    if (elementCount(shape_) > 0)
      LoopNest(*evaluator_, plan_).overTasks(plan_.dims.size(), [&] {
        fill(0, IndexVector(index_));
        overSource(0);
      });
  }

private:
  // New dimension of the space, with a loop over it.
  void over(int64_t extent, llvm::function_ref<void(AffineExpr)> body) {
    AffineExpr expr = evaluator_->space().addDim(extent);
    unsigned dim = evaluator_->space().numDims() - 1;
    evaluator_->forLoop(evaluator_->constant(0), evaluator_->constant(extent), 1, [&](llvm::Value *iv) {
      evaluator_->bindDim(dim, iv, 0);
      body(expr);
    });
  }

  void fill(unsigned number, IndexVector index) {
    if (number == plan_.windowed.size()) {
      evaluator_->storeAt(type_, evaluator_->outputPointer(0), evaluator_->space().linearize(index, shape_),
                          evaluator_->evalVector(op_.getInitValue(), {}));
      return;
    }
    over(shape_[plan_.windowed[number]], [&](AffineExpr expr) {
      index[plan_.windowed[number]] = expr;
      fill(number + 1, index);
    });
  }

  void overSource(unsigned number) {
    if (number == plan_.windowed.size()) {
      apply();
      return;
    }
    over(sourceShape_[plan_.windowed[number]], [&](AffineExpr expr) {
      index_[plan_.windowed[number]] = expr;
      overSource(number + 1);
    });
  }

  void apply() {
    llvm::IRBuilder<> &b = evaluator_->builder();
    unsigned lanes = evaluator_->lanes();
    WindowSelection::Selected selected = WindowSelection(plan_, *evaluator_).select(index_);
    auto scatter = [&] {
      llvm::Value *base = evaluator_->outputPointer(0), *at = selected.position;
      Element update = evaluator_->evalVector(op_.getSource(), index_);
      if (lanes == 1) {
        llvm::Value *address = elementAddress(b, type_, base, at);
        Element before = loadElements(b, type_, address, 1);
        storeElements(b, type_, evaluator_->emitBody(op_.getScatter(), {before, update})[0], address, 1);
      } else {
        Element before = gatherElements(b, type_, base, at, lanes, evaluator_->mask());
        Element after = evaluator_->emitBody(op_.getScatter(), {before, update})[0];
        scatterElements(b, type_, after, base, at, lanes, evaluator_->mask());
      }
      return LLVMValues();
    };
    evaluator_->ifElse(selected.any, scatter, [] { return LLVMValues(); });
  }

  const SelectAndScatterPlan &plan_;
  stablehlo::SelectAndScatterOp op_;
  llvm::ArrayRef<int64_t> shape_, sourceShape_;
  mlir::Type type_;
  IndexVector index_; // of the current source element
  LoopEvaluator *evaluator_;
};

} // namespace

llvm::LogicalResult emitSelectAndScatter(const SelectAndScatterPlan &plan, const KernelSource &source,
                                         llvm::Module &module, const EmissionTarget &target) {
  return emitLoopFunction(
      plan.kernel.phases[0], plan, source, module, target,
      [&](LoopEvaluator &evaluator, llvm::Function *) { SelectAndScatterEmitter(plan, evaluator).emit(); });
}

} // namespace tenon::codegen::loop
