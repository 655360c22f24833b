#pragma once

#include "tenon/ir/stablehlo.h"

#include <optional>

namespace tenon::ir {

// How often the loop runs if it counts from 0 in steps of 1 up to a constant, as lax.scan does; else 0.
int64_t tripCount(stablehlo::WhileOp loop);

// What a signed integer may be, both bounds included.
struct KnownRange {
  int64_t min = 0, max = 0;
};
// The bounds of a single number that is made of constants and the counters of loops around it, where they are known.
std::optional<KnownRange> knownRange(mlir::Value value);

} // namespace tenon::ir
