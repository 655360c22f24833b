// chlo.top_k: the k largest elements of each row, largest first, equal ones by position.
//
// A candidate is one signed 64-bit integer, key << 32 | position: smaller is better, and no two are equal. A task scans
// its row in vectors and compares keys with the worst of the k best so far. The few that may belong to the answer are
// appended to a buffer; when a batch of them has come it is sorted, by ranks where it is short, and merged with the k
// best, which are in order. For random data a row of n elements appends about k ln(n / k) candidates if the limit is up
// to date, so batches are short. Where k is small each candidate is inserted into the k best at once: in short rows,
// batches are what takes long. A task is a routine.

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

// Batches of more candidates are sorted by merging: ranks take as many comparisons as there are pairs.
constexpr int64_t kMostRanked = 256;

// Candidates that are sorted at once. The buffer has room for two batches, so that it has to be looked at only after as
// many elements.
int64_t batchSize(const TopKPlan &plan) { return plan.capacity / 2; }

// Candidates in a vector.
int64_t candidateLanes(const TopKPlan &plan) { return std::max<int64_t>(1, plan.lanes / 2); }

// Candidates that are ranked together, so that others are read once for all of them.
constexpr int64_t kRankedTogether = 4;

// Candidates, and what fills the last vector of them and those that are ranked together.
int64_t fill(const TopKPlan &plan) { return std::max(candidateLanes(plan), kRankedTogether); }
int64_t bufferSize(const TopKPlan &plan) { return plan.capacity + fill(plan); }

// Instructions, roughly.
struct TopKCost {
  explicit TopKCost(const TopKPlan &plan) : scan(8.0 * double(plan.rows.count) / double(plan.lanes)) {
    if (plan.inserts)
      return;
    double size = double(batchSize(plan));
    double each = batchSize(plan) <= kMostRanked ? size / 2 : 10.0 * llvm::Log2_64_Ceil(uint64_t(batchSize(plan)));
    batch = each * size + 8.0 * double(plan.rows.k);
    batches = double(plan.rows.count) / size;
  }

  double scan;        // of a row
  double batch = 0;   // sorted and merged with the k best
  double batches = 0; // at most, where each element is larger than those before it
};

// The code of a task, which is a row.
class TopKCode {
public:
  TopKCode(const TaskCode &code, const TopKPlan &plan)
      : code_(code), e_(code.e), plan_(plan), element_(e_.b.getIntNTy(keyBits(plan.rows.element))),
        i32_(e_.b.getInt32Ty()), i64_(e_.b.getInt64Ty()), count_(code.sizes(plan.rows.count)),
        k_(code.sizes(plan.rows.k)), batch_(code.sizes(batchSize(plan))),
        // Smaller is better.
        key_(e_, code.sizes, plan.rows.element, {.descending = true}) {
    TopKCost cost(plan);
    asks_ = !code.sizes.areConstants() && cost.batches * cost.batch > kLongestTask;
  }

  // The state between candidates: how many are in the buffer, the worst key that may still enter, and whether it may
  // itself: until k are known, so that the worst of all keys can enter. With a buffer also how many of the k best are
  // known.
  void write() {
    row_ = e_.gep(element_, e_.buffer(code_.buffers, 0), code_.sizes.product(code_.task, plan_.rows.count));
    e_.loop(e_.i64(0), k_, 1, [&](llvm::Value *i) { e_.store(nothing(), e_.gep(i64_, best(), i)); });
    Values state{e_.i64(0), e_.b.getInt32(INT32_MAX), e_.b.getInt1(true), e_.i64(0)};
    if (plan_.inserts)
      scanRange(e_.i64(0), code_.sizes(plan_.rows.count / plan_.lanes * plan_.lanes), count_, state);
    else
      e_.loop(e_.i64(0), count_, batch_, state, [&](llvm::Value *first, llvm::ArrayRef<llvm::Value *> now) {
        llvm::Value *end = e_.min(e_.add(first, batch_), count_);
        llvm::Value *whole = e_.sub(end, e_.urem(e_.sub(end, first), plan_.lanes));
        Values after = scanRange(first, whole, end, now);
        llvm::Value *isFull = e_.b.CreateICmpUGE(after[0], batch_), *isLast = e_.b.CreateICmpEQ(end, count_);
        return e_.ifElse(
            e_.b.CreateOr(isFull, isLast), [&] { return mergeBatch(after[0], after[3]); }, [&] { return after; });
      });
    writeRow();
  }

private:
  // The k best, in order; new ones of them; candidates, and these in order.
  llvm::Value *best() { return code_.scratch; }
  llvm::Value *newBest() { return e_.gep(i64_, best(), k_); }
  llvm::Value *candidates() { return e_.gep(i64_, newBest(), k_); }
  llvm::Value *sorted() { return e_.gep(i64_, candidates(), code_.sizes(bufferSize(plan_))); }
  // What is worse than any candidate: no position is as large.
  llvm::Value *nothing() { return e_.i64(INT64_MAX); }
  llvm::Value *operand(llvm::Value *position) { return e_.gep(element_, row_, position); }

