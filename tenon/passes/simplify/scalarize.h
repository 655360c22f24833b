#pragma once

#include "tenon/ir/stablehlo.h"
#include "tenon/support/cost_model.h"

namespace tenon::passes {

// Makes the loop carry scalars in the place of arrays of a few elements, and compute with them, where all of its work
// is on a few numbers and that is faster.
void scalarize(stablehlo::WhileOp loop, const CostModel &costs);

} // namespace tenon::passes
