// Arithmetic in fewer bits than the program asks for.
#pragma once

#include "tenon/support/cost_model.h"

#include "mlir/IR/BuiltinOps.h"

namespace tenon::passes {

// Computes integers of 32 and 64 bits in 8 or 16, where they are made of narrower ones, none of them leaves the range
// of those bits, and only conversions to narrow types and comparisons use them.
llvm::LogicalResult narrowIntegers(mlir::ModuleOp module, const CostModel &costs);

} // namespace tenon::passes
