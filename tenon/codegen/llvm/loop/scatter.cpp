// Updates are applied one after the other, in the order of their indices, each vectorised over its window. For parallel
// work the results are cut into ranges along one dimension: every task goes over all updates and applies what falls
// into its range, so that each element sees its updates in the same order for any number of workers. Best is a
// dimension that the windows span: each task has its part of every window. Along a scattered dimension, whether an
// update is in range is a branch that nobody can predict.
//
// Where elements of the results may get many floats added, a running sum in their type would round as often as there
// are updates (tenon/ir/scatter_sums.h has what is done instead). Either every task first copies its range to sums in a
// wider type, and rounds them at the end. Or the results have the sums of blocks of updates, counted for each row; full
// blocks go to sums in a wider type, which only rows with a full block have.
#include "tenon/codegen/llvm/loop/scatter.h"

#include "mlir/IR/BuiltinTypes.h"
#include "tenon/codegen/llvm/loop/scatter_steps.h"
#include "tenon/codegen/llvm/loop/scatter_sums.h"
#include "tenon/codegen/llvm/prefetch.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/Support/MathExtras.h"

#include <optional>

namespace tenon::codegen::loop {

namespace {

class ScatterEmitter : ScatterSteps {
public:
  ScatterEmitter(const ScatterPlan &plan, const KernelSource &source, LoopEvaluator &evaluator,
                 const EmissionTarget &target)
      : ScatterSteps(plan, evaluator), source_(source), target_(target) {}

  void emit(llvm::Function *function) {
    if (elementCount(updateShape_) == 0 || elementCount(shape_) == 0)
      return;
    setRange(function);
    emitUpdates();
  }

private:
  // The part of the results' split dimension that this call is to update.
  void setRange(llvm::Function *function) {
    llvm::IRBuilder<> &b = evaluator_->builder();
    for (int64_t extent : shape_) {
      low_.push_back(evaluator_->constant(0));
      high_.push_back(evaluator_->constant(extent));
    }
    if (plan_.tasks == 1)
      return;
    llvm::Value *size = evaluator_->constant(plan_.splitSize), *extent = evaluator_->constant(shape_[plan_.splitDim]);
    low_[plan_.splitDim] = b.CreateNSWMul(function->getArg(1), size);
    llvm::Value *high = b.CreateNSWMul(function->getArg(2), size);
    high_[plan_.splitDim] = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, high, extent);
  }

  void emitUpdates() {
    if (plan_.order == ir::ScatterOrder::kWide)
      startWideSums();
    else if (plan_.order == ir::ScatterOrder::kBlocks)
      startBlocks();
    overUpdates(0);
    if (plan_.order == ir::ScatterOrder::kWide)
      finishWideSums();
    else if (plan_.order == ir::ScatterOrder::kBlocks)
      finishBlocks();
  }

