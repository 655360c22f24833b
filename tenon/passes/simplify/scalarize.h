#pragma once

#include "tenon/ir/stablehlo.h"

namespace tenon::passes {

// Makes the loop carry scalars in the place of arrays of a few elements, and compute with them, where all of its work
// is on a few numbers and that is faster.
void scalarize(stablehlo::WhileOp loop);

} // namespace tenon::passes
