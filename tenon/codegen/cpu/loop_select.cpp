// For each source element: run over its window of the operand, keeping the selected element and its position, then
// combine the source element into the result at that position. Windows overlap, so the source elements of one image are
// taken in order; dimensions without windows (batch, channels) are independent: they are the tasks, and the innermost
// of them is vectorised if it is contiguous.
#include "tenon/codegen/cpu/loop_select.h"

#include "tenon/ir/stablehlo.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/IR/Constants.h"
#include "llvm/Support/MathExtras.h"

using mlir::AffineExpr;

namespace tenon::codegen {

namespace {

class SelectAndScatter {
public:
  SelectAndScatter(const KernelSource &source, const CpuTarget &target)
      : source_(source), op_(llvm::cast<stablehlo::SelectAndScatterOp>(source.op)), target_(target),
        shape_(shapeOf(op_.getOperand())), sourceShape_(shapeOf(op_.getSource())),
        type_(elementTypeOf(op_.getOperand())) {
    plan();
  }

  llvm::FailureOr<Kernel> emit(llvm::Module &module, llvm::StringRef symbol) {
    llvm::Function *function = createKernelFunction(module, symbol);
    LoopEvaluator evaluator(source_, *plan_.indexer, function, target_);
    evaluator_ = &evaluator;
    Kernel kernel;
    kernel.kind = "select_and_scatter";
    kernel.bytes = trafficBytes(source_);
    kernel.resultInit.push_back(-1);
    if (elementCount(shape_) > 0)
      LoopNest(evaluator, plan_).overTasks(plan_.dims.size(), [&] {
        fill(0, IndexVector(index_));
        overSource(0);
      });
    evaluator.builder().CreateRetVoid();
    if (evaluator.failed()) {
      function->eraseFromParent();
      return llvm::failure();
    }
    kernel.phases.push_back({symbol.str(), std::max<int64_t>(plan_.tasks, 1), plan_.nanoseconds});
    return kernel;
  }

private:
  void plan() {
    size_t rank = shape_.size();
    window_ = windowDims(op_, "window_dimensions", rank, 1);
    auto strides = windowDims(op_, "window_strides", rank, 1);
    auto padding = windowPadding(op_, rank);
    plan_.space = std::make_unique<IndexSpace>(op_->getContext());
    plan_.indexer = std::make_unique<RegionIndexer>(*plan_.space);
    index_.resize(rank);
    for (size_t d = 0; d < rank; ++d) {
      bool independent = window_[d] == 1 && strides[d] == 1 && padding[d] == std::pair<int64_t, int64_t>(0, 0);
      if (!independent) {
        windowed_.push_back(d);
        continue;
      }
      plan_.dims.push_back({shape_[d], false});
      index_[d] = plan_.space->addDim(shape_[d]);
    }
    plan_.keptDims = plan_.dims.size();
    bool contiguous = !plan_.dims.empty() && (windowed_.empty() || windowed_.back() + 1 < rank);
    if (contiguous && !llvm::isa<mlir::ComplexType>(type_)) {
      plan_.vectorDim = plan_.dims.size() - 1;
      uint64_t extent = plan_.dims.back().extent;
      int64_t lanes = std::max<int64_t>(1, target_.vectorBits() / 8 / std::max<int64_t>(4, storageBytes(type_)));
      plan_.lanes = std::min<int64_t>(lanes, llvm::bit_floor(extent | 1));
    }
    plan_.nanoseconds = 50 + 0.5 * elementCount(shape_) + 1.0 * elementCount(sourceShape_) * elementCount(window_);
    planTasks(plan_, plan_.dims.size(), plan_.lanes, plan_.nanoseconds);
  }

  // New dimension of the space, with a loop over it.
  void over(int64_t extent, llvm::function_ref<void(AffineExpr)> body) {
    AffineExpr expr = plan_.space->addDim(extent);
    unsigned dim = plan_.space->numDims() - 1;
    evaluator_->forLoop(evaluator_->constant(0), evaluator_->constant(extent), 1, [&](llvm::Value *iv) {
      evaluator_->bindDim(dim, iv, 0);
      body(expr);
    });
  }

  void fill(unsigned number, IndexVector index) {
    if (number == windowed_.size()) {
      evaluator_->storeAt(type_, evaluator_->outputPointer(0), plan_.space->linearize(index, shape_),
                          evaluator_->evalVector(op_.getInitValue(), {}));
      return;
    }
    over(shape_[windowed_[number]], [&](AffineExpr expr) {
      index[windowed_[number]] = expr;
      fill(number + 1, index);
    });
  }

