#include "tenon/runtime/cpu/fft_plan.h"

#include "tenon/runtime/cpu/instruction_set.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace tenon::runtime::fft {
namespace {

// Radices whose product is n, or nothing if a prime factor is too large. Fours first: they do the most work for each
// pass over the data.
std::vector<int> factorize(int64_t n) {
  std::vector<int> radices;
  for (int radix : {4, 2, 3, 5})
    for (; n % radix == 0; n /= radix)
      radices.push_back(radix);
  for (int radix = 7; radix <= kMaxRadix && n > 1; radix += 2)
    for (; n % radix == 0; n /= radix)
      radices.push_back(radix);
  return n == 1 ? radices : std::vector<int>();
}

} // namespace

template <> const Loops<float> &loops<float>() { return TENON_VARIANT(floatLoops); }
template <> const Loops<double> &loops<double>() { return TENON_VARIANT(doubleLoops); }

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

template <typename T> Plan<T>::Plan(int64_t length) : length_(length) {
  std::vector<int> radices = factorize(length);
  if (radices.empty() && length > 1)
    makeChirp();
  else
    makeStages(radices);
}

template <typename T> void Plan<T>::makeStages(const std::vector<int> &radices) {
  int64_t n = length_;
  for (int radix : radices) {
    Stage &stage = stages_.emplace_back();
    stage.radix = radix;
    stage.m = n / radix;
    for (int64_t p = 0; p < stage.m; ++p)
      for (int k = 1; k < radix; ++k)
        stage.twiddles.push_back(unitRoot(p * k, n));
    for (int j = 0; j < radix; ++j)
      stage.roots.push_back(unitRoot(j, radix));
    n = stage.m;
  }
}

// With jk = (j^2 + k^2 - (k-j)^2) / 2 the sum over x_j w^(jk) becomes c_k * sum (x_j c_j) conj(c_(k-j)), c_j =
// w^(j^2/2).
template <typename T> void Plan<T>::makeChirp() {
  int64_t padded = 1;
  while (padded < 2 * length_ - 1)
    padded *= 2;
  inner_ = std::make_unique<Plan>(padded);
  std::vector<T> re(size_t(padded), T(0)), im(size_t(padded), T(0));
  for (int64_t j = 0; j < length_; ++j) {
    // j^2 modulo 2n, without overflow.
    int64_t square = int64_t(__int128(j) * j % (2 * length_));
    std::complex<double> value = unitRoot(square, 2 * length_);
    chirp_.push_back(value);
    for (int64_t place : {j, (padded - j) % padded}) {
      re[size_t(place)] = T(value.real());
      im[size_t(place)] = T(-value.imag());
    }
  }
  std::vector<T> scratch(size_t(inner_->scratchPerLane()));
  Split<T> result = inner_->execute({re.data(), im.data()}, scratch.data(), 1);
  // The scale of the inverse transform goes in here.
  for (int64_t j = 0; j < padded; ++j)
    spectrum_.push_back({double(result.re[j]) / double(padded), double(result.im[j]) / double(padded)});
}

template <typename T> int64_t Plan<T>::scratchPerLane() const {
  return inner_ ? 2 * inner_->length() + inner_->scratchPerLane() : 2 * length_;
}

template <typename T> Split<T> Plan<T>::execute(Split<T> data, T *scratch, int64_t lanes) const {
  if (inner_)
    return executeChirp(data, scratch, lanes);
  return executeStages(data, {scratch, scratch + length_ * lanes}, lanes);
}

template <typename T> Split<T> Plan<T>::executeStages(Split<T> data, Split<T> other, int64_t lanes) const {
  int64_t stride = lanes;
  for (const Stage &stage : stages_) {
    loops<T>().stage(stage.radix, stage.m, stride, {data.re, data.im}, other, stage.twiddles.view(),
                     stage.roots.view());
    std::swap(data, other);
    stride *= stage.radix;
  }
  return data;
}

template <typename T> Split<T> Plan<T>::executeChirp(Split<T> data, T *scratch, int64_t lanes) const {
  int64_t padded = inner_->length(), used = length_ * lanes, all = padded * lanes;
  Split<T> work = {scratch, scratch + all};
  T *innerScratch = scratch + 2 * all;
  const Loops<T> &loop = loops<T>();
  loop.multiplyRows(length_, lanes, data, chirp_.view());
  std::copy(data.re, data.re + used, work.re);
  std::copy(data.im, data.im + used, work.im);
  std::fill(work.re + used, work.re + all, T(0));
  std::fill(work.im + used, work.im + all, T(0));
  Split<T> transformed = inner_->execute(work, innerScratch, lanes);
  loop.multiplyRows(padded, lanes, transformed, spectrum_.view());
  // Back again: the inverse is the forward transform with the parts exchanged. The halves of the scratch memory change
  // roles if the first result lies in the inner one.
  bool inWork = transformed.re == work.re;
  Split<T> swapped = inner_->execute({transformed.im, transformed.re}, inWork ? innerScratch : scratch, lanes);
  Split<T> result = {swapped.im, swapped.re};
  loop.multiplyRows(length_, lanes, result, chirp_.view());
  return result;
}

template class Plan<float>;
template class Plan<double>;

} // namespace tenon::runtime::fft
