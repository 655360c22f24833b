// Native code from kernel plans.
#pragma once

#include "tenon/codegen/kernel/kernel_plan.h"

#include "llvm/IR/Module.h"

namespace tenon::codegen {

// Emits the plan's functions into the module. Errors are reported at the op.
llvm::LogicalResult emitKernel(const KernelPlan &plan, llvm::Module &module, const ProductTarget &target);

} // namespace tenon::codegen
