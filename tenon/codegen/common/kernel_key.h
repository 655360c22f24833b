// Which ops of a program share one kernel.
#pragma once

#include "mlir/IR/Operation.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tenon::codegen {

// Equal for ops whose kernels are the same code: same ops, attributes, types and data flow, whatever their locations.
// Quick to make and to compare, and means nothing outside of the op's context.
std::vector<uintptr_t> kernelKey(mlir::Operation *op);

// The same as a digest, hexadecimal, which any process gives. Empty for an op with data that has no text of its own
// (MLIR's resources).
std::string kernelDigest(mlir::Operation *op);

} // namespace tenon::codegen
