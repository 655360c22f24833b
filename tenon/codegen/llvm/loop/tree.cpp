#include "tenon/codegen/llvm/loop/tree.h"

#include "llvm/IR/Instructions.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/Support/MathExtras.h"

namespace tenon::codegen::loop {

// Memory for so many is taken where sizes are no part of the code.
constexpr int64_t kUsualBlocks = 1 << 16;

int64_t BlockSums::levels(int64_t blocks) { return llvm::Log2_64(static_cast<uint64_t>(blocks)) + 1; }

BlockSums::BlockSums(LoopEvaluator &evaluator, int64_t blocks, Load load, Store store)
    : evaluator_(evaluator), levels_(levels(blocks)), load_(std::move(load)), store_(std::move(store)) {}

BlockSums BlockSums::onStack(LoopEvaluator &evaluator, int64_t blocks, llvm::ArrayRef<llvm::Value *> like) {
  llvm::IRBuilder<> &b = evaluator.builder();
  llvm::BasicBlock &entry = b.GetInsertBlock()->getParent()->getEntryBlock();
  llvm::IRBuilder<> atEntry(&entry, entry.begin());
  llvm::SmallVector<llvm::AllocaInst *, 4> slots; // of each accumulator, one element for each level
  for (llvm::Value *value : like)
    slots.push_back(atEntry.CreateAlloca(value->getType(), atEntry.getInt64(levels(blocks))));
  auto address = [&b](llvm::AllocaInst *slot, llvm::Value *level) {
    return b.CreateInBoundsGEP(slot->getAllocatedType(), slot, level);
  };
  auto load = [=, &b](llvm::Value *level) {
    LLVMValues values;
    for (llvm::AllocaInst *slot : slots)
      values.push_back(b.CreateLoad(slot->getAllocatedType(), address(slot, level)));
    return values;
  };
  auto store = [=, &b](llvm::Value *level, llvm::ArrayRef<llvm::Value *> values) {
    for (auto [slot, value] : llvm::zip(slots, values))
      b.CreateStore(value, address(slot, level));
  };
  return {evaluator, blocks, load, store};
}

void BlockSums::add(llvm::Value *count, llvm::ArrayRef<llvm::Value *> values, Merge merge) {
  llvm::IRBuilder<> &b = evaluator_.builder();
  // Full levels, from the lowest one on, move up together.
  llvm::Value *level = b.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, b.CreateNot(count), b.getFalse());
  LLVMValues sums = evaluator_.forLoop(evaluator_.constant(0), level, 1, values,
                                       [&](llvm::Value *full, auto carried) { return merge(load_(full), carried); });
  store_(level, sums);
}

LLVMValues BlockSums::total(llvm::Value *count, llvm::ArrayRef<llvm::Value *> neutral, Merge merge) {
  llvm::IRBuilder<> &b = evaluator_.builder();
  auto level = [&](llvm::Value *number, llvm::ArrayRef<llvm::Value *> carried) {
    LLVMValues before(carried);
    llvm::Value *isFull = b.CreateTrunc(b.CreateLShr(count, number), b.getInt1Ty());
    return evaluator_.ifElse(isFull, [&] { return merge(load_(number), before); }, [&] { return before; });
  };
  return evaluator_.forLoop(evaluator_.constant(0), evaluator_.size(levels_), 1, neutral, level);
}

LLVMValues emitTreeSum(LoopEvaluator &evaluator, const TreeSum &sum) {
  llvm::IRBuilder<> &b = evaluator.builder();
  auto end = [&](llvm::Value *from, int64_t size, llvm::Value *limit) {
    return b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, b.CreateNSWAdd(from, evaluator.constant(size)), limit);
  };
  auto together = [&](llvm::Value *from, llvm::Value *to) {
    return evaluator.forLoop(from, to, sum.block, sum.neutral, [&](llvm::Value *block, auto before) {
      LLVMValues carried(before);
      return sum.merge(carried, sum.sumBlock(block, end(block, sum.block, to)));
    });
  };
  int64_t size = sum.block * kSumBlocksTogether;
  if (sum.extent <= size)
    return together(sum.begin, sum.end);
  auto blocks = static_cast<int64_t>(llvm::divideCeil(sum.extent, size));
  if (evaluator.readsSizes()) // how much memory is part of the code
    blocks = std::max(blocks, kUsualBlocks);
  BlockSums sums = BlockSums::onStack(evaluator, blocks, sum.neutral);
  LLVMValues count =
      evaluator.forLoop(sum.begin, sum.end, size, {evaluator.constant(0)}, [&](llvm::Value *from, auto carried) {
        llvm::Value *number = carried.front();
        sums.add(number, together(from, end(from, size, sum.end)), sum.merge);
        return LLVMValues{b.CreateNSWAdd(number, evaluator.constant(1))};
      });
  return sums.total(count.front(), sum.neutral, sum.merge);
}

} // namespace tenon::codegen::loop
