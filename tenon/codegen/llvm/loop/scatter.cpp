// Updates are applied one after the other, in the order of their indices, each vectorised over its window. For parallel
// work the results are cut into ranges along one dimension: every task goes over all updates and applies what falls
// into its range, so that each element sees its updates in the same order for any number of workers. Best is a
// dimension that the windows span: each task has its part of every window. Along a scattered dimension, whether an
// update is in range is a branch that nobody can predict. So where rows of large results get several updates these are
// sorted first, into buckets of rows, which are the tasks (scatter_buckets.h), unless one thread is to do all.
//
// Small results that get many updates, in a computation of which the order does not matter or is one of parts, are
// updated in copies, of which each task has one (scatter_copies.h).
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
  ScatterEmitter(const ScatterPlan &plan, const KernelSource &source, LoopEvaluator &evaluator)
      : ScatterSteps(plan, evaluator), source_(source) {}

  void emit(llvm::Function *function) {
    if (elementCount(updateShape_) == 0 || elementCount(shape_) == 0)
      return;
    setRange(function);
    if (plan_.buckets)
      updateBuckets().ifSorted([&] { emitBuckets(function); }, [&] { emitUnsorted(function); });
    else
      emitUpdates();
  }

  // The phases before that which sort the updates into buckets.
  void emitCount(llvm::Function *function) {
    updateBuckets().count(function->getArg(1), function->getArg(2), [&](auto *update) { return rowOf(update); });
  }
  void emitPlace() { updateBuckets().placeCounts(); }
  void emitMove(llvm::Function *function) {
    updateBuckets().move(function->getArg(1), function->getArg(2), [&](auto *update) { return rowOf(update); });
  }

  // The tasks' updates, and the phase that combines the copies.
  void emitCopies(llvm::Function *function) {
    llvm::Value *begin = function->getArg(1), *end = function->getArg(2);
    if (plan_.order == ir::ScatterOrder::kWide) // whose bits depend on the parts
      return evaluator_->forLoop(begin, end, 1, [&](llvm::Value *part) { emitWideCopy(part); });
    // All that the call has goes to one copy.
    evaluator_->forLoop(begin, end, plan_.copies->count, [&](llvm::Value *part) {
      ResultCopies copies = resultCopies();
      copies.share(part, end);
      arrays_ = copies.arrays(part);
      overPositions(evaluator_->constant(0), evaluator_->constant(plan_.copies->elements),
                    [&](llvm::Value *position) { storeResults(position, copies.identities()); });
      llvm::Value *last = evaluator_->builder().CreateNSWSub(end, evaluator_->constant(1));
      updateRange(copies.updates(part).first, copies.updates(last).second);
    });
  }
  void emitCombination(llvm::Function *function) {
    ResultCopies copies = resultCopies();
    llvm::IRBuilder<> &b = evaluator_->builder();
    llvm::Value *size = evaluator_->constant(plan_.copies->combined);
    llvm::Value *end = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, b.CreateNSWMul(function->getArg(2), size),
                                               evaluator_->constant(plan_.copies->elements));
    overPositions(b.CreateNSWMul(function->getArg(1), size), end, [&](llvm::Value *position) {
      if (plan_.order == ir::ScatterOrder::kWide)
        storeResult(position, sumOfCopies(position));
      else
        storeResults(position, copies.combine(loadResults(position), position));
    });
  }

