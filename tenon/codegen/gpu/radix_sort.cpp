#include "tenon/codegen/gpu/radix_sort.h"

#include "llvm/IR/Constants.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tenon::codegen {
namespace {

constexpr int kDigitBits = 4;
constexpr int64_t kDigits = 1 << kDigitBits;
constexpr int kThreads = 256;
constexpr int64_t kItems = 8; // of a thread
constexpr int64_t kTile = kThreads * kItems;
constexpr int64_t kWordBytes = 4;

// Shared memory: a counter for each digit and thread, with a word more after every 32, so that neighbours' runs of 16
// are in different banks; sums of threads; where each digit begins; the tile's keys and positions in order.
constexpr int64_t kCounters = kDigits * kThreads;
constexpr int64_t kCounterBytes = (kCounters + kCounters / 32) * kWordBytes;
constexpr int64_t kSums = kCounterBytes, kBases = kSums + kThreads * kWordBytes;
constexpr int64_t kPositions = kBases + kDigits * kWordBytes, kKeys = kPositions + kTile * kWordBytes;

int64_t totalsOffset(const RadixSortPlan &plan) {
  return plan.sets().bytes() + int64_t(alignTo(uint64_t(plan.rows * kDigits * plan.tiles * kWordBytes), 64));
}

} // namespace

RadixSortPlan planRadixSort(int64_t rows, int64_t count, int64_t keyBytes, int bits) {
  RadixSortPlan plan{rows, count, keyBytes, bits, divideCeilSigned(count, kTile)};
  plan.tempBytes = totalsOffset(plan) + int64_t(alignTo(uint64_t(rows * kDigits * kWordBytes), 64));
  return plan;
}

FormPhases RadixSortPlan::phases() const {
  FormPhases phases;
  for (int digit = 0; digit < digits(); ++digit) {
    phases.push_back({rows * tiles, kThreads, kCounterBytes});
    phases.push_back({rows * kDigits, kThreads, kBases});
    phases.push_back({rows * tiles, kThreads, kKeys + kTile * keyBytes});
  }
  return phases;
}

void RadixSortPlan::print(raw_ostream &os) const {
  os << "by " << digits() << " digits of " << kDigitBits << " bits, tiles of " << kTile << " by " << kThreads
     << " threads, " << rows * tiles << " blocks\n";
}

RadixSortCode::RadixSortCode(const RadixSortPlan &plan, Emitter &e, GpuBuilder &gpu, Value *temp)
    : SortCode(plan.sets(), plan.count, e, gpu, temp), plan_(plan) {}

void RadixSortCode::emit(int phase, Value *task, KeyAt keyAt, Sink sink) {
  thread_ = numberOfThread();
  const int digit = phase / 3;
  if (phase % 3 == 0)
    emitCount(digit, task, keyAt);
  else if (phase % 3 == 1)
    emitScan(task);
  else
    emitPlace(digit, task, keyAt, sink);
}

// --- Places in memory ---

Value *RadixSortCode::shared(int64_t offset, Type *type, Value *i) {
  return e_.gep(type, e_.gep(e_.b.getInt8Ty(), sharedMemory(), offset), i);
}

Value *RadixSortCode::counter(Value *number) { return shared(0, i32_, e_.add(number, e_.udiv(number, 32))); }

Value *RadixSortCode::ownCounter(Value *digit) { return counter(e_.add(e_.mul(digit, kThreads), thread_)); }

Value *RadixSortCode::countAt(Value *row, Value *digit, Value *tile) {
  return inTemp(plan_.sets().bytes(), i32_, e_.add(e_.mul(e_.add(e_.mul(row, kDigits), digit), plan_.tiles), tile));
}

Value *RadixSortCode::totalAt(Value *row, Value *digit) {
  return inTemp(totalsOffset(plan_), i32_, e_.add(e_.mul(row, kDigits), digit));
}

Value *RadixSortCode::digitOf(Value *key, int digit) {
  Value *bits = e_.b.CreateAnd(e_.b.CreateLShr(key, uint64_t(digit * kDigitBits)), uint64_t(kDigits - 1));
  return e_.b.CreateZExtOrTrunc(bits, e_.b.getInt64Ty());
}

