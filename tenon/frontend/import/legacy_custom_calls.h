#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace tenon::frontend {

// Before CHLO's ops had a portable form, exporters wrote them as custom calls: `mhlo.topk`, `mhlo.erf` and the like,
// with the op's attributes in `mhlo.attributes`. These become the ops again. Before verification.
llvm::LogicalResult decodeCustomCalls(mlir::ModuleOp module);

} // namespace tenon::frontend
