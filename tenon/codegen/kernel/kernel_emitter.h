// Native code from kernel plans.
#pragma once

#include "tenon/codegen/kernel/kernel_plan.h"

#include "llvm/IR/Module.h"

#include <optional>

namespace tenon::codegen {

// Emits the plan's functions into the module. Errors are reported at the op.
llvm::LogicalResult emitKernel(const KernelPlan &plan, llvm::Module &module, const ProductTarget &target);

// The same, with code of the caller's own for parts of the plan: none says that a part is to be emitted as it is
// planned.
using EmitPart = llvm::function_ref<std::optional<llvm::LogicalResult>(size_t part, const EmissionTarget &target)>;
llvm::LogicalResult emitKernel(const KernelPlan &plan, llvm::Module &module, const ProductTarget &target,
                               EmitPart emitPart);

} // namespace tenon::codegen
