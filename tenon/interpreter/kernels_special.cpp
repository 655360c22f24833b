// Special functions of real arguments, in long double by series whose error is far below double's.
#include "tenon/interpreter/kernels.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace tenon::interpreter::kernels {
namespace {

using K = const ScalarKernel &;
using X = const Scalar *;
using Real = long double;

constexpr Real kPi = std::numbers::pi_v<Real>;
constexpr Real kNan = std::numeric_limits<Real>::quiet_NaN();
constexpr Real kInf = std::numeric_limits<Real>::infinity();

// Bernoulli numbers B2, B4, ..., B30.
constexpr Real kBernoulli[] = {1.0L / 6,
                               -1.0L / 30,
                               1.0L / 42,
                               -1.0L / 30,
                               5.0L / 66,
                               -691.0L / 2730,
                               7.0L / 6,
                               -3617.0L / 510,
                               43867.0L / 798,
                               -174611.0L / 330,
                               854513.0L / 138,
                               -236364091.0L / 2730,
                               8553103.0L / 6,
                               -23749461029.0L / 870,
                               8615841276005.0L / 14322};

bool isIntegral(Real x) { return x == std::floor(x); }

Real erfOf(Real x) { return std::erf(x); }
Real erfcOf(Real x) { return std::erfc(x); }

Real lgammaOf(Real x) {
  if (std::isinf(x) || (x <= 0 && isIntegral(x)))
    return kInf;
  return std::lgamma(x);
}

// Newton's iteration with Halley's correction on erf, or on erfc where erf saturates.
Real erfInvOf(Real x) {
  Real a = std::fabs(x);
  if (!(a <= 1))
    return kNan;
  if (a == 1)
    return std::copysign(kInf, x);
  if (a == 0)
    return x;
  // Winitzki's approximation, good to some 1e-3.
  Real complement = 1 - a; // exact for a >= 1/2
  Real logTerm = std::log1p(-a * a), c = 0.147L;
  Real t = 2 / (kPi * c) + logTerm / 2;
  Real y = std::sqrt(std::sqrt(t * t - logTerm / c) - t);
  for (int i = 0; i < 6; ++i) {
    Real excess = a < 0.5L ? std::erf(y) - a : complement - std::erfc(y);
    Real step = excess * std::sqrt(kPi) / 2 * std::exp(y * y);
    y -= step / (1 + y * step);
  }
  return std::copysign(y, x);
}

// Recurrence up to x >= 24, then the asymptotic series.
Real digammaPositive(Real x) {
  Real result = 0;
  for (; x < 24; x += 1)
    result -= 1 / x;
  if (std::isinf(x))
    return x;
  Real inverseSquare = 1 / (x * x), power = inverseSquare;
  result += std::log(x) - 1 / (2 * x);
  for (int k = 1; k <= 12; ++k, power *= inverseSquare)
    result -= kBernoulli[k - 1] / (2 * k) * power;
  return result;
}

// Near the positive root r: the difference to digamma(r) = 0, term by term, as a multiple of x - r.
Real digammaNearRoot(Real x) {
  constexpr Real kRoot = 1.46163214496836234117249642139L, kRootLow = 9.0163120932586959186e-20L;
  Real d = (x - kRoot) - kRootLow, sum = 0;
  for (int n = 0; n < 24; ++n)
    sum += d / ((n + kRoot) * (n + x));
  Real far = kRoot + 24, growth = std::log1p(d / far), inverse = 1 / (far * far), power = inverse;
  sum += growth + d / (2 * far * (far + d));
  for (int k = 1; k <= 12; ++k, power *= inverse)
    sum -= kBernoulli[k - 1] / (2 * k) * power * std::expm1(-2 * k * growth);
  return sum;
}

Real digammaOf(Real x) {
  if (x <= 0 && isIntegral(x))
    return kNan;
  if (std::abs(x - 1.4616L) < 0.25L)
    return digammaNearRoot(x);
  if (x < 0)
    return digammaPositive(1 - x) - kPi / std::tan(kPi * (x - std::round(x)));
  return digammaPositive(x);
}

// Hurwitz zeta for s > 1, q > 0, times unit^s: the first terms, then Euler-Maclaurin.
Real zetaPositive(Real s, Real q, Real unit = 1) {
  Real sum = 0;
  auto terms = static_cast<int>(std::min<Real>(24 + s, 4000));
  for (int k = 0; k < terms; ++k, q += 1) {
    Real term = std::pow(q / unit, -s);
    sum += term;
    if (term <= sum * 1e-22L) // both may be zero
      return sum;
  }
  Real tail = std::pow(q / unit, -s);
  sum += tail * q / (s - 1) + tail / 2;
  // tail * s (s+1) ... (s+2j-2) / q^(2j-1) * B2j / (2j)!
  Real factor = tail * s / q / 2;
  for (int j = 1; j <= 15; ++j) {
    Real term = kBernoulli[j - 1] * factor;
    sum += term;
    if (std::fabs(term) < std::fabs(sum) * 1e-22L)
      break;
    factor *= (s + 2 * j - 1) * (s + 2 * j) / (q * q) / ((2 * j + 1) * (2 * j + 2));
  }
  return sum;
}

// a^-s - b^-s for a - b = difference, which may be far smaller than both.
Real differenceOfPowers(Real a, Real b, Real difference, Real s) {
  if (difference == 0)
    return 0;
  Real base = std::min(a, b);
  return std::copysign(std::pow(base, -s) * std::expm1(-s * std::log1p(std::fabs(difference) / base)), -difference);
}

// q < 0 between integers, s integral. Terms below zero are those of the other fraction, but for the sign if s is odd;
// then they go with those above zero, which they nearly or wholly make up for where q is near a half.
Real zetaNegative(Real s, Real q) {
  Real fraction = q - std::floor(q), below = std::ceil(q) - q, count = -std::floor(q),
       paired = std::min<Real>(count, 1000);
  bool isEven = std::fmod(s, Real(2)) == 0;
  Real sum = 0;
  for (Real m = 0; m < paired; ++m)
    sum += isEven ? std::pow(fraction + m, -s) + std::pow(below + m, -s)
                  : differenceOfPowers(fraction + m, below + m, fraction - below, s);
  Real above = zetaPositive(s, fraction + paired), mirrored = zetaPositive(s, below + paired),
       beyond = zetaPositive(s, below + count);
  return sum + (isEven ? above + (mirrored - beyond) : (above - mirrored) + beyond);
}

// Defined as XLA does: NaN for s < 1, and for q <= 0 the poles are infinite where s is even; otherwise the sum needs an
// integral s.
Real zetaOf(Real s, Real q) {
  if (std::isnan(s) || std::isnan(q) || s < 1)
    return kNan;
  if (s == 1)
    return kInf;
  if (q <= 0 && isIntegral(q))
    return isIntegral(s) && std::fmod(s, Real(2)) == 0 ? kInf : kNan;
  if (q < 0 && !isIntegral(s))
    return kNan;
  if (std::isinf(q))
    return q > 0 ? 0 : kNan;
  if (std::isinf(s))
    return q > 1 ? 0 : q == 1 ? 1 : kInf;
  return q < 0 ? zetaNegative(s, q) : zetaPositive(s, q);
}

// n! zeta(n + 1, x) where the factorial is out of range, in logarithms; so may zeta be, where x is large.
Real largeFactorialTimesZeta(Real n, Real x) {
  // At an odd power the terms on both sides of a half cancel, and those above 1 - x are left.
  if (x < 0 && x - std::floor(x) == 0.5L && std::fmod(n, Real(2)) == 0)
    x = 1 - x;
  if (x > 0 && std::isfinite(x))
    return std::exp(std::lgamma(n + 1) - (n + 1) * std::log(x) + std::log(zetaPositive(n + 1, x, x)));
  Real zeta = zetaOf(n + 1, x);
  return std::copysign(std::exp(std::lgamma(n + 1) + std::log(std::fabs(zeta))), zeta);
}

// (-1)^(n+1) n! zeta(n+1, x).
Real polygammaOf(Real n, Real x) {
  if (n == 0)
    return digammaOf(x);
  if (!(n > 0) || std::isinf(n) || !isIntegral(n) || std::isnan(x))
    return kNan;
  Real sign = std::fmod(n, Real(2)) == 0 ? -1 : 1;
  Real factorial = std::tgamma(n + 1);
  return sign * (std::isinf(factorial) ? largeFactorialTimesZeta(n, x) : factorial * zetaOf(n + 1, x));
}

// exp(-|x|) I1(x): the power series, whose terms are all positive, or the asymptotic one.
Real besselI1eOf(Real x) {
  Real a = std::fabs(x);
  if (std::isinf(a))
    return std::copysign(Real(0), x);
  if (a < 40) {
    Real term = a / 2, sum = term, quarter = a * a / 4;
    for (int k = 1; term > sum * 1e-22L && k < 400; ++k) {
      term *= quarter / (static_cast<Real>(k) * (k + 1));
      sum += term;
    }
    return std::copysign(sum * std::exp(-a), x);
  }
  Real term = 1, sum = 1;
  for (int k = 1; k < 60; ++k) {
    Real odd = 2 * k - 1;
    Real next = -term * (4 - odd * odd) / (8 * k * a);
    if (std::fabs(next) >= std::fabs(term))
      break;
    term = next;
    sum += term;
  }
  return std::copysign(sum / std::sqrt(2 * kPi * a), x);
}

template <Real (*F)(Real)> Scalar unaryFn(K, X x) { return Scalar::ofFloat(static_cast<double>(F(x[0].f))); }
template <Real (*F)(Real, Real)> Scalar binaryFn(K, X x) {
  return Scalar::ofFloat(static_cast<double>(F(x[0].f, x[1].f)));
}
template <Real (*F)(Real)> MaybeKernel unary(ElementType t) {
  return isFloat(t) ? MaybeKernel(ScalarKernel{unaryFn<F>, t, t, {0, 0}}) : std::nullopt;
}
template <Real (*F)(Real, Real)> MaybeKernel binary(ElementType t) {
  return isFloat(t) ? MaybeKernel(ScalarKernel{binaryFn<F>, t, t, {0, 0}}) : std::nullopt;
}

} // namespace

MaybeKernel erf(ElementType t) { return unary<erfOf>(t); }
MaybeKernel erfc(ElementType t) { return unary<erfcOf>(t); }
MaybeKernel erfInv(ElementType t) { return unary<erfInvOf>(t); }
MaybeKernel lgamma(ElementType t) { return unary<lgammaOf>(t); }
MaybeKernel digamma(ElementType t) { return unary<digammaOf>(t); }
MaybeKernel besselI1e(ElementType t) { return unary<besselI1eOf>(t); }
MaybeKernel polygamma(ElementType t) { return binary<polygammaOf>(t); }
MaybeKernel zeta(ElementType t) { return binary<zetaOf>(t); }

} // namespace tenon::interpreter::kernels
