// Hyperbolic functions and their inverses. Of float, tanh is piecewise, sinh and cosh are made of both of a remainder
// by ln 2, and the inverses are computed in double, where the textbook formulas lose nothing that float would show.
#include "tenon/codegen/llvm/math/math.h"
#include "tenon/codegen/llvm/math/piecewise.h"

#include <cmath>

namespace tenon::codegen::math {
namespace {

constexpr double kLn2 = 0x1.62e42fefa39efp-1;

// Pieces of |x| from 1, 2, 3, 5, 7, none, 0 and 1/2: those of |x| + 1 by the half powers of two.
const Pieces<8> kTanhF32 = {
    {0x1.7f97e6p+0, 0x1.3fff66p+1, 0x1.00005ap+2, 0x1.800688p+2, 0x1.fe2804p+2, 0x0p+0, 0x0p+0, 0x1.192c8cp-1},
    {0x1.cf49eap-1, 0x1.f92572p-1, 0x1.ffa818p-1, 0x1.fffe64p-1, 0x1.fffff8p-1, INFINITY, INFINITY, 0x1.ffe4d6p-2},
    {{0x1.732718p-3, 0x1.b3b3fp-6, 0x1.5f800ap-10, 0x1.9bfcb8p-16, 0x1.fffc8p-22, 0x0p+0, -0x1.dd54dep-32,
      0x1.800d94p-1},
     {-0x1.4fd75cp-3, -0x1.addedep-6, -0x1.5f447cp-10, -0x1.9bfbf8p-16, -0x1.0001d6p-21, 0x0p+0, 0x1.08dea2p-23,
      -0x1.7ff922p-2},
     {0x1.685a42p-4, 0x1.16e0d8p-6, 0x1.d3ed02p-11, 0x1.12cc18p-16, 0x1.5584bp-22, 0x0p+0, -0x1.5556e8p-2,
      -0x1.0054c6p-4},
     {-0x1.98c1fcp-6, -0x1.07b596p-7, -0x1.d299e6p-12, -0x1.12c4cp-17, -0x1.552aecp-23, 0x0p+0, 0x1.d7f03ep-14,
      0x1.3fd464p-3},
     {-0x1.693ebp-9, 0x1.76f3c8p-9, 0x1.705e24p-13, 0x1.b33e2cp-19, 0x1.0e6fdp-24, 0x0p+0, 0x1.0ee9a4p-3,
      -0x1.46100cp-5},
     {0x1.d78022p-8, -0x1.7a6dc2p-11, -0x1.e6fa94p-15, -0x1.224512p-20, -0x1.6dbf84p-26, 0x0p+0, 0x1.66cadep-8,
      -0x1.622daep-5},
     {-0x1.f6609cp-9, 0x1.01d082p-14, 0x1.2fb51ep-16, 0x1.7a6154p-22, 0x1.d6f656p-28, 0x0p+0, -0x1.2084b2p-4,
      0x1.3a6042p-5},
     {0x1.9711d4p-11, 0x1.8f0eacp-15, -0x1.1b81cep-18, -0x1.78ddaap-24, -0x1.a8c70ap-30, 0x0p+0, 0x1.c6f902p-6,
      -0x1.51f1eap-7}}};

// (sinh(x)/x - 1) / x^2 in x^2, |x| <= 1.
constexpr double kSinhF64[] = {0x1.5555555555556p-3,  0x1.1111111111020p-7,  0x1.a01a01a036c73p-13,
                               0x1.71de3a3b69405p-19, 0x1.ae646f993d0b7p-26, 0x1.61171c36e6862p-33,
                               0x1.b5bbbc97a73fcp-41};

F tanhF32(F x) {
  // From 9.011 on the result is 1. NaN passes.
  F a = minOr(constant(x, 9.05), abs(x));
  return withSign(evaluatePieces("tanh", kTanhF32, a, lshr(bits(a + 1.0), 22)), x);
}

// h / (h + 2) with h = e^2a - 1 as a pair.
F tanhF64(F x) {
  F a = abs(x);
  F u = minOr(constant(x, 44), a + a);
  Pair h = expm1Pair(u);
  Pair d = twoSum(h.hi, constant(u, 2));
  d.lo = d.lo + h.lo;
  F inverse = 1.0 / d.hi;
  F q = h.hi * inverse;
  F rest = fma(-q, d.hi, h.hi) + (h.lo - q * d.lo);
  F y = fma(rest, inverse, q);
  // e^u's rounding does not matter below; and -0 and NaN pass through here.
  return select(a < 0x1p-28, x, copysign(select(isNaN(x), x, y), x));
}

// (cosh(r) - 1) / r^2 and (sinh(r) / r - 1) / r^2 in r^2, |r| <= ln(2)/2.
constexpr double kCoshF32[] = {0x1p-1, 0x1.5554e6p-5, 0x1.6d4f1p-10};
constexpr double kSinhShort[] = {0x1.5554bp-3, 0x1.1227a6p-7};
constexpr double kSinhF32[] = {0x1.555556p-3, 0x1.110fbep-7, 0x1.a2e328p-13};

// sinh(|x|) or cosh(|x|) of float x by the theorems for |x| = n ln 2 + r:
//
//   cosh |x| = C cosh r + S sinh r, sinh |x| = S cosh r + C sinh r, C and S those of n ln 2: (2^n +- 2^-n) / 2
//
// as a double word, "main + other r", whose low part takes what is small: the polynomials, what rounding lost of r, and
// what rounding lost of C and S, in which 2^-n stands below the last bit when n is 12 or 13. C and S are halved, since
// 2^n overflows before the results do. No division is needed.
F hyperbolic(F x, bool isSinh) {
  constexpr float kLn2Hi = 0x1.62e43p-1f, kLn2Lo = -0x1.05c61p-29f;
  // 2^(n - 2) has the low bits of the sum as its exponent.
  constexpr double kShift = 0x1.8p23 + 127 - 2;
  F a = minOr(constant(x, 89.5), abs(x)); // beyond, both overflow; NaN passes
  F sum = fma(a, 1.4426950408889634, kShift);
  F n = sum - kShift;
  F high = fma(n, -double(kLn2Hi), a);
  F r = fma(n, -double(kLn2Lo), high), rLo = fma(n, -double(kLn2Lo), high - r);
  I exponent = shl(bits(sum), 23);
  F up = fromBits(exponent), down = fromBits(maxSigned(constant(exponent, 2 * (127 - 2) << 23) - exponent, 0));
  F c = up + down, s = up - down;
  F z = r * r;
  F coshLess = z * poly(z, kCoshF32);
  F sinhLess = fma(r, z * (isSinh ? poly(z, kSinhF32) : poly(z, kSinhShort)), rLo);
  F main = isSinh ? s : c, other = isSinh ? c : s;
  F mainLo = isSinh ? (up - s) - down : (up - c) + down;
  F tail = fma(main, coshLess, other * sinhLess) + mainLo;
  F y = fma(other, r, main);
  F yLo = fma(other, r, main - y);
  if (isSinh)
    yLo = fma((up - c) + down, r, yLo);
  y = y + (tail + yLo);
  return y + y;
}

F sinhF32(F x) {
  // Below, the result is x to the last bit, subnormals too.
  F a = abs(x);
  return withSign(select(a < 0x1p-12, a, hyperbolic(x, true)), x);
}

// In double, for float arguments.
F asinhWide(F x) {
  F a = abs(x);
  F y = log(a + sqrt(fma(a, a, 1.0)));
  return copysign(select(a < 0x1p-10, fma(a * a * a, -1.0 / 6, a), y), x);
}
F acoshWide(F x) { return log(select(x < 1.0, constant(x, NAN), x + sqrt((x - 1.0) * (x + 1.0)))); }
F atanhWide(F x) {
  F y = 0.5 * log((1.0 + x) / (1.0 - x));
  return select(abs(x) < 0x1p-12, fma(x * x * x, 1.0 / 3, x), y);
}

// e^a / 2 for a >= 22, without premature overflow: e^(a - ln 2), with ln 2 a pair.
F expHalf(F a) {
  a = minOr(constant(a, 1000), a);
  F hi = a - kLn2;
  return exp(Pair{hi, ((a - hi) - kLn2) - 0x1.abc9e3b39803fp-56});
}

F sinhF64(F x) {
  F a = abs(x);
  F z = a * a;
  F near = fma(a * z, poly(z, kSinhF64), a);
  F e = exp(minOr(constant(a, 40), a));
  F middle = fma(e, 0.5, -0.5 / e);
  F y = select(a < 1.0, near, select(a < 22.0, middle, expHalf(a)));
  return copysign(select(isNaN(x), x, y), x);
}

F coshF64(F x) {
  F a = abs(x);
  F e = exp(minOr(constant(a, 40), a));
  F small = fma(e, 0.5, 0.5 / e);
  F large = expHalf(a);
  return select(isNaN(x), x, select(a < 22.0, small, large));
}

// log(a) + ln 2 for large a, as asinh and acosh have it.
F logTwice(F a) { return log(a) + kLn2; }

F asinhF64(F x) {
  F a = abs(x);
  F b = minOr(constant(a, 0x1p30), a);
  // a + a^2 / (1 + sqrt(1 + a^2)), as a pair.
  Pair square = twoProduct(b, b);
  F root = sqrt(1.0 + square.hi);
  F q = square.hi / (1.0 + root);
  Pair sum = twoSum(b, q);
  F y = select(a < 0x1p28, log1p(sum), logTwice(a));
  return select(a < 0x1p-28, x, copysign(select(isNaN(x), x, y), x));
}

F acoshF64(F x) {
  F t = minOr(constant(x, 0x1p30), x) - 1.0;
  F root = sqrt(fma(t, t, t + t));
  F y = select(x < 0x1p28, log1p(twoSum(t, root)), logTwice(x));
  return select(x < 1.0, constant(x, NAN), y);
}

F atanhF64(F x) {
  F a = abs(x);
  // log1p(2a / (1 - a)) / 2.
  Pair d = fastTwoSum(constant(a, 1), -a);
  F n = a + a;
  F q = n / d.hi;
  F rest = (fma(-q, d.hi, n) - q * d.lo) / d.hi;
  rest = select(isFinite(rest), rest, 0.0);
  F y = 0.5 * log1p(Pair{q, rest});
  y = select(a == 1.0, constant(x, INFINITY), y);
  y = select(a > 1.0, constant(x, NAN), y);
  return select(a < 0x1p-28, x, copysign(select(isNaN(x), x, y), x));
}

} // namespace

F tanh(F x) { return isDouble(x) ? tanhF64(x) : tanhF32(x); }
F sinh(F x) { return isDouble(x) ? sinhF64(x) : sinhF32(x); }
F cosh(F x) { return isDouble(x) ? coshF64(x) : hyperbolic(x, false); }
F asinh(F x) { return isDouble(x) ? asinhF64(x) : narrow(asinhWide(widen(x))); }
F acosh(F x) { return isDouble(x) ? acoshF64(x) : narrow(acoshWide(widen(x))); }
F atanh(F x) { return isDouble(x) ? atanhF64(x) : narrow(atanhWide(widen(x))); }

} // namespace tenon::codegen::math
