// Ops on quantized values that need no arithmetic on expressed values, with the same bits as the definition by it.
#pragma once

#include "tenon/passes/legalize/quantize/quantized_values.h"

namespace tenon::passes {

// maximum, minimum, clamp, select and compare of values quantized alike, on the stored integers. Null when that could
// differ.
mlir::Value chooseStored(mlir::Operation *op, mlir::OpBuilder &builder);

// The products of dot_general and convolution, summed in i32, then scaled in f64: where no step of the definition
// rounds. In f64; null elsewhere.
mlir::Value integerProduct(mlir::Operation *op, mlir::OpBuilder &builder);

} // namespace tenon::passes
