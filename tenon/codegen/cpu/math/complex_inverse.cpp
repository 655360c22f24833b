// Inverse trigonometric and hyperbolic functions of complex numbers, by Kahan's formulas ("Branch Cuts for Complex
// Elementary Functions, or Much Ado About Nothing's Sign Bit"), which put every branch cut where signed zeros say.
#include "tenon/codegen/cpu/math/complex.h"

#include "tenon/codegen/cpu/math/math.h"

#include <cmath>

namespace tenon::codegen::math {
namespace {

template <typename Function> C inDouble(C z, Function f) {
  if (isDouble(z.re))
    return f(z);
  C result = f(C{widen(z.re), widen(z.im)});
  return {narrow(result.re), narrow(result.im)};
}

C onePlus(C z) { return {1.0 + z.re, z.im}; }
C oneMinus(C z) { return {1.0 - z.re, -z.im}; }
C timesI(C z) { return {-z.im, z.re}; }
C timesMinusI(C z) { return {z.im, -z.re}; }
// Parts of x y and conj(x) y.
F realOfProduct(C x, C y) { return x.re * y.re - x.im * y.im; }
F realOfConjugate(C x, C y) { return x.re * y.re + x.im * y.im; }
F imagOfConjugate(C x, C y) { return x.re * y.im - x.im * y.re; }

// At infinity, where the products are NaN, only the direction counts (Annex G of C).
M isInfinite(C z) { return isInf(z.re) | isInf(z.im); }
F infinity(F like) { return constant(like, INFINITY); }

C asinDouble(C z) {
  C below = sqrt(oneMinus(z)), above = sqrt(onePlus(z));
  M far = isInfinite(z);
  F re = atan2(z.re, select(far, abs(z.im), realOfProduct(below, above)));
  F im = select(far, copysign(infinity(z.im), z.im), asinh(imagOfConjugate(below, above)));
  return {select((z.re == 0.0) & isNaN(z.im), z.re, re), im};
}

C acosDouble(C z) {
  C below = sqrt(oneMinus(z)), above = sqrt(onePlus(z));
  M far = isInfinite(z);
  F re = select(far, atan2(abs(z.im), z.re), 2.0 * atan2(below.re, above.re));
  F im = select(far, copysign(infinity(z.im), -z.im), asinh(imagOfConjugate(above, below)));
  return {re, im};
}

C acoshDouble(C z) {
  C below = sqrt(C{z.re - 1.0, z.im}), above = sqrt(onePlus(z));
  M far = isInfinite(z);
  F re = select(far, infinity(z.re), asinh(realOfConjugate(below, above)));
  return {re, select(far, atan2(z.im, z.re), 2.0 * atan2(below.im, above.re))};
}

C atanhDouble(C z) {
  // Odd in the real part, so 1 - a is exact where it is small.
  F a = abs(z.re), one = constant(a, 1);
  F d = 1.0 - a;
  F square = fma(d, d, z.im * z.im);
  // Far out 4a / |1 - z|^2 would be 0 / inf or inf / inf.
  M far = (a > 0x1p500) | (abs(z.im) > 0x1p500);
  F ratio = select(far, constant(a, 0), 4.0 * a / square);
  F re = 0.25 * log1p(ratio);
  // Beside the pole the square underflows: log(2 / |y|) / 2.
  M beside = (d == 0.0) & (abs(z.im) < 0x1p-500);
  re = patchRare(beside, re, [&] { return 0.5 * (0x1.62e42fefa39efp-1 - log(abs(z.im))); });
  re = copysign(re, z.re);
  Pair y = twoProduct(z.im, z.im);
  Pair difference = add(mul(twoSum(one, -a), twoSum(one, a)), Pair{-y.hi, -y.lo});
  F im = 0.5 * atan2(2.0 * z.im, difference.hi);
  F right = copysign(constant(d, 0x1.921fb54442d18p+0), z.im);
  M sameRe = (isNaN(z.re) & !isInf(z.im)) | ((z.re == 0.0) & isNaN(z.im));
  return {select(sameRe, z.re, re), select(far & !isNaN(z.im), right, im)};
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
    C direction = (b + timesI(a)) / sqrt(b * b + a * a);
    return timesMinusI(log(direction));
  };
  if (isDouble(x.re))
    return body(y, x);
  C result = body({widen(y.re), widen(y.im)}, {widen(x.re), widen(x.im)});
  return {narrow(result.re), narrow(result.im)};
}

} // namespace tenon::codegen::math
