// What elementwise operations cost.
#pragma once

#include "tenon/support/cost_model.h"

#include "mlir/IR/Operation.h"

namespace tenon::ir {

// Rough time of one element of an elementwise op, in ns of one core.
double elementwiseNanoseconds(mlir::Operation *op, const CostModel &costs);

} // namespace tenon::ir
