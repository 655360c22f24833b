#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace tenon::frontend {

// Replaces the VHLO operations of `module` by StableHLO's and func's. Emits an error at the operation that cannot be
// expressed; the module is then useless.
llvm::LogicalResult convertVhlo(mlir::ModuleOp module);

} // namespace tenon::frontend
