// Distances between elements of arrays without gaps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <string>
#include <vector>

namespace tenon {

// The distance between neighbours along each dimension, in elements, or in bytes if `step` is the size of an element.
// `minorToMajor` lists the dimensions, the one that changes most rapidly first.
template <typename Strides = std::vector<int64_t>>
Strides denseStrides(std::span<const int64_t> sizes, const auto &minorToMajor, int64_t step = 1) {
  Strides strides(sizes.size());
  // Unsigned, since it may wrap in arrays without elements, where strides do not matter.
  auto stride = static_cast<uint64_t>(step);
  for (int64_t dimension : minorToMajor) {
    strides[static_cast<size_t>(dimension)] = static_cast<int64_t>(stride);
    stride *= static_cast<uint64_t>(sizes[static_cast<size_t>(dimension)]);
  }
  return strides;
}

template <typename Strides = std::vector<int64_t>>
Strides rowMajorStrides(std::span<const int64_t> sizes, int64_t step = 1) {
  return denseStrides<Strides>(sizes, std::views::iota(int64_t{0}, std::ssize(sizes)) | std::views::reverse, step);
}

// Whether each of the dimensions 0, ..., rank-1 is there once.
inline bool isPermutation(std::span<const int64_t> dimensions, size_t rank) {
  std::vector<bool> seen(rank);
  for (int64_t dimension : dimensions) {
    if (dimension < 0 || static_cast<size_t>(dimension) >= rank || seen[static_cast<size_t>(dimension)])
      return false;
    seen[static_cast<size_t>(dimension)] = true;
  }
  return dimensions.size() == rank;
}

// "{1,0}", as XLA prints layouts.
inline std::string layoutText(std::span<const int64_t> minorToMajor) {
  std::string text = "{";
  for (size_t i = 0; i < minorToMajor.size(); ++i)
    text += (i ? "," : "") + std::to_string(minorToMajor[i]);
  return text + "}";
}

} // namespace tenon
