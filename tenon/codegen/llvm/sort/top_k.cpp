// chlo.top_k: the k largest elements of each row, largest first, equal ones by position.
//
// A candidate is one 64-bit integer, (inverted ordered key) << 32 | position: smaller is better, and no two are equal.
// A task scans its row in vectors and compares keys with the worst of the k best so far; the few that may belong to the
// answer are appended to a buffer, and when that is full it is sorted and cut to k. For random data a row of n elements
// appends about k ln(n / k) candidates, so the scan is all that counts.

#include "tenon/codegen/common/region/region_indexer.h"
#include "tenon/codegen/llvm/element/element.h"
#include "tenon/codegen/llvm/sort/order.h"
#include "tenon/codegen/llvm/sort/sort.h"
#include "tenon/ir/chlo.h"

using namespace mlir;

namespace tenon::codegen::sort {
namespace {

class TopKEmitter {
public:
  TopKEmitter(const TopKPlan &plan, llvm::Module &module)
      : op_(plan.op), e_(module, plan.kernel.phases[0].symbol, kernelParameters(module.getContext()), false),
        element_(elementTypeOf(op_->getOperand(0))), count_(plan.count), k_(plan.k), capacity_(plan.capacity),
        lanes_(plan.lanes) {
    order_.descending = true;
  }

  void run() {
    e_.loop(e_.arg(1), e_.arg(2), 1, [&](llvm::Value *row) { emitRow(row); });
    e_.ret();
  }

private:
  llvm::Value *bufferAt(int64_t half) { return e_.gep(e_.b.getInt8Ty(), e_.arg(3), half * capacity_ * 8); }

  llvm::Value *invertedKeys(llvm::Value *base, llvm::Value *position, unsigned width) {
    llvm::Value *address = elementAddress(e_.b, element_, e_.buffer(e_.arg(0), 0), e_.add(base, position));
    llvm::Value *key = orderedKey(e_.b, element_, order_, loadElements(e_.b, element_, address, width).re);
    return e_.b.CreateZExt(key, e_.vec(e_.b.getInt32Ty(), width));
  }

  // The state between candidates: how many are in the buffer, and the worst key that may still enter.
  void emitRow(llvm::Value *row) {
    llvm::Value *base = e_.mul(row, count_);
    llvm::Value *everything = e_.b.getInt32(-1);
    int64_t whole = count_ / lanes_ * lanes_;
    // The limit is inclusive until k candidates are known, so that a key of all ones can enter.
    Values state{e_.i64(0), everything, e_.b.getInt1(true)};
    state = e_.loop(e_.i64(0), e_.i64(whole), e_.i64(lanes_), state,
                    [&](llvm::Value *i, llvm::ArrayRef<llvm::Value *> now) { return scan(base, i, lanes_, now); });
    state = e_.loop(e_.i64(whole), e_.i64(count_), e_.i64(1), state,
                    [&](llvm::Value *i, llvm::ArrayRef<llvm::Value *> now) { return scan(base, i, 1, now); });
    writeRow(row, base, sortBuffer(state[0]));
  }

  llvm::Value *enters(llvm::Value *keys, llvm::ArrayRef<llvm::Value *> state, unsigned width) {
    llvm::Value *limit = e_.splat(state[1], width);
    return e_.b.CreateOr(e_.b.CreateICmpULT(keys, limit),
                         e_.b.CreateAnd(e_.splat(state[2], width), e_.b.CreateICmpEQ(keys, limit)));
  }

