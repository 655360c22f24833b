// Products with one-hot matrices.
#pragma once

#include "tenon/support/cost_model.h"

#include "mlir/IR/BuiltinOps.h"

namespace tenon::passes {

// Has products with one-hot matrices read the rows of the other operand, where nothing in it is infinite or NaN, which
// is asked when the program runs. Exact.
llvm::LogicalResult readRowsOfTables(mlir::ModuleOp module, const CostModel &costs);

} // namespace tenon::passes