  void overSource(unsigned number) {
    if (number == windowed_.size()) {
      apply();
      return;
    }
    over(sourceShape_[windowed_[number]], [&](AffineExpr expr) {
      index_[windowed_[number]] = expr;
      overSource(number + 1);
    });
  }

  // Carried: whether anything is selected, the selected element, its position in the operand.
  LLVMValues overWindow(unsigned dim, IndexVector window, const LLVMValues &carried) {
    if (dim == window_.size())
      return consider(window, carried);
    if (window_[dim] == 1) {
      window.push_back(plan_.space->constant(0));
      return overWindow(dim + 1, window, carried);
    }
    window.push_back(plan_.space->addDim(window_[dim]));
    unsigned number = plan_.space->numDims() - 1;
    return evaluator_->forLoop(evaluator_->constant(0), evaluator_->constant(window_[dim]), 1, carried,
                               [&](llvm::Value *iv, auto values) {
                                 evaluator_->bindDim(number, iv, 0);
                                 return overWindow(dim + 1, window, LLVMValues(values));
                               });
  }

  LLVMValues consider(llvm::ArrayRef<AffineExpr> window, LLVMValues carried) {
    std::optional<Source> from = plan_.indexer->windowSource(op_, index_, window);
    if (!from)
      return carried;
    llvm::IRBuilder<> &b = evaluator_->builder();
    auto inside = [&] {
      Element selected = LoopEvaluator::unpack(llvm::ArrayRef(carried).drop_front(2), {type_}).front();
      Element candidate = evaluator_->evalVector(op_.getOperand(), from->index);
      llvm::Value *position = evaluator_->indexValue(plan_.space->linearize(from->index, shape_));
      if (evaluator_->lanes() > 1 && !position->getType()->isVectorTy())
        position = b.CreateVectorSplat(evaluator_->lanes(), position);
      llvm::Value *keep = evaluator_->emitBody(op_.getSelect(), {selected, candidate})[0].re;
      llvm::Value *any = carried[0];
      if (keep->getType()->isVectorTy())
        any = b.CreateVectorSplat(evaluator_->lanes(), any);
      keep = b.CreateAnd(keep, any);
      LLVMValues next = {b.getTrue(), b.CreateSelect(keep, carried[1], position)};
      next.append(LoopEvaluator::pack({selectElement(b, keep, selected, candidate)}));
      return next;
    };
    llvm::Value *condition = evaluator_->conditionValues(*from).first;
    return condition ? evaluator_->ifElse(condition, inside, [&] { return carried; }) : inside();
  }

  void apply() {
    llvm::IRBuilder<> &b = evaluator_->builder();
    unsigned lanes = evaluator_->lanes();
    llvm::Value *position =
        evaluator_->indexValue(plan_.space->linearize(IndexVector(index_.size(), plan_.space->constant(0)), shape_));
    llvm::Type *lane = lanes > 1 ? llvm::FixedVectorType::get(evaluator_->laneIndexType(), lanes) : position->getType();
    LLVMValues carried = {b.getFalse(), llvm::Constant::getNullValue(lane)};
    carried.append(LoopEvaluator::pack({zeroElement(b.getContext(), type_, lanes)}));
    carried = overWindow(0, {}, carried);
    auto scatter = [&] {
      llvm::Value *base = evaluator_->outputPointer(0), *at = carried[1];
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
    evaluator_->ifElse(carried[0], scatter, [] { return LLVMValues(); });
  }

  const KernelSource &source_;
  stablehlo::SelectAndScatterOp op_;
  const CpuTarget &target_;
  llvm::ArrayRef<int64_t> shape_, sourceShape_;
  mlir::Type type_;
  llvm::SmallVector<int64_t> window_;
  llvm::SmallVector<unsigned> windowed_; // dimensions with windows
  IndexVector index_;                    // of the current source element
  LoopPlan plan_;
  LoopEvaluator *evaluator_ = nullptr;
};

} // namespace

llvm::FailureOr<Kernel> emitSelectAndScatterKernel(const KernelSource &source, llvm::Module &module,
                                                   llvm::StringRef symbol, const CpuTarget &target) {
  return SelectAndScatter(source, target).emit(module, symbol);
}

} // namespace tenon::codegen
