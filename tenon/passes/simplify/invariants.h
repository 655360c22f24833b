// What is the same in every iteration of a loop.
#pragma once

#include "tenon/ir/stablehlo.h"

namespace tenon::passes {

// Moves ops in front of the loop whose operands are all defined outside of it: constants, ops whose result is small,
// and what takes long, with all that it is computed from. What is computed quickly where it is read stays, however
// large.
void hoistInvariants(stablehlo::WhileOp loop);

} // namespace tenon::passes
