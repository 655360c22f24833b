// chlo.top_k: the k largest elements of each row, largest first, equal ones by position.
//
// A candidate is one 64-bit integer, (inverted ordered key) << 32 | position: smaller is better, and no two are equal.
// A task scans its row in vectors and compares keys with the worst of the k best so far; the few that may belong to the
// answer are appended to a buffer, and when that is full it is sorted and cut to k. For random data a row of n elements
// appends about k ln(n / k) candidates, so in long rows the scan is all that counts. Where k is small the k best so far
// are kept in order instead, and each candidate is inserted: in short rows, sorting the buffer a few times is what
// takes long. A task is a routine.

#include "tenon/codegen/common/region/region_indexer.h"
#include "tenon/codegen/llvm/element/element.h"
#include "tenon/codegen/llvm/sort/order.h"
#include "tenon/codegen/llvm/sort/sort.h"
#include "tenon/codegen/llvm/stop_checks.h"
#include "tenon/codegen/llvm/task_routine.h"
#include "tenon/ir/chlo.h"

using namespace mlir;

namespace tenon::codegen::sort {
namespace {

// The largest k for which candidates are inserted. At 32 of 1000 that takes 0.6 of the time of sorting them.
constexpr int64_t kMostInserted = 32;

// Instructions, roughly.
struct TopKCost {
  explicit TopKCost(const TopKPlan &plan)
      : scan(8.0 * double(plan.rows.count) / double(plan.lanes)),
        sort(10.0 * double(plan.capacity) * llvm::Log2_64_Ceil(uint64_t(plan.capacity))),
        sorts(plan.inserts ? 1 : double(plan.rows.count) / double(plan.capacity - plan.rows.k)) {}

  double scan;  // of a row
  double sort;  // of the buffer
  double sorts; // at most, where each element is larger than those before it
};

// The code of a task, which is a row.
class TopKCode {
public:
  TopKCode(const TaskCode &code, const TopKPlan &plan)
      : code_(code), e_(code.e), plan_(plan), element_(e_.b.getIntNTy(keyBits(plan.rows.element))),
        i32_(e_.b.getInt32Ty()), i64_(e_.b.getInt64Ty()), count_(code.sizes(plan.rows.count)),
        k_(code.sizes(plan.rows.k)), capacity_(code.sizes(plan.capacity)),
        // Smaller is better.
        key_(e_, code.sizes, plan.rows.element, {.descending = true}) {
    TopKCost cost(plan);
    asks_ = !code.sizes.areConstants() && cost.sorts * cost.sort > kLongestTask;
  }

  // The state between candidates: how many are in the buffer, and the worst key that may still enter.
  void write() {
    row_ = e_.gep(element_, e_.buffer(code_.buffers, 0), code_.sizes.product(code_.task, plan_.rows.count));
    llvm::Value *whole = code_.sizes(plan_.rows.count / plan_.lanes * plan_.lanes);
    if (plan_.inserts)
      e_.loop(e_.i64(0), k_, 1, [&](llvm::Value *i) { e_.store(nothing(), e_.gep(i64_, firstHalf(), i)); });
    // The limit is inclusive until k candidates are known, so that a key of all ones can enter.
    Values state{e_.i64(0), e_.b.getInt32(-1), e_.b.getInt1(true)};
    state =
        e_.loop(e_.i64(0), whole, e_.i64(plan_.lanes), state,
                [&](llvm::Value *i, llvm::ArrayRef<llvm::Value *> now) { return scan(i, unsigned(plan_.lanes), now); });
    state = e_.loop(whole, count_, e_.i64(1), state,
                    [&](llvm::Value *i, llvm::ArrayRef<llvm::Value *> now) { return scan(i, 1, now); });
    writeRow(plan_.inserts ? firstHalf() : sortBuffer(state[0]));
  }

private:
  llvm::Value *firstHalf() { return code_.scratch; }
  llvm::Value *secondHalf() { return e_.gep(i64_, code_.scratch, capacity_); }
  // What is worse than any candidate.
  llvm::Value *nothing() { return e_.i64(-1); }
  llvm::Value *operand(llvm::Value *position) { return e_.gep(element_, row_, position); }

