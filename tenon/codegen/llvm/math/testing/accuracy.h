// Errors in units in the last place, and samples that find them. For tests.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

namespace tenon::codegen::math {

// Distance of `got` from the exact value in ULP of T at that value, subnormals included. Infinity when the class is
// wrong (NaN, infinities, the sign of an exact zero); rounding to or from infinity at the overflow threshold is
// allowed.
template <typename T> double ulpError(T got, long double exact) {
  constexpr double kWrong = std::numeric_limits<double>::infinity();
  constexpr int kDigits = std::numeric_limits<T>::digits, kMinExponent = std::numeric_limits<T>::min_exponent;
  T rounded = static_cast<T>(exact);
  if (std::isnan(rounded) || std::isnan(got))
    return std::isnan(rounded) && std::isnan(got) ? 0 : kWrong;
  if (std::isinf(rounded) || std::isinf(got)) {
    if (got == rounded)
      return 0;
    bool nearOverflow = std::fabs(exact) > 0.999999L * std::numeric_limits<T>::max() &&
                        std::fabs((long double)got) > 0.999999L * std::numeric_limits<T>::max();
    return nearOverflow && std::signbit(got) == std::signbit(rounded) ? 1 : kWrong;
  }
  if (exact == 0)
    return got == 0 && std::signbit(got) == std::signbit(exact) ? 0 : kWrong;
  int exponent;
  std::frexp(exact, &exponent);
  long double ulp = std::ldexp(1.0L, std::max(exponent, kMinExponent) - kDigits);
  return static_cast<double>(std::fabs((long double)got - exact) / ulp);
}

// Special values, multiples of one half and their neighbours, and `count` more in [low, high]: half of them uniform in
// value, half uniform over all exponents.
template <typename T> std::vector<T> makeSamples(double low, double high, size_t count, unsigned seed = 1) {
  using Limits = std::numeric_limits<T>;
  std::vector<T> samples;
  for (T special : {T(0), T(1), Limits::infinity(), Limits::quiet_NaN(), Limits::denorm_min(), Limits::min(),
                    Limits::max(), Limits::epsilon(), T(1e-5), std::nextafter(Limits::min(), T(0))}) {
    samples.push_back(special);
    samples.push_back(-special);
  }
  for (int k = 1; k < 100; ++k)
    for (T value : {T(k) / 2, std::nextafter(T(k) / 2, T(0)), std::nextafter(T(k) / 2, T(1000))}) {
      samples.push_back(value);
      samples.push_back(-value);
    }
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(low, high);
  for (size_t end = samples.size() + count; samples.size() < end;) {
    samples.push_back(static_cast<T>(uniform(random)));
    T value;
    uint64_t bits = random();
    std::memcpy(&value, &bits, sizeof value);
    if (value >= low && value <= high)
      samples.push_back(value);
  }
  while (samples.size() % 16)
    samples.push_back(T(0));
  return samples;
}

template <typename T> bool sameBits(T a, T b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

} // namespace tenon::codegen::math
