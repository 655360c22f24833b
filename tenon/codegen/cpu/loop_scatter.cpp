// Updates are applied one after the other, in the order of their indices, each vectorised over its window. For parallel
// work the results are cut into ranges along one dimension: every task goes over all updates and applies what falls
// into its range, so that each element sees its updates in the same order for any number of workers. Best is a
// dimension that the windows span: each task has its part of every window. Along a scattered dimension, whether an
// update is in range is a branch that nobody can predict.
#include "tenon/codegen/cpu/loop_scatter.h"

#include "tenon/ir/stablehlo.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/Support/MathExtras.h"

namespace tenon::codegen {

namespace {

class Scatter {
public:
  Scatter(const KernelSource &source, const CpuTarget &target)
      : source_(source), op_(llvm::cast<stablehlo::ScatterOp>(source.op)), target_(target),
        numbers_(op_.getScatterDimensionNumbers()), shape_(shapeOf(op_.getInputs()[0])),
        updateShape_(shapeOf(op_.getUpdates()[0])) {
    plan();
  }

  llvm::FailureOr<Kernel> emit(llvm::Module &module, llvm::StringRef symbol) {
    llvm::Function *function = createKernelFunction(module, symbol);
    LoopEvaluator evaluator(source_, *plan_.indexer, function, target_);
    evaluator_ = &evaluator;
    Kernel kernel;
    kernel.kind = "scatter";
    kernel.bytes = 2 * trafficBytes(source_);
    for (unsigned i = 0; i < source_.outputs.size(); ++i)
      kernel.resultInit.push_back(i);
    if (elementCount(updateShape_) > 0 && elementCount(shape_) > 0) {
      setRange(function);
      overUpdates(0);
    }
    evaluator.builder().CreateRetVoid();
    if (evaluator.failed()) {
      function->eraseFromParent();
      return llvm::failure();
    }
    kernel.phases.push_back({symbol.str(), plan_.tasks, plan_.nanoseconds});
    return kernel;
  }

private:
  bool isWindowDim(int64_t dim) const { return llvm::is_contained(numbers_.getUpdateWindowDims(), dim); }

  void plan() {
    plan_.space = std::make_unique<IndexSpace>(source_.op->getContext());
    plan_.indexer = std::make_unique<RegionIndexer>(*plan_.space);
    for (auto [d, extent] : llvm::enumerate(updateShape_)) {
      updateIndex_.push_back(plan_.space->addDim(extent));
      (isWindowDim(d) ? windowDims_ : scatterDims_).push_back(d);
    }
    windowExtent_.assign(shape_.size(), 1);
    // Dimension of the results that each window dimension runs along.
    for (int64_t d = 0; d < static_cast<int64_t>(shape_.size()); ++d)
      if (!llvm::is_contained(numbers_.getInsertedWindowDims(), d) &&
          !llvm::is_contained(numbers_.getInputBatchingDims(), d))
        resultDims_.push_back(d);
    for (auto [dim, resultDim] : llvm::zip(windowDims_, resultDims_))
      windowExtent_[resultDim] = updateShape_[dim];
    int widest = 1;
    for (mlir::Value input : op_.getInputs())
      widest = std::max<int64_t>(widest, storageBytes(elementTypeOf(input)));
    bool contiguous = !windowDims_.empty() && resultDims_.back() == static_cast<int64_t>(shape_.size()) - 1;
    if (contiguous) {
      uint64_t extent = updateShape_[windowDims_.back()];
      plan_.vectorDim = windowDims_.back();
      plan_.lanes = std::min<int64_t>(std::max(1, target_.vectorBits() / 8 / widest), llvm::bit_floor(extent | 1));
    }
    planTasks(widest);
  }

  void planTasks(int64_t elementBytes) {
    chooseSplit(elementBytes);
    int64_t updates = 1, window = 1;
    for (unsigned d : scatterDims_)
      updates *= updateShape_[d];
    for (unsigned d : windowDims_)
      window *= updateShape_[d];
    double each = 3 + 0.5 * window;
    plan_.nanoseconds = updates * each + 50;
    // Every task reads all indices, so there are few.
    constexpr double kTaskNanoseconds = 100000;
    bool worth = splitDim_ >= 0 && plan_.nanoseconds > 2 * kTaskNanoseconds && each > 8;
    if (!worth || shape_[splitDim_] == 0)
      return;
    constexpr int64_t kMostTasks = 4;
    int64_t units = llvm::divideCeil(shape_[splitDim_], splitSize_);
    splitSize_ *= llvm::divideCeil(units, kMostTasks);
    plan_.tasks = llvm::divideCeil(shape_[splitDim_], splitSize_);
  }

