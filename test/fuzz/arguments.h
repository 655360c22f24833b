// The arguments that programs are run with.
#pragma once

#include "tenon/interpreter/tensor.h"

#include "mlir/IR/BuiltinOps.h"

namespace tenon::fuzz {

// One of several kinds of values, special ones included, by seed, the input's number (checking::inputOf) and process.
interpreter::Tensor makeInput(mlir::RankedTensorType type, uint64_t seed, uint64_t number, int64_t process = 0);

// Those of main. The processes of a grid have other values of the same sizes.
std::vector<interpreter::Value> makeArguments(mlir::ModuleOp module, uint64_t seed, int64_t process = 0);
// Those of each process that runs main.
std::vector<std::vector<interpreter::Value>> makeAllArguments(mlir::ModuleOp module, uint64_t seed);

} // namespace tenon::fuzz
