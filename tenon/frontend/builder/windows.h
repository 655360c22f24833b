// Windows that move over an array.
#pragma once

#include "tenon/types.h"

#include "mlir/IR/Builders.h"

namespace tenon::xla_2017::internal {

// How many windows there are along a dimension of `size` elements, with padding added (or, negative, taken away).
int64 windowCount(int64 size, int64 window, int64 stride, int64 paddingLow, int64 paddingHigh);

// Padding in the form of StableHLO's attributes.
mlir::DenseIntElementsAttr paddingAttr(mlir::Builder &builder, llvm::ArrayRef<std::pair<int64, int64>> padding);

} // namespace tenon::xla_2017::internal
