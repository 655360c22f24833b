// Padding of windows (xla-preview-2017, Conv and ReduceWindow).
#pragma once

#include "tenon/shape.h"
#include "tenon/xla_namespace.h"

#include <utility>
#include <vector>

namespace tenon::xla_2017 {

// How windows are put around the edges, for those who do not count it out. ("C++ interface")
enum class Padding {
  // As many windows along a dimension as it has elements, divided by the stride and rounded up.
  kSame,
  // None: windows lie inside.
  kValid,
};

// The numbers of elements put before and behind each dimension: what ConvWithGeneralPadding,
// ReduceWindowWithGeneralPadding and SelectAndScatterWithGeneralPadding take. kSame: out = ceil(input / stride), in
// total max((out - 1) * stride + window - input, 0), the greater half behind. Aborts unless the arguments are of one
// length, input sizes not negative, and strides and windows positive.
TENON_API std::vector<std::pair<int64, int64>> MakePadding(gtl::ArraySlice<int64> input_dimensions,
                                                           gtl::ArraySlice<int64> window_dimensions,
                                                           gtl::ArraySlice<int64> window_strides, Padding padding);

} // namespace tenon::xla_2017
