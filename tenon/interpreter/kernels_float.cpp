// Rounding, conversion, classification and the parts of complex values.
#include "tenon/interpreter/kernels.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace tenon::interpreter::kernels {
namespace {

using Fn = ScalarKernel::Fn;
using K = const ScalarKernel &;
using X = const Scalar *;

MaybeKernel onFloats(ElementType type, ElementType result, Fn fn) {
  if (!isFloat(type))
    return std::nullopt;
  return ScalarKernel{fn, type, result, {0, 0}};
}

template <double (*F)(double)> Scalar apply(K, X x) { return Scalar::ofFloat(F(x[0].f)); }

double ceilOf(double x) { return std::ceil(x); }
double floorOf(double x) { return std::floor(x); }
double roundOf(double x) { return std::round(x); }
// Independent of the rounding mode: an odd neighbour of a tie is moved to the even one.
double roundEvenOf(double x) {
  double rounded = std::round(x);
  if (std::fabs(x - std::trunc(x)) == 0.5 && std::fmod(rounded, 2.0) != 0)
    rounded -= std::copysign(1.0, x);
  return std::copysign(rounded, x);
}

// The least exponent of the type's normal numbers. A type without a mantissa has no subnormal ones.
int leastExponent(ElementType type) {
  const FloatFormat &format = floatFormat(type);
  return (format.mantissaBits == 0 ? 0 : 1) - format.bias;
}

// Mantissa to nearest even, then exponents out of range: infinity above, zero of the same sign below (no subnormals).
Scalar reducePrecisionFn(K self, X x) {
  double value = x[0].f;
  if (std::isnan(value) || std::isinf(value) || value == 0)
    return x[0];
  const auto exponentBits = std::min<int64_t>(self.parameters[0], 11);
  const auto mantissaBits = std::min<int64_t>(self.parameters[1], 52);
  const bool keepsExponents = exponentBits >= floatFormat(self.operand).exponentBits;
  // Units of the last kept bit; subnormals of the operand's type count from its fixed least exponent.
  int exponent = std::ilogb(value);
  if (keepsExponents)
    exponent = std::max(exponent, leastExponent(self.operand));
  auto shift = static_cast<int>(mantissaBits) - exponent;
  // Two steps, as 2^shift can be out of double's range.
  double scaled = std::ldexp(std::ldexp(value, shift / 2), shift - shift / 2);
  double whole = roundEvenOf(scaled);
  // Without a mantissa the last bit is the exponent's, whose bias is odd.
  if (mantissaBits == 0 && std::fabs(scaled) == 1.5 && exponent % 2 != 0)
    whole = std::copysign(1.0, value);
  double rounded = std::ldexp(whole, -shift);
  if (keepsExponents)
    return Scalar::ofFloat(rounded);
  int bias = (1 << (exponentBits - 1)) - 1;
  int resultExponent = std::ilogb(rounded);
  if (resultExponent > bias)
    return Scalar::ofFloat(std::copysign(std::numeric_limits<double>::infinity(), value));
  if (resultExponent < 1 - bias)
    return Scalar::ofFloat(std::copysign(0.0, value));
  return Scalar::ofFloat(rounded);
}

Scalar isFiniteFn(K, X x) { return Scalar::ofInt(std::isfinite(x[0].f)); }
Scalar isInfFn(K, X x) { return Scalar::ofInt(std::isinf(x[0].f)); }
Scalar isPosInfFn(K, X x) { return Scalar::ofInt(std::isinf(x[0].f) && x[0].f > 0); }
Scalar isNegInfFn(K, X x) { return Scalar::ofInt(std::isinf(x[0].f) && x[0].f < 0); }

// C's nextafter in any format: one step of the code, which orders magnitudes.
Scalar nextAfterFn(K self, X x) {
  double from = x[0].f, to = x[1].f;
  if (std::isnan(from) || std::isnan(to))
    return Scalar::ofFloat(std::numeric_limits<double>::quiet_NaN());
  if (from == to)
    return x[1];
  if (from == 0)
    return Scalar::ofFloat(std::copysign(fromBits(self.operand, 1).f, to));
  uint64_t code = bitsOf(self.operand, x[0]);
  bool outward = (from < to) == (from > 0);
  // Formats without a negative zero have another meaning for its code.
  if (!outward && fromBits(self.operand, 0).f == 0 && std::fabs(from) == fromBits(self.operand, 1).f)
    return Scalar::ofFloat(std::copysign(0.0, from));
  return fromBits(self.operand, outward ? code + 1 : code - 1);
}

Scalar convertFn(K self, X x) { return convertScalar(self.operand, self.result, x[0]); }
Scalar sameFn(K, X x) { return x[0]; }
Scalar zeroFn(K, X) { return Scalar::ofFloat(0); }
Scalar realFn(K, X x) { return Scalar::ofFloat(x[0].c.re); }
Scalar imagFn(K, X x) { return Scalar::ofFloat(x[0].c.im); }
Scalar complexFn(K, X x) { return Scalar::ofComplex(std::complex<double>(x[0].f, x[1].f)); }
Scalar conjFn(K, X x) { return Scalar::ofComplex(std::complex<double>(x[0].c.re, -x[0].c.im)); }
Scalar squareFloat(K, X x) { return Scalar::ofFloat(x[0].f * x[0].f); }
Scalar squareComplex(K, X x) {
  long double re = x[0].c.re, im = x[0].c.im;
  return Scalar::ofComplex(std::complex<long double>((re - im) * (re + im), 2 * re * im));
}

} // namespace

