// The usual kernels of rows, whose routines ship: reductions of every kind, norms, softmax.
#pragma once

#include "tenon/codegen/cpu/target.h"
#include "tenon/status.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace tenon::codegen {

// Calls `add` with what emits each kernel. The context has all dialects.
Status forEachUsualRow(mlir::MLIRContext &context, const CpuTarget &target,
                       llvm::function_ref<void(llvm::function_ref<void(llvm::Module &)>)> add);

} // namespace tenon::codegen
