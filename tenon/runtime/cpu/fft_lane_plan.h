// Transforms of one length whose prime factors are at most kMaxRadix, of as many sequences side by side as a vector has
// lanes.
#pragma once

#include "tenon/runtime/cpu/fft_kernels.h"

#include <vector>

namespace tenon::runtime::fft {

bool hasSmallFactors(int64_t n);

template <typename T> class LanePlan {
public:
  // Needs hasSmallFactors(length).
  explicit LanePlan(int64_t length);

  int64_t length() const { return length_; }
  int64_t passes() const { return int64_t(steps_.size()); }
  // The size of a buffer, in reals.
  int64_t bufferSize() const { return 2 * length_ * kernels<T>().lanes; }

  // Transforms what lies in `data`, or the array `from` if there is one; both buffers are overwritten. The result is in
  // the buffer that is returned, or in `to` if there is such an array.
  const T *execute(T *data, T *other, const Strided<const T> *from, const Strided<T> *to) const;

private:
  struct Step {
    int radix;
    int64_t m, stride;
    std::vector<T> twiddles, roots;
  };

  int64_t length_;
  std::vector<Step> steps_;
};

extern template class LanePlan<float>;
extern template class LanePlan<double>;

} // namespace tenon::runtime::fft
