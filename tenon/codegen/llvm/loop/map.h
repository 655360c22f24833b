// The skeleton that loop kernels share: the function, its task loop and the loop nest below, with vector loops and
// their remainders.
#pragma once

#include "tenon/codegen/common/kernel.h"
#include "tenon/codegen/common/plan/loop_plan.h"
#include "tenon/codegen/llvm/loop/evaluator.h"
#include "tenon/codegen/llvm/task_routine.h"

namespace tenon::codegen::loop {

PlanTarget planTarget(const KernelTarget &target);

// A new kernel function `void(ptr buffers, i64 begin, i64 end, ptr scratch)`.
llvm::Function *createKernelFunction(llvm::Module &module, llvm::StringRef name);

class LoopNest {
public:
  LoopNest(LoopEvaluator &evaluator, const LoopPlan &plan) : evaluator_(evaluator), plan_(plan) {}

  using Body = llvm::function_ref<void()>;

  // Runs `body` for every index of the first `dims` dimensions that tasks [begin, end) cover, in vectors where the
  // plan's vector dimension is among them.
  void overTasks(unsigned dims, Body body);
  // The same with `body` for each range of the last of these dimensions, which it goes over itself. Neighbouring tasks
  // may be one range unless `ofOneTask`.
  using RangeBody = llvm::function_ref<void(llvm::Value *begin, llvm::Value *end)>;
  void overRanges(unsigned dims, bool ofOneTask, RangeBody body);
  // Loops over dimension `dim` from `begin` to `end`, in vectors if it is the vector dimension.
  void overDim(unsigned dim, llvm::Value *begin, llvm::Value *end, Body body);
  // Vector loop over [begin, end) with the carried values; the remainder masked or scalar. `step` receives the carried
  // values and whether a mask (evaluator.mask()) is active.
  using Step = llvm::function_ref<LLVMValues(llvm::ArrayRef<llvm::Value *> carried)>;
  LLVMValues overVector(unsigned dim, unsigned lanes, llvm::Value *begin, llvm::Value *end, bool wholeVectors,
                        llvm::ArrayRef<llvm::Value *> init, Step step);

private:
  void overInner(unsigned dim, unsigned dims, llvm::Value *begin, llvm::Value *end, Body body);
  void overPart(unsigned dim, IndexRange part, unsigned dims, llvm::Value *begin, llvm::Value *end, Body body);
  bool isWhole(unsigned dim, int64_t multiple) const;
  llvm::Value *overJoined(unsigned dim, llvm::Value *begin, llvm::Value *end, Body body);
  void overJoinedVectors(unsigned dim, llvm::Value *iv, Body body);
  void storeColumns(unsigned dim, llvm::Value *iv);

  LoopEvaluator &evaluator_;
  const LoopPlan &plan_;
  RangeBody ranges_ = nullptr; // within overRanges()
  bool rangesOfOneTask_ = false;
};

// Computes and stores the plan's results at the evaluator's place.
void storeOutputs(LoopEvaluator &evaluator, const LoopPlan &plan);

// A kernel whose results are computed element by element.
struct MapPlan : LoopPlan {
  Kernel kernel;
  bool streams = false;      // whole vectors are stored past the caches, if the result's buffer is aligned
  bool copiesBlocks = false; // transposed blocks are stored as results, and need no tiles
  llvm::SmallVector<int64_t, 2> tileOffsets;    // in scratch memory, of the tiles of the transposed accesses
  llvm::SmallVector<int64_t, 2> carriedOffsets; // in the temporary block, of the arrays that a loop over rows changes
  void print(llvm::raw_ostream &os) const;
};
MapPlan planMapKernel(const KernelSource &source, llvm::StringRef symbol, const KernelTarget &target);
llvm::LogicalResult emitMapKernel(const MapPlan &plan, const KernelSource &source, llvm::Module &module,
                                  const EmissionTarget &target);

// Emits the loops of a map plan with transposed accesses.
void emitTransposedMap(LoopEvaluator &evaluator, const MapPlan &plan, llvm::function_ref<void()> body);

// A map whose loop iterates over rows.
void planIteratedRows(MapPlan &plan, const KernelSource &source);
void emitIteratedRows(LoopEvaluator &evaluator, const MapPlan &plan);

// The function of a phase, which `body` fills; nothing of it stays where the evaluator fails. With a routine, `body`
// fills that, and the function calls it.
llvm::LogicalResult emitLoopFunction(const KernelPhase &phase, const LoopPlan &plan, const KernelSource &source,
                                     llvm::Module &module, const EmissionTarget &target,
                                     llvm::function_ref<void(LoopEvaluator &, llvm::Function *)> body,
                                     const TaskRoutine *routine = nullptr);

// (operand, result) pairs that may share memory: the operand's elements are only read where the same element of the
// result is written, in the same vector, before it.
void findAliases(const KernelSource &source, const LoopPlan &plan, Kernel &kernel);

double trafficBytes(const KernelSource &source);

} // namespace tenon::codegen::loop
