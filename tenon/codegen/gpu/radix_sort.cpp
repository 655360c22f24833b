#include "tenon/codegen/gpu/radix_sort.h"

#include "tenon/codegen/gpu/target.h"

#include "llvm/IR/Constants.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tenon::codegen {
namespace {

constexpr int kMostDigitBits = 8;
constexpr int64_t kMostValues = 1 << kMostDigitBits; // of a digit
constexpr int kThreads = 512, kWarps = kThreads / kWarpThreads;
constexpr int64_t kItems = 8; // of a thread
constexpr int64_t kTile = kThreads * kItems;
constexpr int64_t kWordBytes = 4;

// Shared memory: sums of warps, of two values; counters of the digit's values, for each warp; what is added to the
// places of each digit in the tile; the tile's positions, if there are any, and keys in order.
constexpr int64_t kSums = 0, kCounters = 2 * kWarps * kWordBytes;
constexpr int64_t kBases = kCounters + kWarps * kMostValues * kWordBytes;
constexpr int64_t kPositions = kBases + kMostValues * kWordBytes;

int64_t keysOffset(const RadixSortPlan &plan) { return kPositions + (plan.hasPositions ? kTile * kWordBytes : 0); }

// In the temporary block.
int64_t totalsOffset(const RadixSortPlan &plan) {
  return plan.sets().bytes() + int64_t(alignTo(uint64_t(plan.rows * plan.values() * plan.tiles * kWordBytes), 64));
}
int64_t scansOffset(const RadixSortPlan &plan) {
  return totalsOffset(plan) + int64_t(alignTo(uint64_t(plan.rows * plan.values() * kWordBytes), 64));
}

} // namespace

RadixSortPlan planRadixSort(int64_t rows, int64_t count, int64_t keyBytes, int bits, bool hasPositions,
                            const CostModel::Blocks &costs) {
  constexpr int64_t kTilesOfThread = 8; // so many a thread adds up in no more time than it takes to share them
  RadixSortPlan plan{rows, count, keyBytes, hasPositions};
  plan.digits = divideCeilSigned(bits, kMostDigitBits);
  plan.digitBits = divideCeilSigned(bits, plan.digits);
  plan.tiles = divideCeilSigned(count, kTile);
  if (plan.tiles > kTilesOfThread)
    plan.scanThreads =
        int(std::clamp<uint64_t>(PowerOf2Ceil(uint64_t(plan.tiles)), kWarpThreads, uint64_t(costs.scanThreads)));
  plan.tempBytes = scansOffset(plan) + (plan.countsDigits() ? 64 : 0);
  return plan;
}

FormPhases RadixSortPlan::phases() const {
  FormPhases phases;
  for (int digit = 0; digit < digits; ++digit) {
    phases.push_back({rows * tiles, kThreads, kCounters + kMostValues * kWordBytes});
    if (scanThreads)
      phases.push_back({rows * values(), scanThreads, kCounters});
    else
      phases.push_back({rows * values(), kTaskBlock, 0, /*isByThreads=*/true});
    phases.push_back({rows * tiles, kThreads, keysOffset(*this) + kTile * keyBytes});
  }
  return phases;
}

void RadixSortPlan::print(raw_ostream &os) const {
  os << "by " << digits << " digits of " << digitBits << " bits, tiles of " << kTile << " by " << kThreads
     << " threads, " << rows * tiles << " blocks" << (hasPositions ? "\n" : ", keys only\n");
}

RadixSortCode::RadixSortCode(const RadixSortPlan &plan, Emitter &e, GpuBuilder &gpu, Value *temp, KeyOf keyOf)
    : SortCode(plan.sets(), plan.count, e, gpu, temp), plan_(plan), keyOf_(keyOf) {}

void RadixSortCode::emit(int phase, KeyAt keyAt, Sink sink) {
  Value *task = e_.arg(1);
  if (phase % 3 == 1 && !plan_.scanThreads)
    return e_.loop(task, e_.arg(2), 1, [&](Value *own) { emitScanByThread(own); });
  thread_ = numberOfThread();
  lane_ = e_.urem(thread_, kWarpThreads);
  warp_ = e_.udiv(thread_, kWarpThreads);
  if (phase % 3 == 0)
    emitCount(digitOfPhase(phase), task, keyAt);
  else if (phase % 3 == 1)
    emitScan(task);
  else
    emitPlace(digitOfPhase(phase), task, keyAt, sink);
}