  Values scan(llvm::Value *base, llvm::Value *position, unsigned width, llvm::ArrayRef<llvm::Value *> state) {
    llvm::Value *keys = invertedKeys(base, position, width);
    llvm::Value *mask = enters(keys, state, width);
    if (width == 1)
      return e_.ifElse(mask, [&] { return append(keys, position, state); }, [&] { return Values(state); });
    llvm::Value *bits = e_.b.CreateBitCast(mask, e_.b.getIntNTy(width));
    llvm::Value *wide = e_.b.CreateZExt(bits, e_.b.getInt64Ty());
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
    llvm::Type *i64 = e_.b.getInt64Ty();
    llvm::Value *candidate = e_.b.CreateOr(e_.b.CreateShl(e_.b.CreateZExt(key, i64), 32), position);
    e_.store(candidate, e_.gep(i64, bufferAt(0), state[0]));
    llvm::Value *size = e_.add(state[0], 1);
    llvm::Value *limit = state[1], *inclusive = state[2];
    return e_.ifElse(
        e_.b.CreateICmpEQ(size, e_.i64(capacity_)),
        [&]() -> Values {
          llvm::Value *sorted = sortBuffer(size);
          e_.b.CreateMemMove(bufferAt(0), llvm::MaybeAlign(8), sorted, llvm::MaybeAlign(8), k_ * 8);
          llvm::Value *worst = e_.load(i64, e_.gep(i64, bufferAt(0), k_ - 1));
          // Later positions lose against an equal key.
          return {e_.i64(k_), e_.b.CreateTrunc(e_.b.CreateLShr(worst, 32), e_.b.getInt32Ty()), e_.b.getInt1(false)};
        },
        [&]() -> Values { return {size, limit, inclusive}; });
  }

  llvm::Value *sortBuffer(llvm::Value *size) {
    return emitMergeSort(e_, e_.b.getInt64Ty(), bufferAt(0), bufferAt(1), size,
                         [&](llvm::Value *a, llvm::Value *b) { return e_.b.CreateICmpULT(a, b); });
  }

  void writeRow(llvm::Value *row, llvm::Value *base, llvm::Value *sorted) {
    Type positionType = cast<RankedTensorType>(op_->getResult(1).getType()).getElementType();
    e_.loop(e_.i64(0), e_.i64(k_), 1, [&](llvm::Value *i) {
      llvm::Value *candidate = e_.load(e_.b.getInt64Ty(), e_.gep(e_.b.getInt64Ty(), sorted, i));
      llvm::Value *position = e_.b.CreateAnd(candidate, 0xffffffffu);
      llvm::Value *to = e_.add(e_.mul(row, k_), i);
      llvm::Value *from = elementAddress(e_.b, element_, e_.buffer(e_.arg(0), 0), e_.add(base, position));
      storeElements(e_.b, element_, loadElements(e_.b, element_, from, 1),
                    elementAddress(e_.b, element_, e_.buffer(e_.arg(0), 1), to), 1);
      llvm::Value *narrow = e_.b.CreateTrunc(position, e_.b.getIntNTy(positionType.getIntOrFloatBitWidth()));
      storeElements(e_.b, positionType, {narrow}, elementAddress(e_.b, positionType, e_.buffer(e_.arg(0), 2), to), 1);
    });
  }

  chlo::TopKOp op_;
  Emitter e_;
  Type element_;
  int64_t count_, k_, capacity_, lanes_;
  KeyOrder order_;
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
  TopKPlan plan;
  plan.op = cast<chlo::TopKOp>(op);
  auto type = cast<RankedTensorType>(op->getOperand(0).getType());
  plan.count = type.getShape().back();
  plan.k = plan.op.getK();
  plan.rows = plan.count == 0 ? 0 : type.getNumElements() / plan.count;
  plan.capacity = 2 * plan.k + 64;
  plan.lanes = std::min<int64_t>(target.lanes(32), llvm::bit_floor(uint64_t(std::max<int64_t>(1, plan.count))));
  Kernel &kernel = plan.kernel;
  kernel.kind = "top_k";
  double perRow = double(plan.count) * 0.4 + double(plan.k) * 60;
  kernel.phases.push_back({symbol.str(), plan.k == 0 ? 0 : plan.rows, double(plan.rows) * perRow});
  kernel.scratchBytes = 2 * plan.capacity * 8 + 128;
  kernel.resultInit.assign(2, -1);
  kernel.bytes = double(type.getNumElements()) * double(storageBytes(type.getElementType()));
  return plan;
}

void TopKPlan::print(llvm::raw_ostream &os) const {
  os << k << " of " << rows << " rows of " << count << " lanes " << lanes << " buffer of " << capacity << '\n';
}

void emitTopK(const TopKPlan &plan, llvm::Module &module) { TopKEmitter(plan, module).run(); }

} // namespace tenon::codegen::sort
