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

} // namespace tenon
