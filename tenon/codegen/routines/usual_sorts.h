// The sorts and top_ks whose routines ship with the library.
#pragma once

#include "tenon/codegen/llvm/kernel_target.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/Module.h"

namespace tenon::codegen {

// Calls `add` with what emits each of them: of keys of every width, in rows of every kind, alone or with their
// positions or with other arrays. Which types of a width, and which direction, makes no difference to the code.
void forEachUsualSort(mlir::MLIRContext &context, const KernelTarget &target,
                      llvm::function_ref<void(llvm::function_ref<void(llvm::Module &)> emit)> add);

} // namespace tenon::codegen
