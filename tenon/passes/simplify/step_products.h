#pragma once

#include "tenon/ir/stablehlo.h"
#include "tenon/support/cost_model.h"

namespace tenon::passes {

// Takes products of what the loop slices from an array, one slice in each step, with factors that it does not change
// out of the loop: as one product of the whole array.
void hoistStepProducts(stablehlo::WhileOp loop, const CostModel &costs);

} // namespace tenon::passes
