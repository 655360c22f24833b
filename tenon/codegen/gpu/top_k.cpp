#include "tenon/codegen/gpu/top_k.h"

#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tenon::codegen {
namespace {

// How many go on: the first `k` of each run, of the last one perhaps fewer.
int64_t leftAfter(const MergeSortPlan &round, int64_t k) {
  int64_t whole = round.runsOfRow() - 1;
  return whole * k + std::min(k, round.count - whole * round.run);
}

} // namespace

std::optional<GpuTopKPlan> planGpuTopK(const sort::TopKPlan &plan, const CostModel::Blocks &costs) {
  GpuTopKPlan topK;
  topK.rows = plan.rows;
  const sort::TopKRows &rows = topK.rows;
  if (rows.k == 0 || rows.rows == 0 || rows.count < costs.sortedRow)
    return std::nullopt;
  int64_t keyBytes = sort::keyBits(rows.element) / 8;
  MergeSortPlan round = planMergeSort(rows.rows, rows.count, keyBytes, costs);
  if (round.merges > 0 && rows.k > round.run / 2) {
    topK.tempBytes = round.tempBytes;
    topK.rounds.push_back(round);
    return topK;
  }
  if (round.merges > 0) {
    topK.sets = {rows.rows * leftAfter(round, rows.k), keyBytes};
    topK.tempBytes = topK.sets.bytes();
  }
  while (true) {
    bool isLast = round.merges == 0;
    round.merges = 0;
    round.tempBytes = 0;
    topK.rounds.push_back(round);
    if (isLast)
      return topK;
    round = planMergeSort(rows.rows, leftAfter(round, rows.k), keyBytes, costs);
  }
}

FormPhases GpuTopKPlan::phases() const {
  FormPhases phases;
  for (const MergeSortPlan &round : rounds)
    append_range(phases, round.phases());
  return phases;
}

void GpuTopKPlan::print(raw_ostream &os) const {
  for (const MergeSortPlan &round : rounds) {
    os << rows.k << " of ";
    round.print(os);
  }
}

namespace {

// The code of one phase.
class TopKPhase {
public:
  TopKPhase(const GpuTopKPlan &plan, size_t round, Module &module, StringRef symbol, GpuBuilder &gpu)
      : plan_(plan), round_(round), e_(module, symbol, kernelParameters(module.getContext()), false), sizes_(e_),
        key_(e_, sizes_, plan.rows.element, {.descending = true}), i32_(e_.b.getInt32Ty()),
        temp_(e_.buffer(e_.arg(0), kTemp)), code_(plan.rounds[round], e_, gpu, temp_) {}

  void emitRuns() {
    code_.emitRun(
        e_.arg(1), [&](Value *row, Value *i) { return keyOf(row, i); },
        [&](Value *row, Value *i, Value *place, Value *key) { pass(row, i, place, key); });
    e_.ret();
  }

  void emitMerge(int number) {
    e_.loop(e_.arg(1), e_.arg(2), 1, [&](Value *task) {
      code_.emitMerge(number, task, [&](Value *row, Value *i, Value *place, Value *key) { pass(row, i, place, key); });
    });
    e_.ret();
  }

private:
  enum Buffer : int { kOperand, kValues, kPositions, kTemp };

  const MergeSortPlan &round() const { return plan_.rounds[round_]; }
  bool isLast() const { return round_ + 1 == plan_.rounds.size(); }

  Value *operandAt(Value *row, Value *position) {
    return e_.gep(key_.type(), e_.buffer(e_.arg(0), kOperand), e_.add(e_.mul(row, plan_.rows.count), position));
  }

  // The elements that a round after the first begins with, so many in a row.
  Value *inSet(size_t round, bool isPosition, Value *row, Value *i) {
    int64_t count = plan_.rounds[round].count;
    int64_t offset = isPosition ? plan_.sets.positionsOffset(int64_t(round)) : plan_.sets.keysOffset(int64_t(round));
    return e_.gep(isPosition ? i32_ : key_.type(), e_.gep(e_.b.getInt8Ty(), temp_, offset),
                  e_.add(e_.mul(row, count), i));
  }

  Value *keyOf(Value *row, Value *i) {
    if (round_ > 0)
      return e_.load(key_.type(), inSet(round_, false, row, i));
    return key_.keyOf(e_.load(key_.type(), operandAt(row, i)));
  }

  // The position in the operand of what is at position `i` of this round.
  Value *originOf(Value *row, Value *i) {
    return round_ == 0 ? i : e_.b.CreateZExt(e_.load(i32_, inSet(round_, true, row, i)), e_.b.getInt64Ty());
  }

  void pass(Value *row, Value *i, Value *place, Value *key) {
    bool isWhole = round().merges > 0; // sorted as one row
    Value *rank = isWhole ? place : e_.urem(place, round().run);
    e_.ifThen(e_.b.CreateICmpSLT(rank, e_.i64(plan_.rows.k)), [&] {
      Value *origin = originOf(row, i);
      if (isLast())
        return write(row, rank, origin);
      Value *next = e_.add(e_.mul(e_.udiv(place, round().run), plan_.rows.k), rank);
      e_.store(key, inSet(round_ + 1, false, row, next));
      e_.store(e_.b.CreateTrunc(origin, i32_), inSet(round_ + 1, true, row, next));
    });
  }

  void write(Value *row, Value *rank, Value *origin) {
    Type *positionType = e_.b.getIntNTy(plan_.rows.positionBits);
    Value *to = e_.add(e_.mul(row, plan_.rows.k), rank);
    e_.store(e_.load(key_.type(), operandAt(row, origin)), e_.gep(key_.type(), e_.buffer(e_.arg(0), kValues), to));
    e_.store(e_.b.CreateTrunc(origin, positionType), e_.gep(positionType, e_.buffer(e_.arg(0), kPositions), to));
  }

  const GpuTopKPlan &plan_;
  size_t round_;
  Emitter e_;
  Sizes sizes_;
  sort::KeyCode key_;
  Type *i32_;
  Value *temp_;
  MergeSortCode code_;
};

} // namespace

LogicalResult emitGpuTopK(const GpuTopKPlan &plan, const Kernel &kernel, Module &module, GpuBuilder &gpu) {
  size_t phase = 0;
  for (size_t round = 0; round < plan.rounds.size(); ++round) {
    TopKPhase(plan, round, module, kernel.phases[phase++].symbol, gpu).emitRuns();
    for (int merge = 0; merge < plan.rounds[round].merges; ++merge)
      TopKPhase(plan, round, module, kernel.phases[phase++].symbol, gpu).emitMerge(merge);
  }
  return success();
}

} // namespace tenon::codegen
