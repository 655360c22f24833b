#include "tenon/codegen/kernel/matmul/tree.h"

#include "llvm/IR/Intrinsics.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tenon::codegen::matmul {

// The level that block number `count` fills: those below it are full, and join it.
static Value *freeLevel(Emitter &e, Value *count) {
  return e.b.CreateBinaryIntrinsic(Intrinsic::cttz, e.b.CreateNot(count), e.b.getFalse());
}

static Value *isFull(Emitter &e, Value *count, Value *level) {
  return e.b.CreateTrunc(e.b.CreateLShr(count, level), e.b.getInt1Ty());
}

int64_t BlockTree::levels(int64_t blocks) { return int64_t(Log2_64(uint64_t(blocks))) + 1; }

Value *BlockTree::slot(Value *level, Value *i) {
  return e_.gep(accumulator_, levels_, e_.add(e_.b.CreateMul(level, size_), i));
}

void BlockTree::add(Value *count, bool clear) {
  llvm::Type *type = e_.vec(accumulator_, lanes_);
  Value *level = freeLevel(e_, count);
  e_.loop(e_.i64(0), size_, lanes_, [&](Value *i) {
    Value *at = e_.gep(accumulator_, region_, i);
    Values sum = e_.loop(e_.i64(0), level, e_.i64(1), {e_.load(type, at)}, [&](Value *full, ArrayRef<Value *> right) {
      return Values{e_.b.CreateFAdd(e_.load(type, slot(full, i)), right[0])};
    });
    e_.store(sum[0], slot(level, i));
    if (clear)
      e_.store(Constant::getNullValue(type), at);
  });
}

void BlockTree::total(Value *count) {
  llvm::Type *type = e_.vec(accumulator_, lanes_);
  e_.loop(e_.i64(0), size_, lanes_, [&](Value *i) {
    Values zero{Constant::getNullValue(type)};
    auto add = [&](Value *level, ArrayRef<Value *> right) {
      return e_.ifElse(
          isFull(e_, count, level), [&] { return Values{e_.b.CreateFAdd(e_.load(type, slot(level, i)), right[0])}; },
          [&] { return Values{right[0]}; });
    };
    Values sum = e_.loop(e_.i64(0), levelCount_, e_.i64(1), zero, add);
    e_.store(sum[0], e_.gep(accumulator_, region_, i));
  });
}

namespace {

Values addAll(Emitter &e, ArrayRef<Value *> left, ArrayRef<Value *> right) {
  Values sums;
  for (auto [x, y] : zip_equal(left, right))
    sums.push_back(e.b.CreateFAdd(x, y));
  return sums;
}

// As BlockTree, with values instead of arrays.
class StackTree {
public:
  StackTree(Emitter &e, ArrayRef<Value *> like, int64_t blocks) : e_(e), levels_(BlockTree::levels(blocks)) {
    BasicBlock &entry = e.function->getEntryBlock();
    IRBuilder<> atEntry(&entry, entry.begin());
    for (Value *value : like)
      slots_.push_back(atEntry.CreateAlloca(value->getType(), atEntry.getInt64(levels_)));
  }

  void add(Value *count, ArrayRef<Value *> values) {
    Value *level = freeLevel(e_, count);
    Values sums = e_.loop(e_.i64(0), level, e_.i64(1), values,
                          [&](Value *full, ArrayRef<Value *> right) { return addAll(e_, load(full), right); });
    for (auto [slot, sum] : zip_equal(slots_, sums))
      e_.b.CreateStore(sum, address(slot, level));
  }

  Values total(Value *count, ArrayRef<Value *> zeros) {
    return e_.loop(e_.i64(0), e_.i64(levels_), e_.i64(1), zeros, [&](Value *level, ArrayRef<Value *> right) {
      Values before(right.begin(), right.end());
      return e_.ifElse(
          isFull(e_, count, level), [&] { return addAll(e_, load(level), before); }, [&] { return before; });
    });
  }

private:
  Value *address(AllocaInst *slot, Value *level) {
    return e_.b.CreateInBoundsGEP(slot->getAllocatedType(), slot, level);
  }

  Values load(Value *level) {
    Values values;
    for (AllocaInst *slot : slots_)
      values.push_back(e_.b.CreateLoad(slot->getAllocatedType(), address(slot, level)));
    return values;
  }

  Emitter &e_;
  int64_t levels_;
  SmallVector<AllocaInst *, 8> slots_; // of each value, one element for each level
};

} // namespace

Values sumInTree(Emitter &e, int64_t end, int64_t block, ArrayRef<Value *> zeros,
                 function_ref<Values(Value *, Value *)> sumBlock) {
  constexpr int64_t kTogether = 64; // blocks whose sums one register collects
  auto together = [&](Value *from, Value *to) {
    return e.loop(from, to, e.i64(block), zeros, [&](Value *start, ArrayRef<Value *> before) {
      return addAll(e, before, sumBlock(start, e.min(e.add(start, block), to)));
    });
  };
  int64_t size = block * kTogether;
  if (end <= size)
    return together(e.i64(0), e.i64(end));
  StackTree tree(e, zeros, int64_t(divideCeil(uint64_t(end), uint64_t(size))));
  Values count = e.loop(e.i64(0), e.i64(end), e.i64(size), {e.i64(0)}, [&](Value *from, ArrayRef<Value *> before) {
    tree.add(before[0], together(from, e.min(e.add(from, size), end)));
    return Values{e.add(before[0], 1)};
  });
  return tree.total(count[0], zeros);
}

} // namespace tenon::codegen::matmul
