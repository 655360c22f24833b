#include "tenon/padding.h"

#include <algorithm>

namespace tenon::xla_2017 {

std::vector<std::pair<int64, int64>> MakePadding(gtl::ArraySlice<int64> input_dimensions,
                                                 gtl::ArraySlice<int64> window_dimensions,
                                                 gtl::ArraySlice<int64> window_strides, Padding padding) {
  auto die = [](const std::string &what) { tenon::dieBecauseOf(tenon::invalidArgument("MakePadding: " + what)); };
  size_t rank = input_dimensions.size();
  if (window_dimensions.size() != rank || window_strides.size() != rank)
    die("input, window and strides have " + std::to_string(rank) + ", " + std::to_string(window_dimensions.size()) +
        " and " + std::to_string(window_strides.size()) + " dimensions");
  std::vector<std::pair<int64, int64>> result(rank, {0, 0});
  for (size_t d = 0; d < rank; ++d) {
    int64 input = input_dimensions[d], window = window_dimensions[d], stride = window_strides[d];
    if (input < 0 || window <= 0 || stride <= 0)
      die("dimension " + std::to_string(d) + ": size " + std::to_string(input) + ", window " + std::to_string(window) +
          ", stride " + std::to_string(stride));
    if (padding == Padding::kValid)
      continue;
    // (out - 1) * stride, where the last window begins. The difference to the input is at most a stride.
    int64 last = input == 0 ? -stride : (input - 1) / stride * stride;
    int64 total = std::max<int64>(window - (input - last), 0);
    result[d] = {total / 2, total - total / 2};
  }
  return result;
}

} // namespace tenon::xla_2017
