#include "tenon/support/strided_copy.h"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace tenon {
namespace {

constexpr int64_t kTile = 16;

// A complex number, which is aligned to its halves only.
struct Pair {
  uint64_t words[2];
};

} // namespace

StridedCopy::StridedCopy(std::span<const int64_t> dims, std::span<const int64_t> fromStrides,
                         std::span<const int64_t> toStrides) {
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] == 0) {
      units_ = 0;
      return;
    }
    if (dims[i] == 1)
      continue;
    // Neighbours that are contiguous with each other on both sides are one loop.
    Loop loop{dims[i], fromStrides[i], toStrides[i]};
    if (!outer_.empty() && outer_.back().from == loop.from * loop.size && outer_.back().to == loop.to * loop.size) {
      loop.size *= outer_.back().size;
      outer_.pop_back();
    }
    outer_.push_back(loop);
  }
  b_ = takeContiguous(&Loop::from);
  a_ = takeContiguous(&Loop::to);
  for (const Loop &loop : outer_)
    units_ *= loop.size;
  unitElements_ = a_.size * b_.size;
  if (units_ == 1 && a_.size >= 2 * kTile) {
    striped_ = true;
    units_ = (a_.size + kTile - 1) / kTile;
    unitElements_ = kTile * b_.size;
  }
}

StridedCopy::Loop StridedCopy::takeContiguous(int64_t Loop::*side) {
  for (size_t i = 0; i < outer_.size(); ++i)
    if (outer_[i].*side == 1) {
      Loop loop = outer_[i];
      outer_.erase(outer_.begin() + ptrdiff_t(i));
      return loop;
    }
  return {1, 0, 0};
}

// The least square of elements whose rows are columns on the other side, in vectors of 16 bytes.
template <typename T> struct Square {
  static constexpr int64_t kSide = 1;
};
template <> struct Square<uint32_t> {
  static constexpr int64_t kSide = 4;
  using Row = uint32_t __attribute__((vector_size(16)));

  static void transpose(const uint32_t *from, int64_t fromStride, uint32_t *to, int64_t toStride) {
    Row rows[kSide], columns[kSide];
    for (int64_t i = 0; i < kSide; ++i)
      std::memcpy(&rows[i], from + i * fromStride, sizeof(Row));
    for (int64_t i = 0; i < kSide; i += 2) { // pairs of columns
      auto first = i == 0 ? __builtin_shufflevector(rows[0], rows[1], 0, 4, 1, 5)
                          : __builtin_shufflevector(rows[0], rows[1], 2, 6, 3, 7);
      auto second = i == 0 ? __builtin_shufflevector(rows[2], rows[3], 0, 4, 1, 5)
                           : __builtin_shufflevector(rows[2], rows[3], 2, 6, 3, 7);
      columns[i] = __builtin_shufflevector(first, second, 0, 1, 4, 5);
      columns[i + 1] = __builtin_shufflevector(first, second, 2, 3, 6, 7);
    }
    for (int64_t i = 0; i < kSide; ++i)
      std::memcpy(to + i * toStride, &columns[i], sizeof(Row));
  }
};
template <> struct Square<uint64_t> {
  static constexpr int64_t kSide = 2;
  using Row = uint64_t __attribute__((vector_size(16)));

  static void transpose(const uint64_t *from, int64_t fromStride, uint64_t *to, int64_t toStride) {
    Row first, second;
    std::memcpy(&first, from, sizeof(Row));
    std::memcpy(&second, from + fromStride, sizeof(Row));
    Row columns[] = {__builtin_shufflevector(first, second, 0, 2), __builtin_shufflevector(first, second, 1, 3)};
    std::memcpy(to, &columns[0], sizeof(Row));
    std::memcpy(to + toStride, &columns[1], sizeof(Row));
  }
};

// A tile of at most kTile rows and columns that are contiguous along the columns on the one side and along the rows on
// the other.
template <typename T>
static void transposeTile(const T *from, int64_t fromStride, T *to, int64_t toStride, int64_t rows, int64_t columns) {
  constexpr int64_t kSide = Square<T>::kSide;
  int64_t wholeRows = rows / kSide * kSide, wholeColumns = columns / kSide * kSide;
  if constexpr (kSide > 1)
    for (int64_t i = 0; i < wholeRows; i += kSide)
      for (int64_t j = 0; j < wholeColumns; j += kSide)
        Square<T>::transpose(from + i * fromStride + j, fromStride, to + i + j * toStride, toStride);
  else
    wholeColumns = 0;
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = i < wholeRows ? wholeColumns : 0; j < columns; ++j)
      to[i + j * toStride] = from[i * fromStride + j];
}

template <typename T> void StridedCopy::copyTiles(const T *from, T *to, Loop a, Loop b) {
  if (b.to == 1) {
    for (int64_t i = 0; i < a.size; ++i)
      std::memcpy(to + i * a.to, from + i * a.from, size_t(b.size) * sizeof(T));
    return;
  }
  for (int64_t i0 = 0; i0 < a.size; i0 += kTile)
    for (int64_t j0 = 0; j0 < b.size; j0 += kTile) {
      int64_t iEnd = std::min(i0 + kTile, a.size), jEnd = std::min(j0 + kTile, b.size);
      if (a.to == 1 && b.from == 1) {
        transposeTile(from + i0 * a.from + j0, a.from, to + i0 + j0 * b.to, b.to, iEnd - i0, jEnd - j0);
        continue;
      }
      for (int64_t i = i0; i < iEnd; ++i)
        for (int64_t j = j0; j < jEnd; ++j)
          to[i * a.to + j * b.to] = from[i * a.from + j * b.from];
    }
}

template <typename T> void StridedCopy::runElements(const T *from, T *to, int64_t beginUnit, int64_t endUnit) const {
  if (striped_) {
    int64_t first = beginUnit * kTile, last = std::min(endUnit * kTile, a_.size);
    return copyTiles(from + first * a_.from, to + first * a_.to, Loop{last - first, a_.from, a_.to}, b_);
  }
  for (int64_t unit = beginUnit; unit < endUnit; ++unit) {
    const T *unitFrom = from;
    T *unitTo = to;
    int64_t index = unit;
    for (size_t i = outer_.size(); i-- > 0;) {
      int64_t position = index % outer_[i].size;
      index /= outer_[i].size;
      unitFrom += position * outer_[i].from;
      unitTo += position * outer_[i].to;
    }
    copyTiles(unitFrom, unitTo, a_, b_);
  }
}

void StridedCopy::run(const void *from, void *to, size_t elementBytes, int64_t beginUnit, int64_t endUnit) const {
  auto runAs = [&](auto element) {
    using T = decltype(element);
    runElements(static_cast<const T *>(from), static_cast<T *>(to), beginUnit, endUnit);
  };
  switch (elementBytes) {
  case 1:
    return runAs(uint8_t{});
  case 2:
    return runAs(uint16_t{});
  case 4:
    return runAs(uint32_t{});
  case 8:
    return runAs(uint64_t{});
  case 16:
    return runAs(Pair{});
  default:
    assert(false && "no element type has this size");
  }
}

} // namespace tenon