// --- Digits ---

Value *RadixSortCode::scans() { return inTemp(scansOffset(plan_), i32_, e_.i64(0)); }

void RadixSortCode::setScans(Value *isFirst, function_ref<Value *()> count) {
  if (plan_.countsDigits())
    e_.ifThen(isFirst, [&] { e_.store(count(), scans()); });
}

RadixSortCode::Digit RadixSortCode::digitOfPhase(int phase) {
  const int digit = phase / 3;
  const bool isPlace = phase % 3 == 2;
  if (!plan_.countsDigits() || (digit == 0 && !isPlace))
    return {e_.i64(digit), e_.b.getInt1(digit == 0), e_.b.getInt1(digit + 1 == plan_.digits)};
  Value *before = wide(e_.load(i32_, scans()));
  if (!isPlace)
    return {before, e_.b.getFalse(), e_.b.getFalse()};
  Value *number = e_.sub(before, e_.i64(1));
  return {number, e_.b.CreateICmpEQ(number, e_.i64(0)), e_.b.CreateICmpEQ(number, e_.i64(plan_.digits - 1))};
}

// --- Places in memory ---

Value *RadixSortCode::shared(int64_t offset, Type *type, Value *i) {
  return e_.gep(type, e_.gep(e_.b.getInt8Ty(), sharedMemory(), offset), i);
}

Value *RadixSortCode::counter(Value *warp, Value *digit) {
  return shared(kCounters, i32_, e_.add(e_.mul(warp, kMostValues), digit));
}

Value *RadixSortCode::countAt(Value *row, Value *digit, Value *tile) {
  Value *place = e_.add(e_.mul(e_.add(e_.mul(row, plan_.values()), digit), plan_.tiles), tile);
  return inTemp(plan_.sets().bytes(), i32_, place);
}

Value *RadixSortCode::totalAt(Value *row, Value *digit) {
  return inTemp(totalsOffset(plan_), i32_, e_.add(e_.mul(row, plan_.values()), digit));
}

// --- Items ---

Value *RadixSortCode::digitOf(Value *moved, Digit digit) {
  Value *key = keyOf_ ? keyOf_(moved) : moved;
  Value *bits = e_.b.CreateZExtOrTrunc(e_.mul(digit.number, plan_.digitBits), key->getType());
  Value *shifted = e_.b.CreateLShr(key, bits);
  return e_.b.CreateAnd(e_.b.CreateZExtOrTrunc(shifted, e_.b.getInt64Ty()), uint64_t(plan_.values() - 1));
}

// Key and position, if there is one. Behind the end of the row, keys are the largest.
Values RadixSortCode::readItem(Digit digit, bool isFirst, Value *row, Value *i, KeyAt keyOf) {
  auto read = [&] {
    Value *set = e_.sub(digit.number, e_.i64(1));
    Values item{isFirst ? keyOf(row, i) : e_.load(key_, keyAt(set, row, i))};
    if (plan_.hasPositions)
      item.push_back(isFirst ? e_.b.CreateTrunc(i, i32_) : e_.load(i32_, positionAt(set, row, i)));
    return item;
  };
  auto none = [&] {
    Values item{Constant::getAllOnesValue(key_)};
    if (plan_.hasPositions)
      item.push_back(e_.b.getInt32(0));
    return item;
  };
  return plan_.count % kTile == 0 ? read() : e_.ifElse(isThere(i), read, none);
}

// A warp has the elements of its number, each lane every 32nd of them. Behind the end of the row, digits are the
// largest.
SmallVector<RadixSortCode::Item> RadixSortCode::readTile(Digit digit, Value *row, Value *first, KeyAt keyOf) {
  Value *own = e_.add(e_.add(first, e_.mul(warp_, kItems * kWarpThreads)), lane_);
  auto place = [&](int64_t k) { return e_.add(own, k * kWarpThreads); };
  auto read = [&](bool isFirst) {
    Values values;
    for (int64_t k = 0; k < kItems; ++k)
      values.append(readItem(digit, isFirst, row, place(k), keyOf));
    return values;
  };
  const Values values = e_.ifElse(digit.isFirst, [&] { return read(true); }, [&] { return read(false); });
  SmallVector<Item> items;
  for (int64_t k = 0; k < kItems; ++k) {
    const size_t at = size_t(k) * (plan_.hasPositions ? 2 : 1);
    Value *ofItem = digitOf(values[at], digit);
    if (plan_.count % kTile != 0 && keyOf_) // what is not there has no key
      ofItem = e_.b.CreateSelect(isThere(place(k)), ofItem, e_.i64(plan_.values() - 1));
    items.push_back({values[at], plan_.hasPositions ? values[at + 1] : nullptr, ofItem});
  }
  return items;
}

