// Roots of unity.
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

namespace tenon::runtime::fft {

// exp(-2 pi i j / n), correctly rounded up to an ulp or so for any j.
std::complex<double> unitRoot(int64_t j, int64_t n);

// The same for many j of one n, in a few nanoseconds each.
class UnitRoots {
public:
  explicit UnitRoots(int64_t n);
  using Wide = std::complex<long double>;

  // 0 <= j < n
  std::complex<double> operator()(int64_t j) const {
    Wide root = wide(j);
    return {double(root.real()), double(root.imag())};
  }
  Wide wide(int64_t j) const;

private:
  // exp(-2 pi i j / n) = high[j / kLow] * low[j % kLow]. The product needs the extra digits to be exact in a double.
  static constexpr int64_t kLow = 512;
  std::vector<Wide> high_, low_;
};

// A transform with digits to spare, for what plans are made of: a chirp that the plan itself transformed would carry
// its errors into every result. Fast if the length is a power of two times a small number.
std::vector<UnitRoots::Wide> wideTransform(const std::vector<UnitRoots::Wide> &in);

template <typename T> void appendPair(std::vector<T> &pairs, std::complex<double> value) {
  pairs.push_back(T(value.real()));
  pairs.push_back(T(value.imag()));
}

} // namespace tenon::runtime::fft
