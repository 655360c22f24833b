#pragma once

#include "tenon/ir/stablehlo.h"

namespace tenon::passes {

// Takes products of what the loop slices from an array, one slice in each step, with factors that it does not change
// out of the loop: as one product of the whole array.
void hoistStepProducts(stablehlo::WhileOp loop);

} // namespace tenon::passes
