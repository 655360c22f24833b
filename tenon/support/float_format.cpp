#include "tenon/support/float_format.h"

#include "tenon/support/shown.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tenon {
namespace {

using Special = FloatFormat::Special;

uint32_t lowMask(unsigned bits) { return (uint32_t{1} << bits) - 1; }

// What values beyond the largest finite magnitude become.
uint32_t overflowCode(const FloatFormat &format, uint32_t signBit) {
  uint32_t max = maxFiniteCode(format);
  switch (format.special) {
  case Special::Ieee:
  case Special::Fn:
    return signBit | (max + 1);
  case Special::Fnuz:
    return uint32_t{1} << (format.exponentBits + format.mantissaBits);
  case Special::Scale:
    return max + 1;
  case Special::Finite:
    return signBit | max;
  }
  return max;
}

uint32_t nanCode(const FloatFormat &format, uint32_t signBit) {
  unsigned width = format.exponentBits + format.mantissaBits;
  switch (format.special) {
  case Special::Ieee:
    return signBit | (lowMask(format.exponentBits) << format.mantissaBits) | (1u << (format.mantissaBits - 1));
  case Special::Fn:
    return signBit | lowMask(width);
  case Special::Scale:
    return lowMask(width);
  case Special::Fnuz:
    return uint32_t{1} << width;
  case Special::Finite:
    // No NaN to represent it: zero. (What a NaN that is converted leaves of its sign is the conversion's.)
    return 0;
  }
  return 0;
}

} // namespace

uint32_t maxFiniteCode(const FloatFormat &format) {
  uint32_t all = lowMask(format.exponentBits + format.mantissaBits);
  switch (format.special) {
  case Special::Ieee:
    return all - lowMask(format.mantissaBits) - 1;
  case Special::Fn:
  case Special::Scale:
    return all - 1;
  case Special::Fnuz:
  case Special::Finite:
    return all;
  }
  return all;
}

TENON_SHOWN double decodeFloat(const FloatFormat &format, uint32_t code) {
  unsigned width = format.exponentBits + format.mantissaBits;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  if (format.special == Special::Scale)
    return code == lowMask(width) ? nan : std::ldexp(1.0, static_cast<int>(code) - format.bias);
  bool negative = (code >> width) & 1;
  uint32_t magnitude = code & lowMask(width);
  auto exponent = static_cast<int>(magnitude >> format.mantissaBits);
  uint32_t mantissa = magnitude & lowMask(format.mantissaBits);
  if (format.special == Special::Fnuz && negative && magnitude == 0)
    return nan;
  if (magnitude > maxFiniteCode(format)) {
    double special = format.special == Special::Ieee && mantissa == 0 ? std::numeric_limits<double>::infinity() : nan;
    return std::copysign(special, negative ? -1.0 : 1.0);
  }
  double value = exponent == 0
                     ? std::ldexp(mantissa, 1 - format.bias - format.mantissaBits)
                     : std::ldexp(mantissa + (1u << format.mantissaBits), exponent - format.bias - format.mantissaBits);
  return negative ? -value : value;
}

TENON_SHOWN uint32_t encodeFloat(const FloatFormat &format, double value) {
  unsigned width = format.exponentBits + format.mantissaBits;
  uint32_t signBit = std::signbit(value) ? uint32_t{1} << width : 0;
  if (format.special == Special::Scale) // by way of float, as ml_dtypes does: below its range all is zero, thus NaN
    value = static_cast<float>(value);
  if (std::isnan(value) || (format.special == Special::Scale && value <= 0))
    return nanCode(format, signBit);
  double magnitude = std::fabs(value);
  if (std::isinf(magnitude))
    return overflowCode(format, signBit);
  if (magnitude == 0)
    return format.special == Special::Fnuz ? 0 : signBit;
  int exponent = std::max(std::ilogb(magnitude), 1 - format.bias);
  if (format.special == Special::Scale) {
    // One significant bit and no subnormals: the smallest code stands for 2^-127. Of 1 and 2 the even significand is 2,
    // so a tie goes up.
    exponent = std::ilogb(magnitude);
    if (exponent < -format.bias)
      return 0;
    int code = exponent + format.bias + (std::ldexp(magnitude, -exponent) >= 1.5);
    return std::min<uint32_t>(code, lowMask(width));
  }
  // The magnitude in units of the last place; nearbyint rounds ties to even. A carry into the next binade is right.
  double units = std::nearbyint(std::ldexp(magnitude, format.mantissaBits - exponent));
  int64_t code =
      (static_cast<int64_t>(exponent + format.bias - 1) << format.mantissaBits) + static_cast<int64_t>(units);
  if (code > maxFiniteCode(format))
    return overflowCode(format, signBit);
  return code == 0 && format.special == Special::Fnuz ? 0 : signBit | static_cast<uint32_t>(code);
}

double roundToOdd(uint64_t value) {
  if (value >> 53) {
    uint64_t dropped = value & 0xfff;
    value = (value & ~uint64_t{0xfff}) | (dropped ? 0x1000 : 0);
  }
  return static_cast<double>(value);
}

} // namespace tenon
