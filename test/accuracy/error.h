// Errors of results in units in the last place of the exact value. Infinity stands for a wrong class: NaN or not,
// infinity or not, the sign of a zero.
#pragma once

#include "test/accuracy/format.h"
#include "test/accuracy/real.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace tenon::accuracy {

inline constexpr double kWrong = std::numeric_limits<double>::infinity();

double errorInUlp(const Format &format, double got, mpfr_srcptr exact);

// The same for float, where a double is exact enough, and fast.
inline double errorInUlp(float got, double exact) {
  if (std::isnan(exact) || std::isnan(got))
    return std::isnan(exact) && std::isnan(got) ? 0 : kWrong;
  if (std::isinf(exact) || exact == 0)
    return got == exact && std::signbit(got) == std::signbit(exact) ? 0 : kWrong;
  if (std::signbit(got) != std::signbit(exact) && got == 0)
    return kWrong;
  constexpr double kLimit = 0x1p128;
  double magnitude = std::fabs(exact);
  if (magnitude >= 2 * kLimit && !std::isinf(got))
    return kWrong;
  double clamped = std::copysign(std::fmin(magnitude, kLimit), exact);
  double value = std::isinf(got) ? std::copysign(kLimit, double(got)) : double(got);
  uint64_t bits;
  std::memcpy(&bits, &magnitude, sizeof bits);
  int exponent = std::min(std::max(int(bits >> 52) - 1023, -126), 127);
  uint64_t inverseBits = uint64_t(1023 + 23 - exponent) << 52;
  double inverse;
  std::memcpy(&inverse, &inverseBits, sizeof inverse);
  return std::fabs(value - clamped) * inverse;
}

} // namespace tenon::accuracy
