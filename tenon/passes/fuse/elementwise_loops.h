// Puts loops of elementwise ops, whole, into kernels. See elementwise_loops.cpp.
#pragma once

#include "tenon/ir/stablehlo.h"
#include "tenon/passes/passes.h"

namespace tenon::passes {

// Whether the loop, as it is, may become one kernel, if the target has code for that.
bool mayBeOneKernel(stablehlo::WhileOp loop, const CostModel &costs);

void fuseElementwiseLoops(mlir::ModuleOp module, const FuseOptions &options);

} // namespace tenon::passes
