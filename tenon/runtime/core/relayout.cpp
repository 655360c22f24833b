#include "tenon/runtime/core/relayout.h"

#include "tenon/runtime/core/thread_pool.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <vector>

namespace tenon::runtime {
namespace {

// A loop over one dimension, with the strides (in elements) of both sides.
struct Loop {
  int64_t size, from, to;
};

constexpr int64_t kTile = 16;

// A complex number, which is aligned to its halves only.
struct Pair {
  uint64_t words[2];
};

// The two inner loops: one is contiguous on the reading side, the other on the writing side. Square tiles keep both
// sides' cache lines in use.
template <typename T> void copyTiles(const T *from, T *to, Loop a, Loop b) {
  for (int64_t i0 = 0; i0 < a.size; i0 += kTile)
    for (int64_t j0 = 0; j0 < b.size; j0 += kTile) {
      int64_t iEnd = std::min(i0 + kTile, a.size), jEnd = std::min(j0 + kTile, b.size);
      for (int64_t i = i0; i < iEnd; ++i)
        for (int64_t j = j0; j < jEnd; ++j)
          to[i * a.to + j * b.to] = from[i * a.from + j * b.from];
    }
}

template <typename T>
void copyBlock(const T *from, T *to, const std::vector<Loop> &outer, int64_t index, Loop a, Loop b) {
  for (size_t i = outer.size(); i-- > 0;) {
    int64_t position = index % outer[i].size;
    index /= outer[i].size;
    from += position * outer[i].from;
    to += position * outer[i].to;
  }
  copyTiles(from, to, a, b);
}

// Loops in row-major order, the ones of size one left out.
std::vector<Loop> makeLoops(std::span<const int64_t> dims, std::span<const int64_t> minorToMajor,
                            RelayoutDirection direction) {
  size_t rank = dims.size();
  std::vector<int64_t> rowStrides(rank), otherStrides(rank);
  int64_t stride = 1;
  for (size_t i = rank; i-- > 0; stride *= dims[i])
    rowStrides[i] = stride;
  stride = 1;
  for (int64_t dim : minorToMajor) {
    otherStrides[size_t(dim)] = stride;
    stride *= dims[size_t(dim)];
  }
  std::vector<Loop> loops;
  for (size_t i = 0; i < rank; ++i)
    if (dims[i] != 1)
      loops.push_back(direction == RelayoutDirection::kFromRowMajor ? Loop{dims[i], rowStrides[i], otherStrides[i]}
                                                                    : Loop{dims[i], otherStrides[i], rowStrides[i]});
  // Neighbours that are contiguous with each other on both sides are one loop.
  for (size_t i = 0; i + 1 < loops.size();) {
    Loop &outer = loops[i], &inner = loops[i + 1];
    if (outer.from == inner.from * inner.size && outer.to == inner.to * inner.size) {
      inner.size *= outer.size;
      loops.erase(loops.begin() + ptrdiff_t(i));
    } else {
      ++i;
    }
  }
  return loops;
}

Loop takeContiguous(std::vector<Loop> &loops, int64_t Loop::*side) {
  for (size_t i = 0; i < loops.size(); ++i)
    if (loops[i].*side == 1) {
      Loop loop = loops[i];
      loops.erase(loops.begin() + ptrdiff_t(i));
      return loop;
    }
  return {1, 0, 0};
}

template <typename T> void relayoutElements(const T *from, T *to, std::vector<Loop> loops, ThreadPool &pool) {
  Loop b = takeContiguous(loops, &Loop::from), a = takeContiguous(loops, &Loop::to);
  int64_t blocks = 1;
  for (const Loop &loop : loops)
    blocks *= loop.size;
  int64_t blockBytes = a.size * b.size * int64_t(sizeof(T));
  if (blocks == 1 && a.size >= 2 * kTile) {
    // One big matrix: share its rows.
    int64_t stripes = (a.size + kTile - 1) / kTile, stripeBytes = kTile * b.size * int64_t(sizeof(T));
    int64_t grain = std::max<int64_t>(1, (64 << 10) / std::max<int64_t>(stripeBytes, 1));
    pool.parallelFor(
        stripes,
        [&](int64_t begin, int64_t end, int) {
          int64_t first = begin * kTile, last = std::min(end * kTile, a.size);
          copyTiles(from + first * a.from, to + first * a.to, Loop{last - first, a.from, a.to}, b);
        },
        grain);
    return;
  }
  int64_t grain = std::max<int64_t>(1, (64 << 10) / std::max<int64_t>(blockBytes, 1));
  pool.parallelFor(
      blocks,
      [&](int64_t begin, int64_t end, int) {
        for (int64_t block = begin; block < end; ++block)
          copyBlock(from, to, loops, block, a, b);
      },
      grain);
}

} // namespace

bool isPermutation(std::span<const int64_t> minorToMajor, size_t rank) {
  std::vector<bool> seen(rank);
  for (int64_t dim : minorToMajor) {
    if (dim < 0 || size_t(dim) >= rank || seen[size_t(dim)])
      return false;
    seen[size_t(dim)] = true;
  }
  return minorToMajor.size() == rank;
}

bool isRowMajor(std::span<const int64_t> dims, std::span<const int64_t> minorToMajor) {
  int64_t last = int64_t(dims.size());
  for (int64_t dim : minorToMajor) {
    if (dims[size_t(dim)] == 1)
      continue;
    if (dim > last)
      return false;
    last = dim;
  }
  return true;
}

void relayout(const void *from, void *to, size_t elementBytes, std::span<const int64_t> dims,
              std::span<const int64_t> minorToMajor, RelayoutDirection direction, ThreadPool &pool) {
  for (int64_t dim : dims)
    if (dim == 0)
      return;
  std::vector<Loop> loops = makeLoops(dims, minorToMajor, direction);
  if (loops.empty())
    loops.push_back({1, 1, 1});
  switch (elementBytes) {
  case 1:
    return relayoutElements(static_cast<const uint8_t *>(from), static_cast<uint8_t *>(to), std::move(loops), pool);
  case 2:
    return relayoutElements(static_cast<const uint16_t *>(from), static_cast<uint16_t *>(to), std::move(loops), pool);
  case 4:
    return relayoutElements(static_cast<const uint32_t *>(from), static_cast<uint32_t *>(to), std::move(loops), pool);
  case 8:
    return relayoutElements(static_cast<const uint64_t *>(from), static_cast<uint64_t *>(to), std::move(loops), pool);
  case 16:
    return relayoutElements(static_cast<const Pair *>(from), static_cast<Pair *>(to), std::move(loops), pool);
  default:
    assert(false && "no element type has this size");
  }
}

} // namespace tenon::runtime
