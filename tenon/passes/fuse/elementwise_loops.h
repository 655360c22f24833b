// Puts loops of elementwise ops, whole, into kernels. See elementwise_loops.cpp.
#pragma once

#include "tenon/passes/passes.h"

namespace tenon::passes {

void fuseElementwiseLoops(mlir::ModuleOp module, const FuseOptions &options);

} // namespace tenon::passes
