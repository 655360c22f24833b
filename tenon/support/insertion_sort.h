// A stable sort for short lists. The standard's takes memory for longer ones, by a function that is deprecated.
#pragma once

#include <algorithm>
#include <iterator>

namespace tenon {

template <typename Range, typename IsBefore> void insertionSort(Range &range, IsBefore isBefore) {
  for (auto it = range.begin(); it != range.end(); ++it)
    std::rotate(std::upper_bound(range.begin(), it, *it, isBefore), it, std::next(it));
}

} // namespace tenon
