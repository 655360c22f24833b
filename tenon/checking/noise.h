// Rounding errors as an op's arithmetic could have made them, and the values for which they cannot be foretold.
#pragma once

#include "tenon/interpreter/tensor.h"

#include "mlir/IR/Operation.h"

#include <random>

namespace tenon::checking {

// Distance of 1 to the next larger value.
double epsilonOf(ElementType type);

// The smallest positive value.
double smallestOf(ElementType type);

// Parts of an element, in the order of its components.
double partOf(const interpreter::Tensor &tensor, int64_t position, bool imaginary);

// The magnitude of an element, real or complex.
double magnitudeOf(const interpreter::Tensor &tensor, int64_t position);

// Moves each element by up to `ulps` units in the last place of the larger of it and `least` (special values stay).
void addNoise(interpreter::Tensor &tensor, double ulps, double least, std::mt19937_64 &random);

// In units in the last place, what an op that is not a sum may be off.
double errorOf(mlir::Operation *op);

// Below which magnitude of its results an op's errors do not become smaller: near roots where terms cancel.
double leastMagnitude(mlir::Operation *op);

// About how many terms each result of the op sums up.
int64_t termsOf(mlir::Operation *op);

// Whether the op gives different results in executions that are both right: sums that overflow in one order and not in
// another, orders of NaN that depend on its sign, and the like.
bool isUnpredictable(mlir::Operation *op, llvm::ArrayRef<interpreter::Value> operands);

} // namespace tenon::checking
