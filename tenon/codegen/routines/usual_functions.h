// The usual elementary functions of which a part ships: what they do for arguments that are rare or take long, which is
// a function of its own (codegen/llvm/math/fp.h).
#pragma once

#include "tenon/codegen/cpu/target.h"
#include "tenon/status.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace tenon::codegen {

// Calls `add` with what emits a kernel of each. The context has all dialects.
Status forEachUsualFunction(mlir::MLIRContext &context, const CpuTarget &target,
                            llvm::function_ref<void(llvm::function_ref<void(llvm::Module &)>)> add);

} // namespace tenon::codegen