  llvm::Value *keys(llvm::Value *position, unsigned width) {
    llvm::Value *bits = e_.load(e_.vec(element_, width), operand(position));
    return e_.b.CreateZExt(key_.keyOf(bits), e_.vec(i32_, width));
  }

  llvm::Value *enters(llvm::Value *keys, llvm::ArrayRef<llvm::Value *> state, unsigned width) {
    llvm::Value *limit = e_.splat(state[1], width);
    return e_.b.CreateOr(e_.b.CreateICmpULT(keys, limit),
                         e_.b.CreateAnd(e_.splat(state[2], width), e_.b.CreateICmpEQ(keys, limit)));
  }

  Values scan(llvm::Value *position, unsigned width, llvm::ArrayRef<llvm::Value *> state) {
    llvm::Value *keys = this->keys(position, width);
    llvm::Value *mask = enters(keys, state, width);
    if (width == 1)
      return e_.ifElse(mask, [&] { return append(keys, position, state); }, [&] { return Values(state); });
    llvm::Value *bits = e_.b.CreateBitCast(mask, e_.b.getIntNTy(width));
    llvm::Value *wide = e_.b.CreateZExt(bits, i64_);
    return e_.ifElse(
        e_.b.CreateIsNotNull(wide),
        [&] {
          Values start(state);
          return e_.loop(e_.i64(0), e_.i64(width), e_.i64(1), start,
                         [&](llvm::Value *lane, llvm::ArrayRef<llvm::Value *> now) -> Values {
                           llvm::Value *key = e_.b.CreateExtractElement(keys, lane);
                           return e_.ifElse(
                               enters(key, now, 1), [&] { return append(key, e_.b.CreateAdd(position, lane), now); },
                               [&] { return Values(now); });
                         });
        },
        [&] { return Values(state); });
  }

  Values append(llvm::Value *key, llvm::Value *position, llvm::ArrayRef<llvm::Value *> state) {
    llvm::Value *candidate = e_.b.CreateOr(e_.b.CreateShl(e_.b.CreateZExt(key, i64_), 32), position);
    if (plan_.inserts)
      return insert(candidate);
    e_.store(candidate, e_.gep(i64_, firstHalf(), state[0]));
    llvm::Value *size = e_.add(state[0], 1);
    llvm::Value *limit = state[1], *inclusive = state[2];
    return e_.ifElse(
        e_.b.CreateICmpEQ(size, capacity_),
        [&]() -> Values {
          if (asks_)
            askWhetherToStop(e_);
          llvm::Value *sorted = sortBuffer(size);
          e_.b.CreateMemMove(firstHalf(), llvm::MaybeAlign(8), sorted, llvm::MaybeAlign(8), e_.mul(k_, 8));
          llvm::Value *worst = e_.load(i64_, e_.gep(i64_, firstHalf(), e_.add(k_, -1)));
          // Later positions lose against an equal key.
          return {k_, e_.b.CreateTrunc(e_.b.CreateLShr(worst, 32), i32_), e_.b.getInt1(false)};
        },
        [&]() -> Values { return {size, limit, inclusive}; });
  }

  // The worst of the k best and the candidate falls out at the end. Without a branch that would be guessed wrongly.
  Values insert(llvm::Value *candidate) {
    Values after = e_.loop(e_.i64(0), k_, e_.i64(1), {candidate, nothing()},
                           [&](llvm::Value *i, llvm::ArrayRef<llvm::Value *> now) -> Values {
                             llvm::Value *place = e_.gep(i64_, firstHalf(), i), *there = e_.load(i64_, place);
                             llvm::Value *isBetter = e_.b.CreateICmpULT(now[0], there);
                             llvm::Value *better = e_.b.CreateSelect(isBetter, now[0], there);
                             e_.store(better, place);
                             return {e_.b.CreateSelect(isBetter, there, now[0]), better};
                           });
    llvm::Value *worst = after[1];
    return {e_.i64(0), e_.b.CreateTrunc(e_.b.CreateLShr(worst, 32), i32_), e_.b.CreateICmpEQ(worst, nothing())};
  }