// Behind the end of the row, digits are the largest.
RadixSortCode::Item RadixSortCode::readItem(int digit, Value *row, Value *i, KeyAt keyOf) {
  auto read = [&] {
    if (digit == 0)
      return Values{keyOf(row, i), e_.b.CreateTrunc(i, i32_)};
    return Values{e_.load(key_, keyAt(digit - 1, row, i)), e_.load(i32_, positionAt(digit - 1, row, i))};
  };
  auto none = [&] { return Values{Constant::getAllOnesValue(key_), e_.b.getInt32(0)}; };
  Value *isThere = e_.b.CreateICmpSLT(i, e_.i64(plan_.count));
  Values item = plan_.count % kTile == 0 ? read() : e_.ifElse(isThere, read, none);
  return {isThere, item[0], item[1], digitOf(item[0], digit)};
}

// --- Counting ---

void RadixSortCode::emitCount(int digit, Value *task, KeyAt keyOf) {
  Value *row = e_.udiv(task, plan_.tiles), *tile = e_.urem(task, plan_.tiles);
  countTile(digit, row, e_.mul(tile, kTile), keyOf);
  barrier();
  // 16 neighbours add up the counters of a digit. They begin at different ones, which are in different banks.
  constexpr int64_t kParts = kThreads / kDigits;
  Value *own = e_.udiv(thread_, kParts), *part = e_.urem(thread_, kParts);
  Value *first = e_.add(e_.mul(own, kThreads), e_.mul(part, kThreads / kParts));
  Value *sum = e_.b.getInt32(0);
  for (int64_t k = 0; k < kThreads / kParts; ++k) {
    Value *at = e_.urem(e_.add(part, k), kThreads / kParts);
    sum = e_.b.CreateAdd(sum, e_.load(i32_, counter(e_.add(first, at))));
  }
  for (unsigned lanes = 1; lanes < kParts; lanes *= 2)
    sum = e_.b.CreateAdd(sum, gpu_.at(e_.b, [&] { return gpu_.shuffleXor(sum, lanes); }));
  e_.ifThen(e_.b.CreateICmpEQ(part, e_.i64(0)), [&] { e_.store(sum, countAt(row, own, tile)); });
}

// Neighbouring threads read neighbouring elements: the order does not matter here.
void RadixSortCode::countTile(int digit, Value *row, Value *first, KeyAt keyOf) {
  for (int64_t k = 0; k < kDigits; ++k)
    e_.store(e_.b.getInt32(0), ownCounter(e_.i64(k)));
  for (int64_t k = 0; k < kItems; ++k) {
    Item item = readItem(digit, row, e_.add(e_.add(first, thread_), k * kThreads), keyOf);
    Value *place = ownCounter(item.digit);
    e_.store(e_.b.CreateAdd(e_.load(i32_, place), e_.b.CreateZExt(item.isThere, i32_)), place);
  }
}

// --- What is before ---

Value *RadixSortCode::scanThreads(Value *value) {
  Value *own = shared(kSums, i32_, thread_), *sum = value;
  for (int64_t distance = 1; distance < kThreads; distance *= 2) {
    if (distance > 1) // others still read what is there
      barrier();
    e_.store(sum, own);
    barrier();
    Value *isBehind = e_.b.CreateICmpSGE(thread_, e_.i64(distance));
    Value *other = e_.b.CreateSelect(isBehind, e_.sub(thread_, e_.i64(distance)), thread_);
    Value *before = e_.load(i32_, shared(kSums, i32_, other));
    sum = e_.b.CreateAdd(sum, e_.b.CreateSelect(isBehind, before, e_.b.getInt32(0)));
  }
  return sum;
}

void RadixSortCode::emitScan(Value *task) {
  Value *row = e_.udiv(task, kDigits), *digit = e_.urem(task, kDigits);
  auto step = [&](Value *first, ArrayRef<Value *> before) {
    Value *tile = e_.add(first, thread_), *isThere = e_.b.CreateICmpSLT(tile, e_.i64(plan_.tiles));
    Value *place = countAt(row, digit, tile);
    Value *count =
        e_.ifElse(isThere, [&] { return Values{e_.load(i32_, place)}; }, [&] { return Values{e_.b.getInt32(0)}; })[0];
    Value *upTo = scanThreads(count);
    e_.ifThen(isThere, [&] { e_.store(e_.b.CreateAdd(before[0], e_.b.CreateSub(upTo, count)), place); });
    // What the last thread keeps to itself is not read by others any more.
    Value *last = shared(kSums, i32_, e_.i64(kThreads - 1));
    e_.ifThen(e_.b.CreateICmpEQ(thread_, e_.i64(kThreads - 1)), [&] { e_.store(upTo, last); });
    barrier();
    Value *all = e_.load(i32_, last);
    if (plan_.tiles > kThreads) // another round writes there
      barrier();
    return Values{e_.b.CreateAdd(before[0], all)};
  };
  Value *total = e_.loop(e_.i64(0), e_.i64(plan_.tiles), e_.i64(kThreads), {e_.b.getInt32(0)}, step)[0];
  e_.ifThen(e_.b.CreateICmpEQ(thread_, e_.i64(0)), [&] { e_.store(total, totalAt(row, digit)); });
}

