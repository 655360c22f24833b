#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace tenon::frontend {

// The specification lists the dimension numbers of gather, scatter, dot_general and convolution, and the channel of
// collectives, as inputs of their own (`offset_dims = ...`, `channel_id = ...`), where programs have one structured
// attribute. Texts may spell them out: this collects them into the structured attribute. Before verification.
llvm::LogicalResult convertLegacyAttributes(mlir::ModuleOp module);

} // namespace tenon::frontend
