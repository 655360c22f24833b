// Implicit broadcasting (xla-preview-2017, "Broadcasting").
#pragma once

#include "tenon/frontend/builder/call.h"

namespace tenon::xla_2017::internal {

struct Operands {
  Value lhs, rhs; // nothing after an error
};

// Broadcasts the operands of a binary operation, which have equal element types, to the sizes of its result.
Operands broadcastOperands(Call &call, const ComputationDataHandle &lhs, const ComputationDataHandle &rhs,
                           gtl::ArraySlice<int64> broadcast_dimensions);
// The value at `sizes`: dimension i of it is dimension dimensions[i] there; where its size is 1 it is repeated. The
// same value where it has them already.
Value broadcastTo(const Value &value, gtl::ArraySlice<int64> dimensions, gtl::ArraySlice<int64> sizes);

} // namespace tenon::xla_2017::internal
