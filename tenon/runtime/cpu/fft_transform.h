// Transforms along one dimension of an array, on the pool's workers.
#pragma once

#include "tenon/runtime/core/memory.h"
#include "tenon/runtime/core/thread_pool.h"
#include "tenon/runtime/cpu/fft_plan.h"

#include <complex>
#include <memory>
#include <vector>

namespace tenon::runtime::fft {

template <typename T> class AxisTransform {
public:
  explicit AxisTransform(int64_t length);

  int64_t length() const { return length_; }

  // out[o, k, i] = scale * sum_j in[o, j, i] * exp(-+2 pi i j k / n) for arrays of shape [outer, n, inner]. `in` and
  // `out` are the same or do not overlap. False if memory ran out.
  bool run(const std::complex<T> *in, std::complex<T> *out, int64_t outer, int64_t inner, bool inverse, T scale,
           ThreadPool &pool) const;

private:
  // Addresses lane l of element j: base + l * lane + j * element.
  struct View {
    int64_t lane, element;
  };
  struct Block;
  struct SixStep;

  bool runBlocks(const std::complex<T> *in, std::complex<T> *out, int64_t outer, int64_t inner, bool inverse, T scale,
                 ThreadPool &pool) const;
  bool runSixStep(const std::complex<T> *in, std::complex<T> *out, int64_t rows, bool inverse, T scale,
                  ThreadPool &pool) const;

  int64_t length_;
  std::unique_ptr<Plan<T>> plan_;
  std::shared_ptr<const SixStep> sixStep_; // shared_ptr: the type is complete only where it is made
};

// n = 2h reals as h complex numbers: the rest of the way from their transform to that of the reals, and back.
template <typename T> class RealPacking {
public:
  explicit RealPacking(int64_t length);
  // [rows, h] to [rows, h + 1].
  void split(const std::complex<T> *packed, std::complex<T> *out, int64_t rows, ThreadPool &pool) const;
  // [rows, h + 1] to [rows, h]. The imaginary parts of the first and last elements do not count.
  void merge(const std::complex<T> *in, std::complex<T> *packed, int64_t rows, ThreadPool &pool) const;

private:
  int64_t half_;
  std::vector<std::complex<T>> roots_;
};

extern template class AxisTransform<float>;
extern template class AxisTransform<double>;
extern template class RealPacking<float>;
extern template class RealPacking<double>;

} // namespace tenon::runtime::fft
