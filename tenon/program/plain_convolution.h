// Convolutions as libraries of them surely compute them.
//
// cuDNN is told strides of all arrays, and makes plans whatever they are, but its engines do not heed those of a
// kernel: they read it in the order in which the input lies. (On an H100 with cuDNN 9.19, images with their features
// last were convolved with a [3, 3, in, out] kernel as if it were an [out, 3, 3, in] one.) So it gets what frameworks
// give it, and nothing else: two or three spatial dimensions, with as much padding behind each as in front, and all
// three arrays with their features before the spatial dimensions, or all with them behind, without gaps.
#pragma once

#include "tenon/program/device_program.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace tenon::program {

// The strides of an array of these sizes (ConvolutionArray) that has no gaps.
inline std::vector<int64_t> packedStrides(const std::vector<int64_t> &sizes, bool isFeaturesLast) {
  std::vector<int64_t> strides(sizes.size());
  int64_t next = 1;
  auto place = [&](size_t dim) {
    strides[dim] = next;
    next *= sizes[dim];
  };
  if (isFeaturesLast)
    place(1);
  for (size_t dim = sizes.size(); dim-- > 2;)
    place(dim);
  if (!isFeaturesLast)
    place(1);
  place(0);
  return strides;
}

// Whether an array lies as one with these strides does: dimensions of one element have none that matter.
inline bool hasStrides(const ConvolutionArray &array, const std::vector<int64_t> &strides) {
  for (size_t dim = 0; dim < strides.size(); ++dim)
    if (array.sizes[dim] > 1 && array.strides[dim] != strides[dim])
      return false;
  return true;
}

// The same convolution for a library; none where it is not one of those above. One dimension is two, of which the first
// has one element.
inline std::optional<DeviceConvolution> plainConvolution(DeviceConvolution convolution) {
  const std::array<ConvolutionArray *, 3> arrays = {&convolution.input, &convolution.kernel, &convolution.output};
  if (convolution.dims.size() == 1) {
    convolution.dims.insert(convolution.dims.begin(), ConvolutionDim());
    for (ConvolutionArray *array : arrays) {
      array->sizes.insert(array->sizes.begin() + 2, 1);
      array->strides.insert(array->strides.begin() + 2, 1);
    }
  }
  if (std::any_of(convolution.dims.begin(), convolution.dims.end(),
                  [](const ConvolutionDim &dim) { return dim.padLow != dim.padHigh; }))
    return std::nullopt;
  for (bool isFeaturesLast : {false, true}) {
    auto isPacked = [&](const ConvolutionArray *array) {
      return hasStrides(*array, packedStrides(array->sizes, isFeaturesLast));
    };
    if (!std::all_of(arrays.begin(), arrays.end(), isPacked))
      continue;
    for (ConvolutionArray *array : arrays)
      array->strides = packedStrides(array->sizes, isFeaturesLast);
    return convolution;
  }
  return std::nullopt;
}

} // namespace tenon::program
