#include "tenon/codegen/llvm/sort/rank.h"

#include "tenon/codegen/common/region/region_indexer.h"
#include "tenon/codegen/llvm/element/element.h"
#include "tenon/codegen/llvm/emitter.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::codegen::sort {
namespace {

// Beyond this many elements a radix sort is faster.
constexpr int64_t kMaxCount = 128;

class RankEmitter {
public:
  RankEmitter(const RankPlan &plan, sh::SortOp op, const Kernel &kernel, int64_t stride, int64_t count,
              llvm::Module &module)
      : plan_(plan), op_(op), e_(module, kernel.phases[0].symbol, kernelParameters(module.getContext()), false),
        stride_(stride), count_(count), key_(elementTypeOf(op->getOperand(plan.order.operand))),
        scalar_(e_.b.getIntNTy(plan.bits)), vector_(e_.vec(scalar_, unsigned(plan.lanes))) {}

  void run() {
    e_.loop(e_.arg(1), e_.arg(2), 1, [&](llvm::Value *row) {
      llvm::Value *base = stride_ == 1 ? e_.mul(row, count_)
                                       : e_.add(e_.mul(e_.udiv(row, stride_), stride_ * count_), e_.urem(row, stride_));
      emitKeys(base);
      e_.loop(e_.i64(0), e_.i64(plan_.padded), plan_.lanes, [&](llvm::Value *first) { emitRanks(first); });
      emitResults(base);
    });
    e_.ret();
  }

private:
  llvm::Value *keyAt(llvm::Value *i) { return e_.gep(scalar_, e_.arg(3), i); }
  llvm::Value *rankAt(llvm::Value *i) { return e_.gep(scalar_, e_.arg(3), e_.add(i, plan_.padded)); }

  void storeKeys(llvm::Value *base, llvm::Value *i, unsigned lanes) {
    llvm::Value *address =
        elementAddress(e_.b, key_, e_.buffer(e_.arg(0), int(plan_.order.operand)), e_.add(base, e_.mul(i, stride_)));
    llvm::Value *key = orderedKey(e_.b, key_, plan_.order, loadElements(e_.b, key_, address, lanes).re);
    llvm::Type *type = e_.vec(scalar_, lanes);
    // Signed comparisons are the ones that every machine has.
    llvm::Value *sign = llvm::ConstantInt::get(type, llvm::APInt::getSignMask(plan_.bits));
    e_.store(e_.b.CreateXor(e_.b.CreateZExt(key, type), sign), keyAt(i));
  }

  // Those that fill the last vector come after everything.
  void emitKeys(llvm::Value *base) {
    int64_t whole = stride_ == 1 ? count_ / plan_.lanes * plan_.lanes : 0;
    e_.loop(e_.i64(0), e_.i64(whole), plan_.lanes, [&](llvm::Value *i) { storeKeys(base, i, unsigned(plan_.lanes)); });
    e_.loop(e_.i64(whole), e_.i64(count_), 1, [&](llvm::Value *i) { storeKeys(base, i, 1); });
    e_.loop(e_.i64(count_), e_.i64(plan_.padded), 1, [&](llvm::Value *i) {
      e_.store(llvm::ConstantInt::get(scalar_, llvm::APInt::getSignedMaxValue(plan_.bits)), keyAt(i));
    });
  }

  llvm::Value *other(llvm::Value *j) { return e_.splat(e_.load(scalar_, keyAt(j)), unsigned(plan_.lanes)); }

  void emitRanks(llvm::Value *first) {
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
    rank = e_.loop(end, e_.i64(plan_.padded), e_.i64(1), rank, [&](llvm::Value *j, llvm::ArrayRef<llvm::Value *> now) {
      return Values{e_.b.CreateSub(now[0], e_.b.CreateSExt(e_.b.CreateICmpSLT(other(j), keys), vector_))};
    });
    e_.store(rank[0], rankAt(first));
  }

  void emitResults(llvm::Value *base) {
    e_.loop(e_.i64(0), e_.i64(count_), 1, [&](llvm::Value *i) {
      llvm::Value *target = e_.b.CreateZExt(e_.load(scalar_, rankAt(i)), e_.b.getInt64Ty());
      for (unsigned operand = 0; operand < op_.getInputs().size(); ++operand) {
        Type element = elementTypeOf(op_->getOperand(operand));
        auto at = [&](unsigned buffer, llvm::Value *position) {
          return elementAddress(e_.b, element, e_.buffer(e_.arg(0), int(buffer)),
                                e_.add(base, e_.mul(position, stride_)));
        };
        storeElements(e_.b, element, loadElements(e_.b, element, at(operand, i), 1),
                      at(op_->getNumOperands() + operand, target), 1);
      }
    });
  }

  const RankPlan &plan_;
  sh::SortOp op_;
  Emitter e_;
  int64_t stride_, count_;
  Type key_;
  llvm::Type *scalar_, *vector_;
};

} // namespace

std::optional<RankPlan> planRanks(sh::SortOp op, const KeyOrder &order, int64_t count, const KernelTarget &target) {
  RankPlan plan;
  plan.order = order;
  plan.bits = std::max(32u, keyBits(elementTypeOf(op->getOperand(order.operand))));
  plan.lanes = target.lanes(int(plan.bits));
  if (count > kMaxCount || plan.lanes < 2)
    return std::nullopt;
  plan.padded = (count + plan.lanes - 1) / plan.lanes * plan.lanes;
  return plan;
}

int64_t rankScratchBytes(const RankPlan &plan) { return 2 * plan.padded * plan.bits / 8; }

double rankNanoseconds(const RankPlan &plan, int64_t rows) {
  return double(rows) * double(plan.padded) * (2 + 0.5 * double(plan.padded) / double(plan.lanes));
}

void emitRanks(const RankPlan &plan, sh::SortOp op, const Kernel &kernel, int64_t stride, int64_t count,
               llvm::Module &module) {
  RankEmitter(plan, op, kernel, stride, count, module).run();
}

} // namespace tenon::codegen::sort
