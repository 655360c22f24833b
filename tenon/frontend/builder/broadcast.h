// Implicit broadcasting (xla-preview-2017, "Broadcasting").
#pragma once

#include "tenon/frontend/builder/call.h"

namespace tenon::xla_2017::internal {

// The value at `sizes`: dimension i of it is dimension dimensions[i] there; where its size is 1 it is repeated.
mlir::Value broadcastTo(Call &call, mlir::Value value, llvm::ArrayRef<int64> dimensions, llvm::ArrayRef<int64> sizes);
// A scalar repeated.
mlir::Value broadcastScalar(Call &call, mlir::Value scalar, llvm::ArrayRef<int64> sizes);

struct Operands {
  mlir::Value lhs, rhs; // null after an error
};

// Broadcasts the operands of a binary operation, which have equal element types, to the sizes of its result.
Operands broadcastOperands(Call &call, const ComputationDataHandle &lhs, const ComputationDataHandle &rhs,
                           gtl::ArraySlice<int64> broadcast_dimensions);

} // namespace tenon::xla_2017::internal