  mlir::Type inputType() { return elementTypeOf(op_.getInputs()[0]); }
  llvm::Value *tempPointer(llvm::Value *offset) {
    llvm::IRBuilder<> &b = evaluator_->builder();
    llvm::Value *base = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), evaluator_->tempPointer(), source_.tempBase);
    return b.CreateInBoundsGEP(b.getInt8Ty(), base, offset);
  }
  Element loadResult(llvm::Value *position) { return loadResults(position).front(); }
  void storeResult(llvm::Value *position, Element element) { storeResults(position, {element}); }

  void startWideSums() {
    sums_.emplace(*evaluator_, inputType(), elementCount(shape_), tempPointer(evaluator_->constant(0)));
    overRange([&](llvm::Value *position) { sums_->start(position, loadResult(position)); });
  }

  void finishWideSums() {
    overRange([&](llvm::Value *position) { storeResult(position, sums_->rounded(position)); });
  }

  void startBlocks() {
    llvm::IRBuilder<> &b = evaluator_->builder();
    llvm::Value *task = plan_.tasks == 1 ? evaluator_->constant(0) : b.GetInsertBlock()->getParent()->getArg(1);
    counters_.emplace(*evaluator_, plan_.rows, plan_.updates, plan_.block,
                      tempPointer(b.CreateNSWMul(task, evaluator_->constant(plan_.counterBytes))));
    llvm::Value *own = b.CreateNSWMul(task, evaluator_->constant(plan_.sharesSums ? 0 : plan_.sumBytes));
    sums_.emplace(*evaluator_, inputType(), plan_.places,
                  tempPointer(b.CreateNSWAdd(own, evaluator_->constant(plan_.tasks * plan_.counterBytes))));
    counters_->clear();
  }

  // Where the sum of the current element of a window is, for the row that has this place.
  llvm::Value *placeOfElement(llvm::Value *place) {
    llvm::IRBuilder<> &b = evaluator_->builder();
    IndexVector index;
    for (unsigned d : plan_.windowDims)
      index.push_back(plan_.updateIndex[d]);
    llvm::Value *first = b.CreateNSWMul(place, evaluator_->constant(elementCount(plan_.windowShape())));
    LaneIndex within = evaluator_->index(plan_.space().linearize(index, plan_.windowShape()));
    return within.base ? b.CreateNSWAdd(first, within.base) : first;
  }

  // After an update of the row where `start_` is.
  void countUpdate(llvm::Value *address) {
    llvm::IRBuilder<> &b = evaluator_->builder();
    llvm::Value *row = evaluator_->constant(0);
    for (int64_t d = 0, rank = shape_.size(); d < rank; ++d)
      if (plan_.isRowDim(d))
        row = b.CreateAdd(b.CreateMul(row, evaluator_->constant(shape_[d])), start_[d]);
    counters_->count(row, [&](llvm::Value *place, llvm::Value *isFirst) {
      overWindow(0, address, [&](llvm::Value *position) {
        sums_->add(placeOfElement(place), loadResult(position), false, isFirst);
        storeResult(position, negativeZero(evaluator_->builder().getContext(), inputType(), evaluator_->lanes()));
      });
    });
  }

  void finishBlocks() {
    llvm::IRBuilder<> &b = evaluator_->builder();
    counters_->forEach([&](llvm::Value *place, llvm::Value *row) {
      start_.assign(shape_.size(), nullptr);
      for (int64_t d = shape_.size(); d-- > 0;)
        if (plan_.isRowDim(d)) {
          llvm::Value *next = b.CreateUDiv(row, evaluator_->constant(shape_[d]));
          start_[d] = b.CreateNSWSub(row, b.CreateNSWMul(next, evaluator_->constant(shape_[d])));
          row = next;
        }
      overWindow(0, startAddress(), [&](llvm::Value *position) {
        llvm::Value *at = placeOfElement(place);
        sums_->add(at, loadResult(position), false);
        storeResult(position, sums_->rounded(at));
      });
    });
  }

  // All elements of the results that this call is to update, in vectors.
  void overRange(llvm::function_ref<void(llvm::Value *position)> body) {
    llvm::IRBuilder<> &b = evaluator_->builder();
    int64_t outer = 1, size = elementCount(shape_);
    llvm::Value *begin = evaluator_->constant(0), *end = evaluator_->constant(size);
    if (plan_.tasks > 1) {
      outer = elementCount(shape_.take_front(plan_.splitDim));
      size /= outer;
      llvm::Value *stride = evaluator_->constant(plan_.resultStride(plan_.splitDim));
      begin = b.CreateNSWMul(low_[plan_.splitDim], stride);
      end = b.CreateNSWMul(high_[plan_.splitDim], stride);
    }
    int64_t lanes = std::max<int64_t>(1, target_->vectorBits() / 64);
    evaluator_->forLoop(evaluator_->constant(0), evaluator_->constant(outer), 1, [&](llvm::Value *number) {
      llvm::Value *base = b.CreateNSWMul(number, evaluator_->constant(size));
      auto run = [&](llvm::Value *from, llvm::Value *to, int64_t step) {
        evaluator_->setLanes(step);
        evaluator_->forLoop(from, to, step, [&](llvm::Value *iv) { body(b.CreateNSWAdd(base, iv)); });
        evaluator_->setLanes(1);
      };
      llvm::Value *whole = b.CreateAnd(b.CreateNSWSub(end, begin), evaluator_->constant(-lanes));
      llvm::Value *middle = b.CreateNSWAdd(begin, whole);
      run(begin, middle, lanes);
      if (lanes > 1)
        run(middle, end, 1);
    });
  }

  void overUpdates(unsigned number) {
    if (number == plan_.scatterDims.size()) {
      emitUpdate();
      return;
    }
    unsigned dim = plan_.scatterDims[number];
    bool fetches = plan_.fetchesAhead > 0 && number + 1 == plan_.scatterDims.size();
    evaluator_->forLoop(evaluator_->constant(0), evaluator_->constant(updateShape_[dim]), 1, [&](llvm::Value *iv) {
      if (fetches)
        evaluator_->withMask(evaluator_->mask(), [&] { fetchWindow(dim, iv); });
      evaluator_->bindDim(dim, iv, 0);
      overUpdates(number + 1);
    });
  }

  // Fetches this call's part of the window of an update to come, or its first lines: the processor foresees the rest of
  // a long one. In a scope of its own.
  void fetchWindow(unsigned dim, llvm::Value *iv) {
    constexpr int64_t kLineBytes = 64, kMostLines = 4;
    llvm::IRBuilder<> &b = evaluator_->builder();
    llvm::Value *ahead = b.CreateNSWAdd(iv, evaluator_->constant(plan_.fetchesAhead));
    llvm::Value *last = evaluator_->constant(updateShape_[dim] - 1);
    evaluator_->bindDim(dim, b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, ahead, last), 0);
    findStart();
    llvm::Value *position = startAddress();
    int64_t elements = plan_.vectorDim >= 0 ? updateShape_[plan_.vectorDim] : 1;
    if (plan_.splitsWindow && plan_.tasks > 1) {
      llvm::Value *stride = evaluator_->constant(plan_.resultStride(plan_.splitDim));
      position = b.CreateAdd(position, b.CreateMul(low_[plan_.splitDim], stride));
      if (plan_.splitDim == plan_.resultDims.back())
        elements = plan_.splitSize;
    }
    for (auto [i, input] : llvm::enumerate(op_.getInputs())) {
      int64_t bytes = storageBytes(elementTypeOf(input));
      llvm::Value *offset = b.CreateMul(position, evaluator_->constant(bytes));
      llvm::Value *address = b.CreateGEP(b.getInt8Ty(), evaluator_->outputPointer(i), offset);
      for (int64_t line = 0; line < std::min<int64_t>(llvm::divideCeil(elements * bytes, kLineBytes), kMostLines);
           ++line)
        emitPrefetch(b, b.CreateConstGEP1_64(b.getInt8Ty(), address, line * kLineBytes));
    }
  }

  // Whether elements of one window fall to different tasks by where it starts.
  bool isCut(int64_t dim) const { return plan_.tasks > 1 && dim == plan_.splitDim && !plan_.splitsWindow; }

  llvm::Value *isInRange(llvm::Value *position, int64_t dim) {
    llvm::IRBuilder<> &b = evaluator_->builder();
    return b.CreateAnd(b.CreateICmpSGE(position, low_[dim]), b.CreateICmpSLT(position, high_[dim]));
  }

  void emitUpdate() {
    findStart();
    llvm::IRBuilder<> &b = evaluator_->builder();
    llvm::Value *applies = isInside(), *address = startAddress();
    if (plan_.splitDim >= 0 && isCut(plan_.splitDim) && !llvm::is_contained(plan_.resultDims, plan_.splitDim)) {
      llvm::Value *test = isInRange(start_[plan_.splitDim], plan_.splitDim);
      applies = applies ? b.CreateAnd(applies, test) : test;
    }
    guarded(applies, [&] {
      overWindow(0, address, [&](llvm::Value *position) { applyAt(position); });
      if (counters_)
        countUpdate(address);
    });
  }

  void guarded(llvm::Value *condition, llvm::function_ref<void()> body) {
    if (!condition)
      return body();
    auto then = [&] {
      body();
      return LLVMValues();
    };
    evaluator_->ifElse(condition, then, [] { return LLVMValues(); });
  }

  using Apply = llvm::function_ref<void(llvm::Value *position)>;
  void overWindow(unsigned number, llvm::Value *address, Apply apply) {
    if (number == plan_.windowDims.size()) {
      apply(address);
      return;
    }
    llvm::IRBuilder<> &b = evaluator_->builder();
    unsigned dim = plan_.windowDims[number];
    int64_t extent = updateShape_[dim], resultDim = plan_.resultDims[number];
    bool split = plan_.tasks > 1 && plan_.splitsWindow && resultDim == plan_.splitDim;
    llvm::Value *begin = split ? low_[resultDim] : evaluator_->constant(0);
    llvm::Value *end = split ? high_[resultDim] : evaluator_->constant(extent);
    auto position = [&](llvm::Value *iv) { return start_[resultDim] ? b.CreateAdd(start_[resultDim], iv) : iv; };
    auto moved = [&](llvm::Value *iv) {
      return b.CreateAdd(address, b.CreateMul(iv, evaluator_->constant(plan_.resultStride(resultDim))));
    };
    if (static_cast<int>(dim) != plan_.vectorDim) {
      evaluator_->forLoop(begin, end, 1, [&](llvm::Value *iv) {
        evaluator_->bindDim(dim, iv, 0);
        guarded(isCut(resultDim) ? isInRange(position(iv), resultDim) : nullptr,
                [&] { overWindow(number + 1, moved(iv), apply); });
      });
      return;
    }
    LoopNest(*evaluator_, plan_).overVector(dim, plan_.lanes, begin, end, extent % plan_.lanes == 0, {}, [&](auto) {
      llvm::Value *iv = evaluator_->uniformIndex(mlir::getAffineDimExpr(dim, plan_.space().context()));
      bool check = isCut(resultDim);
      if (evaluator_->lanes() == 1) {
        guarded(check ? isInRange(position(iv), resultDim) : nullptr, [&] { apply(moved(iv)); });
      } else if (check) {
        llvm::Value *mask = laneMask(position(iv), resultDim);
        evaluator_->withMask(mask, [&] { apply(moved(iv)); });
      } else {
        apply(moved(iv));
      }
      return LLVMValues();
    });
  }

  // The lanes whose positions, from `first` on, are this task's.
  llvm::Value *laneMask(llvm::Value *first, int64_t dim) {
    llvm::IRBuilder<> &b = evaluator_->builder();
    unsigned lanes = evaluator_->lanes();
    llvm::SmallVector<llvm::Constant *> numbers;
    for (unsigned lane = 0; lane < lanes; ++lane)
      numbers.push_back(b.getInt64(lane));
    llvm::Value *positions = b.CreateAdd(b.CreateVectorSplat(lanes, first), llvm::ConstantVector::get(numbers));
    llvm::Value *inside = b.CreateAnd(b.CreateICmpSGE(positions, b.CreateVectorSplat(lanes, low_[dim])),
                                      b.CreateICmpSLT(positions, b.CreateVectorSplat(lanes, high_[dim])));
    return evaluator_->mask() ? b.CreateAnd(inside, evaluator_->mask()) : inside;
  }

  void applyAt(llvm::Value *position) {
    if (plan_.order == ir::ScatterOrder::kWide)
      sums_->add(position, update(), ir::isDifference(op_));
    else
      storeResults(position, apply(loadResults(position)));
  }

  const KernelSource &source_;
  const EmissionTarget &target_;
  std::optional<WideSums> sums_; // in the temporary block: of all elements of the results, or of rows with full blocks
  std::optional<RowCounters> counters_;
  llvm::SmallVector<llvm::Value *> low_, high_; // of each dimension of the results
};

} // namespace

llvm::LogicalResult emitScatter(const ScatterPlan &plan, const KernelSource &source, llvm::Module &module,
                                const EmissionTarget &target) {
  return emitLoopFunction(plan.kernel.phases[0], plan, source, module, target,
                          [&](LoopEvaluator &evaluator, llvm::Function *function) {
                            ScatterEmitter(plan, source, evaluator, target).emit(function);
                          });
}

} // namespace tenon::codegen::loop
