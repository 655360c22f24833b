// How the sums that a scatter makes of floats are rounded: what the interpreter and compiled code have in common.
#pragma once

#include "tenon/ir/stablehlo.h"

namespace tenon::ir {

/// How the updates of an element are added up, in their order.
enum class ScatterOrder : uint8_t {
  kStepwise, ///< one after the other, each result in the input's type
  kBlocks,   ///< so in blocks, of which the first starts with the input and others with -0; the sums of full blocks
             ///< are added in widerSumType, at the end with that of the last block
  kWide,     ///< one after the other in widerSumType, in parts if there are several (scatterParts), rounded once
};

/// Only sums of floats that are long enough are not stepwise. Rows of a matrix (windows of some elements that are the
/// same or have none in common) go in blocks, for which a counter for each of them is enough. Others are wide, where
/// elements get so many updates on average that the time for a wider copy of the result does not count.
ScatterOrder scatterOrder(stablehlo::ScatterOp op, llvm::ArrayRef<int64_t> inputShape,
                          llvm::ArrayRef<int64_t> updateShape);

/// In how many parts the updates of a scatter whose order is kWide are added up. If there are several, each has as many
/// updates, but for the last ones, and starts with nothing; their sums are added to the input one after the other.
int64_t scatterParts(stablehlo::ScatterOp op, llvm::ArrayRef<int64_t> inputShape, llvm::ArrayRef<int64_t> updateShape);

/// Updates of a full block, a power of two.
int64_t scatterBlock(mlir::Type element);

/// Whether a scatter that is not stepwise subtracts its updates.
bool isDifference(stablehlo::ScatterOp op);

/// f64 for floats, complex<f64> for complex numbers. Where that is the type of the input, too, the sum is compensated:
/// the exact error of each addition (Knuth's TwoSum) is summed up beside it, and is added at the end if it is finite
/// and not zero. Where such a sum is added to another, its error is added to the other's last.
mlir::Type widerSumType(mlir::Type element);

} // namespace tenon::ir
