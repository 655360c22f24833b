// Long sums as balanced trees, so that their rounding error grows with the logarithm of their length.
#pragma once

#include "tenon/codegen/llvm/loop/evaluator.h"

#include <functional>

namespace tenon::codegen::loop {

// How many sums of blocks (plan.h: kSumBlock) one register collects before they go to the tree in memory.
constexpr int64_t kSumBlocksTogether = 64;

// A sum over [begin, end) as a tree in the order of the elements. Which elements form a block depends on `block` and on
// `begin` alone.
struct TreeSum {
  llvm::Value *begin, *end; // i64
  int64_t block;            // part of the range that is one block
  int64_t extent;           // an upper bound of end - begin
  LLVMValues neutral;       // accumulators of nothing
  // The accumulators of [from, to), which starts as `neutral`.
  llvm::function_ref<LLVMValues(llvm::Value *from, llvm::Value *to)> sumBlock;
  // The accumulators of two neighbouring ranges together.
  llvm::function_ref<LLVMValues(llvm::ArrayRef<llvm::Value *>, llvm::ArrayRef<llvm::Value *>)> merge;
};

// Emits the loops. Ranges of up to kSumBlocksTogether blocks need no memory.
LLVMValues emitTreeSum(LoopEvaluator &evaluator, const TreeSum &sum);

// The sums of the blocks so far, in memory: of 1, 2, 4, ... neighbouring blocks, those whose bit in the number of
// blocks is set.
class BlockSums {
public:
  using Merge = llvm::function_ref<LLVMValues(llvm::ArrayRef<llvm::Value *>, llvm::ArrayRef<llvm::Value *>)>;
  using Load = std::function<LLVMValues(llvm::Value *level)>;
  using Store = std::function<void(llvm::Value *level, llvm::ArrayRef<llvm::Value *> values)>;

  // How many sums `blocks` blocks need at most.
  static int64_t levels(int64_t blocks);
  // Where `load` and `store` put the levels(blocks) sums.
  BlockSums(LoopEvaluator &evaluator, int64_t blocks, Load load, Store store);
  // On the stack of the kernel; `like`: accumulators of the form that is kept.
  static BlockSums onStack(LoopEvaluator &evaluator, int64_t blocks, llvm::ArrayRef<llvm::Value *> like);

  // `count`: blocks before this one.
  void add(llvm::Value *count, llvm::ArrayRef<llvm::Value *> values, Merge merge);
  // The sum of all `count` blocks; `neutral` if there is none.
  LLVMValues total(llvm::Value *count, llvm::ArrayRef<llvm::Value *> neutral, Merge merge);

private:
  LoopEvaluator &evaluator_;
  int64_t levels_;
  Load load_;
  Store store_;
};

} // namespace tenon::codegen::loop
