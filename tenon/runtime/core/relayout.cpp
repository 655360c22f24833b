#include "tenon/runtime/core/relayout.h"

#include "tenon/runtime/core/thread_pool.h"

#include "tenon/support/strides.h"

#include <algorithm>
#include <vector>

namespace tenon::runtime {

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

static StridedCopy planCopy(std::span<const int64_t> dims, std::span<const int64_t> minorToMajor,
                            RelayoutDirection direction) {
  std::vector<int64_t> rowStrides = rowMajorStrides(dims), otherStrides = denseStrides(dims, minorToMajor);
  bool fromRows = direction == RelayoutDirection::kFromRowMajor;
  return {dims, fromRows ? rowStrides : otherStrides, fromRows ? otherStrides : rowStrides};
}

Relayout::Relayout(size_t elementBytes, std::span<const int64_t> dims, std::span<const int64_t> minorToMajor,
                   RelayoutDirection direction)
    : elementBytes_(elementBytes), copy_(planCopy(dims, minorToMajor, direction)) {}

void Relayout::run(const void *from, void *to, ThreadPool &pool) const {
  int64_t unitBytes = copy_.unitElements() * int64_t(elementBytes_);
  int64_t grain = std::max<int64_t>(1, (64 << 10) / std::max<int64_t>(unitBytes, 1));
  pool.parallelFor(
      copy_.units(), [&](int64_t begin, int64_t end, int) { copy_.run(from, to, elementBytes_, begin, end); }, grain);
}

void relayout(const void *from, void *to, size_t elementBytes, std::span<const int64_t> dims,
              std::span<const int64_t> minorToMajor, RelayoutDirection direction, ThreadPool &pool) {
  Relayout(elementBytes, dims, minorToMajor, direction).run(from, to, pool);
}

} // namespace tenon::runtime
