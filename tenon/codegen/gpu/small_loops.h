// Which loops of a program become one kernel each (loop_kernel.h): those of kernels alone that take less time so than
// the nodes of a graph take to start. And which kernels are so little work that one thread does several of them.
#pragma once

#include "tenon/codegen/common/memory/buffer_plan.h"
#include "tenon/codegen/common/memory/instructions.h"
#include "tenon/codegen/gpu/loop_kernel.h"

#include "llvm/ADT/SmallPtrSet.h"

#include <map>
#include <optional>

namespace tenon::codegen {

class SmallLoops {
public:
  // `modules`: the number of each kernel's module; `symbols`: the names of their kernels. All outlive this.
  SmallLoops(const GpuTarget &target, const ProgramInstructions &instructions, const BufferPlan &memory,
             const llvm::DenseMap<mlir::Operation *, int32_t> &modules, llvm::ArrayRef<llvm::StringRef> symbols)
      : target_(target), instructions_(instructions), memory_(memory), modules_(modules), symbols_(symbols) {}

  // Who goes through the loop, an op; none where it is no kernel.
  std::optional<LoopTeam> teamOf(mlir::Operation *loop);
  // Whether a thread computes what the kernel does in less time than a node of a graph takes to start, with no memory
  // but that of its row.
  bool isForThread(mlir::Operation *op);
  // The plans of kernels that have been asked about, by themselves or in loops.
  const LoopStepPlan &planOf(int32_t module) const { return *plans_.at(module); }
  const CostModel::Blocks &costs() const { return target_.costs().blocks; }
  int32_t numModules() const { return int32_t(symbols_.size()); }

private:
  struct Work {
    double alone = 0; // nanoseconds of one thread
    // What an iteration of nodes of a graph takes, whose small steps are joined (step_joining.h); and how many nodes
    // there would be if they were not.
    double asNodes = 0;
    int64_t numNodes = 0;
    llvm::SmallVector<const LoopStepPlan *> steps;
    // What it writes, and the bytes of all that.
    llvm::SmallPtrSet<const BufferClass *, 8> written;
    int64_t writtenBytes = 0;
  };
  void addLoop(mlir::Operation *loop, Work &work) const;
  void addWritten(const BufferClass *buffer, Work &work) const;
  bool add(mlir::Region &region, Work &work);
  bool add(mlir::Operation *op, Work &work);
  // None where it cannot be one of several steps of a kernel.
  const std::optional<LoopStepPlan> &planned(mlir::Operation *op);
  std::optional<LoopStepPlan> plan(mlir::Operation *op, llvm::StringRef symbol) const;
  double workOf(const KernelPhase &phase) const;
  bool isShared(const LoopStepPlan &step) const { return step.nanoseconds >= costs().sharedLoopStep; }
  LoopTeam blockFor(const Work &work) const;
  std::optional<LoopTeam> clusterFor(const Work &work) const;
  std::optional<LoopTeam> gridFor(const Work &work) const;
  std::optional<LoopTeam> fastest(const Work &work) const;
  LoopTeam forced(const Work &work) const;
  int64_t mostTasks(const Work &work) const;
  double timeOf(const Work &work, const LoopTeam &team) const;
  // What one thread takes of a team that shares out the step.
  double threadTime(const LoopStepPlan &step, const LoopTeam &team, bool isInShared) const;
  double waitOf(const LoopTeam &team) const;

  const GpuTarget &target_;
  const ProgramInstructions &instructions_;
  const BufferPlan &memory_;
  const llvm::DenseMap<mlir::Operation *, int32_t> &modules_;
  llvm::ArrayRef<llvm::StringRef> symbols_;
  std::map<int32_t, std::optional<LoopStepPlan>> plans_; // none: has none
};

} // namespace tenon::codegen
