#pragma once

#include "tenon/ir/stablehlo.h"
#include "tenon/support/cost_model.h"

namespace tenon::passes {

// Puts the steps of a loop behind one another if it has few, does nothing but arithmetic on each element, and carries
// arrays too large for the first cache: one kernel then reads and writes them once, and not in every step. So it is
// with the rounds of JAX's random bits.
void unrollFewSteps(stablehlo::WhileOp loop, const CostModel &costs);

} // namespace tenon::passes