  llvm::Value *sortBuffer(llvm::Value *size) {
    return emitMergeSort(e_, i64_, firstHalf(), secondHalf(), size,
                         [&](llvm::Value *a, llvm::Value *b) { return e_.b.CreateICmpULT(a, b); });
  }

  void writeRow(llvm::Value *sorted) {
    llvm::Type *positionType = e_.b.getIntNTy(plan_.rows.positionBits);
    llvm::Value *first = code_.sizes.product(code_.task, plan_.rows.k);
    e_.loop(e_.i64(0), k_, 1, [&](llvm::Value *i) {
      llvm::Value *candidate = e_.load(i64_, e_.gep(i64_, sorted, i));
      llvm::Value *position = e_.b.CreateAnd(candidate, 0xffffffffu), *to = e_.add(first, i);
      e_.store(e_.load(element_, operand(position)), e_.gep(element_, e_.buffer(code_.buffers, 1), to));
      e_.store(e_.b.CreateTrunc(position, positionType), e_.gep(positionType, e_.buffer(code_.buffers, 2), to));
    });
  }

  const TaskCode &code_;
  Emitter &e_;
  const TopKPlan &plan_;
  llvm::Type *element_, *i32_, *i64_;
  llvm::Value *count_, *k_, *capacity_, *row_ = nullptr;
  KeyCode key_;
  // Whether the routine asks whether to stop, before it sorts the buffer.
  bool asks_ = false;
};

} // namespace

bool canEmitTopK(Operation *op) {
  auto topK = dyn_cast<chlo::TopKOp>(op);
  if (!topK)
    return false;
  auto type = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
  return type && type.hasStaticShape() && type.getRank() > 0 && hasOrderedKey(type.getElementType()) &&
         keyBits(type.getElementType()) <= 32 && type.getShape().back() <= INT32_MAX;
}

TopKPlan planTopK(Operation *op, StringRef symbol, const KernelTarget &target) {
  auto type = cast<RankedTensorType>(op->getOperand(0).getType());
  TopKRows rows;
  rows.element = type.getElementType();
  rows.positionBits = elementTypeOf(op->getResult(1)).getIntOrFloatBitWidth();
  rows.count = type.getShape().back();
  rows.k = cast<chlo::TopKOp>(op).getK();
  rows.rows = rows.count == 0 ? 0 : type.getNumElements() / rows.count;
  return planTopK(rows, symbol, target);
}

TopKPlan planTopK(const TopKRows &rows, StringRef symbol, const KernelTarget &target) {
  TopKPlan plan;
  plan.rows = rows;
  // Rows of ever larger elements insert each: longer ones would have to ask whether to stop.
  constexpr double kInsertion = 4; // instructions for each of the k best
  plan.inserts = rows.k <= kMostInserted && kInsertion * double(rows.count) * double(rows.k) <= kLongestTask;
  plan.capacity = plan.inserts ? rows.k : 2 * rows.k + 64;
  plan.lanes = target.lanes(32);
  Kernel &kernel = plan.kernel;
  kernel.kind = "top_k";
  double perRow = double(rows.count) * target.costs().topKElement + double(rows.k) * target.costs().topKResult;
  kernel.phases.push_back({symbol.str(), rows.k == 0 ? 0 : rows.rows, double(rows.rows) * perRow});
  kernel.scratchBytes = (plan.inserts ? 1 : 2) * plan.capacity * 8 + 128;
  kernel.resultInit.assign(2, -1);
  kernel.bytes = double(rows.rows) * double(rows.count) * double(storageBytes(rows.element));
  return plan;
}

void TopKPlan::print(llvm::raw_ostream &os) const {
  os << rows.k << " of " << rows.rows << " rows of " << rows.count << " lanes " << lanes;
  if (inserts)
    os << " inserts\n";
  else
    os << " buffer of " << capacity << '\n';
}

void emitTopK(const TopKPlan &plan, llvm::Module &module) {
  TopKCost cost(plan);
  emitTaskRoutine(module, plan.kernel.phases[0].symbol, {"top_k", cost.scan + cost.sort},
                  [&](const TaskCode &code) { TopKCode(code, plan).write(); });
}

} // namespace tenon::codegen::sort