private:
  void emitWideCopy(llvm::Value *part) {
    placeSums(part);
    overPositions(evaluator_->constant(0), evaluator_->constant(plan_.copies->elements),
                  [&](llvm::Value *position) { sums_->clear(position); });
    auto [first, last] = resultCopies().updates(part);
    updateRange(first, last);
  }

  void updateRange(llvm::Value *first, llvm::Value *last) {
    evaluator_->forLoop(first, last, 1, [&](llvm::Value *update) {
      bindUpdate(update);
      emitUpdate();
    });
  }

  ResultCopies resultCopies() { return {*evaluator_, *plan_.copies, tempPointer(evaluator_->constant(0))}; }

  UpdateBuckets updateBuckets() {
    return {*evaluator_, *plan_.buckets, tempPointer(evaluator_->constant(plan_.bucketOffset))};
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

  void emitBuckets(llvm::Function *function) {
    llvm::IRBuilder<> &b = evaluator_->builder();
    UpdateBuckets buckets = updateBuckets();
    if (plan_.order == ir::ScatterOrder::kBlocks)
      createCounters();
    evaluator_->forLoop(function->getArg(1), function->getArg(2), 1, [&](llvm::Value *bucket) {
      auto [first, last] = buckets.entries(bucket);
      int64_t rows = plan_.buckets->bucketRows;
      if (plan_.kernel.copiesInit)
        copyRows(b.CreateNSWMul(bucket, evaluator_->constant(rows)), rows);
      if (counters_) // full blocks of the buckets before are no more than those of all their updates together
        counters_->clear(b.CreateNSWMul(bucket, evaluator_->constant(rows)), rows,
                         b.CreateUDiv(first, evaluator_->constant(plan_.block)));
      evaluator_->forLoop(first, last, 1, [&, last = last](llvm::Value *position) {
        if (plan_.sortedAhead > 0)
          evaluator_->withMask(evaluator_->mask(), [&] {
            llvm::Value *ahead = b.CreateNSWAdd(position, evaluator_->constant(plan_.sortedAhead));
            llvm::Value *final = b.CreateNSWSub(last, evaluator_->constant(1));
            bindEntry(buckets.entry(b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, ahead, final)));
            if (!plan_.kernel.copiesInit)
              fetchWindow();
            fetchUpdate();
          });
        bindEntry(buckets.entry(position));
        applyUpdate(startAddress());
      });
      if (counters_)
        finishBlocks();
    });
  }

  // The rows of this call's buckets, by all updates in their order: of all rows, but where the phases before have had
  // one thread and this one has several.
  void emitUnsorted(llvm::Function *function) {
    llvm::IRBuilder<> &b = evaluator_->builder();
    int64_t rows = plan_.buckets->bucketRows;
    auto firstOf = [&](llvm::Value *bucket) { return b.CreateNSWMul(bucket, evaluator_->constant(rows)); };
    rowRange_ = {firstOf(function->getArg(1)), firstOf(function->getArg(2))};
    llvm::Value *firstPlace = nullptr;
    if (plan_.order == ir::ScatterOrder::kBlocks) {
      createCounters();
      firstPlace = b.CreateUDiv(updatesBefore(rowRange_->first), evaluator_->constant(plan_.block));
    }
    evaluator_->forLoop(function->getArg(1), function->getArg(2), 1, [&](llvm::Value *bucket) {
      if (plan_.kernel.copiesInit)
        copyRows(firstOf(bucket), rows);
      if (counters_)
        counters_->clear(firstOf(bucket), rows, firstPlace);
    });
    overUpdates(0);
    if (counters_)
      finishBlocks();
    rowRange_.reset();
  }

  // How many updates go to rows before this one, which is counted unless it is the first.
  llvm::Value *updatesBefore(llvm::Value *row) {
    llvm::IRBuilder<> &b = evaluator_->builder();
    llvm::Value *zero = evaluator_->constant(0);
    llvm::Value *updates = b.CreateSelect(b.CreateICmpEQ(row, zero), zero, evaluator_->constant(plan_.updates));
    auto step = [&](llvm::Value *update, llvm::ArrayRef<llvm::Value *> before) {
      llvm::Value *counts = b.CreateZExt(b.CreateICmpULT(rowOf(update), row), b.getInt64Ty());
      return LLVMValues{b.CreateNSWAdd(before.front(), counts)};
    };
    return evaluator_->forLoop(zero, updates, 1, {zero}, step).front();
  }

  // Gives so many rows of the results, or those that there are, what the inputs have, unless they are the same memory.
  void copyRows(llvm::Value *first, int64_t rows) {
    llvm::IRBuilder<> &b = evaluator_->builder();
    llvm::Value *left = b.CreateNSWSub(evaluator_->constant(plan_.rows), first);
    llvm::Value *count = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, left, evaluator_->constant(rows));
    for (auto [i, input] : llvm::enumerate(op_.getInputs())) {
      llvm::Value *from = evaluator_->arrayPointer(input), *to = evaluator_->outputPointer(i);
      int64_t rowBytes = elementCount(shape_) / plan_.rows * storageBytes(elementTypeOf(input));
      guarded(b.CreateICmpNE(from, to), [&] {
        llvm::Value *offset = b.CreateNSWMul(first, evaluator_->constant(rowBytes));
        auto at = [&](llvm::Value *array) { return b.CreateInBoundsGEP(b.getInt8Ty(), array, offset); };
        b.CreateMemCpy(at(to), llvm::MaybeAlign(1), at(from), llvm::MaybeAlign(1),
                       b.CreateNSWMul(count, evaluator_->constant(rowBytes)));
      });
    }
  }

  // The row that the update goes to.
  llvm::Value *rowOf(llvm::Value *update) {
    llvm::IRBuilder<> &b = evaluator_->builder();
    bindUpdate(update);
    findStart();
    llvm::Value *inside = isInside(), *row = currentRow();
    return inside ? b.CreateSelect(inside, row, evaluator_->constant(plan_.buckets->nowhere())) : row;
  }

  void bindEntry(const UpdateBuckets::Entry &entry) {
    bindUpdate(entry.update);
    startAtRow(entry.row);
  }

  // Binds the updates' dimensions that number them.
  void bindUpdate(llvm::Value *update) {
    delinearize(
        update, plan_.scatterDims.size(), [&](unsigned i) { return updateShape_[plan_.scatterDims[i]]; },
        [&](unsigned i, llvm::Value *index) { evaluator_->bindDim(plan_.scatterDims[i], index, 0); });
  }

  llvm::Value *currentRow() {
    llvm::IRBuilder<> &b = evaluator_->builder();
    llvm::Value *row = evaluator_->constant(0);
    for (unsigned d : rowDims())
      row = b.CreateAdd(b.CreateMul(row, evaluator_->constant(shape_[d])), start_[d]);
    return row;
  }

  // Sets `start_` to where a row starts.
  void startAtRow(llvm::Value *row) {
    start_.assign(shape_.size(), nullptr);
    llvm::SmallVector<unsigned> dims = rowDims();
    delinearize(
        row, dims.size(), [&](unsigned i) { return shape_[dims[i]]; },
        [&](unsigned i, llvm::Value *index) { start_[dims[i]] = index; });
  }

  llvm::SmallVector<unsigned> rowDims() {
    llvm::SmallVector<unsigned> dims;
    for (unsigned d = 0; d < shape_.size(); ++d)
      if (plan_.isRowDim(d))
        dims.push_back(d);
    return dims;
  }

  void delinearize(llvm::Value *position, size_t rank, llvm::function_ref<int64_t(unsigned)> extentOf,
                   llvm::function_ref<void(unsigned, llvm::Value *)> set) {
    llvm::IRBuilder<> &b = evaluator_->builder();
    for (size_t i = rank; i-- > 1;) {
      llvm::Value *extent = evaluator_->constant(extentOf(i)), *next = b.CreateUDiv(position, extent);
      set(i, b.CreateNSWSub(position, b.CreateNSWMul(next, extent)));
      position = next;
    }
    if (rank > 0)
      set(0, position);
  }

  mlir::Type inputType() { return elementTypeOf(op_.getInputs()[0]); }
  llvm::Value *tempPointer(llvm::Value *offset) {
    llvm::IRBuilder<> &b = evaluator_->builder();
    llvm::Value *base = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), evaluator_->tempPointer(), source_.tempBase);
    return b.CreateInBoundsGEP(b.getInt8Ty(), base, offset);
  }
  Element loadResult(llvm::Value *position) { return loadResults(position).front(); }
  void storeResult(llvm::Value *position, Element element) { storeResults(position, {element}); }

  // The sums of a part of the updates are those that are added to.
  void placeSums(llvm::Value *copy) {
    llvm::Value *bytes = evaluator_->constant(WideSums::bytes(inputType(), elementCount(shape_)));
    sums_.emplace(*evaluator_, inputType(), elementCount(shape_),
                  tempPointer(evaluator_->builder().CreateNSWMul(copy, bytes)));
  }

  // An element of the input, with its sums of all parts.
  Element sumOfCopies(llvm::Value *position) {
    WideArithmetic arithmetic(*evaluator_, inputType());
    LLVMValues all = evaluator_->forLoop(
        evaluator_->constant(0), evaluator_->constant(plan_.copies->count), 1,
        arithmetic.pack(arithmetic.start(loadResult(position))), [&](llvm::Value *copy, auto before) {
          placeSums(copy);
          return arithmetic.pack(arithmetic.merge(arithmetic.unpack(before), sums_->load(position)));
        });
    return arithmetic.rounded(arithmetic.unpack(all));
  }

  void startWideSums() {
    placeSums(evaluator_->constant(0));
    overRange([&](llvm::Value *position) { sums_->start(position, loadResult(position)); });
  }

  void finishWideSums() {
    overRange([&](llvm::Value *position) { storeResult(position, sums_->rounded(position)); });
  }

  void startBlocks() {
    createCounters();
    counters_->clear();
  }

  void createCounters() {
    llvm::IRBuilder<> &b = evaluator_->builder();
    llvm::Value *task = plan_.tasks == 1 ? evaluator_->constant(0) : b.GetInsertBlock()->getParent()->getArg(1);
    counters_.emplace(*evaluator_, plan_.countedRows, plan_.updates, plan_.block,
                      tempPointer(b.CreateNSWMul(task, evaluator_->constant(plan_.counterBytes))));
    llvm::Value *own = b.CreateNSWMul(task, evaluator_->constant(plan_.sharesSums ? 0 : plan_.sumBytes));
    sums_.emplace(*evaluator_, inputType(), plan_.places,
                  tempPointer(b.CreateNSWAdd(own, evaluator_->constant(plan_.tasks * plan_.counterBytes))));
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
    counters_->count(currentRow(), [&](llvm::Value *place, llvm::Value *isFirst) {
      overWindow(0, address, [&](llvm::Value *position) {
        sums_->add(placeOfElement(place), loadResult(position), false, isFirst);
        storeResult(position, negativeZero(evaluator_->builder().getContext(), inputType(), evaluator_->lanes()));
      });
    });
  }

  void finishBlocks() {
    counters_->forEach([&](llvm::Value *place, llvm::Value *row) {
      startAtRow(row);
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
    evaluator_->forLoop(evaluator_->constant(0), evaluator_->constant(outer), 1, [&](llvm::Value *number) {
      llvm::Value *base = b.CreateNSWMul(number, evaluator_->constant(size));
      overPositions(begin, end, [&](llvm::Value *iv) { body(b.CreateNSWAdd(base, iv)); });
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
        evaluator_->withMask(evaluator_->mask(), [&] {
          llvm::IRBuilder<> &b = evaluator_->builder();
          llvm::Value *ahead = b.CreateNSWAdd(iv, evaluator_->constant(plan_.fetchesAhead));
          llvm::Value *last = evaluator_->constant(updateShape_[dim] - 1);
          evaluator_->bindDim(dim, b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, ahead, last), 0);
          findStart();
          fetchWindow();
        });
      evaluator_->bindDim(dim, iv, 0);
      overUpdates(number + 1);
    });
  }

  // Fetches this call's part of the window at `start_`, or its first lines: the processor foresees the rest of a long
  // one.
  void fetchWindow() {
    llvm::IRBuilder<> &b = evaluator_->builder();
    llvm::Value *position = startAddress();
    int64_t elements = windowElements();
    if (plan_.splitsWindow && plan_.tasks > 1) {
      llvm::Value *stride = evaluator_->constant(plan_.resultStride(plan_.splitDim));
      position = b.CreateAdd(position, b.CreateMul(low_[plan_.splitDim], stride));
      if (plan_.splitDim == plan_.resultDims.back())
        elements = plan_.splitSize;
    }
    for (auto [i, input] : llvm::enumerate(op_.getInputs()))
      fetch(evaluator_->outputPointer(i), elementTypeOf(input), position, elements, PrefetchTo::kFirstCache);
  }

  // The same of the bound update, unless updates are a constant.
  void fetchUpdate() {
    llvm::IRBuilder<> &b = evaluator_->builder();
    llvm::Value *position = evaluator_->constant(0);
    for (unsigned d : plan_.scatterDims) {
      int64_t stride = elementCount(updateShape_.drop_front(d + 1));
      llvm::Value *index = evaluator_->uniformIndex(plan_.updateIndex[d]);
      position = b.CreateNSWAdd(position, b.CreateNSWMul(index, evaluator_->constant(stride)));
    }
    for (mlir::Value update : op_.getUpdates())
      if (source_.inputNumber(update) >= 0)
        fetch(evaluator_->arrayPointer(update), elementTypeOf(update), position, windowElements(),
              PrefetchTo::kSecondCache);
  }

  // The elements of a window that lie together.
  int64_t windowElements() const { return plan_.vectorDim >= 0 ? updateShape_[plan_.vectorDim] : 1; }

  void fetch(llvm::Value *array, mlir::Type type, llvm::Value *position, int64_t elements, PrefetchTo to) {
    constexpr int64_t kLineBytes = 64, kMostLines = 4;
    llvm::IRBuilder<> &b = evaluator_->builder();
    int64_t bytes = storageBytes(type), lines = llvm::divideCeil(elements * bytes, kLineBytes);
    llvm::Value *address = b.CreateGEP(b.getInt8Ty(), array, b.CreateMul(position, evaluator_->constant(bytes)));
    for (int64_t line = 0; line < std::min(lines, kMostLines); ++line)
      emitPrefetch(b, b.CreateConstGEP1_64(b.getInt8Ty(), address, line * kLineBytes), to);
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
    if (rowRange_) {
      llvm::Value *row = currentRow();
      llvm::Value *test = b.CreateAnd(b.CreateICmpSGE(row, rowRange_->first), b.CreateICmpSLT(row, rowRange_->second));
      applies = applies ? b.CreateAnd(applies, test) : test;
    }
    guarded(applies, [&] { applyUpdate(address); });
  }

  void applyUpdate(llvm::Value *address) {
    overWindow(0, address, [&](llvm::Value *position) { applyAt(position); });
    if (counters_)
      countUpdate(address);
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
    auto over = [&](llvm::Value *from, llvm::Value *to, bool isWhole) {
      LoopNest(*evaluator_, plan_).overVector(dim, plan_.lanes, from, to, isWhole, {}, [&](auto) {
        overLanes(resultDim, moved, apply);
        return LLVMValues();
      });
    };
    // Few vectors need no loop, which would take about as long itself.
    constexpr int64_t kMostVectors = 4;
    int64_t lanes = plan_.lanes;
    if (split || extent > kMostVectors * lanes)
      return over(begin, end, extent % lanes == 0);
    for (int64_t at = 0; at < extent; at += lanes)
      over(evaluator_->constant(at), evaluator_->constant(std::min(at + lanes, extent)), at + lanes <= extent);
  }

  // One vector of the window, or element: those of its lanes that are this task's.
  void overLanes(int64_t resultDim, llvm::function_ref<llvm::Value *(llvm::Value *)> moved, Apply apply) {
    auto dim = static_cast<unsigned>(plan_.vectorDim);
    llvm::Value *iv = evaluator_->uniformIndex(mlir::getAffineDimExpr(dim, plan_.space().context()));
    auto position = [&] { return start_[resultDim] ? evaluator_->builder().CreateAdd(start_[resultDim], iv) : iv; };
    bool check = isCut(resultDim);
    if (evaluator_->lanes() == 1) {
      guarded(check ? isInRange(position(), resultDim) : nullptr, [&] { apply(moved(iv)); });
    } else if (check) {
      llvm::Value *mask = laneMask(position(), resultDim);
      evaluator_->withMask(mask, [&] { apply(moved(iv)); });
    } else {
      apply(moved(iv));
    }
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
  std::optional<WideSums> sums_; // in the temporary block: of all elements of the results, or of rows with full blocks
  std::optional<RowCounters> counters_;
  llvm::SmallVector<llvm::Value *> low_, high_;                     // of each dimension of the results
  std::optional<std::pair<llvm::Value *, llvm::Value *>> rowRange_; // the rows to update; without it all of them
};

} // namespace

