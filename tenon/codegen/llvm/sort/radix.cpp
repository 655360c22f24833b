#include "tenon/codegen/llvm/sort/radix.h"

#include <algorithm>

namespace tenon::codegen::sort {
namespace {

constexpr unsigned kWideDigit = 11, kNarrowDigit = 8;
constexpr unsigned kVector = 8; // of counts
// Instructions for an element of a pass, roughly: how often a task asks whether to stop.
constexpr double kPassCost = 8;

int64_t aligned(int64_t bytes) { return (bytes + 63) / 64 * 64; }

bool mayLose(const RadixPlan &plan) { return plan.rows.keysOnly() && plan.rows.order.merges(); }
int64_t bins(const RadixPlan &plan) { return int64_t(1) << plan.digits.front(); }
// Positions take the low half of a record.
unsigned positionBits(const SortedRows &rows) { return rows.keysOnly() ? 0 : std::max(32u, keyBits(rows.key)); }
unsigned recordBits(const SortedRows &rows) { return rows.keysOnly() ? keyBits(rows.key) : 2 * positionBits(rows); }

// Where the records of a pass go that is not the last, in a row's memory; -1 if they go to the result, whose memory is
// as good as any for keys.
int64_t recordsAt(const RadixPlan &plan, size_t pass) {
  if (!plan.rows.keysOnly() || plan.rows.stride != 1)
    return plan.recordBuffers[pass % 2];
  return (plan.digits.size() - 1 - pass) % 2 == 0 ? -1 : plan.recordBuffers[0];
}

struct Digit {
  llvm::Value *shift, *mask; // of 64 bits
};

// The code of a task: of a row, or of a phase of its chunk.
class RadixCode {
public:
  RadixCode(const TaskCode &code, const RadixPlan &plan)
      : code_(code), e_(code.e), plan_(plan), key_(e_, code.sizes, plan.rows.key, plan.rows.order),
        recordType_(e_.b.getIntNTy(recordBits(plan.rows))), counter_(e_.b.getInt32Ty()), passes_(plan.digits.size()) {}

  void wholeRow() {
    RowCode row(code_, plan_.rows, code_.task);
    row_ = &row;
    memory_ = code_.scratch;
    count_ = code_.sizes(plan_.rows.count);
    llvm::Value *counts = at(memory_, plan_.countsAt);
    llvm::SmallVector<Digit> digits;
    int64_t shift = 0;
    for (unsigned bits : plan_.digits) {
      digits.push_back({e_.i64(shift), e_.i64((int64_t(1) << bits) - 1)});
      shift += bits;
    }
    llvm::Value *lost = countDigits(0, digits, e_.i64(0), count_, counts);
    for (size_t pass = 0; pass < passes_; ++pass) {
      llvm::Value *own = e_.gep(counter_, counts, int64_t(pass) * bins(plan_));
      sumCounts(own, own);
      moveRecords(pass, digits[pass], e_.i64(0), count_, own);
    }
    if (mayLose(plan_))
      e_.ifThen(lost, [&] { mend(); });
  }

  void countChunk(size_t pass) {
    forChunk([&](llvm::Value *chunk, llvm::Value *begin, llvm::Value *end) {
      llvm::Value *lost = countDigits(pass, digitOf(pass), begin, end, countsOf(chunk));
      if (pass == 0 && mayLose(plan_))
        e_.store(e_.b.CreateZExt(lost, counter_), e_.gep(counter_, at(memory_, plan_.flagsAt), chunk));
    });
  }

  // The worker's own memory: how many records with each digit there are in the row, and in the chunks before this one.
  void moveChunk(size_t pass) {
    forChunk([&](llvm::Value *chunk, llvm::Value *begin, llvm::Value *end) {
      llvm::Value *totals = code_.scratch, *places = e_.gep(counter_, totals, bins(plan_));
      llvm::Value *chunks = code_.sizes(plan_.chunks);
      auto *vector = llvm::FixedVectorType::get(counter_, kVector);
      e_.loop(e_.i64(0), e_.i64(bins(plan_)), kVector, [&](llvm::Value *bin) {
        llvm::Value *none = llvm::ConstantInt::get(vector, 0);
        auto sum = [&](llvm::Value *from, llvm::Value *to, llvm::Value *start) {
          return e_.loop(from, to, e_.i64(1), {start},
                         [&](llvm::Value *other, llvm::ArrayRef<llvm::Value *> now) -> Values {
                           llvm::Value *counts = e_.gep(counter_, countsOf(other), bin);
                           return {e_.b.CreateAdd(now[0], e_.load(vector, counts, 4))};
                         })[0];
        };
        llvm::Value *before = sum(e_.i64(0), chunk, none);
        e_.store(before, e_.gep(counter_, places, bin), 4);
        e_.store(sum(chunk, chunks, before), e_.gep(counter_, totals, bin), 4);
      });
      sumCounts(totals, places);
      moveRecords(pass, digitOf(pass), begin, end, places);
    });
  }

