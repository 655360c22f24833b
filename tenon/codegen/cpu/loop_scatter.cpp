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
#include "tenon/codegen/cpu/loop_scatter.h"

#include "tenon/codegen/cpu/loop_scatter_sums.h"
#include "tenon/ir/scatter_sums.h"
#include "tenon/ir/stablehlo.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/Support/MathExtras.h"

#include <optional>

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
      emitUpdates(kernel);
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
    // Every task reads all indices, so there are few; and where it leaves updates out, guesses wrongly every other
    // time.
    constexpr double kTaskNanoseconds = 100000;
    bool worth = splitDim_ >= 0 && plan_.nanoseconds > 2 * kTaskNanoseconds && each > (splitsWindow_ ? 8 : 40);
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

  void emitUpdates(Kernel &kernel) {
    order_ = ir::scatterOrder(op_, shape_, updateShape_);
    if (order_ == ir::ScatterOrder::kWide)
      startWideSums(kernel);
    else if (order_ == ir::ScatterOrder::kBlocks)
      startBlocks(kernel);
    overUpdates(0);
    if (order_ == ir::ScatterOrder::kWide)
      finishWideSums();
    else if (order_ == ir::ScatterOrder::kBlocks)
      finishBlocks();
  }

  mlir::Type inputType() { return elementTypeOf(op_.getInputs()[0]); }
  llvm::Value *tempPointer(llvm::Value *offset) {
    llvm::IRBuilder<> &b = evaluator_->builder();
    llvm::Value *base = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), evaluator_->tempPointer(), source_.tempBase);
    return b.CreateInBoundsGEP(b.getInt8Ty(), base, offset);
  }
  Element loadResult(llvm::Value *position) {
    llvm::IRBuilder<> &b = evaluator_->builder();
    llvm::Value *address = elementAddress(b, inputType(), evaluator_->outputPointer(0), position);
    return loadElements(b, inputType(), address, evaluator_->lanes(), evaluator_->mask());
  }
  void storeResult(llvm::Value *position, Element element) {
    llvm::IRBuilder<> &b = evaluator_->builder();
    llvm::Value *address = elementAddress(b, inputType(), evaluator_->outputPointer(0), position);
    storeElements(b, inputType(), element, address, evaluator_->lanes(), evaluator_->mask());
  }

  void startWideSums(Kernel &kernel) {
    kernel.tempBytes = WideSums::bytes(inputType(), elementCount(shape_));
    sums_.emplace(*evaluator_, inputType(), elementCount(shape_), tempPointer(evaluator_->constant(0)));
    overRange([&](llvm::Value *position) { sums_->start(position, loadResult(position)); });
  }

  void finishWideSums() {
    overRange([&](llvm::Value *position) { storeResult(position, sums_->rounded(position)); });
  }

  // The dimensions of the results that rows are counted along.
  bool isRowDim(int64_t dim) const {
    return llvm::is_contained(numbers_.getScatterDimsToOperandDims(), dim) ||
           llvm::is_contained(numbers_.getInputBatchingDims(), dim);
  }

  // Every task counts for itself, and has places of its own unless all have the same, for parts of the windows.
  void startBlocks(Kernel &kernel) {
    llvm::IRBuilder<> &b = evaluator_->builder();
    int64_t rows = 1, updates = 1, block = ir::scatterBlock(inputType());
    for (int64_t d = 0, rank = shape_.size(); d < rank; ++d)
      rows *= isRowDim(d) ? shape_[d] : 1;
    for (unsigned d : scatterDims_)
      updates *= updateShape_[d];
    int64_t places = updates / block * elementCount(windowShape());
    int64_t counterBytes = RowCounters::bytes(rows, updates, block), sumBytes = WideSums::bytes(inputType(), places);
    bool share = plan_.tasks == 1 || splitsWindow_;
    kernel.tempBytes = plan_.tasks * counterBytes + (share ? 1 : plan_.tasks) * sumBytes;
    llvm::Value *task = plan_.tasks == 1 ? evaluator_->constant(0) : b.GetInsertBlock()->getParent()->getArg(1);
    counters_.emplace(*evaluator_, rows, updates, block,
                      tempPointer(b.CreateNSWMul(task, evaluator_->constant(counterBytes))));
    llvm::Value *own = b.CreateNSWMul(task, evaluator_->constant(share ? 0 : sumBytes));
    sums_.emplace(*evaluator_, inputType(), places,
                  tempPointer(b.CreateNSWAdd(own, evaluator_->constant(plan_.tasks * counterBytes))));
    counters_->clear();
  }

  llvm::SmallVector<int64_t> windowShape() const {
    llvm::SmallVector<int64_t> shape;
    for (unsigned d : windowDims_)
      shape.push_back(updateShape_[d]);
    return shape;
  }

  // Where the sum of the current element of a window is, for the row that has this place.
  llvm::Value *placeOfElement(llvm::Value *place) {
    llvm::IRBuilder<> &b = evaluator_->builder();
    IndexVector index;
    for (unsigned d : windowDims_)
      index.push_back(updateIndex_[d]);
    llvm::Value *first = b.CreateNSWMul(place, evaluator_->constant(elementCount(windowShape())));
    LaneIndex within = evaluator_->index(plan_.space->linearize(index, windowShape()));
    return within.base ? b.CreateNSWAdd(first, within.base) : first;
  }

  // After an update of the row where `start_` is.
  void countUpdate(llvm::Value *address) {
    llvm::IRBuilder<> &b = evaluator_->builder();
    llvm::Value *row = evaluator_->constant(0);
    for (int64_t d = 0, rank = shape_.size(); d < rank; ++d)
      if (isRowDim(d))
        row = b.CreateAdd(b.CreateMul(row, evaluator_->constant(shape_[d])), start_[d]);
    counters_->count(row, [&](llvm::Value *place, llvm::Value *isFirst) {
      overWindow(0, address, [&](llvm::Value *position) {
        sums_->add(placeOfElement(place), loadResult(position), false, isFirst);
        storeResult(position, negativeZero());
      });
    });
  }

  Element negativeZero() {
    auto complex = llvm::dyn_cast<mlir::ComplexType>(inputType());
    mlir::Type part = complex ? complex.getElementType() : inputType();
    llvm::APFloat zero = llvm::APFloat::getZero(llvm::cast<mlir::FloatType>(part).getFloatSemantics(), true);
    llvm::LLVMContext &context = evaluator_->builder().getContext();
    unsigned lanes = evaluator_->lanes();
    return complex ? constantElement(context, inputType(), zero, zero, lanes)
                   : constantElement(context, inputType(), zero, lanes);
  }

  void finishBlocks() {
    llvm::IRBuilder<> &b = evaluator_->builder();
    counters_->forEach([&](llvm::Value *place, llvm::Value *row) {
      start_.assign(shape_.size(), nullptr);
      for (int64_t d = shape_.size(); d-- > 0;)
        if (isRowDim(d)) {
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
      outer = elementCount(shape_.take_front(splitDim_));
      size /= outer;
      llvm::Value *stride = evaluator_->constant(resultStride(splitDim_));
      begin = b.CreateNSWMul(low_[splitDim_], stride);
      end = b.CreateNSWMul(high_[splitDim_], stride);
    }
    int64_t lanes = std::max<int64_t>(1, target_.vectorBits() / 64);
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
    llvm::Value *applies = isInside(), *address = startAddress();
    if (splitDim_ >= 0 && isCut(splitDim_) && !llvm::is_contained(resultDims_, splitDim_)) {
      llvm::Value *test = isInRange(start_[splitDim_], splitDim_);
      applies = applies ? b.CreateAnd(applies, test) : test;
    }
    guarded(applies, [&] {
      overWindow(0, address, [&](llvm::Value *position) { applyAt(position); });
      if (counters_)
        countUpdate(address);
    });
  }

  // The position where the window that begins at `start_` has its first element.
  llvm::Value *startAddress() {
    llvm::IRBuilder<> &b = evaluator_->builder();
    llvm::Value *address = evaluator_->constant(0);
    for (int64_t d = 0, rank = shape_.size(); d < rank; ++d)
      if (start_[d])
        address = b.CreateAdd(address, b.CreateMul(start_[d], evaluator_->constant(resultStride(d))));
    return address;
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

  using Apply = llvm::function_ref<void(llvm::Value *position)>;
  void overWindow(unsigned number, llvm::Value *address, Apply apply) {
    if (number == windowDims_.size()) {
      apply(address);
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
                [&] { overWindow(number + 1, moved(iv), apply); });
      });
      return;
    }
    LoopNest(*evaluator_, plan_).overVector(dim, plan_.lanes, begin, end, extent % plan_.lanes == 0, {}, [&](auto) {
      llvm::Value *iv = evaluator_->uniformIndex(mlir::getAffineDimExpr(dim, plan_.space->context()));
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
    llvm::IRBuilder<> &b = evaluator_->builder();
    unsigned count = op_.getInputs().size(), lanes = evaluator_->lanes();
    if (order_ == ir::ScatterOrder::kWide) {
      sums_->add(position, evaluator_->evalVector(op_.getUpdates()[0], updateIndex_), ir::isDifference(op_));
      return;
    }
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
  ir::ScatterOrder order_ = ir::ScatterOrder::kStepwise;
  std::optional<WideSums> sums_; // in the temporary block: of all elements of the results, or of rows with full blocks
  std::optional<RowCounters> counters_;
  llvm::SmallVector<llvm::Value *> low_, high_, start_; // of each dimension of the results
  LoopEvaluator *evaluator_ = nullptr;
};

} // namespace

llvm::FailureOr<Kernel> emitScatterKernel(const KernelSource &source, llvm::Module &module, llvm::StringRef symbol,
                                          const CpuTarget &target) {
  return Scatter(source, target).emit(module, symbol);
}

} // namespace tenon::codegen
