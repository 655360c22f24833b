#include "tenon/runtime/cpu/fft_lane_plan.h"

#include "tenon/runtime/cpu/fft_roots.h"
#include "tenon/runtime/cpu/instruction_set.h"

#include <bit>
#include <utility>

namespace tenon::runtime::fft {
namespace {

// Radices whose product is n. Each pass goes over all of the data, so there should be few: powers of two are shared out
// evenly among as few passes as `largestPower` allows.
std::vector<int> factorize(int64_t n, int largestPower) {
  std::vector<int> radices;
  int powers = std::countr_zero(uint64_t(n)), largest = std::countr_zero(unsigned(largestPower));
  int passes = (powers + largest - 1) / largest;
  for (int i = 0; i < passes; ++i)
    radices.push_back(1 << (powers / passes + (i < powers % passes)));
  n >>= powers;
  for (int radix : {9, 3, 5, 7})
    for (; n % radix == 0; n /= radix)
      radices.push_back(radix);
  for (int radix = 11; n > 1; radix += 2)
    for (; n % radix == 0; n /= radix)
      radices.push_back(radix);
  if (radices.empty())
    radices.push_back(1);
  return radices;
}

} // namespace

template <> const Kernels<float> &kernels<float>() { return TENON_VARIANT(floatKernels); }
template <> const Kernels<double> &kernels<double>() { return TENON_VARIANT(doubleKernels); }

bool hasSmallFactors(int64_t n) {
  for (int p = 2; p <= kMaxRadix; ++p)
    while (n % p == 0)
      n /= p;
  return n == 1;
}

template <typename T> LanePlan<T>::LanePlan(int64_t length) : length_(length) {
  int64_t n = length, stride = 1;
  for (int radix : factorize(length, kernels<T>().largestPowerOfTwo)) {
    Step &step = steps_.emplace_back();
    step.radix = radix;
    step.m = n / radix;
    step.stride = stride;
    for (int64_t p = 0; step.m > 1 && p < step.m; ++p)
      for (int k = 1; k < radix; ++k)
        appendPair(step.twiddles, unitRoot(p * k, n));
    for (int j = 0; radix > 9 && j < radix; ++j)
      appendPair(step.roots, std::conj(unitRoot(j, radix)));
    n = step.m;
    stride *= radix;
  }
}

template <typename T>
const T *LanePlan<T>::execute(T *data, T *other, const Strided<const T> *from, const Strided<T> *to) const {
  const Kernels<T> &k = kernels<T>();
  Strided<const T> source = from ? *from : Strided<const T>{};
  Strided<T> target = to ? *to : Strided<T>{};
  for (size_t i = 0; i < steps_.size(); ++i) {
    const Step &step = steps_[i];
    bool first = i == 0 && from, last = i + 1 == steps_.size();
    bool inArray = last && to && !first;
    PassKind kind = first     ? (last ? PassKind::kOnlyFromArray : PassKind::kArrayToBuffer)
                    : inArray ? PassKind::kLastToArray
                    : last    ? PassKind::kLast
                              : PassKind::kMiddle;
    Pass<T> pass{step.radix, step.m, step.stride, step.twiddles.data(), step.roots.data()};
    k.pass(kind, pass, data, source, other, target);
    std::swap(data, other);
    if (last && to && !inArray)
      k.store(length_, data, target);
  }
  return data;
}

template class LanePlan<float>;
template class LanePlan<double>;

} // namespace tenon::runtime::fft
