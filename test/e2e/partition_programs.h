// Random programs with random shardings, for tests of the partitioner.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace tenon {

struct PartitionProgram {
  std::string text;
  int32_t devices = 1;
  std::vector<std::vector<int64_t>> argumentSizes;
};

/// A program of a few ops on arrays of i32, which add up to the same in any order; of f32, if `isFloat`, with sums that
/// round. Its mesh has 2 to 8 devices, arguments and values are cut along random axes, many of them unevenly.
PartitionProgram makePartitionProgram(uint32_t seed, bool isFloat);

/// One op that takes the elements of its result from elsewhere in a dimension that is cut: a slice, pad, reverse,
/// concatenation, reduction over windows or convolution, with random sizes, strides, paddings and windows. With a
/// window of all that is before (a cumulative sum), if `isScan`.
PartitionProgram makeMovingProgram(uint32_t seed, bool isFloat, bool isScan = false);

} // namespace tenon
