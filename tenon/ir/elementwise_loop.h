// Loops that compute each element of their arrays by itself: iterated functions (Newton's method, the Mandelbrot set,
// equations of motion of many bodies that do not meet), and scans that take and give a part of an array in each
// iteration (moving averages, the states of a linear system, gates of a recurrence).
#pragma once

#include "tenon/ir/stablehlo.h"

namespace tenon::ir {

// Whether one such loop over some of the elements has the elements that the whole loop has:
//   - The carried values are scalars, arrays of one shape, arrays that stay the same, and arrays that the loop writes a
//     part of in each iteration (writtenPart), which has that shape, too, but for dimensions of one element.
//   - Scalars, among them whether the loop goes on, do not depend on carried arrays that change.
//   - An element of what depends on these depends on their elements at the same index only. All else may be anything
//     that elementwise operations and such that move elements (a part that scalars say, a broadcast) make of the same
//     arrays in each iteration.
bool isElementwiseLoop(stablehlo::WhileOp loop);

// The shape of the arrays that such a loop changes.
llvm::ArrayRef<int64_t> elementShape(stablehlo::WhileOp loop);

// Whether carried value `number` is the same in all iterations.
bool isUnchanged(stablehlo::WhileOp loop, unsigned number);

// The update by which the loop writes carried array `number`, as lax.scan does its outputs: each iteration one index of
// one dimension, all iterations all of them, and none reads the array. Null if it does anything else with it.
stablehlo::DynamicUpdateSliceOp writtenPart(stablehlo::WhileOp loop, unsigned number);

// Whether the elementwise operation takes many others' time, as exponentials and sines do.
bool isLongFunction(mlir::Operation *op);

} // namespace tenon::ir
