// Inverse trigonometric and hyperbolic functions of complex numbers, by Kahan's formulas ("Branch Cuts for Complex
// Elementary Functions, or Much Ado About Nothing's Sign Bit"), which put every branch cut where signed zeros say.
#include "tenon/codegen/llvm/math/complex.h"

#include "tenon/codegen/llvm/math/math.h"

#include <cmath>

namespace tenon::codegen::math {
namespace {

template <typename Function> C inDouble(C z, Function f) {
  if (isDouble(z.re))
    return f(z);
  C result = f(C{widen(z.re), widen(z.im)});
  return {narrow(result.re), narrow(result.im)};
}

constexpr double kQuarterTurn = 0x1.921fb54442d18p+0;

C onePlus(C z) { return {1.0 + z.re, z.im}; }
C oneMinus(C z) { return {1.0 - z.re, -z.im}; }
C timesI(C z) { return {-z.im, z.re}; }
C timesMinusI(C z) { return {z.im, -z.re}; }
// Parts of x y and conj(x) y.
F realOfProduct(C x, C y) { return x.re * y.re - x.im * y.im; }
F realOfConjugate(C x, C y) { return x.re * y.re + x.im * y.im; }
F imagOfConjugate(C x, C y) { return x.re * y.im - x.im * y.re; }

// Far out, where products would overflow and at infinity are NaN, the functions are i log(2z) but for quarter turns, to
// the last bit; at infinity only the direction counts (Annex G of C).
M isFar(C z) { return (abs(z.re) > 0x1p500) | (abs(z.im) > 0x1p500); }
F logOfTwice(C z) { return logOfModulus(z) + 0x1.62e42fefa39efp-1; }
// `far` where isFar, else `near`.
F orFar(C z, F near, llvm::function_ref<F(F)> far) {
  return patchRare(isFar(z), near, [&] { return far(logOfTwice(z)); });
}

C asinDouble(C z) {
  C below = sqrt(oneMinus(z)), above = sqrt(onePlus(z));
  F re = atan2(z.re, select(isFar(z), abs(z.im), realOfProduct(below, above)));
  F im = orFar(z, asinh(imagOfConjugate(below, above)), [&](F log) { return copysign(log, z.im); });
  return {select((z.re == 0.0) & isNaN(z.im), z.re, re), im};
}

C acosDouble(C z) {
  C below = sqrt(oneMinus(z)), above = sqrt(onePlus(z));
  F re = select(isFar(z), atan2(abs(z.im), z.re), 2.0 * atan2(below.re, above.re));
  F im = orFar(z, asinh(imagOfConjugate(above, below)), [&](F log) { return copysign(log, -z.im); });
  return {select((z.re == 0.0) & isNaN(z.im), constant(re, kQuarterTurn), re), im};
}

C acoshDouble(C z) {
  C below = sqrt(C{z.re - 1.0, z.im}), above = sqrt(onePlus(z));
  F re = orFar(z, asinh(realOfConjugate(below, above)), [](F log) { return log; });
  F im = select(isFar(z), atan2(z.im, z.re), 2.0 * atan2(below.im, above.re));
  return {re, select((z.re == 0.0) & isNaN(z.im), constant(re, kQuarterTurn), im)};
}

C atanhDouble(C z) {
  // Odd in the real part, so 1 - a is exact where it is small.
  F a = abs(z.re), one = constant(a, 1);
  F d = 1.0 - a;
  F square = fma(d, d, z.im * z.im);
  // Far out 4a / |1 - z|^2 would be 0 / inf or inf / inf; there the function is 1 / z but for a quarter turn.
  M far = isFar(z);
  F ratio = select(far, constant(a, 0), 4.0 * a / square);
  F re = 0.25 * log1p(ratio);
  re = patchRare(far, re, [&] { return (C{one, constant(a, 0)} / C{a, z.im}).re; });
  // Beside the pole the square underflows: log(2 / |y|) / 2.
  M beside = (d == 0.0) & (abs(z.im) < 0x1p-500);
  re = patchRare(beside, re, [&] { return 0.5 * (0x1.62e42fefa39efp-1 - log(abs(z.im))); });
  re = copysign(re, z.re);
  Pair y = twoProduct(z.im, z.im);
  Pair difference = add(mul(twoSum(one, -a), twoSum(one, a)), Pair{-y.hi, -y.lo});
  F im = 0.5 * atan2(2.0 * z.im, difference.hi);
  F right = copysign(constant(d, kQuarterTurn), z.im);
  M sameRe = (isNaN(z.re) & !isInf(z.im)) | ((z.re == 0.0) & isNaN(z.im));
  M turned = isInf(z.im) | (far & !isNaN(z.re) & !isNaN(z.im));
  return {select(sameRe, z.re, re), select(turned, right, im)};
}

} // namespace

C asin(C z) { return inDouble(z, asinDouble); }
C acos(C z) { return inDouble(z, acosDouble); }
C acosh(C z) { return inDouble(z, acoshDouble); }
C atanh(C z) { return inDouble(z, atanhDouble); }
C asinh(C z) { return timesI(asin(timesMinusI(z))); }
C atan(C z) { return timesMinusI(atanh(timesI(z))); }

// -i log((x + iy) / sqrt(x^2 + y^2)).
C atan2(C y, C x) {
  auto body = [](C a, C b) {
    // Only the direction counts, so the larger of the four parts may be about one.
    F largest = maxOr(maxOr(abs(a.re), abs(a.im)), maxOr(abs(b.re), abs(b.im)));
    M far = (largest > 0x1p500) | (largest < 0x1p-500);
    F shift = select(largest > 1.0, constant(largest, 0x1p-600), constant(largest, 0x1p600));
    shift = select(far, shift, constant(largest, 1));
    a = {a.re * shift, a.im * shift};
    b = {b.re * shift, b.im * shift};
    C direction = (b + timesI(a)) / sqrt(b * b + a * a);
    return timesMinusI(log(direction));
  };
  if (isDouble(x.re))
    return body(y, x);
  C result = body({widen(y.re), widen(y.im)}, {widen(x.re), widen(x.im)});
  return {narrow(result.re), narrow(result.im)};
}

} // namespace tenon::codegen::math
