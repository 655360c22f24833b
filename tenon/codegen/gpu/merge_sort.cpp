#include "tenon/codegen/gpu/merge_sort.h"

#include "tenon/codegen/gpu/target.h"

#include "llvm/IR/Constants.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tenon::codegen {
namespace {

constexpr int64_t kLineBytes = 64; // of each word that says which merge it is, in the temporary block

} // namespace

MergeSortPlan planMergeSort(int64_t rows, int64_t count, int64_t keyBytes, const CostModel::Blocks &costs) {
  MergeSortPlan plan{rows, count, keyBytes};
  plan.run = std::min<int64_t>(costs.sortedRun, int64_t(PowerOf2Ceil(uint64_t(count))));
  plan.threads = int(std::clamp<uint64_t>(uint64_t(plan.run) / 2, kWarpThreads, uint64_t(costs.sortThreads)));
  plan.merges = int(Log2_64_Ceil(uint64_t(plan.runsOfRow())));
  if (plan.merges > 0)
    plan.tempBytes = plan.sets().bytes() + (plan.countsMerges() ? 2 * kLineBytes : 0);
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
  tellNumber(e_.b.CreateOr(task, thread_), 0, e_.b.getInt32(0));
  forEachOfThread(plan_.run, [&](Value *i) { readElement(row, first, i, keyAt); });
  Value *one = e_.b.getInt32(1);
  e_.loop(e_.i64(1), e_.i64(Log2_64(uint64_t(plan_.run)) + 1), 1, [&](Value *log) {
    Value *size = e_.b.CreateShl(one, e_.b.CreateTrunc(log, i32_));
    e_.loop(e_.i64(1), log, 1,
            [&](Value *step) { exchange(size, e_.b.CreateLShr(size, e_.b.CreateTrunc(step, i32_))); });
    exchange(size, one); // whose pairs are vectors
  });
  barrier();
  forEachOfThread(plan_.run, [&](Value *i) { writeElement(row, first, i, sink); });
}

// Places are of 32 bits without a sign, in which the end of a pair of runs has room, too.
void MergeSortCode::emitMerge(int number, Value *task, Sink sink) {
  const bool isLast = number + 1 == plan_.merges;
  const int64_t set = number % 2;
  Value *row = plan_.rows == 1 ? e_.i64(0) : e_.udiv(task, plan_.count);
  Value *i = e_.b.CreateTrunc(plan_.rows == 1 ? task : e_.urem(task, plan_.count), i32_);
  Value *log = e_.b.getInt32(Log2_64(uint64_t(plan_.run)) + unsigned(number)); // of how long a run is
  if (plan_.countsMerges() && !isLast) {
    Value *own = e_.load(i32_, numberAt(set));
    tellNumber(task, 1 - set, e_.b.CreateAdd(own, e_.b.getInt32(1)));
    log = e_.b.CreateAdd(own, e_.b.getInt32(Log2_64(uint64_t(plan_.run))));
  }
  Value *width = e_.b.CreateShl(e_.b.getInt32(1), log), *count = e_.b.getInt32(uint32_t(plan_.count));
  auto least = [&](Value *x) { return e_.b.CreateBinaryIntrinsic(Intrinsic::umin, x, count); };
  Value *start = e_.b.CreateAnd(i, e_.b.CreateNeg(e_.b.CreateShl(width, 1))); // of the pair
  Value *middle = least(e_.b.CreateAdd(start, width)), *end = least(e_.b.CreateAdd(start, e_.b.CreateShl(width, 1)));
  Value *isLeft = e_.b.CreateICmpULT(i, middle);
  Value *from = e_.b.CreateSelect(isLeft, middle, start), *to = e_.b.CreateSelect(isLeft, end, middle);
  Value *key = loadKey(set, row, wide(i));
  // What is before it in the other run, beside what is in its own.
  Value *before = e_.b.CreateSub(search(set, row, {from, to, log}, key, isLeft), from);
  Value *place = wide(e_.b.CreateAdd(e_.b.CreateAdd(i, before),
                                     e_.b.CreateSelect(isLeft, e_.b.getInt32(0), e_.b.CreateSub(start, middle))));
  Value *position = e_.load(i32_, positionAt(e_.i64(set), row, wide(i)));
  if (isLast)
    return sink(row, wide(position), place, key);
  e_.store(key, keyAt(e_.i64(1 - set), row, place));
  e_.store(position, positionAt(e_.i64(1 - set), row, place));
}

