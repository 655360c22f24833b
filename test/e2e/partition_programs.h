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
  bool hasLocalForm = false; // no op is computed whole
};

/// A program of a few ops on arrays of i32, which add up to the same in any order; of f32, if `isFloat`, with sums that
/// round. Its mesh has 2 to 8 devices, arguments and values are cut along random axes, many of them unevenly.
PartitionProgram makePartitionProgram(uint32_t seed, bool isFloat);

/// One op that takes the elements of its result from elsewhere in a dimension that is cut: a slice, pad, reverse,
/// concatenation, reduction over windows or convolution, with random sizes, strides, paddings and windows. With a
/// window of all that is before (a cumulative sum), if `isScan`.
PartitionProgram makeMovingProgram(uint32_t seed, bool isFloat, bool isScan = false);

/// One op that reads or writes at computed places, or of whose result a device can make its part without the others: a
/// dynamic slice, a gather of windows, a top_k, random bits, windows of an array with holes, a convolution of groups or
/// of features that are cut.
PartitionProgram makeFormProgram(uint32_t seed, bool isFloat);

/// Pads an array of `size` elements, cut in `devices` parts, whose operand and result are cut.
PartitionProgram makePaddingProgram(int64_t devices, int64_t size, int64_t low, int64_t high, int64_t interior);

/// Sorts an array of one dimension in 4 parts by keys that are `keys` of its random elements and of their places, with
/// the places beside them.
PartitionProgram makeSortProgram(const std::string &keys, const std::string &comparator);

/// A loop that adds up, and stacks, what is summed over a dimension that is cut.
PartitionProgram makeSummingProgram(uint32_t seed, bool isFloat);

/// A Fourier transform along the last `along` dimensions, from two arrays of f32 and to two, of 8 devices; `dims` says
/// how its operand is cut on a mesh of x=4 and y=2.
PartitionProgram makeTransformProgram(const std::vector<int64_t> &sizes, const std::string &dims,
                                      const std::string &kind, size_t along);

} // namespace tenon