  // Along which dimension of the results tasks are cut, and the least extent of a task there: whole vectors, on cache
  // lines of its own, and enough of each window to pay for finding it.
  void chooseSplit(int64_t elementBytes) {
    constexpr int64_t kLeastBytes = 128; // lines are fetched in pairs
    llvm::ArrayRef<int64_t> scattered = numbers_.getScatterDimsToOperandDims();
    for (auto [dim, resultDim] : llvm::zip(windowDims_, resultDims_)) {
      int64_t least = llvm::divideCeil(kLeastBytes, std::max<int64_t>(1, resultStride(resultDim) * elementBytes));
      if (static_cast<int>(dim) == plan_.vectorDim)
        least = std::max<int64_t>(least, plan_.lanes);
      if (llvm::is_contained(scattered, resultDim) || updateShape_[dim] != shape_[resultDim] ||
          shape_[resultDim] <= least)
        continue;
      splitDim_ = resultDim;
      splitSize_ = least;
      splitsWindow_ = true;
      return;
    }
    if (!scattered.empty())
      splitDim_ = scattered[0];
  }

  // The part of the results' split dimension that this call is to update.
  void setRange(llvm::Function *function) {
    llvm::IRBuilder<> &b = evaluator_->builder();
    for (int64_t extent : shape_) {
      low_.push_back(evaluator_->constant(0));
      high_.push_back(evaluator_->constant(extent));
    }
    if (plan_.tasks == 1)
      return;
    llvm::Value *size = evaluator_->constant(splitSize_), *extent = evaluator_->constant(shape_[splitDim_]);
    low_[splitDim_] = b.CreateNSWMul(function->getArg(1), size);
    llvm::Value *high = b.CreateNSWMul(function->getArg(2), size);
    high_[splitDim_] = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, high, extent);
  }

  void overUpdates(unsigned number) {
    if (number == scatterDims_.size()) {
      update();
      return;
    }
    unsigned dim = scatterDims_[number];
    evaluator_->forLoop(evaluator_->constant(0), evaluator_->constant(updateShape_[dim]), 1, [&](llvm::Value *iv) {
      evaluator_->bindDim(dim, iv, 0);
      overUpdates(number + 1);
    });
  }

  // Where the current update starts in each dimension of the results; null for zero.
  void findStart() {
    llvm::IRBuilder<> &b = evaluator_->builder();
    start_.assign(shape_.size(), nullptr);
    mlir::Value indices = op_.getScatterIndices();
    bool isUnsigned = elementTypeOf(indices).isUnsignedInteger();
    int64_t vectorDim = numbers_.getIndexVectorDim(), rank = shapeOf(indices).size();
    IndexVector batch;
    for (unsigned d : scatterDims_)
      batch.push_back(updateIndex_[d]);
    for (auto [component, dim] : llvm::enumerate(numbers_.getScatterDimsToOperandDims())) {
      IndexVector index(batch);
      if (vectorDim < rank)
        index.insert(index.begin() + vectorDim, plan_.space->constant(component));
      llvm::Value *value = evaluator_->eval(indices, index).re;
      start_[dim] = isUnsigned ? b.CreateZExt(value, b.getInt64Ty()) : b.CreateSExt(value, b.getInt64Ty());
    }
    for (auto [dim, from] : llvm::zip(numbers_.getInputBatchingDims(), numbers_.getScatterIndicesBatchingDims()))
      start_[dim] = evaluator_->uniformIndex(batch[from < vectorDim ? from : from - 1]);
  }

  // Whether elements of one window fall to different tasks by where it starts.
  bool isCut(int64_t dim) const { return plan_.tasks > 1 && dim == splitDim_ && !splitsWindow_; }

  llvm::Value *isInRange(llvm::Value *position, int64_t dim) {
    llvm::IRBuilder<> &b = evaluator_->builder();
    return b.CreateAnd(b.CreateICmpSGE(position, low_[dim]), b.CreateICmpSLT(position, high_[dim]));
  }

  // Whether the current window lies inside the results as a whole; null where it always does.
  llvm::Value *isInside() {
    llvm::IRBuilder<> &b = evaluator_->builder();
    llvm::Value *inside = nullptr;
    for (int64_t d = 0, rank = shape_.size(); d < rank; ++d) {
      int64_t places = std::max<int64_t>(0, shape_[d] - windowExtent_[d] + 1);
      if (llvm::is_contained(numbers_.getInputBatchingDims(), d) || (!start_[d] && places > 0))
        continue;
      llvm::Value *start = start_[d] ? start_[d] : evaluator_->constant(0);
      llvm::Value *test = b.CreateICmpULT(start, evaluator_->constant(places)); // a negative start is a large one
      inside = inside ? b.CreateAnd(inside, test) : test;
    }
    return inside;
  }

