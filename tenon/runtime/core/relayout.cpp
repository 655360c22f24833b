#include "tenon/runtime/core/relayout.h"

#include "tenon/runtime/core/thread_pool.h"

#include "tenon/support/strided_copy.h"
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

void relayout(const void *from, void *to, size_t elementBytes, std::span<const int64_t> dims,
              std::span<const int64_t> minorToMajor, RelayoutDirection direction, ThreadPool &pool) {
  std::vector<int64_t> rowStrides = rowMajorStrides(dims), otherStrides = denseStrides(dims, minorToMajor);
  bool fromRows = direction == RelayoutDirection::kFromRowMajor;
  StridedCopy copy(dims, fromRows ? rowStrides : otherStrides, fromRows ? otherStrides : rowStrides);
  int64_t unitBytes = copy.unitElements() * int64_t(elementBytes);
  int64_t grain = std::max<int64_t>(1, (64 << 10) / std::max<int64_t>(unitBytes, 1));
  pool.parallelFor(
      copy.units(), [&](int64_t begin, int64_t end, int) { copy.run(from, to, elementBytes, begin, end); }, grain);
}

} // namespace tenon::runtime