void RadixSortCode::clearCounters(int64_t count) {
  for (int64_t first = 0; first < count; first += kThreads) {
    auto clear = [&] { e_.store(e_.b.getInt32(0), counter(e_.add(thread_, first))); };
    if (count - first >= kThreads)
      clear();
    else
      e_.ifThen(e_.b.CreateICmpSLT(thread_, e_.i64(count - first)), clear);
  }
  barrier();
}

// --- Lanes and threads ---

RadixSortCode::Peers RadixSortCode::peersOf(const Item &item) {
  Value *digit = e_.b.CreateTrunc(item.digit, i32_);
  Value *peers = gpu_.at(e_.b, [&] { return gpu_.lanesWith(digit, unsigned(plan_.digitBits)); });
  Value *below = e_.b.CreateSub(e_.b.CreateShl(e_.b.getInt32(1), e_.b.CreateTrunc(lane_, i32_)), e_.b.getInt32(1));
  Value *before = e_.b.CreateAnd(peers, below);
  return {e_.b.CreateICmpEQ(before, e_.b.getInt32(0)),
          e_.b.CreateBinaryIntrinsic(Intrinsic::cttz, peers, e_.b.getTrue()),
          e_.b.CreateUnaryIntrinsic(Intrinsic::ctpop, peers), e_.b.CreateUnaryIntrinsic(Intrinsic::ctpop, before)};
}

Value *RadixSortCode::add(Value *counter, Value *count) {
  return gpu_.at(e_.b, [&] { return gpu_.emitAtomic(AtomicRMWInst::Add, counter, count); });
}

Value *RadixSortCode::shuffled(Value *value, Value *lane) {
  return gpu_.at(e_.b, [&] { return gpu_.shuffleFrom(value, lane); });
}

SmallVector<RadixSortCode::Scanned, 2> RadixSortCode::scanThreads(ArrayRef<Value *> values, int warps) {
  SmallVector<Value *, 2> sums(values);
  Value *none = e_.b.getInt32(0);
  for (int64_t distance = 1; distance < kWarpThreads; distance *= 2) {
    Value *isBehind = e_.b.CreateICmpSGE(lane_, e_.i64(distance));
    Value *from = e_.b.CreateTrunc(e_.b.CreateSelect(isBehind, e_.sub(lane_, e_.i64(distance)), lane_), i32_);
    for (Value *&sum : sums)
      sum = e_.b.CreateAdd(sum, e_.b.CreateSelect(isBehind, shuffled(sum, from), none));
  }
  SmallVector<Scanned, 2> scanned;
  for (auto [value, sum] : zip(values, sums))
    scanned.push_back({e_.b.CreateSub(sum, value), warps == 1 ? shuffled(sum, e_.b.getInt32(kWarpThreads - 1)) : none});
  if (warps == 1)
    return scanned;
  auto place = [&](size_t value, Value *warp) { return shared(kSums, i32_, e_.add(warp, int64_t(value) * kWarps)); };
  e_.ifThen(e_.b.CreateICmpEQ(lane_, e_.i64(kWarpThreads - 1)), [&] {
    for (auto [i, sum] : enumerate(sums))
      e_.store(sum, place(i, warp_));
  });
  barrier();
  for (int64_t warp = 0; warp < warps; ++warp)
    for (auto [i, value] : enumerate(scanned)) {
      Value *sum = e_.load(i32_, place(i, e_.i64(warp)));
      value.all = e_.b.CreateAdd(value.all, sum);
      Value *isBefore = e_.b.CreateICmpSGT(warp_, e_.i64(warp));
      value.before = e_.b.CreateAdd(value.before, e_.b.CreateSelect(isBefore, sum, none));
    }
  return scanned;
}

// --- Counting ---

