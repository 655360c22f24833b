#include "tenon/codegen/llvm/sort/rank.h"

namespace tenon::codegen::sort {
namespace {

// The code of a task, which is a row.
class RankCode {
public:
  RankCode(const TaskCode &code, const RankPlan &plan)
      : code_(code), e_(code.e), plan_(plan), key_(e_, code.sizes, plan.rows.key, plan.rows.order),
        row_(code, plan.rows, code.task), scalar_(e_.b.getIntNTy(plan.bits)),
        vector_(e_.vec(scalar_, unsigned(plan.lanes))), count_(code.sizes(plan.rows.count)),
        padded_(code.sizes(plan.padded)) {}

  void write() {
    writeKeys();
    e_.loop(e_.i64(0), padded_, plan_.lanes, [&](llvm::Value *first) { writeRanks(first); });
    e_.loop(e_.i64(0), count_, 1, [&](llvm::Value *i) {
      row_.move(i, e_.b.CreateZExt(e_.load(scalar_, rankAt(i)), e_.b.getInt64Ty()), nullptr);
    });
  }

private:
  llvm::Value *keyAt(llvm::Value *i) { return e_.gep(scalar_, code_.scratch, i); }
  llvm::Value *rankAt(llvm::Value *i) { return e_.gep(scalar_, code_.scratch, e_.add(i, padded_)); }

  void storeKeys(llvm::Value *i, unsigned lanes) {
    llvm::Value *key = key_.keyOf(row_.keyBits(i, lanes));
    llvm::Type *type = e_.vec(scalar_, lanes);
    // Signed comparisons are the ones that every machine has.
    llvm::Value *sign = llvm::ConstantInt::get(type, llvm::APInt::getSignMask(plan_.bits));
    e_.store(e_.b.CreateXor(e_.b.CreateZExt(key, type), sign), keyAt(i));
  }

  // Those that fill the last vector come after everything.
  void writeKeys() {
    llvm::Value *whole = code_.sizes(plan_.rows.stride == 1 ? plan_.rows.count / plan_.lanes * plan_.lanes : 0);
    e_.loop(e_.i64(0), whole, plan_.lanes, [&](llvm::Value *i) { storeKeys(i, unsigned(plan_.lanes)); });
    e_.loop(whole, count_, 1, [&](llvm::Value *i) { storeKeys(i, 1); });
    e_.loop(count_, padded_, 1, [&](llvm::Value *i) {
      e_.store(llvm::ConstantInt::get(scalar_, llvm::APInt::getSignedMaxValue(plan_.bits)), keyAt(i));
    });
  }

  llvm::Value *other(llvm::Value *j) { return e_.splat(e_.load(scalar_, keyAt(j)), unsigned(plan_.lanes)); }

  void writeRanks(llvm::Value *first) {
    llvm::Value *keys = e_.load(vector_, keyAt(first)), *end = e_.add(first, plan_.lanes);
    // All that are in front, but for those that are greater.
    llvm::Value *inFront = e_.splat(e_.b.CreateTrunc(first, scalar_), unsigned(plan_.lanes));
    Values rank =
        e_.loop(e_.i64(0), first, e_.i64(1), {inFront}, [&](llvm::Value *j, llvm::ArrayRef<llvm::Value *> now) {
          return Values{e_.b.CreateAdd(now[0], e_.b.CreateSExt(e_.b.CreateICmpSGT(other(j), keys), vector_))};
        });
    for (int64_t lane = 0; lane < plan_.lanes; ++lane) {
      llvm::Value *neighbour = other(e_.add(first, lane));
      llvm::SmallVector<llvm::Constant *, 16> later;
      for (int64_t i = 0; i < plan_.lanes; ++i)
        later.push_back(e_.b.getInt1(i > lane));
      llvm::Value *equal = e_.b.CreateAnd(e_.b.CreateICmpEQ(neighbour, keys), llvm::ConstantVector::get(later));
      llvm::Value *before = e_.b.CreateOr(e_.b.CreateICmpSLT(neighbour, keys), equal);
      rank[0] = e_.b.CreateSub(rank[0], e_.b.CreateSExt(before, vector_));
    }
    rank = e_.loop(end, padded_, e_.i64(1), rank, [&](llvm::Value *j, llvm::ArrayRef<llvm::Value *> now) {
      return Values{e_.b.CreateSub(now[0], e_.b.CreateSExt(e_.b.CreateICmpSLT(other(j), keys), vector_))};
    });
    e_.store(rank[0], rankAt(first));
  }

  const TaskCode &code_;
  Emitter &e_;
  const RankPlan &plan_;
  KeyCode key_;
  RowCode row_;
  llvm::Type *scalar_, *vector_;
  llvm::Value *count_, *padded_;
};

} // namespace

std::optional<RankPlan> planRanks(const SortedRows &rows, const KernelTarget &target) {
  RankPlan plan;
  plan.rows = rows;
  plan.bits = std::max(32u, keyBits(rows.key));
  plan.lanes = target.lanes(int(plan.bits));
  if (rows.count > target.costs().rankedRow || plan.lanes < 2)
    return std::nullopt;
  plan.padded = (rows.count + plan.lanes - 1) / plan.lanes * plan.lanes;
  return plan;
}

int64_t rankScratchBytes(const RankPlan &plan) { return 2 * plan.padded * plan.bits / 8; }

double rankNanoseconds(const RankPlan &plan, const CostModel &costs) {
  double each = costs.rankedElement + costs.rankedVector * double(plan.padded) / double(plan.lanes);
  return double(plan.rows.rows) * double(plan.padded) * each;
}

void emitRanks(const RankPlan &plan, const Kernel &kernel, llvm::Module &module) {
  double vectors = double(plan.padded) / double(plan.lanes);
  double cost = double(plan.padded) * (20 + 5 * vectors);
  emitTaskRoutine(module, kernel.phases[0].symbol, {"sort.ranks", cost},
                  [&](const TaskCode &code) { RankCode(code, plan).write(); });
}

} // namespace tenon::codegen::sort
