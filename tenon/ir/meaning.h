// Ops that StableHLO reads and no specification gives a meaning. Programs that have them, as artifacts of all versions
// do, are read with a warning; compiling or interpreting a program that might come by the op is an error.
#pragma once

#include "mlir/IR/Operation.h"

#include <optional>
#include <string>

namespace tenon::ir {

/// Why the op, which verifies, means nothing.
std::optional<std::string> whyWithoutMeaning(mlir::Operation *op);

struct Meaningless {
  mlir::Operation *op;
  std::string reason;
};
/// The first op that means nothing of those that this one is or contains, a function for example, and of the functions
/// that these call. It is found whether or not a run comes by it.
std::optional<Meaningless> findMeaningless(mlir::Operation *root);

} // namespace tenon::ir
