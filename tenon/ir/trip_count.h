#pragma once

#include "tenon/ir/stablehlo.h"

#include <optional>

namespace tenon::ir {

// How often the loop runs if it counts from 0 in steps of 1 up to a constant, as lax.scan does; else 0.
int64_t tripCount(stablehlo::WhileOp loop);

// What a single integer is in each iteration of a loop: factor * n + constant in the n-th one, counted from 0.
struct IterationNumber {
  int64_t factor = 0, constant = 0;
};
// The same of a number in the body of a loop whose trip count is known, if it is a sum of constants and of numbers that
// grow by a constant in each iteration.
std::optional<IterationNumber> iterationNumber(mlir::Value value, stablehlo::WhileOp loop);

// What a signed integer may be, both bounds included.
struct KnownRange {
  int64_t min = 0, max = 0;
};
// The bounds of a single number that is made of constants and the counters of loops around it, where they are known.
std::optional<KnownRange> knownRange(mlir::Value value);

} // namespace tenon::ir