  // Mends a row that was sorted in chunks.
  void mendRow() {
    RowCode row(code_, plan_.rows, code_.task);
    row_ = &row;
    memory_ = sharedMemory(code_.task);
    count_ = code_.sizes(plan_.rows.count);
    llvm::Value *flags = at(memory_, plan_.flagsAt);
    Values lost = e_.loop(e_.i64(0), code_.sizes(plan_.chunks), e_.i64(1), {e_.b.getInt32(0)},
                          [&](llvm::Value *chunk, llvm::ArrayRef<llvm::Value *> now) -> Values {
                            return {e_.b.CreateOr(now[0], e_.load(counter_, e_.gep(counter_, flags, chunk)))};
                          });
    e_.ifThen(e_.b.CreateIsNotNull(lost[0]), [&] { mend(); });
  }

private:
  llvm::Value *at(llvm::Value *memory, int64_t offset) { return e_.gep(e_.b.getInt8Ty(), memory, code_.sizes(offset)); }

  // --- Chunks ---

  // The memory that the tasks of a row share.
  llvm::Value *sharedMemory(llvm::Value *row) {
    llvm::Value *slot = e_.gep(e_.b.getPtrTy(), code_.buffers, code_.sizes(2 * int64_t(plan_.rows.results.size())));
    return e_.gep(e_.b.getInt8Ty(), e_.load(e_.b.getPtrTy(), slot), code_.sizes.product(row, plan_.rowBytes));
  }

  // The body with the chunk's number in its row and its bounds.
  void forChunk(llvm::function_ref<void(llvm::Value *, llvm::Value *, llvm::Value *)> body) {
    llvm::Value *chunk = code_.sizes.remainder(code_.task, plan_.chunks);
    llvm::Value *rowNumber = code_.sizes.quotient(code_.task, plan_.chunks);
    llvm::Value *begin = code_.sizes.product(chunk, plan_.chunkSize);
    llvm::Value *size = code_.sizes(plan_.chunkSize);
    RowCode row(code_, plan_.rows, rowNumber);
    row_ = &row;
    memory_ = sharedMemory(rowNumber);
    count_ = code_.sizes(plan_.rows.count);
    body(chunk, begin, e_.min(e_.add(begin, size), count_));
  }

  llvm::Value *countsOf(llvm::Value *chunk) {
    return e_.gep(counter_, at(memory_, plan_.countsAt), e_.mul(chunk, bins(plan_)));
  }

  // The shift as data where the pass is neither the first nor the last: those have their code in common.
  Digit digitOf(size_t pass) {
    int64_t shift = 0;
    for (size_t before = 0; before < pass; ++before)
      shift += plan_.digits[before];
    bool isCode = pass == 0 || pass + 1 == passes_;
    return {isCode ? e_.i64(shift) : code_.sizes(shift), e_.i64((int64_t(1) << plan_.digits[pass]) - 1)};
  }

  // --- Records ---

  // Where the pass puts its records; null for the last one, which makes results.
  llvm::Value *recordsOf(size_t pass) {
    if (pass + 1 == passes_)
      return nullptr;
    llvm::Value *offset = code_.sizes(recordsAt(plan_, pass));
    llvm::Value *inMemory = e_.gep(e_.b.getInt8Ty(), memory_, offset);
    if (!plan_.rows.keysOnly())
      return inMemory;
    return e_.b.CreateSelect(e_.b.CreateICmpSLT(offset, e_.i64(0)), row_->result(0, e_.i64(0)), inMemory);
  }

  llvm::Value *loadRecord(size_t pass, llvm::Value *records, llvm::Value *i) {
    if (pass > 0)
      return e_.load(recordType_, e_.gep(recordType_, records, i));
    llvm::Value *key = key_.keyOf(row_->keyBits(i));
    if (plan_.rows.keysOnly())
      return key;
    llvm::Value *high = e_.b.CreateShl(e_.b.CreateZExt(key, recordType_), positionBits(plan_.rows));
    return e_.b.CreateOr(high, e_.b.CreateZExtOrTrunc(i, recordType_));
  }
  llvm::Value *highHalf(llvm::Value *record) { return e_.b.CreateLShr(record, positionBits(plan_.rows)); }
  llvm::Value *digitOf(const Digit &digit, llvm::Value *record) {
    llvm::Value *key = e_.b.CreateZExtOrTrunc(highHalf(record), e_.b.getInt64Ty());
    return e_.b.CreateAnd(e_.b.CreateLShr(key, digit.shift), digit.mask);
  }

