// Which ops of a program share one kernel.
#pragma once

#include "mlir/IR/Operation.h"

#include <cstdint>
#include <vector>

namespace tenon::codegen {

// Equal for ops whose kernels are the same code: same ops, attributes, types and data flow, whatever their locations.
std::vector<uintptr_t> kernelKey(mlir::Operation *op);

} // namespace tenon::codegen