void RadixSortCode::emitCount(Digit digit, Value *task, KeyAt keyOf) {
  Value *row = e_.udiv(task, plan_.tiles), *tile = e_.urem(task, plan_.tiles);
  if (digit.isFirst == e_.b.getTrue())
    setScans(e_.b.CreateICmpEQ(e_.b.CreateOr(task, thread_), e_.i64(0)), [&] { return e_.b.getInt32(0); });
  clearCounters(kMostValues);
  for (const Item &item : readTile(digit, row, e_.mul(tile, kTile), keyOf)) {
    Peers peers = peersOf(item);
    e_.ifThen(peers.isFirst, [&] { add(counter(item.digit), peers.count); });
  }
  barrier();
  e_.ifThen(e_.b.CreateICmpSLT(thread_, e_.i64(plan_.values())), [&] {
    Value *count = e_.load(i32_, counter(thread_));
    // What is behind the end of the row has been counted, too.
    if (int64_t missing = plan_.tiles * kTile - plan_.count) {
      Value *isLast = e_.b.CreateAnd(e_.b.CreateICmpEQ(tile, e_.i64(plan_.tiles - 1)),
                                     e_.b.CreateICmpEQ(thread_, e_.i64(plan_.values() - 1)));
      Value *fewer = e_.b.CreateSub(count, e_.b.getInt32(uint32_t(missing)));
      count = e_.b.CreateSelect(isLast, fewer, count);
    }
    e_.store(count, countAt(row, thread_, tile));
  });
}

// --- What is before ---

void RadixSortCode::emitScanByThread(Value *task) {
  Value *row = e_.udiv(task, plan_.values()), *digit = e_.urem(task, plan_.values());
  auto step = [&](Value *tile, ArrayRef<Value *> before) {
    Value *place = countAt(row, digit, tile), *count = e_.load(i32_, place);
    e_.store(before[0], place);
    return Values{e_.b.CreateAdd(before[0], count)};
  };
  Value *total = e_.loop(e_.i64(0), e_.i64(plan_.tiles), e_.i64(1), {e_.b.getInt32(0)}, step)[0];
  e_.store(total, totalAt(row, digit));
  setScans(e_.b.CreateICmpEQ(task, e_.i64(0)),
           [&] { return e_.b.CreateAdd(e_.load(i32_, scans()), e_.b.getInt32(1)); });
}

void RadixSortCode::emitScan(Value *task) {
  Value *row = e_.udiv(task, plan_.values()), *digit = e_.urem(task, plan_.values());
  const int warps = plan_.scanThreads / kWarpThreads;
  auto step = [&](Value *first, ArrayRef<Value *> before) {
    Value *tile = e_.add(first, thread_), *isThere = e_.b.CreateICmpSLT(tile, e_.i64(plan_.tiles));
    Value *place = countAt(row, digit, tile);
    Value *count =
        e_.ifElse(isThere, [&] { return Values{e_.load(i32_, place)}; }, [&] { return Values{e_.b.getInt32(0)}; })[0];
    Scanned counts = scanThreads(count, warps)[0];
    e_.ifThen(isThere, [&] { e_.store(e_.b.CreateAdd(before[0], counts.before), place); });
    if (warps > 1 && plan_.tiles > plan_.scanThreads) // another round writes what others still read
      barrier();
    return Values{e_.b.CreateAdd(before[0], counts.all)};
  };
  Value *total = e_.loop(e_.i64(0), e_.i64(plan_.tiles), e_.i64(plan_.scanThreads), {e_.b.getInt32(0)}, step)[0];
  e_.ifThen(e_.b.CreateICmpEQ(thread_, e_.i64(0)), [&] { e_.store(total, totalAt(row, digit)); });
  setScans(e_.b.CreateICmpEQ(e_.b.CreateOr(task, thread_), e_.i64(0)),
           [&] { return e_.b.CreateAdd(e_.load(i32_, scans()), e_.b.getInt32(1)); });
}

// --- Placing ---

void RadixSortCode::emitPlace(Digit digit, Value *task, KeyAt keyOf, Sink sink) {
  Value *row = e_.udiv(task, plan_.tiles), *tile = e_.urem(task, plan_.tiles), *first = e_.mul(tile, kTile);
  SmallVector<Item> items = readTile(digit, row, first, keyOf);
  clearCounters(kWarps * kMostValues);
  SmallVector<Value *> ordinals;
  for (const Item &item : items)
    ordinals.push_back(countInWarp(item));
  barrier();
  findPlaces(row, tile);
  barrier();
  for (auto [item, ordinal] : zip(items, ordinals)) {
    Value *place = wide(e_.b.CreateAdd(e_.load(i32_, counter(warp_, item.digit)), ordinal));
    e_.store(item.key, shared(keysOffset(plan_), key_, place));
    if (item.position)
      e_.store(item.position, shared(kPositions, i32_, place));
  }
  barrier();
  writeTile(digit, row, first, sink);
}

