// The routine by which partitioned programs say collective_permute (ir/permutation.h).
#pragma once

#include "tenon/interpreter/evaluator.h"
#include "tenon/ir/stablehlo.h"

namespace tenon::interpreter {

llvm::LogicalResult evaluatePermute(stablehlo::CustomCallOp op, Invocation &call);

} // namespace tenon::interpreter
