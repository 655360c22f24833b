// Ops on arrays of a few elements as ops on scalars, one for each element.
#pragma once

#include "tenon/support/cost_model.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace tenon::passes {

// The most elements of an array that has a scalar for each: those of small vectors and matrices, which the registers of
// a loop have room for.
inline constexpr int64_t kMostUnrolledElements = 16;

// Whether the array's elements may become scalars: it has one to kMostUnrolledElements of them, of a type whose
// scalars live in registers.
bool canBeScalars(mlir::Type type);

// Whether unroll() knows the op, whose operands and results are scalars or canBeScalars().
bool canUnroll(mlir::Operation *op);

// The elements of each operand in row-major order, as scalars (tensors of rank 0).
using ElementsOf = llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value)>;

// The elements of each of the op's results, in the same form. New ops are created at the builder's position.
llvm::SmallVector<llvm::SmallVector<mlir::Value>> unroll(mlir::Operation *op, ElementsOf elementsOf,
                                                         mlir::OpBuilder &builder);

// What unroll() makes of the op: the time of its arithmetic, and the number of new ops.
struct UnrolledCost {
  double nanoseconds = 0;
  int64_t ops = 0;
};
UnrolledCost unrolledCost(mlir::Operation *op, const CostModel &costs);

// An array's elements as slices of it (constants of a constant or an iota), and an array made of its elements.
llvm::SmallVector<mlir::Value> takeApart(mlir::Value array, mlir::OpBuilder &builder);
mlir::Value putTogether(mlir::RankedTensorType type, mlir::ValueRange elements, mlir::Location loc,
                        mlir::OpBuilder &builder);

} // namespace tenon::passes