  // Signed: comparisons of unsigned vectors are not there on every machine.
  llvm::Value *keys(llvm::Value *position, unsigned width) {
    llvm::Value *bits = e_.load(e_.vec(element_, width), operand(position));
    llvm::Type *type = e_.vec(i32_, width);
    llvm::Value *key = e_.b.CreateZExt(key_.keyOf(bits), type);
    return e_.b.CreateXor(key, llvm::ConstantInt::get(type, uint32_t(INT32_MIN)));
  }

  llvm::Value *enters(llvm::Value *keys, llvm::ArrayRef<llvm::Value *> state, unsigned width) {
    llvm::Value *limit = e_.splat(state[1], width);
    return e_.b.CreateOr(e_.b.CreateICmpSLT(keys, limit),
                         e_.b.CreateAnd(e_.splat(state[2], width), e_.b.CreateICmpEQ(keys, limit)));
  }

  // In vectors up to `whole`.
  Values scanRange(llvm::Value *first, llvm::Value *whole, llvm::Value *end, llvm::ArrayRef<llvm::Value *> state) {
    Values after =
        e_.loop(first, whole, e_.i64(plan_.lanes), state,
                [&](llvm::Value *i, llvm::ArrayRef<llvm::Value *> now) { return scan(i, unsigned(plan_.lanes), now); });
    return e_.loop(whole, end, e_.i64(1), after,
                   [&](llvm::Value *i, llvm::ArrayRef<llvm::Value *> now) { return scan(i, 1, now); });
  }

  Values scan(llvm::Value *position, unsigned width, llvm::ArrayRef<llvm::Value *> state) {
    llvm::Value *keys = this->keys(position, width);
    llvm::Value *mask = enters(keys, state, width);
    auto none = [&] { return Values(state); };
    if (width == 1)
      return e_.ifElse(mask, [&] { return append(keys, position, state); }, none);
    llvm::Value *lanes = e_.b.CreateZExt(e_.b.CreateBitCast(mask, e_.b.getIntNTy(width)), i64_);
    return e_.ifElse(e_.b.CreateIsNotNull(lanes), [&] { return appendLanes(position, lanes, state); }, none);
  }

