// Gradients of weights that a loop over layers stacks are products over the batch. Where that is cut, devices have
// summands of each, in a stack as large as all weights. The loop stacks what it multiplies instead, and one product of
// all layers follows it:
//
//   while(%i < T) { %g = dot_general %x, %d, contracting [0] x [0];  %stack[T-1-%i] = %g }
//     =>
//   while(%i < T) { %xs[T-1-%i] = %x;  %ds[T-1-%i] = %d }
//   %stack = dot_general %xs, %ds, batching [0] x [0], contracting [1] x [1]
//
// What the loop reads from a stack at the same places is not stacked again. That product is placed as others that give
// gradients (place.h): columns of one operand and all of the other are moved, once for all layers, and each device
// computes a part of the result of the whole batch. Only results that the program gives, updated element by element,
// are worth it, and those that are no smaller than one of the operands, and a quarter of the other one.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tenon::passes::partition {

/// For loops of main, whose shardings have spread.
void multiplyAfterLoops(mlir::func::FuncOp main);

} // namespace tenon::passes::partition
