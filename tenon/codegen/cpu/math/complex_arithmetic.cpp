// Arithmetic, modulus and square roots of complex numbers. Complex floats are divided and measured in double, whose
// range and precision leave nothing to care for; complex doubles are scaled by powers of two, which is exact.
#include "tenon/codegen/cpu/math/complex.h"

#include "tenon/codegen/cpu/math/math.h"

#include <cmath>

namespace tenon::codegen::math {
namespace {

C widen(C z) { return {math::widen(z.re), math::widen(z.im)}; }
C narrow(C z) { return {math::narrow(z.re), math::narrow(z.im)}; }

// The exponent of the larger part, or 0 if that is zero, infinite or NaN.
I commonExponent(C z) {
  F m = maxOr(abs(z.re), abs(z.im));
  I exponent = (lshr(bits(m), 52) & 0x7ff) - 1023;
  return select((m > 0.0) & (m < INFINITY), exponent, 0);
}

C scale(C z, I n) { return {scaleByPowerOfTwo(z.re, n), scaleByPowerOfTwo(z.im, n)}; }
I negated(I n) { return constant(n, 0) - n; }

// 1 (0) for infinite (other) parts, with their sign.
C infiniteParts(C z) {
  auto part = [](F x) { return copysign(select(isInf(x), constant(x, 1), constant(x, 0)), x); };
  return {part(z.re), part(z.im)};
}
M isInfinite(C z) { return isInf(z.re) | isInf(z.im); }
M isFinite(C z) { return math::isFinite(z.re) & math::isFinite(z.im); }

C select(M m, C a, C b) { return {math::select(m, a.re, b.re), math::select(m, a.im, b.im)}; }

// x conj(y).
C timesConjugate(C x, C y) { return {x.re * y.re + x.im * y.im, x.im * y.re - x.re * y.im}; }

// Annex G: a zero divisor gives infinity, an infinite dividend stays infinite, an infinite divisor gives zero.
C quotientCases(C x, C y, C quotient) {
  M nan = isNaN(quotient.re) & isNaN(quotient.im);
  M zero = (y.re == 0.0) & (y.im == 0.0) & !(isNaN(x.re) & isNaN(x.im));
  F signedInfinity = copysign(constant(y.re, INFINITY), y.re);
  quotient = select(nan & zero, C{signedInfinity * x.re, signedInfinity * x.im}, quotient);
  C direction = timesConjugate(infiniteParts(x), y);
  M infinite = isInfinite(x) & isFinite(y);
  quotient = select(nan & infinite & !zero, C{direction.re * INFINITY, direction.im * INFINITY}, quotient);
  C vanishing = timesConjugate(x, infiniteParts(y));
  M finite = isFinite(x) & isInfinite(y);
  return select(nan & finite, C{vanishing.re * 0.0, vanishing.im * 0.0}, quotient);
}

C divideWide(C x, C y) {
  F norm = fma(y.re, y.re, y.im * y.im);
  C n = timesConjugate(x, y);
  return quotientCases(x, y, {n.re / norm, n.im / norm});
}

C divideF64(C x, C y) {
  I ex = commonExponent(x), ey = commonExponent(y);
  C sx = scale(x, negated(ex)), sy = scale(y, negated(ey));
  F norm = fma(sy.re, sy.re, sy.im * sy.im);
  C n = timesConjugate(sx, sy);
  // In two steps: the difference may be twice the exponent's range. The first is exact.
  I exponent = ex - ey, half = ashr(exponent, 1);
  C q = scale(scale({n.re / norm, n.im / norm}, half), exponent - half);
  return quotientCases(x, y, q);
}

// sqrt((|re| + |z|) / 2), half of it below im, signs by the half plane. For parts that neither over- nor underflow.
C sqrtInRange(C z) {
  F a = math::abs(z.re);
  F modulus = sqrt(fma(a, a, z.im * z.im));
  F t = sqrt((a + modulus) * 0.5);
  F u = math::abs(z.im) / (t + t);
  M left = signBit(z.re);
  C root = {math::select(left, u, t), copysign(math::select(left, t, u), z.im)};
  // Zero: 0 + im.
  return select((z.re == 0.0) & (z.im == 0.0), C{math::abs(z.re), z.im}, root);
}

C sqrtCases(C z, C root) {
  F re = z.re, im = z.im;
  F zero = constant(re, 0), infinity = constant(re, INFINITY), nan = constant(re, NAN);
  // -inf + i y = 0 + i inf, +inf + i y = inf + i 0, for finite y; NaN imaginary parts give NaN beside the infinity.
  M left = signBit(re);
  F small = math::select(isNaN(im), nan, zero);
  C atInfinity = {math::select(left, small, infinity), copysign(math::select(left, infinity, small), im)};
  root = select(isInf(re), atInfinity, root);
  return select(isInf(im), C{infinity, im}, root);
}

C sqrtF64(C z) {
  I n = commonExponent(z);
  n = n - (n & 1);
  C root = sqrtInRange(scale(z, negated(n)));
  return scale(root, ashr(n, 1));
}

} // namespace

C operator-(C z) { return {-z.re, -z.im}; }
C operator+(C x, C y) { return {x.re + y.re, x.im + y.im}; }
C operator-(C x, C y) { return {x.re - y.re, x.im - y.im}; }
C operator*(C x, C y) { return {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re}; }

C operator/(C x, C y) { return isDouble(x.re) ? divideF64(x, y) : narrow(divideWide(widen(x), widen(y))); }

F abs(C z) {
  F result = z.re;
  if (isDouble(z.re)) {
    I n = commonExponent(z);
    C s = scale(z, negated(n));
    result = scaleByPowerOfTwo(sqrt(fma(s.re, s.re, s.im * s.im)), n);
  } else {
    C s = widen(z);
    result = math::narrow(sqrt(fma(s.re, s.re, s.im * s.im)));
  }
  return math::select(isInfinite(z), constant(z.re, INFINITY), result);
}

C sign(C z) {
  if (!isDouble(z.re))
    return narrow(sign(widen(z)));
  C s = scale(z, negated(commonExponent(z)));
  F modulus = sqrt(fma(s.re, s.re, s.im * s.im));
  M zero = modulus == 0.0;
  modulus = math::select(zero, constant(modulus, 1), modulus);
  return {s.re / modulus, s.im / modulus};
}

C sqrt(C z) {
  C root = isDouble(z.re) ? sqrtF64(z) : narrow(sqrtInRange(widen(z)));
  return sqrtCases(z, root);
}

C rsqrt(C z) {
  C one = {constant(z.re, 1), constant(z.re, 0)};
  if (!isDouble(z.re)) {
    C w = widen(z);
    return narrow(widen(one) / sqrt(w));
  }
  return one / sqrt(z);
}

} // namespace tenon::codegen::math
