// The usual kernels of rows, whose routines ship: reductions of every kind, norms, softmax.
#pragma once

#include "tenon/codegen/cpu/target.h"
#include "tenon/status.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

namespace tenon::codegen {

// Calls `add` with what emits each kernel. The context has all dialects. `type`: only those of its elements.
Status forEachUsualRow(mlir::MLIRContext &context, const CpuTarget &target, std::optional<llvm::StringRef> type,
                       llvm::function_ref<void(llvm::function_ref<void(llvm::Module &)>)> add);

} // namespace tenon::codegen
