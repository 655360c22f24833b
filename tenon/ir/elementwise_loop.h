// Loops that compute each element of their arrays by itself: iterated functions (Newton's method, the Mandelbrot set,
// equations of motion of many bodies that do not meet).
#pragma once

#include "tenon/ir/stablehlo.h"

namespace tenon::ir {

// Whether the loop's carried values are arrays of one shape, at least one of them, and scalars; the scalars, among them
// whether it goes on, are computed from scalars alone, and each element of the arrays from the scalars and the elements
// at the same index. What its regions use from outside is scalars and arrays of that shape, too. One such loop over
// some of the elements has then the elements that the whole loop has.
bool isElementwiseLoop(stablehlo::WhileOp loop);

} // namespace tenon::ir
