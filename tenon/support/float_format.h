// Binary floating-point formats. Those of up to 16 bits can be encoded and decoded.
#pragma once

#include <cstdint>

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

  // The bits of a code, with the sign, which Scale does without.
  constexpr unsigned bits() const { return exponentBits + mantissaBits + (special != Special::Scale); }
};

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
