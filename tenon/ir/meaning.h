// Ops that StableHLO reads and no specification gives a meaning. Programs that have them, as artifacts of all versions
// do, are read with a warning; compiling or interpreting the op is an error.
#pragma once

#include "mlir/IR/Operation.h"

#include <optional>
#include <string>

namespace tenon::ir {

/// Why the op, which verifies, means nothing.
std::optional<std::string> whyWithoutMeaning(mlir::Operation *op);

} // namespace tenon::ir
