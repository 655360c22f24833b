#include "tenon/codegen/llvm/sort/radix.h"

#include "tenon/codegen/common/region/region_indexer.h"
#include "tenon/codegen/llvm/element/element.h"
#include "tenon/codegen/llvm/emitter.h"

#include <algorithm>

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::codegen::sort {
namespace {

// Rows of at least this many elements, if there are few, are sorted by several tasks, each of which has at least half
// of this.
constexpr int64_t kMinShared = 32768;
constexpr int64_t kMaxSharedRows = 16, kMaxChunks = 32;
// Clearing and summing the counts of wide digits pays from here on.
constexpr int64_t kMinWideDigits = 16384;
constexpr unsigned kWideDigit = 11, kNarrowDigit = 8;
constexpr unsigned kVector = 8; // of counts

int64_t aligned(int64_t bytes) { return (bytes + 63) / 64 * 64; }

Type keyElement(sh::SortOp op, const RadixPlan &plan) { return elementTypeOf(op->getOperand(plan.order.operand)); }
bool mayLose(const RadixPlan &plan) { return plan.keysOnly && (plan.order.mergeZeros || plan.order.mergeNans); }
int64_t bins(const RadixPlan &plan) { return int64_t(1) << plan.digits.front(); }
// Positions take the low half of a record.
unsigned positionBits(sh::SortOp op, const RadixPlan &plan) {
  return plan.keysOnly ? 0 : std::max(32u, keyBits(keyElement(op, plan)));
}
unsigned recordBits(sh::SortOp op, const RadixPlan &plan) {
  return plan.keysOnly ? keyBits(keyElement(op, plan)) : 2 * positionBits(op, plan);
}

bool countsPositions(sh::SortOp op, unsigned operand) {
  auto iota = op->getOperand(operand).getDefiningOp<sh::IotaOp>();
  auto integer = dyn_cast<IntegerType>(elementTypeOf(op->getOperand(operand)));
  return iota && integer && integer.getWidth() >= 32 && iota.getIotaDimension() == op.getDimension();
}

class RadixEmitter {
public:
  RadixEmitter(const RadixPlan &plan, sh::SortOp op, const Kernel &kernel, int64_t stride, int64_t count,
               llvm::Module &module)
      : plan_(plan), op_(op), kernel_(kernel), module_(module), stride_(stride), count_(count),
        key_(keyElement(op, plan)), keyType_(llvm::IntegerType::get(module.getContext(), keyBits(key_))),
        recordType_(llvm::IntegerType::get(module.getContext(), recordBits(op, plan))),
        counter_(llvm::IntegerType::getInt32Ty(module.getContext())), passes_(plan.digits.size()) {}

  void run() {
    if (plan_.chunks == 1)
      return emitRows();
    for (unsigned pass = 0; pass < passes_; ++pass) {
      emitCountPhase(pass, kernel_.phases[2 * pass].symbol);
      emitMovePhase(pass, kernel_.phases[2 * pass + 1].symbol);
    }
    if (mayLose(plan_))
      emitMendPhase(kernel_.phases[2 * passes_].symbol);
  }

private:
  struct Row {
    llvm::Value *base;   // the number of its first element
    llvm::Value *memory; // its records and counts
  };

  Emitter function(StringRef symbol) { return Emitter(module_, symbol, kernelParameters(module_.getContext()), false); }

  llvm::Value *bytes(Emitter &e, llvm::Value *pointer, int64_t offset) {
    return e.gep(e.b.getInt8Ty(), pointer, offset);
  }
  llvm::Value *baseOf(Emitter &e, llvm::Value *row) {
    if (stride_ == 1)
      return e.mul(row, count_);
    return e.add(e.mul(e.udiv(row, stride_), stride_ * count_), e.urem(row, stride_));
  }
  Row sharedRow(Emitter &e, llvm::Value *row) {
    llvm::Value *temp = e.buffer(e.arg(0), int(op_->getNumOperands() + op_->getNumResults()));
    return {baseOf(e, row), e.gep(e.b.getInt8Ty(), temp, e.mul(row, plan_.rowBytes))};
  }

  // Element number of position `i`.
  llvm::Value *place(Emitter &e, const Row &row, llvm::Value *i) { return e.add(row.base, e.mul(i, stride_)); }
  llvm::Value *operandAddress(Emitter &e, const Row &row, unsigned operand, llvm::Value *i) {
    return elementAddress(e.b, elementTypeOf(op_->getOperand(operand)), e.buffer(e.arg(0), int(operand)),
                          place(e, row, i));
  }
  llvm::Value *resultAddress(Emitter &e, const Row &row, unsigned result, llvm::Value *i) {
    return elementAddress(e.b, elementTypeOf(op_->getOperand(result)),
                          e.buffer(e.arg(0), int(op_->getNumOperands() + result)), place(e, row, i));
  }

  llvm::Value *loadKeyElement(Emitter &e, const Row &row, llvm::Value *i) {
    return loadElements(e.b, key_, operandAddress(e, row, plan_.order.operand, i), 1).re;
  }

  // --- Records ---

  // Where the pass puts its records; null for the last one, which makes results. The result's own memory is as good as
  // any for keys.
  llvm::Value *recordsOf(Emitter &e, const Row &row, unsigned pass) {
    if (pass + 1 == passes_)
      return nullptr;
    if (plan_.keysOnly && stride_ == 1)
      return (passes_ - 1 - pass) % 2 == 0 ? resultAddress(e, row, 0, e.i64(0))
                                           : bytes(e, row.memory, plan_.recordBuffers[0]);
    return bytes(e, row.memory, plan_.recordBuffers[pass % 2]);
  }

  llvm::Value *loadRecord(Emitter &e, const Row &row, unsigned pass, llvm::Value *records, llvm::Value *i) {
    if (pass > 0)
      return e.load(recordType_, e.gep(recordType_, records, i));
    llvm::Value *key = orderedKey(e.b, key_, plan_.order, loadKeyElement(e, row, i));
    if (plan_.keysOnly)
      return key;
    llvm::Value *high = e.b.CreateShl(e.b.CreateZExt(key, recordType_), positionBits(op_, plan_));
    return e.b.CreateOr(high, e.b.CreateZExtOrTrunc(i, recordType_));
  }
  llvm::Value *keyOf(Emitter &e, llvm::Value *record) {
    return e.b.CreateTrunc(e.b.CreateLShr(record, positionBits(op_, plan_)), keyType_);
  }
  llvm::Value *digitOf(Emitter &e, unsigned pass, llvm::Value *record) {
    unsigned shift = 0;
    for (unsigned i = 0; i < pass; ++i)
      shift += plan_.digits[i];
    llvm::Value *wide = e.b.CreateZExt(e.b.CreateLShr(keyOf(e, record), shift), e.b.getInt64Ty());
    return e.b.CreateAnd(wide, (int64_t(1) << plan_.digits[pass]) - 1);
  }

  // --- The parts of a pass ---

  // Counts the digits that the records of [begin, end) have for `pass` and the `passes - 1` ones after it. The first
  // pass also tells whether a key does not say all of an element.
  llvm::Value *countDigits(Emitter &e, const Row &row, unsigned pass, unsigned passes, llvm::Value *begin,
                           llvm::Value *end, llvm::Value *counts) {
    e.b.CreateMemSet(counts, e.b.getInt8(0), passes * bins(plan_) * 4, llvm::MaybeAlign(64));
    llvm::Value *records = pass > 0 ? recordsOf(e, row, pass - 1) : nullptr;
    bool tells = pass == 0 && mayLose(plan_);
    Values last = e.loop(begin, end, e.i64(1), {e.b.getFalse()},
                         [&](llvm::Value *i, llvm::ArrayRef<llvm::Value *> lost) -> Values {
                           llvm::Value *record = loadRecord(e, row, pass, records, i);
                           for (unsigned other = 0; other < passes; ++other) {
                             llvm::Value *own = e.gep(counter_, counts, other * bins(plan_));
                             llvm::Value *slot = e.gep(counter_, own, digitOf(e, pass + other, record));
                             e.store(e.b.CreateAdd(e.load(counter_, slot), e.b.getInt32(1)), slot);
                           }
                           if (!tells)
                             return {lost[0]};
                           llvm::Value *element = e.b.CreateBitCast(loadKeyElement(e, row, i), keyType_);
                           llvm::Value *told = elementBits(e.b, key_, plan_.order, record);
                           return {e.b.CreateOr(lost[0], e.b.CreateICmpNE(element, told))};
                         });
    return last[0];
  }

  // Makes counts into the places of each digit's first record, from `first` on.
  void sumCounts(Emitter &e, llvm::Value *totals, llvm::Value *places) {
    e.loop(e.i64(0), e.i64(bins(plan_)), e.i64(1), {e.b.getInt32(0)},
           [&](llvm::Value *bin, llvm::ArrayRef<llvm::Value *> sum) -> Values {
             llvm::Value *total = e.load(counter_, e.gep(counter_, totals, bin)), *slot = e.gep(counter_, places, bin);
             e.store(places == totals ? sum[0] : e.b.CreateAdd(sum[0], e.load(counter_, slot)), slot);
             return {e.b.CreateAdd(sum[0], total)};
           });
  }

  // Moves the records of [begin, end) to where `places` has their digits.
  void moveRecords(Emitter &e, const Row &row, unsigned pass, llvm::Value *begin, llvm::Value *end,
                   llvm::Value *places) {
    llvm::Value *from = pass > 0 ? recordsOf(e, row, pass - 1) : nullptr, *to = recordsOf(e, row, pass);
    e.loop(begin, end, 1, [&](llvm::Value *i) {
      llvm::Value *record = loadRecord(e, row, pass, from, i);
      llvm::Value *slot = e.gep(counter_, places, digitOf(e, pass, record)), *target = e.load(counter_, slot);
      e.store(e.b.CreateAdd(target, e.b.getInt32(1)), slot);
      target = e.b.CreateZExt(target, e.b.getInt64Ty());
      if (to)
        e.store(record, e.gep(recordType_, to, target));
      else
        storeResults(e, row, target, record);
    });
  }

  void storeResults(Emitter &e, const Row &row, llvm::Value *target, llvm::Value *record) {
    llvm::Value *key = keyOf(e, record);
    if (plan_.keysOnly) {
      llvm::Value *bits = elementBits(e.b, key_, plan_.order, key);
      Element value{e.b.CreateBitCast(bits, valueType(module_.getContext(), key_, 1))};
      storeElements(e.b, key_, value, resultAddress(e, row, 0, target), 1);
      return;
    }
    llvm::Value *position = e.b.CreateZExt(e.b.CreateTrunc(record, counter_), e.b.getInt64Ty());
    bool keyTellsAll = !plan_.order.mergeZeros && !plan_.order.mergeNans;
    for (unsigned operand = 0; operand < op_.getInputs().size(); ++operand) {
      Type element = elementTypeOf(op_->getOperand(operand));
      llvm::Type *type = valueType(module_.getContext(), element, 1);
      Element value;
      if (countsPositions(op_, operand))
        value.re = e.b.CreateZExtOrTrunc(position, type);
      else if (operand == plan_.order.operand && keyTellsAll)
        value.re = e.b.CreateBitCast(elementBits(e.b, key_, plan_.order, key), type);
      else
        value = loadElements(e.b, element, operandAddress(e, row, operand, position), 1);
      storeElements(e.b, element, value, resultAddress(e, row, operand, target), 1);
    }
  }

  // Puts the zeros and the NaNs of the input, as they come, where the keys have theirs.
  void mend(Emitter &e, const Row &row) {
    llvm::Type *type = valueType(module_.getContext(), key_, 1);
    auto keyOfBits = [&](const APInt &bits) {
      llvm::Value *value = e.b.CreateBitCast(llvm::ConstantInt::get(keyType_, bits), type);
      return orderedKey(e.b, key_, plan_.order, value);
    };
    const llvm::fltSemantics &semantics = cast<FloatType>(key_).getFloatSemantics();
    llvm::Value *zero = keyOfBits(APInt::getZero(keyBits(key_)));
    llvm::Value *nan = keyOfBits(APFloat::getNaN(semantics).bitcastToAPInt());
    llvm::Value *none = e.i64(0), *end = e.i64(count_);
    Values first =
        e.loop(none, end, e.i64(1), {none, none}, [&](llvm::Value *i, llvm::ArrayRef<llvm::Value *> at) -> Values {
          llvm::Value *key = orderedKey(e.b, key_, plan_.order, loadKeyElement(e, row, i));
          auto next = [&](llvm::Value *now, llvm::Value *limit) {
            return e.add(now, e.b.CreateZExt(e.b.CreateICmpULT(key, limit), e.b.getInt64Ty()));
          };
          return {next(at[0], zero), next(at[1], nan)};
        });
    e.loop(none, end, e.i64(1), first, [&](llvm::Value *i, llvm::ArrayRef<llvm::Value *> at) -> Values {
      llvm::Value *value = loadKeyElement(e, row, i), *key = orderedKey(e.b, key_, plan_.order, value);
      llvm::Value *isZero = e.b.CreateICmpEQ(key, zero), *isNan = e.b.CreateICmpEQ(key, nan);
      llvm::Value *target = e.b.CreateSelect(isZero, at[0], at[1]);
      e.ifThen(e.b.CreateOr(isZero, isNan),
               [&] { storeElements(e.b, key_, {value}, resultAddress(e, row, 0, target), 1); });
      return {e.add(at[0], e.b.CreateZExt(isZero, e.b.getInt64Ty())),
              e.add(at[1], e.b.CreateZExt(isNan, e.b.getInt64Ty()))};
    });
  }

  // --- Phases ---

  void emitRows() {
    Emitter e = function(kernel_.phases[0].symbol);
    e.loop(e.arg(1), e.arg(2), 1, [&](llvm::Value *number) {
      Row row{baseOf(e, number), e.arg(3)};
      llvm::Value *counts = bytes(e, row.memory, plan_.countsAt);
      llvm::Value *lost = countDigits(e, row, 0, passes_, e.i64(0), e.i64(count_), counts);
      for (unsigned pass = 0; pass < passes_; ++pass) {
        llvm::Value *own = e.gep(counter_, counts, pass * bins(plan_));
        sumCounts(e, own, own);
        moveRecords(e, row, pass, e.i64(0), e.i64(count_), own);
      }
      if (mayLose(plan_))
        e.ifThen(lost, [&] { mend(e, row); });
    });
    e.ret();
  }

  // The body with the chunk's row, its number in the row, and its bounds.
  void forChunks(Emitter &e, llvm::function_ref<void(Row, llvm::Value *, llvm::Value *, llvm::Value *)> body) {
    e.loop(e.arg(1), e.arg(2), 1, [&](llvm::Value *task) {
      llvm::Value *chunk = e.urem(task, plan_.chunks), *begin = e.mul(chunk, plan_.chunkSize);
      body(sharedRow(e, e.udiv(task, plan_.chunks)), chunk, begin, e.min(e.add(begin, plan_.chunkSize), count_));
    });
    e.ret();
  }

  llvm::Value *countsOf(Emitter &e, const Row &row, llvm::Value *chunk) {
    return e.gep(counter_, bytes(e, row.memory, plan_.countsAt), e.mul(chunk, bins(plan_)));
  }

  void emitCountPhase(unsigned pass, StringRef symbol) {
    Emitter e = function(symbol);
    forChunks(e, [&](Row row, llvm::Value *chunk, llvm::Value *begin, llvm::Value *end) {
      llvm::Value *lost = countDigits(e, row, pass, 1, begin, end, countsOf(e, row, chunk));
      if (pass == 0 && mayLose(plan_))
        e.store(e.b.CreateZExt(lost, counter_), e.gep(counter_, bytes(e, row.memory, plan_.flagsAt), chunk));
    });
  }

  // The worker's own memory: how many records with each digit there are in the row, and in the chunks before this one.
  void emitMovePhase(unsigned pass, StringRef symbol) {
    Emitter e = function(symbol);
    forChunks(e, [&](Row row, llvm::Value *chunk, llvm::Value *begin, llvm::Value *end) {
      llvm::Value *totals = e.arg(3), *places = bytes(e, totals, bins(plan_) * 4);
      auto *vector = llvm::FixedVectorType::get(counter_, kVector);
      e.loop(e.i64(0), e.i64(bins(plan_)), kVector, [&](llvm::Value *bin) {
        llvm::Value *none = llvm::ConstantInt::get(vector, 0);
        auto sum = [&](llvm::Value *from, llvm::Value *to, llvm::Value *start) {
          return e.loop(from, to, e.i64(1), {start},
                        [&](llvm::Value *other, llvm::ArrayRef<llvm::Value *> now) -> Values {
                          llvm::Value *counts = e.gep(counter_, countsOf(e, row, other), bin);
                          return {e.b.CreateAdd(now[0], e.load(vector, counts, 4))};
                        })[0];
        };
        llvm::Value *before = sum(e.i64(0), chunk, none);
        e.store(before, e.gep(counter_, places, bin), 4);
        e.store(sum(chunk, e.i64(plan_.chunks), before), e.gep(counter_, totals, bin), 4);
      });
      sumCounts(e, totals, places);
      moveRecords(e, row, pass, begin, end, places);
    });
  }

  void emitMendPhase(StringRef symbol) {
    Emitter e = function(symbol);
    e.loop(e.arg(1), e.arg(2), 1, [&](llvm::Value *number) {
      Row row = sharedRow(e, number);
      llvm::Value *flags = bytes(e, row.memory, plan_.flagsAt);
      Values lost = e.loop(e.i64(0), e.i64(plan_.chunks), e.i64(1), {e.b.getInt32(0)},
                           [&](llvm::Value *chunk, llvm::ArrayRef<llvm::Value *> now) -> Values {
                             return {e.b.CreateOr(now[0], e.load(counter_, e.gep(counter_, flags, chunk)))};
                           });
      e.ifThen(e.b.CreateIsNotNull(lost[0]), [&] { mend(e, row); });
    });
    e.ret();
  }

  const RadixPlan &plan_;
  sh::SortOp op_;
  const Kernel &kernel_;
  llvm::Module &module_;
  int64_t stride_, count_;
  Type key_;
  llvm::IntegerType *keyType_, *recordType_, *counter_;
  unsigned passes_;
};

} // namespace

RadixPlan planRadix(sh::SortOp op, const KeyOrder &order, int64_t rows, int64_t stride, int64_t count) {
  RadixPlan plan;
  plan.order = order;
  plan.keysOnly = op.getInputs().size() == 1;
  unsigned bits = keyBits(keyElement(op, plan));
  unsigned widest = bits > 16 && count >= kMinWideDigits ? kWideDigit : kNarrowDigit;
  for (unsigned done = 0; done < bits; done += plan.digits.back())
    plan.digits.push_back(std::min(widest, bits - done));
  if (count >= kMinShared && rows <= kMaxSharedRows)
    plan.chunks = std::min(kMaxChunks, count / (kMinShared / 2));
  plan.chunkSize = (count + plan.chunks - 1) / plan.chunks;
  auto take = [&](int64_t bytes) { return std::exchange(plan.rowBytes, plan.rowBytes + aligned(bytes)); };
  size_t buffers = std::min<size_t>(plan.digits.size() - 1, plan.keysOnly && stride == 1 ? 1 : 2);
  for (size_t i = 0; i < buffers; ++i)
    plan.recordBuffers.push_back(take(count * recordBits(op, plan) / 8));
  int64_t histograms = plan.chunks == 1 ? int64_t(plan.digits.size()) : plan.chunks;
  plan.countsAt = take(histograms * bins(plan) * 4);
  plan.flagsAt = take(plan.chunks * 4);
  return plan;
}

void addRadixPhases(const RadixPlan &plan, sh::SortOp op, StringRef symbol, int64_t rows, int64_t count,
                    Kernel &kernel) {
  double elements = double(rows) * double(count);
  if (plan.chunks == 1) {
    kernel.phases.push_back({symbol.str(), rows, 3.0 * double(plan.digits.size()) * elements});
    kernel.scratchBytes = plan.rowBytes;
    return;
  }
  for (size_t pass = 0; pass < plan.digits.size(); ++pass) {
    std::string name = symbol.str() + "." + std::to_string(pass);
    kernel.phases.push_back({name + ".count", rows * plan.chunks, elements});
    kernel.phases.push_back({name + ".move", rows * plan.chunks, 2 * elements});
  }
  if (mayLose(plan))
    kernel.phases.push_back({symbol.str() + ".mend", rows, 1000.0 * double(rows)});
  kernel.tempBytes = rows * plan.rowBytes;
  kernel.scratchBytes = 2 * bins(plan) * 4;
}

void emitRadix(const RadixPlan &plan, sh::SortOp op, const Kernel &kernel, int64_t stride, int64_t count,
               llvm::Module &module) {
  RadixEmitter(plan, op, kernel, stride, count, module).run();
}

} // namespace tenon::codegen::sort
