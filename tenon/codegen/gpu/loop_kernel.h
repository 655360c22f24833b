// Small loops as one kernel each: what their condition and body do is done by one thread, or by a team of threads
// (loop_team.h), which share out the tasks of each step. The task contract (common/kernel.h) is all that this needs.
#pragma once

#include "tenon/codegen/gpu/loop_steps.h"
#include "tenon/codegen/gpu/loop_team.h"
#include "tenon/codegen/gpu/target.h"
#include "tenon/codegen/gpu/tile_product.h"
#include "tenon/codegen/kernel/kernel_plan.h"

#include <map>
#include <optional>

namespace tenon::codegen {

// How a kernel is computed in such a loop: one thread a task.
struct LoopStepPlan {
  KernelPlan plan;
  llvm::SmallVector<std::optional<TileProductPlan>, 1> tiles; // of each part
  // The entries of its row: first the operands, then the results, then the temporary block if there is one.
  unsigned operands = 0, results = 0;
  double nanoseconds = 0; // of a core, as all times of plans
  int64_t tasks = 1;      // the most of a phase
  // What all its tasks read and write, again where several read it; and what its products take as nodes, besides
  // starting.
  double bytes = 0, ofProducts = 0;
};

struct LoopKernel {
  std::string name;
  program::LoopStep loop; // of kernels, copies, loops and branches alone
  LoopTeam team;
  double sharedStep = 0; // steps of so many nanoseconds are shared out, shorter ones each thread does for itself
  // Where arrays are, in the order of its row. Behind them are, for a team of several blocks, the words that it has in
  // global memory, and at the end the word that ends the loop.
  llvm::SmallVector<int32_t> row;
  llvm::SetVector<int32_t> carried;              // the places that hold what the loop carries
  std::map<int32_t, int64_t> bytes;              // of each place
  std::map<int32_t, const LoopStepPlan *> plans; // by the number of the kernel's module

  llvm::ArrayRef<int32_t> arrays() const { return llvm::ArrayRef(row).drop_back(team.isOneBlock() ? 1 : 2); }
  const LoopStepPlan &planOf(const program::KernelStep &step) const { return *plans.at(step.module); }
};

// Emits it into the module, with the kernels that it is made of: those to start, one after the other. Errors are
// reported at ops.
llvm::FailureOr<std::vector<program::DeviceKernel>> emitLoopKernel(const LoopKernel &kernel, llvm::Module &module,
                                                                   const GpuTarget &target, GpuBuilder &gpu);

} // namespace tenon::codegen
