// What locations say about the user's source.
#pragma once

#include "mlir/IR/Location.h"
#include "mlir/IR/Operation.h"

#include <string>
#include <vector>

namespace tenon::codegen {

// "file:line:col" of the innermost place, or "".
std::string locationText(mlir::Location location);

// What the framework calls the op, with the calls that inlining dissolved: "jit(step)/layer1/dot_general", or "".
std::string locationName(mlir::Location location);

// The op of a fusion that it is named after (what its first result is), or the op itself.
mlir::Operation *namedOp(mlir::Operation *op);

// locationText of namedOp, then of the other ops of a fusion: each place once, and not too many.
std::vector<std::string> sourceLocations(mlir::Operation *op);

} // namespace tenon::codegen
