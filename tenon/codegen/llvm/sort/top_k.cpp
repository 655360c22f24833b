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
      : op(plan.op), e(module, plan.kernel.phases[0].symbol, kernelParameters(module.getContext()), false),
        element(elementTypeOf(op->getOperand(0))), count(plan.count), k(plan.k), capacity(plan.capacity),
        lanes(plan.lanes) {
    order.descending = true;
  }

  void run() {
    e.loop(e.arg(1), e.arg(2), 1, [&](llvm::Value *row) { emitRow(row); });
    e.ret();
  }

private:
  llvm::Value *bufferAt(int64_t half) { return e.gep(e.b.getInt8Ty(), e.arg(3), half * capacity * 8); }

  llvm::Value *invertedKeys(llvm::Value *base, llvm::Value *position, unsigned width) {
    llvm::Value *address = elementAddress(e.b, element, e.buffer(e.arg(0), 0), e.add(base, position));
    llvm::Value *key = orderedKey(e.b, element, order, loadElements(e.b, element, address, width).re);
    return e.b.CreateZExt(key, e.vec(e.b.getInt32Ty(), width));
  }

  // The state between candidates: how many are in the buffer, and the worst key that may still enter.
  void emitRow(llvm::Value *row) {
    llvm::Value *base = e.mul(row, count);
    llvm::Value *everything = e.b.getInt32(-1);
    int64_t whole = count / lanes * lanes;
    // The limit is inclusive until k candidates are known, so that a key of all ones can enter.
    Values state{e.i64(0), everything, e.b.getInt1(true)};
    state = e.loop(e.i64(0), e.i64(whole), e.i64(lanes), state,
                   [&](llvm::Value *i, llvm::ArrayRef<llvm::Value *> now) { return scan(base, i, lanes, now); });
    state = e.loop(e.i64(whole), e.i64(count), e.i64(1), state,
                   [&](llvm::Value *i, llvm::ArrayRef<llvm::Value *> now) { return scan(base, i, 1, now); });
    writeRow(row, base, sortBuffer(state[0]));
  }

  llvm::Value *enters(llvm::Value *keys, llvm::ArrayRef<llvm::Value *> state, unsigned width) {
    llvm::Value *limit = e.splat(state[1], width);
    return e.b.CreateOr(e.b.CreateICmpULT(keys, limit),
                        e.b.CreateAnd(e.splat(state[2], width), e.b.CreateICmpEQ(keys, limit)));
  }

  Values scan(llvm::Value *base, llvm::Value *position, unsigned width, llvm::ArrayRef<llvm::Value *> state) {
    llvm::Value *keys = invertedKeys(base, position, width);
    llvm::Value *mask = enters(keys, state, width);
    if (width == 1)
      return e.ifElse(mask, [&] { return append(keys, position, state); }, [&] { return Values(state); });
    llvm::Value *bits = e.b.CreateBitCast(mask, e.b.getIntNTy(width));
    llvm::Value *wide = e.b.CreateZExt(bits, e.b.getInt64Ty());
    return e.ifElse(
        e.b.CreateIsNotNull(wide),
        [&] {
          Values start(state);
          return e.loop(e.i64(0), e.i64(width), e.i64(1), start,
                        [&](llvm::Value *lane, llvm::ArrayRef<llvm::Value *> now) -> Values {
                          llvm::Value *key = e.b.CreateExtractElement(keys, lane);
                          return e.ifElse(
                              enters(key, now, 1), [&] { return append(key, e.b.CreateAdd(position, lane), now); },
                              [&] { return Values(now); });
                        });
        },
        [&] { return Values(state); });
  }

  Values append(llvm::Value *key, llvm::Value *position, llvm::ArrayRef<llvm::Value *> state) {
    llvm::Type *i64 = e.b.getInt64Ty();
    llvm::Value *candidate = e.b.CreateOr(e.b.CreateShl(e.b.CreateZExt(key, i64), 32), position);
    e.store(candidate, e.gep(i64, bufferAt(0), state[0]));
    llvm::Value *size = e.add(state[0], 1);
    llvm::Value *limit = state[1], *inclusive = state[2];
    return e.ifElse(
        e.b.CreateICmpEQ(size, e.i64(capacity)),
        [&]() -> Values {
          llvm::Value *sorted = sortBuffer(size);
          e.b.CreateMemMove(bufferAt(0), llvm::MaybeAlign(8), sorted, llvm::MaybeAlign(8), k * 8);
          llvm::Value *worst = e.load(i64, e.gep(i64, bufferAt(0), k - 1));
          // Later positions lose against an equal key.
          return {e.i64(k), e.b.CreateTrunc(e.b.CreateLShr(worst, 32), e.b.getInt32Ty()), e.b.getInt1(false)};
        },
        [&]() -> Values { return {size, limit, inclusive}; });
  }

  llvm::Value *sortBuffer(llvm::Value *size) {
    return emitMergeSort(e, e.b.getInt64Ty(), bufferAt(0), bufferAt(1), size,
                         [&](llvm::Value *a, llvm::Value *b) { return e.b.CreateICmpULT(a, b); });
  }

  void writeRow(llvm::Value *row, llvm::Value *base, llvm::Value *sorted) {
    Type positionType = cast<RankedTensorType>(op->getResult(1).getType()).getElementType();
    e.loop(e.i64(0), e.i64(k), 1, [&](llvm::Value *i) {
      llvm::Value *candidate = e.load(e.b.getInt64Ty(), e.gep(e.b.getInt64Ty(), sorted, i));
      llvm::Value *position = e.b.CreateAnd(candidate, 0xffffffffu);
      llvm::Value *to = e.add(e.mul(row, k), i);
      llvm::Value *from = elementAddress(e.b, element, e.buffer(e.arg(0), 0), e.add(base, position));
      storeElements(e.b, element, loadElements(e.b, element, from, 1),
                    elementAddress(e.b, element, e.buffer(e.arg(0), 1), to), 1);
      llvm::Value *narrow = e.b.CreateTrunc(position, e.b.getIntNTy(positionType.getIntOrFloatBitWidth()));
      storeElements(e.b, positionType, {narrow}, elementAddress(e.b, positionType, e.buffer(e.arg(0), 2), to), 1);
    });
  }

  chlo::TopKOp op;
  Emitter e;
  Type element;
  int64_t count, k, capacity, lanes;
  KeyOrder order;
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
