// Products whose sums are of few terms.
#pragma once

#include "tenon/support/cost_model.h"

#include "mlir/IR/BuiltinOps.h"

namespace tenon::passes {

// Makes reductions of products whose sums have a few terms, of which one operand has no dimensions of its own (points
// times a vector, pairs of points), and multiplications of those whose sums have one, as columns times rows: loops over
// elements, which fuse with what is around them.
llvm::LogicalResult sumFewProducts(mlir::ModuleOp module, const CostModel &costs);

} // namespace tenon::passes
