// Windows that move over an array.
#pragma once

#include "tenon/array.h"
#include "tenon/types.h"

#include <utility>
#include <vector>

namespace tenon::xla_2017::internal {

// Padding as the functions of tenon/ops.h take it: a row of low and high for each dimension.
inline std::vector<std::vector<int64>> paddingOf(gtl::ArraySlice<std::pair<int64, int64>> padding) {
  std::vector<std::vector<int64>> rows;
  for (const auto &[low, high] : padding)
    rows.push_back({low, high});
  return rows;
}

} // namespace tenon::xla_2017::internal