// How many of the warp's earlier items have an item's digit: those of earlier lanes, and those that the counter had.
// The first lane brings what it had to the others, which go on behind it.
Value *RadixSortCode::countInWarp(const Item &item) {
  Peers peers = peersOf(item);
  auto count = [&] { return Values{add(counter(warp_, item.digit), peers.count)}; };
  Value *had = e_.ifElse(peers.isFirst, count, [&] { return Values{e_.b.getInt32(0)}; })[0];
  return e_.b.CreateAdd(shuffled(had, peers.first), peers.before);
}

// Each counter becomes the sum of those before it: by digits, and by warps. A digit's base is where its elements go,
// less where they begin in the tile.
void RadixSortCode::findPlaces(Value *row, Value *tile) {
  Value *isDigit = e_.b.CreateICmpSLT(thread_, e_.i64(plan_.values())), *digit = e_.urem(thread_, plan_.values());
  Value *none = e_.b.getInt32(0);
  auto sumWarps = [&] {
    Value *sum = none;
    for (int64_t warp = 0; warp < kWarps; ++warp)
      sum = e_.b.CreateAdd(sum, e_.load(i32_, counter(e_.i64(warp), digit)));
    return sum;
  };
  Value *ofDigit = e_.b.CreateSelect(isDigit, sumWarps(), none);
  Value *ofRow = e_.b.CreateSelect(isDigit, e_.load(i32_, totalAt(row, digit)), none);
  SmallVector<Scanned, 2> digits = scanThreads({ofDigit, ofRow}, kWarps);
  e_.ifThen(isDigit, [&] {
    Value *ofTile = e_.b.CreateAdd(digits[1].before, e_.load(i32_, countAt(row, digit, tile)));
    e_.store(e_.b.CreateSub(ofTile, digits[0].before), shared(kBases, i32_, digit));
    Value *before = digits[0].before;
    for (int64_t warp = 0; warp < kWarps; ++warp) { // read again, for registers hold the thread's items
      Value *place = counter(e_.i64(warp), digit), *count = e_.load(i32_, place);
      e_.store(before, place);
      before = e_.b.CreateAdd(before, count);
    }
  });
}

void RadixSortCode::writeTile(Digit digit, Value *row, Value *first, Sink sink) {
  auto writeItem = [&](bool isLast, Value *i) {
    Value *key = e_.load(key_, shared(keysOffset(plan_), key_, i));
    Value *position = plan_.hasPositions ? e_.load(i32_, shared(kPositions, i32_, i)) : e_.b.getInt32(0);
    Value *base = e_.load(i32_, shared(kBases, i32_, digitOf(key, digit)));
    Value *place = wide(e_.b.CreateAdd(base, e_.b.CreateTrunc(i, i32_)));
    if (isLast)
      return sink(row, wide(position), place, key);
    e_.store(key, keyAt(digit.number, row, place));
    if (plan_.hasPositions)
      e_.store(position, positionAt(digit.number, row, place));
  };
  auto write = [&](bool isLast, Value *from, int64_t items) {
    for (int64_t k = 0; k < items; ++k) {
      Value *i = e_.add(from, k * kThreads);
      if (plan_.count % kTile == 0)
        writeItem(isLast, i);
      else
        e_.ifThen(isThere(e_.add(first, i)), [&] { writeItem(isLast, i); });
    }
  };
  // Elements that are looked up by their positions wait for these: of all items they would take more registers than
  // leave room for a second block.
  auto writeResults = [&] {
    constexpr int64_t kAtOnce = kItems / 2;
    e_.loop(e_.i64(0), e_.i64(kTile), kAtOnce * kThreads,
            [&](Value *from) { write(true, e_.add(from, thread_), kAtOnce); });
    return Values();
  };
  e_.ifElse(digit.isLast, writeResults, [&] { return write(false, thread_, kItems), Values(); });
}

} // namespace tenon::codegen