// --- Placing ---

void RadixSortCode::emitPlace(int digit, Value *task, KeyAt keyOf, Sink sink) {
  Value *row = e_.udiv(task, plan_.tiles), *tile = e_.urem(task, plan_.tiles), *first = e_.mul(tile, kTile);
  SmallVector<Item> items;
  for (int64_t k = 0; k < kItems; ++k)
    items.push_back(readItem(digit, row, e_.add(e_.add(first, e_.mul(thread_, kItems)), k), keyOf));
  SmallVector<Value *> ordinals = countOwn(items);
  barrier();
  scanCounters();
  barrier();
  exchange(items, ordinals);
  findBases(row, tile);
  barrier();
  writeTile(digit, row, first, sink);
}

// How many of the thread's earlier items have an item's digit.
SmallVector<Value *> RadixSortCode::countOwn(ArrayRef<Item> items) {
  for (int64_t k = 0; k < kDigits; ++k)
    e_.store(e_.b.getInt32(0), ownCounter(e_.i64(k)));
  SmallVector<Value *> ordinals;
  for (const Item &item : items) {
    Value *place = ownCounter(item.digit);
    ordinals.push_back(e_.load(i32_, place));
    e_.store(e_.b.CreateAdd(ordinals.back(), e_.b.getInt32(1)), place);
  }
  return ordinals;
}

// Each counter becomes the sum of those before it: by digits, and by threads.
void RadixSortCode::scanCounters() {
  SmallVector<Value *> places, counts;
  Value *sum = e_.b.getInt32(0);
  for (int64_t k = 0; k < kDigits; ++k) {
    places.push_back(counter(e_.add(e_.mul(thread_, kDigits), k)));
    counts.push_back(e_.load(i32_, places.back()));
    sum = e_.b.CreateAdd(sum, counts.back());
  }
  Value *before = e_.b.CreateSub(scanThreads(sum), sum);
  for (auto [place, count] : zip(places, counts)) {
    e_.store(before, place);
    before = e_.b.CreateAdd(before, count);
  }
}

void RadixSortCode::exchange(ArrayRef<Item> items, ArrayRef<Value *> ordinals) {
  for (auto [item, ordinal] : zip(items, ordinals)) {
    Value *place = wide(e_.b.CreateAdd(e_.load(i32_, ownCounter(item.digit)), ordinal));
    e_.store(item.key, shared(kKeys, key_, place));
    e_.store(item.position, shared(kPositions, i32_, place));
  }
}

// Where elements of each digit go, less where they begin in the tile.
void RadixSortCode::findBases(Value *row, Value *tile) {
  e_.ifThen(e_.b.CreateICmpSLT(thread_, e_.i64(kDigits)), [&] {
    Value *base =
        e_.b.CreateSub(e_.load(i32_, countAt(row, thread_, tile)), e_.load(i32_, counter(e_.mul(thread_, kThreads))));
    for (int64_t k = 0; k + 1 < kDigits; ++k) {
      Value *isBefore = e_.b.CreateICmpSGT(thread_, e_.i64(k));
      base =
          e_.b.CreateAdd(base, e_.b.CreateSelect(isBefore, e_.load(i32_, totalAt(row, e_.i64(k))), e_.b.getInt32(0)));
    }
    e_.store(base, shared(kBases, i32_, thread_));
  });
}

void RadixSortCode::writeTile(int digit, Value *row, Value *first, Sink sink) {
  for (int64_t k = 0; k < kItems; ++k) {
    Value *i = e_.add(thread_, k * kThreads);
    auto write = [&] {
      Value *key = e_.load(key_, shared(kKeys, key_, i)), *position = e_.load(i32_, shared(kPositions, i32_, i));
      Value *base = e_.load(i32_, shared(kBases, i32_, digitOf(key, digit)));
      Value *place = wide(e_.b.CreateAdd(base, e_.b.CreateTrunc(i, i32_)));
      if (digit + 1 == plan_.digits())
        return sink(row, wide(position), place, key);
      e_.store(key, keyAt(digit, row, place));
      e_.store(position, positionAt(digit, row, place));
    };
    if (plan_.count % kTile == 0)
      write();
    else
      e_.ifThen(e_.b.CreateICmpSLT(e_.add(first, i), e_.i64(plan_.count)), write);
  }
}

} // namespace tenon::codegen
