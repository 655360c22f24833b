// Elementary and special functions as inlined vector code: polynomials and rationals with all special values, no calls
// of libm. x is float or double, scalar or a fixed vector; lanes agree bit for bit with the scalar.
//
// Errors stated beside each function are bounds in ULP, float / double, that math_accuracy_test checks. Subnormal
// arguments and results are exact citizens; NaN gives NaN.
#pragma once

#include "tenon/codegen/llvm/math/fp.h"

namespace tenon::codegen::math {

// exp.cpp
F exp(F x);   // 1 / 1
F expm1(F x); // 1 / 1
// The same as exp of floats whose result is rounded to f16: n is not near its limits, so that 2^n is one factor.
F expOfHalf(F x);
F logistic(F x); // 1 / 1
// 2^x of double x, to 2^-34: for results that are float, infinite or zero beyond 2^400 and 2^-400.
F exp2Wide(F x);
// e^x - 1 for |x| <= 80 (700 for double), lo well below ulp(hi).
Pair expm1Pair(F x);
// e^(x.hi + x.lo) with |x.lo| <= ulp(x.hi): 1 / 1. Float or double.
F exp(Pair x);
// The same unrounded as y * 2^n, y in [0.7, 1.42].
Pair expScaled(Pair x, Rounded *n);

// log.cpp
F log(F x);   // 1 / 1
F log1p(F x); // 1 / 1
// The bits of log1p for x in [0, 1], and NaN, in half the instructions.
F log1pOfUnit(F x);
// log2(x) of finite positive x, as double, to 2^-35.
F log2Wide(F x);
// log(x) for double x, good to about 2^-66, for finite positive x (subnormals too).
Pair logPair(F x);
// log(1 + x.hi + x.lo) for x.hi > -1, finite.
F log1p(Pair x);

// hyperbolic.cpp
F tanh(F x);  // 1 / 1.5
F sinh(F x);  // 0.8 / 2
F cosh(F x);  // 0.8 / 2
F asinh(F x); // 1 / 2
F acosh(F x); // 1 / 2
F atanh(F x); // 1 / 2

// trigonometric.cpp
F sin(F x); // 1 / 1
F cos(F x); // 1 / 1
F tan(F x); // 2 / 2
// Cosines where `isCos`, sines elsewhere, with the bits of those.
F sinOrCos(F x, M isCos);
// Both at once.
std::pair<F, F> sinCos(F x);
// The cotangent of pi x for double |x| <= 1/2: 4.
F cotPi(F x);

// inverse_trigonometric.cpp
F atan(F x);       // 1 / 1
F atan2(F y, F x); // 1 / 2
F asin(F x);       // 1 / 2
F acos(F x);       // 1 / 2

// power.cpp
F pow(F x, F y);          // 1 / 1, IEEE 754's special cases
F powInt(F x, int64_t n); // a fixed small exponent, by multiplication
F cbrt(F x);              // 1 / 1
F rsqrt(F x);             // 0.53 / 1

// error_function.cpp
F erf(F x);    // 1 / 1.1
F erfc(F x);   // 1 / 3
F erfInv(F x); // 1 / 3

// gamma.cpp
F lgamma(F x);  // 1 / 4 for positive x; for negative, as digamma, about 32 relative to max(|result|, 1)
F digamma(F x); // 1 / 8, relative to max(|result|, 1); near the positive root 1 / 4

// zeta.cpp
F zeta(F x, F q);      // Hurwitz
F polygamma(F n, F x); // n-th derivative of digamma, n a non-negative integer

// bessel.cpp
F besselI1e(F x); // 1 / 4

// rounding.cpp
F roundAwayFromZero(F x); // halves away from zero
F fmod(F x, F y);         // exact, sign of x
F nextAfter(F x, F toward);
// The same on the bits of any IEEE format, given those of its infinity.
I nextAfterBits(I x, I toward, uint64_t infinity);

// Double results for float arguments are had by widening; where an error of float is 1, that is often how it is made.

} // namespace tenon::codegen::math
