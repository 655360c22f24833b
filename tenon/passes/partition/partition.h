// The passes that make of a program for a mesh of devices one for a single device of it.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringRef.h"

namespace tenon::passes {

// The callback of JAX that is called on each device's part of its operands (jax.debug.callback(partitioned=True)), and
// the shardings of these, which propagateShardings() says of it: an sdy.sharding_per_value.
inline constexpr llvm::StringLiteral kPartitionedCallback = "xla_ffi_partitioned_python_cpu_callback";
inline constexpr llvm::StringLiteral kOperandShardings = "tenon.operand_shardings";

// Spreads the shardings that a program gives over all of its values, with Shardy's results: afterwards arguments,
// results and ops say how they are cut. Constants have copies for their uses, calls are named computations. Fails, with
// a diagnostic, where a sharding is impossible. (passes/partition/propagate/propagate.cpp)
llvm::LogicalResult propagateShardings(mlir::ModuleOp module);

} // namespace tenon::passes