MaybeKernel convert(ElementType from, ElementType to) { return ScalarKernel{convertFn, from, to, {0, 0}}; }
MaybeKernel ceil(ElementType t) { return onFloats(t, t, apply<ceilOf>); }
MaybeKernel floor(ElementType t) { return onFloats(t, t, apply<floorOf>); }
MaybeKernel roundNearestAfz(ElementType t) { return onFloats(t, t, apply<roundOf>); }
MaybeKernel roundNearestEven(ElementType t) { return onFloats(t, t, apply<roundEvenOf>); }
MaybeKernel reducePrecision(ElementType t, int64_t exponentBits, int64_t mantissaBits) {
  MaybeKernel kernel = onFloats(t, t, reducePrecisionFn);
  if (kernel) {
    kernel->parameters[0] = exponentBits;
    kernel->parameters[1] = mantissaBits;
  }
  return kernel;
}
MaybeKernel isFinite(ElementType t) { return onFloats(t, ElementType::kI1, isFiniteFn); }
MaybeKernel isInf(ElementType t) { return onFloats(t, ElementType::kI1, isInfFn); }
MaybeKernel isPosInf(ElementType t) { return onFloats(t, ElementType::kI1, isPosInfFn); }
MaybeKernel isNegInf(ElementType t) { return onFloats(t, ElementType::kI1, isNegInfFn); }
MaybeKernel nextAfter(ElementType t) { return onFloats(t, t, nextAfterFn); }
MaybeKernel real(ElementType t) {
  if (isComplex(t))
    return ScalarKernel{realFn, t, realType(t), {0, 0}};
  return onFloats(t, t, sameFn);
}
MaybeKernel imag(ElementType t) {
  if (isComplex(t))
    return ScalarKernel{imagFn, t, realType(t), {0, 0}};
  return onFloats(t, t, zeroFn);
}
MaybeKernel makeComplex(ElementType t) {
  if (t == ElementType::kF32 || t == ElementType::kF64)
    return ScalarKernel{
        complexFn, t, t == ElementType::kF32 ? ElementType::kComplexF32 : ElementType::kComplexF64, {0, 0}};
  return std::nullopt;
}
MaybeKernel conj(ElementType t) {
  if (isComplex(t))
    return ScalarKernel{conjFn, t, t, {0, 0}};
  return onFloats(t, t, sameFn);
}
MaybeKernel square(ElementType t) {
  if (isComplex(t))
    return ScalarKernel{squareComplex, t, t, {0, 0}};
  return onFloats(t, t, squareFloat);
}

} // namespace tenon::interpreter::kernels
