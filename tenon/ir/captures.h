// Values from outside that regions use.
#pragma once

#include "mlir/IR/Operation.h"

namespace tenon::ir {

/// Whether a region of the op uses a value from around it that is no constant.
bool capturesValue(mlir::Operation *op);

} // namespace tenon::ir
