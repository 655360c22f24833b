#include "tenon/codegen/gpu/sort.h"

#include "tenon/codegen/gpu/target.h"

#include "llvm/IR/Constants.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tenon::codegen {
namespace {

// Elements that a block sorts at most, and rows so short that their elements are no work for a block.
constexpr int64_t kMostRun = 1024, kShortRow = 32;
constexpr int64_t kPositionBytes = 4;

} // namespace

std::optional<GpuSortPlan> planGpuSort(const sort::SortPlan &plan) {
  if ((!plan.ranks && !plan.radix) || plan.count < kShortRow)
    return std::nullopt;
  GpuSortPlan sort;
  sort.rows = plan.ranks ? plan.ranks->rows : plan.radix->rows;
  sort.run = std::min<int64_t>(kMostRun, int64_t(PowerOf2Ceil(uint64_t(plan.count))));
  sort.merges = int(Log2_64_Ceil(uint64_t(sort.runsOfRow())));
  sort.keyBytes = sort::keyBits(sort.rows.key) / 8;
  int64_t elements = sort.rows.rows * sort.rows.count;
  if (sort.merges > 0)
    sort.tempBytes =
        2 * int64_t(alignTo(uint64_t(elements * sort.keyBytes), 64) + alignTo(uint64_t(elements * kPositionBytes), 64));
  return sort;
}

FormPhases GpuSortPlan::phases() const {
  FormPhases phases{{rows.rows * runsOfRow(), kSortThreads, run * (keyBytes + kPositionBytes)}};
  for (int i = 0; i < merges; ++i)
    phases.push_back({rows.rows * rows.count, kTaskBlock, 0, /*isByThreads=*/true});
  return phases;
}

void GpuSortPlan::print(raw_ostream &os) const {
  os << "runs of " << run << " by " << kSortThreads << " threads, " << run * (keyBytes + kPositionBytes)
     << " bytes shared, " << rows.rows * runsOfRow() << " blocks, merged " << merges << " times\n";
}

namespace {

// The code of one phase.
class SortPhase {
public:
  SortPhase(const GpuSortPlan &plan, Module &module, StringRef symbol, GpuBuilder &gpu)
      : plan_(plan), gpu_(gpu), e_(module, symbol, kernelParameters(module.getContext()), false), sizes_(e_),
        key_(e_, sizes_, plan.rows.key, plan.rows.order), i32_(e_.b.getInt32Ty()) {}

  // Sorts a run: the task of a block.
  void emitRun() {
    Value *task = e_.arg(1), *runs = e_.i64(plan_.runsOfRow());
    Value *row = e_.b.CreateUDiv(task, runs);
    Value *first = e_.mul(e_.b.CreateURem(task, runs), plan_.run);
    keys_ = gpu_.at(e_.b, [&] { return gpu_.sharedMemory(); });
    positions_ = e_.gep(e_.b.getInt8Ty(), keys_, plan_.run * plan_.keyBytes);
    thread_ =
        e_.b.CreateZExt(gpu_.at(e_.b, [&] { return gpu_.number(GpuBuilder::Number::kThread); }), e_.b.getInt64Ty());
    sort::RowCode rowCode(codeOf(row), plan_.rows, row);
    forEachOfThread(plan_.run, [&](Value *i) { readElement(rowCode, first, i); });
    for (int64_t size = 2; size <= plan_.run; size *= 2)
      for (int64_t distance = size / 2; distance > 0; distance /= 2) {
        barrier();
        forEachOfThread(plan_.run / 2, [&](Value *pair) { exchange(pair, size, distance); });
      }
    barrier();
    forEachOfThread(plan_.run, [&](Value *i) { writeElement(rowCode, row, first, i); });
    e_.ret();
  }

