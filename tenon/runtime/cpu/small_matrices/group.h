// When matrices are factored in lanes (kernels.h), and how runtime calls hand them over.
#pragma once

#include "tenon/runtime/core/call_memory.h"
#include "tenon/runtime/core/runtime_call.h"
#include "tenon/runtime/core/thread_pool.h"
#include "tenon/runtime/cpu/lapack.h"
#include "tenon/runtime/cpu/small_matrices/kernels.h"

#include <algorithm>

namespace tenon::runtime::small_matrices {

// The kernels for a batch of matrices of T, or null where LAPACK is as fast: for few matrices, or large ones.
template <typename T>
const Kernels<typename lapack::TypeTraits<T>::Real> *kernelsFor(int64_t batch, int64_t rows, int64_t columns);

template <typename T> constexpr int64_t kParts = lapack::TypeTraits<T>::isComplex ? 2 : 1;

// Some matrices of a batch: as many as there are lanes, or the rest of the batch. Blocks come from the worker's memory
// and live as long as the group.
class Group {
public:
  Group(const CallBuffers &call, int64_t first, int count, char *work)
      : call_(call), first_(first), count_(count), work_(work) {}

  int count() const { return count_; }
  // The first of the group's matrices of `elements` elements each.
  template <typename T> const T *operand(size_t i, int64_t elements) const {
    return static_cast<const T *>(call_.operands[i]) + first_ * elements;
  }
  template <typename T> T *result(size_t i, int64_t elements) const {
    return static_cast<T *>(call_.results[i]) + first_ * elements;
  }

  template <typename T> auto *block(int64_t elements) {
    using Real = typename lapack::TypeTraits<T>::Real;
    auto *piece = reinterpret_cast<Real *>(work_);
    work_ += bytesFor<T>(elements);
    return piece;
  }
  // Room for `values` integers for each lane.
  int32_t *integers(int64_t values) { return reinterpret_cast<int32_t *>(block<float>(values)); }
  template <typename T, typename Real> Real *load(const Kernels<Real> &kernels, size_t operand, int64_t elements) {
    Real *to = block<T>(elements);
    int64_t numbers = elements * kParts<T>;
    kernels.load(numbers, reinterpret_cast<const Real *>(this->operand<T>(operand, elements)), numbers, count_, to);
    return to;
  }
  template <typename T, typename Real>
  void store(const Kernels<Real> &kernels, size_t result, int64_t elements, const Real *block) const {
    int64_t numbers = elements * kParts<T>;
    kernels.store(numbers, block, reinterpret_cast<Real *>(this->result<T>(result, elements)), numbers, count_);
  }
  // Stores `values` integers for each matrix; `block` has them at [value * lanes + lane].
  void storeIntegers(int lanes, size_t result, int64_t values, const int32_t *block) const;

  // Memory for a block with so many elements a matrix, whatever the number of lanes.
  template <typename T> static int64_t bytesFor(int64_t elements) {
    return std::max<int64_t>(elements, 1) * kBlockAlignment * kParts<T>;
  }

private:
  const CallBuffers &call_;
  int64_t first_;
  int count_;
  char *work_;
};

// Calls work(Group &) for all groups of the batch, on the pool's workers.
template <typename F>
Status forEachGroup(const CallBuffers &call, int64_t batch, int lanes, int64_t workBytes, F work) {
  int64_t groups = (batch + lanes - 1) / lanes;
  // One worker may have any number below the pool's size.
  CallMemory memory(size_t(workBytes) * size_t(call.pool.size()));
  if (!memory)
    return Status(StatusCode::kResourceExhausted, "out of memory");
  call.pool.parallelFor(groups, [&](int64_t begin, int64_t end, int worker) {
    for (int64_t g = begin; g < end; ++g) {
      int64_t first = g * lanes;
      Group group(call, first, int(std::min<int64_t>(lanes, batch - first)),
                  reinterpret_cast<char *>(memory.data()) + workBytes * worker);
      work(group);
    }
  });
  return {};
}

} // namespace tenon::runtime::small_matrices
