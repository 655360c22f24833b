#pragma once

#include "tenon/program/program.h"

#include "mlir/IR/Types.h"

namespace tenon::codegen {

// The program's name for an MLIR element type; of a quantized type, for the integers that it is stored in. kInvalid for
// unknown types.
program::ElementType programType(mlir::Type type);

// Shape of a static tensor or token type.
program::Shape programShape(mlir::Type type);

} // namespace tenon::codegen
