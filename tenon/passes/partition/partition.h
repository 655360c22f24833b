// The passes that make of a program for a mesh of devices one for a single device of it.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace tenon::passes {

// Spreads the shardings that a program gives over all of its values, with Shardy's results: afterwards arguments,
// results and ops say how they are cut. Constants have copies for their uses, calls are named computations. Fails, with
// a diagnostic, where a sharding is impossible. (passes/partition/propagate/propagate.cpp)
llvm::LogicalResult propagateShardings(mlir::ModuleOp module);

} // namespace tenon::passes
