#include "tenon/codegen/gpu/merge_sort.h"

#include "tenon/codegen/gpu/target.h"

#include "llvm/IR/Constants.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tenon::codegen {

MergeSortPlan planMergeSort(int64_t rows, int64_t count, int64_t keyBytes, const CostModel::Blocks &costs) {
  MergeSortPlan plan{rows, count, keyBytes};
  plan.run = std::min<int64_t>(costs.sortedRun, int64_t(PowerOf2Ceil(uint64_t(count))));
  plan.threads = int(std::clamp<uint64_t>(uint64_t(plan.run) / 2, kWarpThreads, uint64_t(costs.sortThreads)));
  plan.merges = int(Log2_64_Ceil(uint64_t(plan.runsOfRow())));
  if (plan.merges > 0)
    plan.tempBytes = plan.sets().bytes();
  return plan;
}

FormPhases MergeSortPlan::phases() const {
  FormPhases phases{{rows * runsOfRow(), threads, run * (keyBytes + kPositionBytes)}};
  for (int i = 0; i < merges; ++i)
    phases.push_back({rows * count, kTaskBlock, 0, /*isByThreads=*/true});
  return phases;
}

void MergeSortPlan::print(raw_ostream &os) const {
  os << "runs of " << run << " by " << threads << " threads, " << run * (keyBytes + kPositionBytes) << " bytes shared, "
     << rows * runsOfRow() << " blocks, merged " << merges << " times\n";
}

MergeSortCode::MergeSortCode(const MergeSortPlan &plan, Emitter &e, GpuBuilder &gpu, Value *temp)
    : SortCode(plan.sets(), plan.count, e, gpu, temp), plan_(plan) {}

void MergeSortCode::emitRun(Value *task, KeyAt keyAt, Sink sink) {
  Value *runs = e_.i64(plan_.runsOfRow());
  Value *row = e_.b.CreateUDiv(task, runs);
  Value *first = e_.mul(e_.b.CreateURem(task, runs), plan_.run);
  keys_ = sharedMemory();
  positions_ = e_.gep(e_.b.getInt8Ty(), keys_, plan_.run * plan_.keyBytes);
  thread_ = numberOfThread();
  forEachOfThread(plan_.run, [&](Value *i) { readElement(row, first, i, keyAt); });
  for (int64_t size = 2; size <= plan_.run; size *= 2)
    for (int64_t distance = size / 2; distance > 0; distance /= 2) {
      barrier();
      forEachOfThread(plan_.run / 2, [&](Value *pair) { exchange(pair, size, distance); });
    }
  barrier();
  forEachOfThread(plan_.run, [&](Value *i) { writeElement(row, first, i, sink); });
}

void MergeSortCode::emitMerge(int number, Value *task, Sink sink) {
  Value *row = e_.udiv(task, plan_.count), *i = e_.urem(task, plan_.count);
  int64_t width = plan_.run << number;
  Value *start = e_.mul(e_.udiv(i, 2 * width), 2 * width); // of the pair
  Value *middle = e_.min(e_.add(start, e_.i64(width)), plan_.count);
  Value *end = e_.min(e_.add(start, e_.i64(2 * width)), plan_.count);
  Value *isLeft = e_.b.CreateICmpSLT(i, middle);
  Value *from = e_.b.CreateSelect(isLeft, middle, start), *to = e_.b.CreateSelect(isLeft, end, middle);
  Value *key = loadKey(number, row, i);
  Value *before = e_.sub(search(number, row, from, to, key, isLeft), from);
  Value *own = e_.sub(i, e_.b.CreateSelect(isLeft, start, middle));
  Value *place = e_.add(start, e_.add(own, before));
  Value *position = e_.load(i32_, positionAt(e_.i64(number), row, i));
  if (number + 1 < plan_.merges) {
    e_.store(key, keyAt(e_.i64(number + 1), row, place));
    e_.store(position, positionAt(e_.i64(number + 1), row, place));
  } else {
    sink(row, wide(position), place, key);
  }
}

void MergeSortCode::forEachOfThread(int64_t count, function_ref<void(Value *)> body) {
  e_.loop(thread_, e_.i64(count), plan_.threads, body);
}

// Behind the end of the row, keys are the largest, and positions larger than all others.
void MergeSortCode::readElement(Value *row, Value *first, Value *i, KeyAt keyAt) {
  Value *position = e_.add(first, i);
  auto read = [&] { return Values{keyAt(row, position)}; };
  auto none = [&] { return Values{Constant::getAllOnesValue(key_)}; };
  Value *isThere = e_.b.CreateICmpSLT(position, e_.i64(plan_.count));
  Value *key = plan_.count % plan_.run == 0 ? read()[0] : e_.ifElse(isThere, read, none)[0];
  e_.store(key, sharedKey(i));
  e_.store(e_.b.CreateTrunc(position, i32_), sharedPosition(i));
}

// One step of a bitonic sort: puts a pair of elements, `distance` apart, in order, which is the other one in every
// second part of `size`.
void MergeSortCode::exchange(Value *pair, int64_t size, int64_t distance) {
  Value *low = e_.add(e_.mul(e_.udiv(pair, distance), 2 * distance), e_.urem(pair, distance));
  Value *high = e_.add(low, e_.i64(distance));
  Value *a = e_.load(key_, sharedKey(low)), *b = e_.load(key_, sharedKey(high));
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

void MergeSortCode::writeElement(Value *row, Value *first, Value *i, Sink sink) {
  Value *place = e_.add(first, i);
  auto write = [&] {
    Value *key = e_.load(key_, sharedKey(i)), *position = e_.load(i32_, sharedPosition(i));
    if (plan_.merges == 0)
      return sink(row, wide(position), place, key);
    e_.store(key, keyAt(e_.i64(0), row, place));
    e_.store(position, positionAt(e_.i64(0), row, place));
  };
  if (plan_.count % plan_.run == 0)
    write();
  else
    e_.ifThen(e_.b.CreateICmpSLT(place, e_.i64(plan_.count)), write);
}

// The first of [from, to) that does not come before the key: among those of equal keys, elements of the left run come
// before those of the right one.
Value *MergeSortCode::search(int number, Value *row, Value *from, Value *to, Value *key, Value *isLeft) {
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

} // namespace tenon::codegen
