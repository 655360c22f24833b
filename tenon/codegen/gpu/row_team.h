// The code of a team (rows.h): what its threads do with their rows.
#pragma once

#include "tenon/codegen/gpu/rows.h"

namespace tenon::codegen {

class RowTeam {
public:
  RowTeam(const RowTeamPlan &team, const RowReductionPlan &plan, loop::LoopEvaluator &evaluator, GpuBuilder &gpu);

  // Gives the kept dimensions the values that they have for this thread in the block's task. Before all else.
  void bindRow(llvm::Value *task);
  // The number of the thread in its team.
  llvm::Value *member() const { return member_; }

  // One pass over the row.
  void runStage(const RowStage &stage);
  // The reductions of a stage over [begin, end) of the outermost reduced dimension, without the initial values, in
  // every thread of the team.
  loop::LLVMValues reduce(const RowStage &stage, loop::StageAccumulators &accumulators, llvm::Value *begin,
                          llvm::Value *end);
  // The accumulators of all threads of the team together.
  loop::LLVMValues exchange(loop::StageAccumulators &accumulators, loop::LLVMValues values);
  // Binds the results of the reductions, given all but the initial values.
  void finish(loop::StageAccumulators &accumulators, llvm::ArrayRef<llvm::Value *> values);
  // Runs `body` in one thread of the team.
  void onFirst(llvm::function_ref<void()> body);
  // Runs `body` in threads that have a row; others have `otherwise`.
  loop::LLVMValues ifRow(llvm::function_ref<loop::LLVMValues()> body, const loop::LLVMValues &otherwise);
  // Lanes of the accumulators while a thread works alone, and afterwards.
  unsigned lanesAlone() const { return team_.lanes; }
  unsigned lanesTogether() const { return team_.isAlong ? 1 : team_.lanes; }

private:
  // An element of the row, or a value computed for it, that a later stage takes from where it was kept.
  struct KeptValue {
    IndexedValue value;
    llvm::SmallVector<Element> vectors; // of this thread; none as long as no stage has evaluated it
  };

  llvm::Value *number(int64_t value) { return evaluator_.constant(value); }
  llvm::Value *threadNumber();
  void listKept();
  loop::LLVMValues overReduced(unsigned dim, llvm::Value *begin, llvm::Value *end, const loop::LLVMValues &carried);
  loop::LLVMValues distribute(unsigned dim, llvm::Value *begin, llvm::Value *end, const loop::LLVMValues &carried);
  loop::LLVMValues inLoop(unsigned dim, llvm::Value *begin, llvm::Value *end, const loop::LLVMValues &carried);
  loop::LLVMValues overInner(unsigned dim, const loop::LLVMValues &carried);
  loop::LLVMValues inRegisters(loop::LLVMValues carried);
  loop::LLVMValues keptPoint(size_t vector, llvm::Value *position, llvm::Value *isThere,
                             const loop::LLVMValues &carried);
  loop::LLVMValues point(llvm::ArrayRef<llvm::Value *> carried,
                         llvm::function_ref<void(loop::LLVMValues &)> more = nullptr);
  int64_t placesOfBlock() const;
  llvm::Value *slot(size_t value, llvm::Value *place, int64_t places);
  loop::LLVMValues exchangeShared(const loop::LLVMValues &values);
  loop::LLVMValues exchangeInCluster(const loop::LLVMValues &values);
  void emitClusterBarrier();
  loop::LLVMValues mergePlaces(llvm::ArrayRef<llvm::Value *> like, llvm::Value *first, int64_t count, int64_t step,
                               int64_t places);

  const RowTeamPlan &team_;
  const RowReductionPlan &plan_;
  loop::LoopEvaluator &evaluator_;
  llvm::IRBuilder<> &b_;
  GpuBuilder &gpu_;
  unsigned last_; // the innermost reduced dimension
  llvm::SmallVector<KeptValue, 4> kept_;
  llvm::Value *member_ = nullptr, *isRow_ = nullptr; // isRow_: null where every thread has a row
  llvm::Value *blockOfTeam_ = nullptr;               // of a cluster
  const RowStage *stage_ = nullptr;
  loop::StageAccumulators *accumulators_ = nullptr;
  int64_t sharedBegin_ = 0;
};

} // namespace tenon::codegen
