// The functions of tasks of steps that are in one kernel with others (loop_kernel.h, step_kernel.h).
#pragma once

#include "tenon/codegen/gpu/loop_products.h"

#include "llvm/IR/Instructions.h"

namespace tenon::codegen {

using StepPlans = std::map<int32_t, const LoopStepPlan *>; // by the numbers of modules

// Emits the functions into the module, which ask nobody whether to stop. Errors are reported at ops. Of `products`, all
// threads of a block go through a task together, with a barrier behind it, and have sums in shared memory from
// `sharedBegin` on.
llvm::LogicalResult emitTasksOf(const StepPlans &plans, const BlockProducts &products, int64_t sharedBegin,
                                llvm::Module &module, const GpuTarget &target, GpuBuilder &gpu);
// Puts calls of them in their place. What they say of rows, and of arrays that nobody writes while one of them runs,
// does not hold in the kernel.
void inlineTasks(llvm::Function &kernel, llvm::ArrayRef<llvm::CallInst *> calls);
// When all are inlined.
void eraseTasksOf(const StepPlans &plans, llvm::Module &module);

} // namespace tenon::codegen
