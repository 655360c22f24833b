// What is before each tile of a row, by decoupled look-back: blocks take the tiles in their order, and each tells the
// others by a word of memory that releases what it has written.
//
// A tile publishes its sum, and has those of the earlier tiles of its group, 32 of them, as soon as they are there. The
// last tile of a group publishes the sum of the group, and then, by those of the groups before, what comes up to its
// end; a warp looks back at 32 groups for the nearest one that knows that already. What comes up to the end
// of a group is always that of the group before and then its own sum, and the sum of a group a balanced tree: so the
// bits do not depend on how far anybody looks back.
#pragma once

#include "tenon/codegen/gpu/builder.h"
#include "tenon/codegen/gpu/form_phase.h"
#include "tenon/codegen/llvm/loop/scan_steps.h"

namespace tenon::codegen {

struct LookBackPlan {
  int64_t rows = 0, tiles = 0, groups = 0; // tiles and groups of a row
  int64_t values = 0;                      // LLVM's, of an accumulator
  // In the temporary block: the words, and of each result the sums of tiles and groups, and what comes up to the end of
  // groups, [row][tile] and [row][group].
  int64_t words = 0;
  llvm::SmallVector<int64_t, 2> tileSums, groupSums, groupEnds;

  int64_t wordCount() const { return 1 + rows * (tiles + groups); }
  // Beside what else the threads share.
  int64_t sharedBytes() const { return (1 + values) * kSlotBytes; }
};

// Takes memory from `tempBytes` on, and adds what it takes.
LookBackPlan planLookBack(int64_t rows, int64_t tiles, int64_t values, llvm::ArrayRef<mlir::Type> types,
                          int64_t tempBase, int64_t &tempBytes);

// Emits it, for blocks of whole warps. `sharedBegin`: of its shared memory.
class LookBack : loop::ScanSteps {
public:
  LookBack(const LookBackPlan &tiles, const loop::ScanPlan &plan, const KernelSource &source,
           loop::LoopEvaluator &evaluator, GpuBuilder &gpu, int64_t sharedBegin)
      : ScanSteps(plan, source, evaluator), tiles_(tiles), b_(evaluator.builder()), gpu_(gpu),
        sharedBegin_(sharedBegin) {}

  // A phase of its own, before: a thread for each word.
  void emitClear(llvm::Value *word);
  // The number of the block's tile, of all rows one after the other: by it, tiles before it have begun. All threads.
  llvm::Value *takeTile(llvm::Value *thread);
  // What comes before the tile of the row, which has this sum. All threads of the block.
  loop::LLVMValues before(llvm::Value *thread, llvm::Value *row, llvm::Value *tile, const loop::LLVMValues &sum);

private:
  enum Word : uint32_t { kNothing, kSum, kEnd };

  llvm::Value *number(int64_t value) { return evaluator_->constant(value); }
  llvm::Value *sharedSlot(int64_t number);
  llvm::Value *wordAt(llvm::Value *number);
  llvm::Value *tileWord(llvm::Value *tile);
  llvm::Value *groupWord(llvm::Value *group);
  void publish(llvm::Value *word, Word state);
  llvm::Value *awaited(llvm::Value *word);
  void write(llvm::ArrayRef<int64_t> offsets, llvm::Value *place, const loop::LLVMValues &values);
  loop::LLVMValues read(llvm::ArrayRef<int64_t> offsets, llvm::Value *place);
  llvm::Value *valueAt(llvm::ArrayRef<int64_t> offsets, size_t result, llvm::Value *place);
  loop::LLVMValues shuffled(const loop::LLVMValues &values, llvm::Value *lane);

  void emitByWarp(llvm::Value *tile, const loop::LLVMValues &sum);
  loop::LLVMValues earlierTiles(llvm::Value *group, llvm::Value *inGroup);
  loop::LLVMValues earlierGroups(llvm::Value *group);
  llvm::Value *distanceToEnd(llvm::Value *own);

  const LookBackPlan &tiles_;
  llvm::IRBuilder<> &b_;
  GpuBuilder &gpu_;
  int64_t sharedBegin_;
  llvm::Value *lane_ = nullptr, *row_ = nullptr; // of the first warp
};

} // namespace tenon::codegen
