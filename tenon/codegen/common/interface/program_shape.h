#pragma once

#include "tenon/program/program.h"

#include "mlir/IR/Types.h"

namespace tenon::codegen {

// Shape of a static tensor or token type.
program::Shape programShape(mlir::Type type);

} // namespace tenon::codegen