  // Merges pairs of runs: a task is an element. `number`: of merges before.
  void emitMerge(int number) {
    e_.loop(e_.arg(1), e_.arg(2), 1, [&](Value *task) {
      Value *row = e_.udiv(task, plan_.rows.count), *i = e_.urem(task, plan_.rows.count);
      int64_t width = plan_.run << number;
      Value *start = e_.mul(e_.udiv(i, 2 * width), 2 * width); // of the pair
      Value *middle = e_.min(e_.add(start, e_.i64(width)), plan_.rows.count);
      Value *end = e_.min(e_.add(start, e_.i64(2 * width)), plan_.rows.count);
      Value *isLeft = e_.b.CreateICmpSLT(i, middle);
      Value *from = e_.b.CreateSelect(isLeft, middle, start), *to = e_.b.CreateSelect(isLeft, end, middle);
      Value *key = loadKey(number, row, i);
      Value *before = e_.sub(search(number, row, from, to, key, isLeft), from);
      Value *own = e_.sub(i, e_.b.CreateSelect(isLeft, start, middle));
      Value *place = e_.add(start, e_.add(own, before));
      Value *position = e_.load(i32_, positionAt(number, row, i));
      if (number + 1 < plan_.merges) {
        e_.store(key, keyAt(number + 1, row, place));
        e_.store(position, positionAt(number + 1, row, place));
      } else {
        move(sort::RowCode(codeOf(row), plan_.rows, row), position, place, key);
      }
    });
    e_.ret();
  }

private:
  TaskCode codeOf(Value *row) { return {e_, sizes_, e_.arg(0), row, e_.arg(3)}; }

  void barrier() {
    gpu_.at(e_.b, [&]() -> Value * { return gpu_.emitBarrier(), nullptr; });
  }

  void forEachOfThread(int64_t count, function_ref<void(Value *)> body) {
    e_.loop(thread_, e_.i64(count), kSortThreads, body);
  }

  Value *sharedKey(Value *i) { return e_.gep(key_.type(), keys_, i); }
  Value *sharedPosition(Value *i) { return e_.gep(i32_, positions_, i); }

  // Behind the end of the row, keys are the largest, and positions larger than all others.
  void readElement(const sort::RowCode &row, Value *first, Value *i) {
    Value *position = e_.add(first, i);
    auto read = [&] { return Values{key_.keyOf(row.keyBits(position))}; };
    auto none = [&] { return Values{Constant::getAllOnesValue(key_.type())}; };
    Value *isThere = e_.b.CreateICmpSLT(position, e_.i64(plan_.rows.count));
    Value *key = plan_.rows.count % plan_.run == 0 ? read()[0] : e_.ifElse(isThere, read, none)[0];
    e_.store(key, sharedKey(i));
    e_.store(e_.b.CreateTrunc(position, i32_), sharedPosition(i));
  }

  // One step of a bitonic sort: puts a pair of elements, `distance` apart, in order, which is the other one in every
  // second part of `size`.
  void exchange(Value *pair, int64_t size, int64_t distance) {
    Value *low = e_.add(e_.mul(e_.udiv(pair, distance), 2 * distance), e_.urem(pair, distance));
    Value *high = e_.add(low, e_.i64(distance));
    Value *a = e_.load(key_.type(), sharedKey(low)), *b = e_.load(key_.type(), sharedKey(high));
    Value *p = e_.load(i32_, sharedPosition(low)), *q = e_.load(i32_, sharedPosition(high));
    Value *isGreater =
        e_.b.CreateOr(e_.b.CreateICmpUGT(a, b), e_.b.CreateAnd(e_.b.CreateICmpEQ(a, b), e_.b.CreateICmpUGT(p, q)));
    Value *isDescending = e_.b.CreateICmpNE(e_.b.CreateAnd(low, e_.i64(size)), e_.i64(0));
    Value *swaps = size == plan_.run ? isGreater : e_.b.CreateXor(isGreater, isDescending);
    e_.ifThen(swaps, [&] {
      e_.store(b, sharedKey(low));
      e_.store(a, sharedKey(high));
      e_.store(q, sharedPosition(low));
      e_.store(p, sharedPosition(high));
    });
  }