  // Those whose bit is set, in order: at least one. The limit may pass some of them on the way, which does no harm.
  Values appendLanes(llvm::Value *position, llvm::Value *lanes, llvm::ArrayRef<llvm::Value *> state) {
    Values start(state);
    start.push_back(lanes);
    llvm::Value *count = e_.b.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, lanes);
    Values after = e_.countDown(count, start, [&](llvm::ArrayRef<llvm::Value *> now) {
      llvm::Value *left = now.back();
      llvm::Value *lane = e_.b.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, left, e_.b.getTrue());
      llvm::Value *there = e_.add(position, lane);
      Values next = append(keys(there, 1), there, now.drop_back());
      next.push_back(e_.b.CreateAnd(left, e_.add(left, -1)));
      return next;
    });
    after.pop_back();
    return after;
  }

  Values append(llvm::Value *key, llvm::Value *position, llvm::ArrayRef<llvm::Value *> state) {
    llvm::Value *candidate = e_.b.CreateOr(e_.b.CreateShl(e_.b.CreateZExt(key, i64_), 32), position);
    if (plan_.inserts)
      return insert(candidate, state[3]);
    e_.store(candidate, e_.gep(i64_, candidates(), state[0]));
    return {e_.add(state[0], 1), state[1], state[2], state[3]};
  }

  // The worst of the k best and the candidate falls out at the end. Without a branch that would be guessed wrongly.
  Values insert(llvm::Value *candidate, llvm::Value *known) {
    Values after = e_.loop(e_.i64(0), k_, e_.i64(1), {candidate, nothing()},
                           [&](llvm::Value *i, llvm::ArrayRef<llvm::Value *> now) -> Values {
                             llvm::Value *place = e_.gep(i64_, best(), i), *there = e_.load(i64_, place);
                             llvm::Value *isBetter = e_.b.CreateICmpSLT(now[0], there);
                             llvm::Value *better = e_.b.CreateSelect(isBetter, now[0], there);
                             e_.store(better, place);
                             return {e_.b.CreateSelect(isBetter, there, now[0]), better};
                           });
    return stateWith(after[1], known);
  }

  // An empty buffer, with the worst of the k best.
  Values stateWith(llvm::Value *worst, llvm::Value *known) {
    llvm::Value *limit = e_.b.CreateTrunc(e_.b.CreateAShr(worst, 32), i32_);
    // Later positions lose against an equal key.
    return {e_.i64(0), limit, e_.b.CreateICmpEQ(worst, nothing()), known};
  }

  Values mergeBatch(llvm::Value *size, llvm::Value *known) {
    if (asks_)
      askWhetherToStop(e_);
    llvm::Value *batch = sortBatch(size);
    e_.store(nothing(), e_.gep(i64_, batch, size));
    llvm::Value *nowKnown = e_.min(e_.add(known, size), k_);
    e_.loop(e_.i64(0), nowKnown, e_.i64(1), {e_.i64(0), e_.i64(0)},
            [&](llvm::Value *i, llvm::ArrayRef<llvm::Value *> heads) -> Values {
              llvm::Value *old = e_.load(i64_, e_.gep(i64_, best(), heads[0]));
              llvm::Value *candidate = e_.load(i64_, e_.gep(i64_, batch, heads[1]));
              llvm::Value *isBetter = e_.b.CreateICmpSLT(candidate, old);
              e_.store(e_.b.CreateSelect(isBetter, candidate, old), e_.gep(i64_, newBest(), i));
              llvm::Value *taken = e_.b.CreateZExt(isBetter, i64_), *next = e_.add(heads[1], taken);
              return {e_.sub(e_.add(i, 1), next), next};
            });
    e_.b.CreateMemCpy(best(), llvm::MaybeAlign(8), newBest(), llvm::MaybeAlign(8), e_.mul(nowKnown, 8));
    return stateWith(e_.load(i64_, e_.gep(i64_, best(), e_.add(k_, -1))), nowKnown);
  }

  llvm::Value *sortBatch(llvm::Value *size) {
    if (batchSize(plan_) > kMostRanked)
      return emitMergeSort(e_, i64_, candidates(), sorted(), size,
                           [&](llvm::Value *a, llvm::Value *b) { return e_.b.CreateICmpSLT(a, b); });
    // Each goes to where as many are before it. What fills the last vector is before none, and behind all.
    const unsigned lanes = unsigned(candidateLanes(plan_));
    llvm::Type *vector = e_.vec(i64_, lanes);
    e_.store(e_.splat(nothing(), unsigned(fill(plan_))), e_.gep(i64_, candidates(), size));
    e_.loop(e_.i64(0), size, kRankedTogether, [&](llvm::Value *i) {
      Values ranked, each;
      for (int64_t k = 0; k < kRankedTogether; ++k) {
        ranked.push_back(e_.load(i64_, e_.gep(i64_, candidates(), e_.add(i, k))));
        each.push_back(e_.splat(ranked.back(), lanes));
      }
      Values before(each.size(), llvm::Constant::getNullValue(vector));
      before = e_.loop(e_.i64(0), size, e_.i64(lanes), before, [&](llvm::Value *j, llvm::ArrayRef<llvm::Value *> now) {
        llvm::Value *others = e_.load(vector, e_.gep(i64_, candidates(), j));
        Values next;
        for (auto [candidate, count] : llvm::zip_equal(each, now))
          next.push_back(e_.b.CreateSub(count, e_.b.CreateSExt(e_.b.CreateICmpSLT(others, candidate), vector)));
        return next;
      });
      for (auto [candidate, count] : llvm::zip_equal(ranked, before))
        e_.store(candidate, e_.gep(i64_, sorted(), lanes == 1 ? count : e_.b.CreateAddReduce(count)));
    });
    return sorted();
  }

  void writeRow() {
    llvm::Type *positionType = e_.b.getIntNTy(plan_.rows.positionBits);
    llvm::Value *first = code_.sizes.product(code_.task, plan_.rows.k);
    e_.loop(e_.i64(0), k_, 1, [&](llvm::Value *i) {
      llvm::Value *candidate = e_.load(i64_, e_.gep(i64_, best(), i));
      llvm::Value *position = e_.b.CreateAnd(candidate, 0xffffffffu), *to = e_.add(first, i);
      e_.store(e_.load(element_, operand(position)), e_.gep(element_, e_.buffer(code_.buffers, 1), to));
      e_.store(e_.b.CreateTrunc(position, positionType), e_.gep(positionType, e_.buffer(code_.buffers, 2), to));
    });
  }

  const TaskCode &code_;
  Emitter &e_;
  const TopKPlan &plan_;
  llvm::Type *element_, *i32_, *i64_;
  llvm::Value *count_, *k_, *batch_, *row_ = nullptr;
  KeyCode key_;
  // Whether the routine asks whether to stop, before it sorts a batch.
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
  // Short batches keep the limit up to date, but each is merged with all of the k best: at 64 of 32768, batches of 64
  // took a fourth of the time of sorting 192 at once.
  constexpr int64_t kShortestBatch = 64, kPartOfBest = 8;
  int64_t batch = std::max<int64_t>(kShortestBatch, int64_t(llvm::PowerOf2Ceil(uint64_t(rows.k / kPartOfBest))));
  plan.capacity = plan.inserts ? rows.k : 2 * batch;
  plan.lanes = target.lanes(32);
  Kernel &kernel = plan.kernel;
  kernel.kind = "top_k";
  double perRow = double(rows.count) * target.costs().topKElement + double(rows.k) * target.costs().topKResult;
  kernel.phases.push_back({symbol.str(), rows.k == 0 ? 0 : rows.rows, double(rows.rows) * perRow});
  kernel.scratchBytes = (plan.inserts ? rows.k : 2 * (rows.k + bufferSize(plan))) * 8 + 128;
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
  emitTaskRoutine(module, plan.kernel.phases[0].symbol, {"top_k", cost.scan + cost.batch},
                  [&](const TaskCode &code) { TopKCode(code, plan).write(); });
}

} // namespace tenon::codegen::sort
