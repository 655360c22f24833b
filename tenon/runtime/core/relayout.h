// Copies between row-major arrays and other orders of dimensions.
#pragma once

#include "tenon/support/strided_copy.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace tenon::runtime {

class ThreadPool;

enum class RelayoutDirection { kFromRowMajor, kToRowMajor };

// Whether the order is row-major as far as memory goes: dimensions of size one do not count. Empty means row-major.
bool isRowMajor(std::span<const int64_t> dims, std::span<const int64_t> minorToMajor);

// Copies an array of shape `dims` between row-major order and the order `minorToMajor` (a permutation). The buffers do
// not overlap. Elements of 1, 2, 4, 8 or 16 bytes.
void relayout(const void *from, void *to, size_t elementBytes, std::span<const int64_t> dims,
              std::span<const int64_t> minorToMajor, RelayoutDirection direction, ThreadPool &pool);

// The same copy for arrays of one shape, planned once.
class Relayout {
public:
  Relayout(size_t elementBytes, std::span<const int64_t> dims, std::span<const int64_t> minorToMajor,
           RelayoutDirection direction);
  void run(const void *from, void *to, ThreadPool &pool) const;

private:
  size_t elementBytes_;
  StridedCopy copy_;
};

} // namespace tenon::runtime
