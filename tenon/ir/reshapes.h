// Reshapes, which move no element.
#pragma once

#include "mlir/IR/Value.h"

namespace tenon::ir {

// The value that this one is, by reshapes alone, in another shape.
mlir::Value throughReshapes(mlir::Value value);

} // namespace tenon::ir
