#pragma once

#include "tenon/ir/stablehlo.h"

namespace tenon::passes {

// How often the loop runs if it counts from 0 in steps of 1 up to a constant, as lax.scan does; else 0.
int64_t tripCount(stablehlo::WhileOp loop);

} // namespace tenon::passes
