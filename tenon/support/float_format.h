// Binary floating-point formats of up to 32 bits: their codes, and the numbers that these stand for.
#pragma once

#include <cstdint>
#include <string_view>

namespace tenon {

struct FloatFormat {
  enum class Special : uint8_t {
    Ieee,   // all-ones exponent: infinities and NaN
    Fn,     // no infinity, NaN is all ones
    Fnuz,   // no infinity, no negative zero; NaN is the code of negative zero
    Finite, // neither infinity nor NaN: overflow saturates
    Scale,  // f8E8M0FNU: powers of two only, NaN is all ones
  };
  uint8_t exponentBits, mantissaBits;
  int16_t bias;
  Special special;

  // Of a code: with the sign, which Scale does without.
  constexpr unsigned bits() const { return exponentBits + mantissaBits + (special != Special::Scale); }
};

namespace float_format {
inline constexpr FloatFormat kF4E2M1FN{2, 1, 1, FloatFormat::Special::Finite};
inline constexpr FloatFormat kF6E2M3FN{2, 3, 1, FloatFormat::Special::Finite};
inline constexpr FloatFormat kF6E3M2FN{3, 2, 3, FloatFormat::Special::Finite};
inline constexpr FloatFormat kF8E3M4{3, 4, 3, FloatFormat::Special::Ieee};
inline constexpr FloatFormat kF8E4M3{4, 3, 7, FloatFormat::Special::Ieee};
inline constexpr FloatFormat kF8E4M3FN{4, 3, 7, FloatFormat::Special::Fn};
inline constexpr FloatFormat kF8E4M3FNUZ{4, 3, 8, FloatFormat::Special::Fnuz};
inline constexpr FloatFormat kF8E4M3B11FNUZ{4, 3, 11, FloatFormat::Special::Fnuz};
inline constexpr FloatFormat kF8E5M2{5, 2, 15, FloatFormat::Special::Ieee};
inline constexpr FloatFormat kF8E5M2FNUZ{5, 2, 16, FloatFormat::Special::Fnuz};
inline constexpr FloatFormat kF8E8M0FNU{8, 0, 127, FloatFormat::Special::Scale};
inline constexpr FloatFormat kBF16{8, 7, 127, FloatFormat::Special::Ieee};
inline constexpr FloatFormat kF16{5, 10, 15, FloatFormat::Special::Ieee};
} // namespace float_format

// By MLIR's name of the type ("f8E4M3FN", "bf16"); null for f32, f64 and what is no float.
const FloatFormat *floatFormatNamed(std::string_view name);

double decodeFloat(const FloatFormat &format, uint32_t code);
// Rounds to nearest, ties to even. Overflow gives infinity, NaN where there is none, the largest value where there is
// neither.
uint32_t encodeFloat(const FloatFormat &format, double value);

// The largest code of a finite magnitude.
uint32_t maxFiniteCode(const FloatFormat &format);

// A double that rounds to any format of at most 51 significant bits as `value` does: what is beyond its 53 bits leaves
// an odd last bit.
double roundToOdd(uint64_t value);

} // namespace tenon