  // --- The parts of a pass ---

  // Counts the digits, of `pass` and those after it, that the records of [begin, end) have. The first pass also tells
  // whether a key does not say all of an element.
  llvm::Value *countDigits(size_t pass, llvm::ArrayRef<Digit> digits, llvm::Value *begin, llvm::Value *end,
                           llvm::Value *counts) {
    e_.b.CreateMemSet(counts, e_.b.getInt8(0), uint64_t(digits.size()) * uint64_t(bins(plan_)) * 4,
                      llvm::MaybeAlign(64));
    llvm::Value *records = pass > 0 ? recordsOf(pass - 1) : nullptr;
    bool tells = pass == 0 && mayLose(plan_);
    Values last = e_.loop(begin, end, e_.i64(1), {e_.b.getFalse()},
                          [&](llvm::Value *i, llvm::ArrayRef<llvm::Value *> lost) -> Values {
                            llvm::Value *record = loadRecord(pass, records, i);
                            for (auto [number, digit] : llvm::enumerate(digits)) {
                              llvm::Value *own = e_.gep(counter_, counts, int64_t(number) * bins(plan_));
                              llvm::Value *slot = e_.gep(counter_, own, digitOf(digit, record));
                              e_.store(e_.b.CreateAdd(e_.load(counter_, slot), e_.b.getInt32(1)), slot);
                            }
                            if (!tells)
                              return {lost[0]};
                            llvm::Value *differs = e_.b.CreateICmpNE(row_->keyBits(i), key_.bitsOf(record));
                            return {e_.b.CreateOr(lost[0], differs)};
                          });
    return last[0];
  }

  // Makes counts into the places of each digit's first record, from `first` on.
  void sumCounts(llvm::Value *totals, llvm::Value *places) {
    e_.loop(e_.i64(0), e_.i64(bins(plan_)), e_.i64(1), {e_.b.getInt32(0)},
            [&](llvm::Value *bin, llvm::ArrayRef<llvm::Value *> sum) -> Values {
              llvm::Value *total = e_.load(counter_, e_.gep(counter_, totals, bin));
              llvm::Value *slot = e_.gep(counter_, places, bin);
              e_.store(places == totals ? sum[0] : e_.b.CreateAdd(sum[0], e_.load(counter_, slot)), slot);
              return {e_.b.CreateAdd(sum[0], total)};
            });
  }

  // Moves the records of [begin, end) to where `places` has their digits.
  void moveRecords(size_t pass, const Digit &digit, llvm::Value *begin, llvm::Value *end, llvm::Value *places) {
    llvm::Value *from = pass > 0 ? recordsOf(pass - 1) : nullptr, *to = recordsOf(pass);
    e_.loop(begin, end, 1, [&](llvm::Value *i) {
      llvm::Value *record = loadRecord(pass, from, i);
      llvm::Value *slot = e_.gep(counter_, places, digitOf(digit, record)), *target = e_.load(counter_, slot);
      e_.store(e_.b.CreateAdd(target, e_.b.getInt32(1)), slot);
      target = e_.b.CreateZExt(target, e_.b.getInt64Ty());
      if (to)
        e_.store(record, e_.gep(recordType_, to, target));
      else
        storeResults(target, record);
    });
  }

  void storeResults(llvm::Value *target, llvm::Value *record) {
    if (plan_.rows.keysOnly()) {
      e_.store(key_.bitsOf(record), row_->result(0, target));
      return;
    }
    llvm::Value *position = e_.b.CreateZExt(e_.b.CreateTrunc(record, counter_), e_.b.getInt64Ty());
    row_->move(position, target, key_.bitsOf(e_.b.CreateTrunc(highHalf(record), key_.type())));
  }

  // Puts the zeros and the NaNs of the input, as they come, where the keys have theirs.
  void mend() {
    llvm::Value *zero = key_.zeroKey(), *nan = key_.nanKey(), *none = e_.i64(0);
    Values first =
        e_.loop(none, count_, e_.i64(1), {none, none}, [&](llvm::Value *i, llvm::ArrayRef<llvm::Value *> at) -> Values {
          llvm::Value *key = key_.keyOf(row_->keyBits(i));
          auto next = [&](llvm::Value *now, llvm::Value *limit) {
            return e_.add(now, e_.b.CreateZExt(e_.b.CreateICmpULT(key, limit), e_.b.getInt64Ty()));
          };
          return {next(at[0], zero), next(at[1], nan)};
        });
    e_.loop(none, count_, e_.i64(1), first, [&](llvm::Value *i, llvm::ArrayRef<llvm::Value *> at) -> Values {
      llvm::Value *bits = row_->keyBits(i), *key = key_.keyOf(bits);
      llvm::Value *isZero = e_.b.CreateICmpEQ(key, zero), *isNan = e_.b.CreateICmpEQ(key, nan);
      llvm::Value *target = e_.b.CreateSelect(isZero, at[0], at[1]);
      e_.ifThen(e_.b.CreateOr(isZero, isNan), [&] { e_.store(bits, row_->result(0, target)); });
      return {e_.add(at[0], e_.b.CreateZExt(isZero, e_.b.getInt64Ty())),
              e_.add(at[1], e_.b.CreateZExt(isNan, e_.b.getInt64Ty()))};
    });
  }

