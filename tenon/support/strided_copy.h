// Copies of arrays from one order and spacing of elements to another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tenon {

// The plan of a copy between two places that do not overlap, parted into units that can run in any order and at once.
// Copies run in square tiles, so that both sides' cache lines stay in use whichever side is contiguous.
class StridedCopy {
public:
  // The array's sizes, and on either side the distance between neighbours along each dimension, in elements.
  StridedCopy(std::span<const int64_t> dims, std::span<const int64_t> fromStrides, std::span<const int64_t> toStrides);

  // 0 where the array has no elements.
  int64_t units() const { return units_; }
  int64_t unitElements() const { return unitElements_; }
  // Elements of 1, 2, 4, 8 or 16 bytes, aligned to their size (16: to 8).
  void run(const void *from, void *to, size_t elementBytes, int64_t beginUnit, int64_t endUnit) const;
  void run(const void *from, void *to, size_t elementBytes) const { run(from, to, elementBytes, 0, units_); }

private:
  // A loop over one dimension.
  struct Loop {
    int64_t size, from, to;
  };
  // One unit's last two dimensions: `a` is contiguous on the writing side if any is, `b` on the reading side.
  template <typename T> static void copyTiles(const T *from, T *to, Loop a, Loop b);
  template <typename T> void runElements(const T *from, T *to, int64_t beginUnit, int64_t endUnit) const;
  Loop takeContiguous(int64_t Loop::*side);

  std::vector<Loop> outer_;
  Loop a_{1, 0, 0}, b_{1, 0, 0};
  int64_t units_ = 1, unitElements_ = 1;
  // One big matrix: the units are stripes of its rows.
  bool striped_ = false;
};

} // namespace tenon
