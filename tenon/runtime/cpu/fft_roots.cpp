#include "tenon/runtime/cpu/fft_roots.h"

#include <cmath>
#include <numbers>

namespace tenon::runtime::fft {

std::complex<double> unitRoot(int64_t j, int64_t n) {
  j %= n;
  if (j < 0)
    j += n;
  // Folded into the first eighth of the circle, where sine and cosine are accurate and symmetric.
  bool below = 2 * j > n; // lower half: the conjugate
  if (below)
    j = n - j;
  bool left = 4 * j > n;                        // second quadrant
  int64_t numerator = left ? n - 2 * j : 2 * j; // angle / pi = numerator / n, at most 1/2
  bool steep = 4 * numerator > n;
  double cosine, sine;
  if (4 * numerator == n) {
    cosine = sine = std::numbers::sqrt2 / 2;
  } else if (steep) {
    double angle = std::numbers::pi * (double(n - 2 * numerator) / double(2 * n));
    cosine = std::sin(angle);
    sine = std::cos(angle);
  } else {
    double angle = std::numbers::pi * (double(numerator) / double(n));
    cosine = std::cos(angle);
    sine = std::sin(angle);
  }
  return {left ? -cosine : cosine, below ? sine : -sine};
}

UnitRoots::UnitRoots(int64_t n) {
  auto exact = [&](int64_t j) {
    long double angle = 2 * std::numbers::pi_v<long double> * (long double)(j) / (long double)(n);
    return Wide(std::cos(angle), -std::sin(angle));
  };
  for (int64_t j = 0; j < kLow; ++j)
    low_.push_back(exact(j));
  for (int64_t j = 0; j < n; j += kLow)
    high_.push_back(exact(j));
}

namespace {

using Wide = UnitRoots::Wide;

// Written out: the operator of std::complex handles infinities, which costs a call.
Wide product(Wide a, Wide b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

// out[k] = sum over j < n of in[j * stride] exp(-2 pi i j k / n); `roots` are for the length n * stride.
void transformHalves(const Wide *in, int64_t n, int64_t stride, const std::vector<Wide> &roots, Wide *out) {
  if (n % 2 != 0) {
    for (int64_t k = 0; k < n; ++k) {
      out[k] = 0;
      for (int64_t j = 0; j < n; ++j)
        out[k] += product(in[j * stride], roots[size_t(j * k % n * stride)]);
    }
    return;
  }
  int64_t half = n / 2;
  transformHalves(in, half, 2 * stride, roots, out);
  transformHalves(in + stride, half, 2 * stride, roots, out + half);
  for (int64_t k = 0; k < half; ++k) {
    Wide a = out[k], b = product(out[k + half], roots[size_t(k * stride)]);
    out[k] = a + b;
    out[k + half] = a - b;
  }
}

} // namespace

Wide UnitRoots::wide(int64_t j) const { return product(high_[size_t(j / kLow)], low_[size_t(j % kLow)]); }

std::vector<Wide> wideTransform(const std::vector<Wide> &in) {
  auto n = int64_t(in.size());
  UnitRoots root(n);
  std::vector<Wide> roots, out(in.size());
  for (int64_t j = 0; j < n; ++j)
    roots.push_back(root.wide(j));
  transformHalves(in.data(), n, 1, roots, out.data());
  return out;
}

} // namespace tenon::runtime::fft