  void update() {
    findStart();
    llvm::IRBuilder<> &b = evaluator_->builder();
    llvm::Value *applies = isInside(), *address = evaluator_->constant(0);
    for (int64_t d = 0, rank = shape_.size(); d < rank; ++d)
      if (start_[d])
        address = b.CreateAdd(address, b.CreateMul(start_[d], evaluator_->constant(resultStride(d))));
    if (splitDim_ >= 0 && isCut(splitDim_) && !llvm::is_contained(resultDims_, splitDim_)) {
      llvm::Value *test = isInRange(start_[splitDim_], splitDim_);
      applies = applies ? b.CreateAnd(applies, test) : test;
    }
    guarded(applies, [&] { overWindow(0, address); });
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

  int64_t resultStride(int64_t dim) const { return elementCount(shape_.drop_front(dim + 1)); }

  void overWindow(unsigned number, llvm::Value *address) {
    if (number == windowDims_.size()) {
      applyAt(address);
      return;
    }
    llvm::IRBuilder<> &b = evaluator_->builder();
    unsigned dim = windowDims_[number];
    int64_t extent = updateShape_[dim], resultDim = resultDims_[number];
    bool split = plan_.tasks > 1 && splitsWindow_ && resultDim == splitDim_;
    llvm::Value *begin = split ? low_[resultDim] : evaluator_->constant(0);
    llvm::Value *end = split ? high_[resultDim] : evaluator_->constant(extent);
    auto position = [&](llvm::Value *iv) { return start_[resultDim] ? b.CreateAdd(start_[resultDim], iv) : iv; };
    auto moved = [&](llvm::Value *iv) {
      return b.CreateAdd(address, b.CreateMul(iv, evaluator_->constant(resultStride(resultDim))));
    };
    if (static_cast<int>(dim) != plan_.vectorDim) {
      evaluator_->forLoop(begin, end, 1, [&](llvm::Value *iv) {
        evaluator_->bindDim(dim, iv, 0);
        guarded(isCut(resultDim) ? isInRange(position(iv), resultDim) : nullptr,
                [&] { overWindow(number + 1, moved(iv)); });
      });
      return;
    }
    LoopNest(*evaluator_, plan_).overVector(dim, plan_.lanes, begin, end, extent % plan_.lanes == 0, {}, [&](auto) {
      llvm::Value *iv = evaluator_->uniformIndex(mlir::getAffineDimExpr(dim, plan_.space->context()));
      bool check = isCut(resultDim);
      if (evaluator_->lanes() == 1) {
        guarded(check ? isInRange(position(iv), resultDim) : nullptr, [&] { applyAt(moved(iv)); });
      } else if (check) {
        llvm::Value *mask = laneMask(position(iv), resultDim);
        evaluator_->withMask(mask, [&] { applyAt(moved(iv)); });
      } else {
        applyAt(moved(iv));
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
    llvm::IRBuilder<> &b = evaluator_->builder();
    unsigned count = op_.getInputs().size(), lanes = evaluator_->lanes();
    Elements arguments;
    llvm::SmallVector<llvm::Value *> addresses;
    for (unsigned i = 0; i < count; ++i) {
      mlir::Type type = elementTypeOf(op_.getInputs()[i]);
      addresses.push_back(elementAddress(b, type, evaluator_->outputPointer(i), position));
      arguments.push_back(loadElements(b, type, addresses.back(), lanes, evaluator_->mask()));
    }
    for (mlir::Value update : op_.getUpdates())
      arguments.push_back(evaluator_->evalVector(update, updateIndex_));
    Elements results = evaluator_->emitBody(op_.getUpdateComputation(), arguments);
    for (unsigned i = 0; i < count && i < results.size(); ++i)
      storeElements(b, elementTypeOf(op_.getInputs()[i]), evaluator_->toVector(results[i]), addresses[i], lanes,
                    evaluator_->mask());
  }

  const KernelSource &source_;
  stablehlo::ScatterOp op_;
  const CpuTarget &target_;
  stablehlo::ScatterDimensionNumbersAttr numbers_;
  llvm::ArrayRef<int64_t> shape_, updateShape_;
  LoopPlan plan_;
  IndexVector updateIndex_;
  llvm::SmallVector<unsigned> scatterDims_, windowDims_; // of the updates
  llvm::SmallVector<int64_t> resultDims_, windowExtent_; // the latter of each dimension of the results
  int64_t splitDim_ = -1, splitSize_ = 1;                // of the results; negative: one task
  bool splitsWindow_ = false;                            // every window spans the split dimension
  llvm::SmallVector<llvm::Value *> low_, high_, start_;  // of each dimension of the results
  LoopEvaluator *evaluator_ = nullptr;
};

} // namespace

llvm::FailureOr<Kernel> emitScatterKernel(const KernelSource &source, llvm::Module &module, llvm::StringRef symbol,
                                          const CpuTarget &target) {
  return Scatter(source, target).emit(module, symbol);
}

} // namespace tenon::codegen