llvm::LogicalResult emitScatter(const ScatterPlan &plan, const KernelSource &source, llvm::Module &module,
                                const EmissionTarget &target) {
  using Emit = llvm::function_ref<void(ScatterEmitter &, llvm::Function *)>;
  auto phase = [&](unsigned number, Emit emit) {
    return emitLoopFunction(plan.kernel.phases[number], plan, source, module, target,
                            [&](LoopEvaluator &evaluator, llvm::Function *function) {
                              ScatterEmitter emitter(plan, source, evaluator);
                              emit(emitter, function);
                            });
  };
  auto apply = [&](ScatterEmitter &emitter, llvm::Function *function) { emitter.emit(function); };
  if (plan.copies) {
    auto copies = [](ScatterEmitter &emitter, llvm::Function *function) { emitter.emitCopies(function); };
    auto combine = [](ScatterEmitter &emitter, llvm::Function *function) { emitter.emitCombination(function); };
    return llvm::success(succeeded(phase(0, copies)) && succeeded(phase(1, combine)));
  }
  if (!plan.buckets)
    return phase(0, apply);
  auto count = [](ScatterEmitter &emitter, llvm::Function *function) { emitter.emitCount(function); };
  auto place = [](ScatterEmitter &emitter, llvm::Function *) { emitter.emitPlace(); };
  auto move = [](ScatterEmitter &emitter, llvm::Function *function) { emitter.emitMove(function); };
  return llvm::success(succeeded(phase(0, count)) && succeeded(phase(1, place)) && succeeded(phase(2, move)) &&
                       succeeded(phase(3, apply)));
}

} // namespace tenon::codegen::loop
