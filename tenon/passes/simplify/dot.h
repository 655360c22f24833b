// Dimension numbers of dot_general.
#pragma once

#include "tenon/ir/stablehlo.h"

namespace tenon::passes {

// The numbers when the lhs, or else the rhs, has its dimension i at `places[i]`.
stablehlo::DotDimensionNumbersAttr numbersWith(stablehlo::DotDimensionNumbersAttr from, bool lhs,
                                               llvm::ArrayRef<int64_t> places);

} // namespace tenon::passes