  void writeElement(const sort::RowCode &rowCode, Value *row, Value *first, Value *i) {
    Value *place = e_.add(first, i);
    auto write = [&] {
      Value *key = e_.load(key_.type(), sharedKey(i)), *position = e_.load(i32_, sharedPosition(i));
      if (plan_.merges == 0)
        return move(rowCode, position, place, key);
      e_.store(key, keyAt(0, row, place));
      e_.store(position, positionAt(0, row, place));
    };
    if (plan_.rows.count % plan_.run == 0)
      write();
    else
      e_.ifThen(e_.b.CreateICmpSLT(place, e_.i64(plan_.rows.count)), write);
  }

  // What becomes of the element at `position` at its place in the results.
  void move(const sort::RowCode &row, Value *position, Value *place, Value *key) {
    row.move(e_.b.CreateZExt(position, e_.b.getInt64Ty()), place, key_.bitsOf(key));
  }

  // The first of [from, to) that does not come before the key: among those of equal keys, elements of the left run come
  // before those of the right one.
  Value *search(int number, Value *row, Value *from, Value *to, Value *key, Value *isLeft) {
    Value *steps = e_.i64(Log2_64_Ceil(uint64_t(plan_.run) << number) + 1);
    auto step = [&](Value *, ArrayRef<Value *> range) {
      Value *isOpen = e_.b.CreateICmpSLT(range[0], range[1]);
      Value *middle = e_.b.CreateLShr(e_.add(range[0], range[1]), 1);
      auto compare = [&] {
        Value *other = loadKey(number, row, middle);
        Value *isBefore = e_.b.CreateOr(e_.b.CreateICmpULT(other, key),
                                        e_.b.CreateAnd(e_.b.CreateICmpEQ(other, key), e_.b.CreateNot(isLeft)));
        return Values{e_.b.CreateSelect(isBefore, e_.add(middle, e_.i64(1)), range[0]),
                      e_.b.CreateSelect(isBefore, range[1], middle)};
      };
      return e_.ifElse(isOpen, compare, [&] { return Values(range); });
    };
    return e_.loop(e_.i64(0), steps, e_.i64(1), {from, to}, step)[0];
  }

  Value *loadKey(int number, Value *row, Value *i) { return e_.load(key_.type(), keyAt(number, row, i)); }

  // In the temporary block, before merge `number`.
  Value *inTemp(int64_t offset, llvm::Type *type, Value *row, Value *i) {
    Value *base = e_.buffer(e_.arg(0), 2 * int(plan_.rows.results.size()));
    return e_.gep(type, e_.gep(e_.b.getInt8Ty(), base, offset), e_.add(e_.mul(row, plan_.rows.count), i));
  }
  int64_t setBytes() const { return plan_.tempBytes / 2; }
  Value *keyAt(int number, Value *row, Value *i) { return inTemp(number % 2 * setBytes(), key_.type(), row, i); }
  Value *positionAt(int number, Value *row, Value *i) {
    auto keys = int64_t(alignTo(uint64_t(plan_.rows.rows * plan_.rows.count * plan_.keyBytes), 64));
    return inTemp(number % 2 * setBytes() + keys, i32_, row, i);
  }

  const GpuSortPlan &plan_;
  GpuBuilder &gpu_;
  Emitter e_;
  Sizes sizes_;
  sort::KeyCode key_;
  llvm::Type *i32_;
  Value *thread_ = nullptr, *keys_ = nullptr, *positions_ = nullptr; // of a block's run
};

} // namespace

LogicalResult emitGpuSort(const GpuSortPlan &sort, const Kernel &kernel, Module &module, GpuBuilder &gpu) {
  SortPhase(sort, module, kernel.phases[0].symbol, gpu).emitRun();
  for (int i = 0; i < sort.merges; ++i)
    SortPhase(sort, module, kernel.phases[size_t(i) + 1].symbol, gpu).emitMerge(i);
  return success();
}

} // namespace tenon::codegen