Value *MergeSortCode::numberAt(int64_t set) { return inTemp(plan_.sets().bytes() + set * kLineBytes, i32_, e_.i64(0)); }

void MergeSortCode::tellNumber(Value *thread, int64_t set, Value *number) {
  if (plan_.countsMerges())
    e_.ifThen(e_.b.CreateICmpEQ(thread, e_.i64(0)), [&] { e_.store(number, numberAt(set)); });
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

// One step of a bitonic sort: puts pairs of elements, `distance` apart, in order, which is the other one in every
// second part of `size`. Both are values of a loop: a run of 1,024 takes 55 steps, whose code would be compiled 55
// times, and fetched from memory.
void MergeSortCode::exchange(Value *size, Value *distance) {
  barrier();
  const int64_t pairs = plan_.run / 2;
  auto exchangeAll = [&] {
    SmallVector<Pair, 2> loaded; // all of a thread's, before any is written
    Value *thread = e_.b.CreateTrunc(thread_, i32_);
    for (int64_t first = 0; first < pairs; first += plan_.threads)
      loaded.push_back(loadPair(e_.b.CreateAdd(thread, e_.b.getInt32(uint32_t(first))), distance));
    for (const Pair &pair : loaded)
      storeInOrder(pair, size);
  };
  if (pairs % plan_.threads == 0)
    exchangeAll();
  else
    e_.ifThen(e_.b.CreateICmpSLT(thread_, e_.i64(pairs)), exchangeAll);
}

MergeSortCode::Pair MergeSortCode::loadPair(Value *number, Value *distance) {
  Value *behind = e_.b.CreateAnd(number, e_.b.CreateSub(distance, e_.b.getInt32(1))); // the first of its block of pairs
  Value *low = e_.b.CreateSub(e_.b.CreateShl(number, 1), behind);
  auto element = [&](Value *i) {
    Value *keyAt = sharedKey(i), *positionAt = sharedPosition(i);
    return Element{keyAt, positionAt, e_.load(key_, keyAt), e_.load(i32_, positionAt)};
  };
  Element first = element(wide(low));
  return {low, first, element(wide(e_.b.CreateAdd(low, distance)))};
}

void MergeSortCode::storeInOrder(const Pair &pair, Value *size) {
  const auto &[low, first, second] = pair;
  Value *isGreater = e_.b.CreateOr(
      e_.b.CreateICmpUGT(first.key, second.key),
      e_.b.CreateAnd(e_.b.CreateICmpEQ(first.key, second.key), e_.b.CreateICmpUGT(first.position, second.position)));
  Value *isDescending = e_.b.CreateICmpNE(e_.b.CreateAnd(low, size), e_.b.getInt32(0));
  auto swap = [&, &a = first, &b = second] {
    e_.store(b.key, a.keyAt);
    e_.store(a.key, b.keyAt);
    e_.store(b.position, a.positionAt);
    e_.store(a.position, b.positionAt);
  };
  e_.ifThen(e_.b.CreateXor(isGreater, isDescending), swap);
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
// before those of the right one. Goes on by powers of two, the largest first.
Value *MergeSortCode::search(int64_t set, Value *row, const Run &run, Value *key, Value *isLeft) {
  Value *steps = e_.add(wide(run.log), e_.i64(1)), *one = e_.b.getInt32(1);
  Value *whole = e_.b.CreateShl(one, run.log), *isRight = e_.b.CreateNot(isLeft);
  auto step = [&](Value *, ArrayRef<Value *> state) {
    Value *first = state[0], *size = state[1];
    Value *next = e_.b.CreateAdd(first, size), *last = e_.b.CreateSub(next, one);
    auto isBefore = [&] {
      Value *other = loadKey(set, row, wide(last));
      return Values{
          e_.b.CreateOr(e_.b.CreateICmpULT(other, key), e_.b.CreateAnd(e_.b.CreateICmpEQ(other, key), isRight))};
    };
    Value *goesOn = e_.ifElse(e_.b.CreateICmpULT(last, run.to), isBefore, [&] { return Values{e_.b.getFalse()}; })[0];
    return Values{e_.b.CreateSelect(goesOn, next, first), e_.b.CreateLShr(size, 1)};
  };
  return e_.loop(e_.i64(0), steps, e_.i64(1), {run.from, whole}, step)[0];
}

} // namespace tenon::codegen
