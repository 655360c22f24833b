// Long sums over k as balanced trees, so that their rounding error grows with the logarithm of k. Only for floats:
// sums of integers wrap, and any association is the same.
#pragma once

#include "tenon/codegen/kernel/matmul/matmul.h"
#include "tenon/codegen/llvm/emitter.h"

namespace tenon::codegen::matmul {

// Sums of blocks, in memory: of 1, 2, 4, ... neighbouring blocks, those whose bit in the number of blocks is set.
// A sum is an array of `size` accumulators.
class BlockTree {
public:
  static int64_t levels(int64_t blocks);

  // `region`: where the sums of a block are made, and `levels`: space for `levelCount` arrays like it, levels(blocks).
  // `lanes` divides `size`.
  BlockTree(Emitter &e, llvm::Type *accumulator, llvm::Value *size, unsigned lanes, llvm::Value *levelCount,
            llvm::Value *region, llvm::Value *levels)
      : e_(e), accumulator_(accumulator), size_(size), lanes_(lanes), levelCount_(levelCount), region_(region),
        levels_(levels) {}

  // The region becomes block number `count`; `clear`: and is zero afterwards.
  void add(llvm::Value *count, bool clear);
  // The region becomes the sum of all `count` blocks.
  void total(llvm::Value *count);

private:
  llvm::Value *slot(llvm::Value *level, llvm::Value *i);

  Emitter &e_;
  llvm::Type *accumulator_;
  llvm::Value *size_;
  unsigned lanes_;
  llvm::Value *levelCount_, *region_, *levels_;
};

// The sum over [0, end) of blocks of `block`, in registers and on the stack. sumBlock(from, to) gives accumulators that
// start as zero.
Values sumInTree(Emitter &e, int64_t end, int64_t block, llvm::ArrayRef<llvm::Value *> zeros,
                 llvm::function_ref<Values(llvm::Value *from, llvm::Value *to)> sumBlock);

} // namespace tenon::codegen::matmul
