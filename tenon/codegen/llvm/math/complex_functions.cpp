// Elementary functions of complex numbers. Complex floats go through double, so the formulas here, all in double, only
// need care with cancellation, with infinities, and with zeros that meet them.
#include "tenon/codegen/llvm/math/complex.h"

#include "tenon/codegen/llvm/math/math.h"

#include <cmath>

namespace tenon::codegen::math {
namespace {

C select(M m, C a, C b) { return {math::select(m, a.re, b.re), math::select(m, a.im, b.im)}; }

template <typename Function> C inDouble(C z, Function f) {
  if (isDouble(z.re))
    return f(z);
  C result = f(C{widen(z.re), widen(z.im)});
  return {narrow(result.re), narrow(result.im)};
}

// a * b where a zero `a` is exact and wins against infinity.
F timesExactZero(F a, F b) { return math::select(a == 0.0, a, a * b); }

// e^x, times 2^-1100 if x is so large that a sine or cosine beside it, down to a subnormal one, decides whether the
// product is finite.
F expBelowOverflow(F x, M large) {
  constexpr double kHi = 0x1.7d3b1f7e6cc3cp+9, kLo = -0x1.31d881984ecf1p-48; // 1100 ln 2
  F bounded = minOr(constant(x, 1460), x);
  F hi = bounded - kHi; // exact
  return exp(Pair{math::select(large, hi, x), math::select(large, constant(x, -kLo), 0.0)});
}

// The product with an exponential of which that is left out: in halves, of which the first is exact.
F timesLargeExp(F factor, F e, M large) {
  F half = math::select(large, constant(e, 0x1p550), constant(e, 1));
  return timesExactZero(factor * half, e) * half;
}

C expDouble(C z) {
  M large = z.re > 700.0;
  F e = expBelowOverflow(z.re, large);
  auto [s, c] = sinCos(z.im);
  C result = {timesLargeExp(c, e, large), timesLargeExp(s, e, large)};
  // An infinite real part decides: 0 at -inf, an infinity of unknown direction at +inf.
  M unknown = !isFinite(z.im);
  F zero = constant(e, 0), infinity = constant(e, INFINITY), nan = constant(e, NAN);
  result = select(unknown & (z.re == -INFINITY), C{zero, zero}, result);
  return select(unknown & (z.re == INFINITY), C{infinity, nan}, result);
}

C expm1Double(C z) {
  auto [s, c] = sinCos(z.im);
  F h = sin(z.im * 0.5);
  C whole = expDouble(z);
  F re = fma(expm1(z.re), c, -2.0 * h * h);
  M near = isFinite(re) & (z.re < 40.0);
  return {math::select(near, re, whole.re - 1.0), whole.im};
}

// log of the modulus of (1 + x) + iy, from its square less one as a pair.
F logModulusNearOne(F x, F y) {
  // x^2 + 2x first: it may be zero beside a small y^2.
  Pair square = add(add(twoProduct(x, x), x + x), twoProduct(y, y));
  return 0.5 * log1p(square);
}

C logDouble(C z) {
  F far = logOfModulus(z);
  F a = math::abs(z.re), b = math::abs(z.im);
  F large = maxOr(a, b), small = minOr(a, b);
  // large - 1 is exact where it is used.
  F near = logModulusNearOne(large - 1.0, small);
  M isNear = (large > 0.5) & (large < 2.0) & !isNaN(z.re) & !isNaN(z.im);
  return {math::select(isNear, near, far), atan2(z.im, z.re)};
}

C log1pDouble(C z) {
  F near = logModulusNearOne(z.re, z.im);
  // Exact where the modulus is small.
  F one = z.re + 1.0;
  C sum = {one, z.im};
  F far = logOfModulus(sum);
  M isNear = (math::abs(z.re) < 3.0) & (math::abs(z.im) < 2.0) & (maxOr(math::abs(one), math::abs(z.im)) > 0.25);
  return {math::select(isNear, near, far), atan2(z.im, one)};
}

// sinh and cosh of x, times 2^-1100 where |x| is so large, as of the exponential.
struct Hyperbolic {
  F sinh, cosh;
  M large;
};
Hyperbolic hyperbolicBelowOverflow(F x) {
  F a = math::abs(x);
  M large = a > 700.0;
  F half[] = {sinh(x), cosh(x)};
  patchRare(large, half, [&](llvm::MutableArrayRef<F> values) {
    F e = 0.5 * expBelowOverflow(a, large);
    values[0] = copysign(e, x);
    values[1] = e;
  });
  return {half[0], half[1], large};
}

C sinhDouble(C z) {
  auto [s, c] = sinCos(z.im);
  auto [sh, ch, large] = hyperbolicBelowOverflow(z.re);
  // Where the other factor is zero it is exact, and wins against infinity.
  C result = {math::select(sh == 0.0, sh, timesLargeExp(c, sh, large)), timesLargeExp(s, ch, large)};
  M unknown = isInf(z.re) & !isFinite(z.im);
  return select(unknown, C{z.re, constant(s, NAN)}, result);
}

C coshDouble(C z) {
  auto [s, c] = sinCos(z.im);
  auto [sh, ch, large] = hyperbolicBelowOverflow(z.re);
  C result = {timesLargeExp(c, ch, large), timesLargeExp(s, sh, large)};
  result.im = math::select(z.re == 0.0, math::select(isFinite(z.im), z.re * s, z.re), result.im);
  M unknown = isInf(z.re) & !isFinite(z.im);
  return select(unknown, C{constant(s, INFINITY), constant(s, NAN)}, result);
}

// Kahan's: with t = tan y, s = sinh x, b = 1 + t^2: (b sqrt(1 + s^2) s + i t) / (1 + b s^2).
C tanhDouble(C z) {
  F a = math::abs(z.re);
  F bounded = copysign(minOr(constant(a, 22), a), z.re);
  F t = tan(z.im), s = sinh(bounded);
  F b = fma(t, t, 1.0);
  F d = fma(b * s, s, 1.0);
  C near = {b * sqrt(fma(s, s, 1.0)) * s / d, t / d};
  // Beyond, 1 to the last bit, and what is left of the imaginary part is sin(2y)/2 4 e^-2|x|.
  auto [sine, cosine] = sinCos(z.im);
  F rest = 4.0 * sine * cosine * exp(-2.0 * a);
  // At infinity the direction is lost and does not matter; before it, it does.
  M atInfinity = isInf(a), unknown = !isFinite(z.im) & !atInfinity;
  rest = math::select(isFinite(z.im) | unknown, rest, copysign(constant(a, 0), z.im));
  C far = {math::select(unknown, constant(a, NAN), copysign(constant(a, 1), z.re)), rest};
  M sameRe = isNaN(z.re) | (z.re == 0.0);
  return select(a > 22.0, far, {math::select(sameRe, z.re, near.re), math::select(z.im == 0.0, z.im, near.im)});
}

C logisticDouble(C z) {
  // 1 / (1 + e^-z) and e^z / (1 + e^z): the exponential that does not overflow.
  M left = signBit(z.re);
  C e = expDouble(select(left, z, -z));
  C one = {constant(z.re, 1), constant(z.re, 0)};
  // Beside the poles 1 + e^w cancels; its real part is 2 cos(y/2)^2 + (e^x - 1) cos y.
  F x = -math::abs(z.re), half = cos(z.im * 0.5);
  F near = fma(expm1(x), cos(z.im), 2.0 * half * half);
  C sum = {math::select((x > -40.0) & isFinite(z.im), near, 1.0 + e.re), e.im};
  return select(left, e, one) / sum;
}

C powDouble(C x, C y) {
  C power = expDouble(y * logDouble(x));
  M baseZero = (x.re == 0.0) & (x.im == 0.0);
  F zero = constant(x.re, 0), one = constant(x.re, 1), infinity = constant(x.re, INFINITY);
  F nan = constant(x.re, NAN);
  C pole = select((y.im == 0.0) & (y.re < 0.0), C{infinity, zero}, C{nan, nan});
  C atZero = select(y.re > 0.0, C{zero, zero}, pole);
  power = select(baseZero, atZero, power);
  return select((y.re == 0.0) & (y.im == 0.0), C{one, zero}, power);
}

C cbrtDouble(C z) {
  // Where the modulus is beyond the range or subnormal, that of z 2^(-+66).
  F m = maxOr(math::abs(z.re), math::abs(z.im)), one = constant(m, 1);
  auto bySize = [&](double large, double small) {
    return math::select(m > 0x1p1000, constant(m, large), math::select(m < 0x1p-1000, constant(m, small), one));
  };
  F factor = bySize(0x1p-66, 0x1p66);
  F r = cbrt(abs(C{z.re * factor, z.im * factor})) * bySize(0x1p22, 0x1p-22);
  auto [s, c] = sinCos(atan2(z.im, z.re) * (1.0 / 3));
  C root = {r * c, timesExactZero(s, r)};
  // The angle may be below the range, but not the imaginary part: that is im / (3 r^2) beside the positive axis.
  M beside = (math::abs(z.im) < z.re * 0x1p-500) & isFinite(z.re);
  root.im = patchRare(beside, root.im, [&] { return z.im * 0x1p400 / r / (3.0 * r) * 0x1p-400; });
  return select((z.re == 0.0) & (z.im == 0.0), z, root);
}

C timesI(C z) { return {-z.im, z.re}; }
C timesMinusI(C z) { return {z.im, -z.re}; }

} // namespace

C exp(C z) { return inDouble(z, expDouble); }
C expm1(C z) { return inDouble(z, expm1Double); }
C log(C z) { return inDouble(z, logDouble); }
C log1p(C z) { return inDouble(z, log1pDouble); }
C logistic(C z) { return inDouble(z, logisticDouble); }
C sinh(C z) { return inDouble(z, sinhDouble); }
C cosh(C z) { return inDouble(z, coshDouble); }
C tanh(C z) { return inDouble(z, tanhDouble); }
C sin(C z) { return timesMinusI(sinh(timesI(z))); }
C cos(C z) { return cosh(timesI(z)); }
C tan(C z) { return timesMinusI(tanh(timesI(z))); }
C cbrt(C z) { return inDouble(z, cbrtDouble); }

C pow(C x, C y) {
  if (isDouble(x.re))
    return powDouble(x, y);
  C power = powDouble({widen(x.re), widen(x.im)}, {widen(y.re), widen(y.im)});
  return {narrow(power.re), narrow(power.im)};
}

} // namespace tenon::codegen::math