  const TaskCode &code_;
  Emitter &e_;
  const RadixPlan &plan_;
  KeyCode key_;
  llvm::IntegerType *recordType_, *counter_;
  size_t passes_;
  // The code for the task's row.
  const RowCode *row_ = nullptr;
  llvm::Value *memory_ = nullptr; // its records and counts
  llvm::Value *count_ = nullptr;
};

} // namespace

RadixPlan planRadix(const SortedRows &rows, const CostModel &costs) {
  RadixPlan plan;
  plan.rows = rows;
  unsigned bits = keyBits(rows.key);
  unsigned widest = bits > 16 && rows.count >= costs.wideDigits ? kWideDigit : kNarrowDigit;
  for (unsigned done = 0; done < bits; done += plan.digits.back())
    plan.digits.push_back(std::min(widest, bits - done));
  // Each task has at least half of what makes a row worth sharing.
  if (rows.count >= costs.sharedSort && rows.rows <= costs.mostSharedSorts)
    plan.chunks = std::min(costs.mostSortTasks, rows.count / (costs.sharedSort / 2));
  plan.chunkSize = (rows.count + plan.chunks - 1) / plan.chunks;
  auto take = [&](int64_t bytes) { return std::exchange(plan.rowBytes, plan.rowBytes + aligned(bytes)); };
  size_t buffers = std::min<size_t>(plan.digits.size() - 1, rows.keysOnly() && rows.stride == 1 ? 1 : 2);
  for (size_t i = 0; i < buffers; ++i)
    plan.recordBuffers.push_back(take(rows.count * recordBits(rows) / 8));
  int64_t histograms = plan.chunks == 1 ? int64_t(plan.digits.size()) : plan.chunks;
  plan.countsAt = take(histograms * bins(plan) * 4);
  plan.flagsAt = take(plan.chunks * 4);
  return plan;
}

void addRadixPhases(const RadixPlan &plan, llvm::StringRef symbol, const CostModel &costs, Kernel &kernel) {
  const SortedRows &rows = plan.rows;
  double elements = double(rows.rows) * double(rows.count);
  if (plan.chunks == 1) {
    double each = (costs.countedElement + costs.movedElement) * double(plan.digits.size());
    kernel.phases.push_back({symbol.str(), rows.rows, each * elements});
    kernel.scratchBytes = plan.rowBytes;
    return;
  }
  for (size_t pass = 0; pass < plan.digits.size(); ++pass) {
    std::string name = symbol.str() + "." + std::to_string(pass);
    kernel.phases.push_back({name + ".count", rows.rows * plan.chunks, costs.countedElement * elements});
    kernel.phases.push_back({name + ".move", rows.rows * plan.chunks, costs.movedElement * elements});
  }
  if (mayLose(plan))
    kernel.phases.push_back({symbol.str() + ".mend", rows.rows, costs.mendedRow * double(rows.rows)});
  kernel.tempBytes = rows.rows * plan.rowBytes;
  kernel.scratchBytes = 2 * bins(plan) * 4;
}

void emitRadix(const RadixPlan &plan, const Kernel &kernel, llvm::Module &module) {
  double row = kPassCost * double(plan.rows.count), chunk = kPassCost * double(plan.chunkSize);
  if (plan.chunks == 1) {
    emitTaskRoutine(module, kernel.phases[0].symbol, {"sort.row", 2 * row * double(plan.digits.size())},
                    [&](const TaskCode &code) { RadixCode(code, plan).wholeRow(); });
    return;
  }
  for (size_t pass = 0; pass < plan.digits.size(); ++pass) {
    emitTaskRoutine(module, kernel.phases[2 * pass].symbol, {"sort.count", chunk},
                    [&](const TaskCode &code) { RadixCode(code, plan).countChunk(pass); });
    emitTaskRoutine(module, kernel.phases[2 * pass + 1].symbol, {"sort.move", chunk},
                    [&](const TaskCode &code) { RadixCode(code, plan).moveChunk(pass); });
  }
  if (mayLose(plan))
    emitTaskRoutine(module, kernel.phases.back().symbol, {"sort.mend", 2 * row},
                    [&](const TaskCode &code) { RadixCode(code, plan).mendRow(); });
}

} // namespace tenon::codegen::sort
