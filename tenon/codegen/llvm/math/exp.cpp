// Exponentials. All start from x = n ln 2 + r, |r| <= ln(2)/2. The fused multiply-add makes x - n*ln2Hi exact.
#include "tenon/codegen/llvm/math/math.h"

#include <cmath>

namespace tenon::codegen::math {
namespace {

// 2^r for |r| <= 1/2, to 2^-34.5.
constexpr double kExp2Short[] = {0x1.ffffffffabca6p-1,  0x1.62e42ff116144p-1, 0x1.ebfbe0a4aac6dp-3,
                                 0x1.c6b08aaf1169ep-5,  0x1.3b29dc4d408cfp-7, 0x1.5d8a70bc9e387p-10,
                                 0x1.446a1871094e6p-13, 0x1.fe1740d2ef967p-17};

struct Reduced {
  F r;   // rounded
  F rLo; // what rounding r lost
  Rounded n;
};

constexpr double kLog2E = 1.4426950408889634;
constexpr float kLn2HiF32 = 0x1.62e43p-1f, kLn2LoF32 = -0x1.05c61p-29f;
constexpr double kLn2HiF64 = 0x1.62e42fefa39efp-1, kLn2LoF64 = 0x1.abc9e3b39803fp-56;

// (e^r - 1 - r) / r^2, error relative to e^r.
constexpr double kExpF32[] = {0x1.fffffcp-2, 0x1.55548cp-3, 0x1.555858p-5, 0x1.123deap-7, 0x1.6ac862p-10};
constexpr double kExpF64[] = {0x1.0000000000000p-1,  0x1.5555555555558p-3,  0x1.55555555555a3p-5,
                              0x1.111111111049cp-7,  0x1.6c16c16beafb9p-10, 0x1.a01a01a76b455p-13,
                              0x1.a01a029bc2fc5p-16, 0x1.71de139f29d2cp-19, 0x1.27e2c30c0f67fp-22,
                              0x1.af26bebb7ebc0p-26, 0x1.22826e8100bbep-29};
// The same, error relative to e^r - 1.
constexpr double kExpm1F32[] = {0x1p-1, 0x1.55552cp-3, 0x1.555502p-5, 0x1.1155aep-7, 0x1.6d2e56p-10, 0x1.3b7db2p-13};
constexpr double kExpm1F64[] = {0x1.0000000000000p-1,  0x1.5555555555556p-3,  0x1.5555555555557p-5,
                                0x1.1111111110d50p-7,  0x1.6c16c16c15528p-10, 0x1.a01a01a1cb484p-13,
                                0x1.a01a01aca1e1cp-16, 0x1.71de3526df8c4p-19, 0x1.27e4cc37b20d7p-22,
                                0x1.ae7200ac5217cp-26, 0x1.1f8e1ec207656p-29, 0x1.553e8a5338ffap-33};

Reduced reduce(F x) {
  bool wide = isDouble(x);
  Rounded rounded = roundProduct(x, kLog2E);
  F n = rounded.n;
  F r1 = fma(n, wide ? -kLn2HiF64 : -double(kLn2HiF32), x);
  double lo = wide ? -kLn2LoF64 : -double(kLn2LoF32);
  F r = fma(n, lo, r1);
  F rLo = fma(n, lo, r1 - r);
  return {r, rLo, rounded};
}

// Beyond these, e^x overflows or is zero for certain; clamping keeps n small. NaN passes.
F clampForExp(F x) {
  bool wide = isDouble(x);
  return maxOr(constant(x, wide ? -746 : -104), minOr(constant(x, wide ? 710 : 89), x));
}

} // namespace

F exp(F x) {
  // Far down the result is zero for certain. A product that only underflows would take x86 a hundred times as long as
  // another, in every masked element of a softmax: there 2^n is taken in two factors that are both zero, or of zero.
  bool wide = isDouble(x);
  Reduced a = reduce(maxOr(constant(x, wide ? -1418 : -176), minOr(constant(x, wide ? 710 : 89), x)));
  // 1 + r (1 + r p) rounds less than 1 + (r + r^2 p), which reached 1.013 ULP.
  F p = wide ? poly(a.r, kExpF64) : poly(a.r, kExpF32);
  F y = fma(a.r, fma(a.r, p, 1.0), 1.0);
  if (hasScaleInstruction(x))
    y = select(x < (wide ? -746.0 : -104.0), 0.0, y);
  return scalePositive(y, a.n);
}

F expOfHalf(F x) {
  // Beyond these the result is infinite or zero for certain, and 2^n is 0 at the lower end: nothing underflows.
  F clamped = maxOr(constant(x, -88), minOr(constant(x, 12), x));
  constexpr double kShift = 0x1.8p23 + 127; // leaves n, with the bias of exponents, in the low bits
  F sum = fma(clamped, kLog2E, kShift), n = sum - kShift;
  F r = fma(n, -double(kLn2LoF32), fma(n, -double(kLn2HiF32), clamped));
  F y = fma(r, fma(r, poly(r, kExpF32), 1.0), 1.0);
  return y * fromBits(shl(bits(sum), 23));
}

Pair expScaled(Pair x, Rounded *n) {
  Reduced a = reduce(clampForExp(x.hi));
  *n = a.n;
  Pair r = fastTwoSum(a.r, a.rLo + x.lo);
  F p = isDouble(r.hi) ? poly(r.hi, kExpm1F64) : poly(r.hi, kExpm1F32);
  Pair s = fastTwoSum(constant(r.hi, 1), r.hi);
  F tail = fma(r.hi * r.hi, p, fma(r.lo, r.hi, r.lo));
  return fastTwoSum(s.hi, s.lo + tail);
}

F exp(Pair x) {
  F clamped = clampForExp(x.hi);
  Reduced a = reduce(clamped);
  // Where the argument was clamped its low part means nothing, and may be NaN.
  F lo = select(clamped == x.hi, a.rLo + x.lo, 0.0);
  Pair r = fastTwoSum(a.r, lo);
  F p = isDouble(r.hi) ? poly(r.hi, kExpF64) : poly(r.hi, kExpF32);
  F tail = fma(r.hi * r.hi, p, fma(r.lo, r.hi, r.lo));
  Pair s = fastTwoSum(constant(r.hi, 1), r.hi);
  return scalePositive(s.hi + (s.lo + tail), a.n);
}

F exp2Wide(F x) {
  F clamped = maxOr(constant(x, -400), minOr(constant(x, 400), x));
  constexpr double kShift = 0x1.8p52; // leaves the exponent in the low bits
  F t = clamped + kShift;
  F y = poly(clamped - (t - kShift), kExp2Short);
  // No double is near its limits here: the exponent is added to the bits.
  return fromBits(bits(y) + shl(bits(t), 52));
}

// 2^n (1 + r + tail) - 1, unnormalised, for 2^n normal.
static Pair expm1Sum(const Reduced &a, I n) {
  F p = isDouble(a.r) ? poly(a.r, kExpm1F64) : poly(a.r, kExpm1F32);
  F tail = fma(a.r * a.r, p, a.rLo);
  F s = powerOfTwo(a.r, n);
  F sLess = s - 1.0;
  F sLessLo = (s - sLess) - 1.0; // not zero when 2^n has more bits than the format
  Pair sum = fastTwoSum(sLess, s * a.r);
  return {sum.hi, fma(s, tail, sum.lo + sLessLo)};
}

Pair expm1Pair(F x) {
  Reduced a = reduce(x);
  Pair sum = expm1Sum(a, a.n.toInteger());
  return fastTwoSum(sum.hi, sum.lo);
}

F expm1(F x) {
  bool wide = isDouble(x);
  // Below, the result is -1 to the last bit.
  F clamped = maxOr(constant(x, wide ? -40 : -20), minOr(constant(x, wide ? 710 : 89), x));
  Reduced a = reduce(clamped);
  // One less where 2^n would overflow before the result does.
  I n = a.n.toInteger();
  M top = slt(constant(n, wide ? 1023 : 127), n);
  Pair sum = expm1Sum(a, select(top, n - 1, n));
  F y = sum.hi + sum.lo;
  // At the top, 2^(n-1) z - 1 was formed, of which the double is wanted; the one does not matter.
  y = select(top, y + y, y);
  // Keeps -0, and arguments so small that r*r underflows.
  return select(abs(x) < (wide ? 0x1p-60 : 0x1p-30), x, y);
}

F logistic(F x) {
  // z/(1+z) and 1/(1+z) of z = e^-|x|, both quotients corrected by their remainder.
  bool wide = isDouble(x);
  F magnitude = maxOr(constant(x, wide ? -746 : -104), -abs(x));
  Reduced a = reduce(magnitude);
  // Far down the result is z, whose low part keeps it below 1 ULP (without rLo, 1.005 at -38.44).
  F p = wide ? poly(a.r, kExpF64) : poly(a.r, kExpF32);
  Pair sum = fastTwoSum(constant(x, 1), a.r);
  Pair y = fastTwoSum(sum.hi, sum.lo + fma(a.r * a.r, p, a.rLo));
  F z = scaleByPowerOfTwo(y.hi, a.n);
  F zLo = y.lo * powerOfTwo(x, maxSigned(a.n.toInteger(), wide ? -1022 : -126));
  F d = 1.0 + z;
  F dLo = (z - (d - 1.0)) + zLo;
  F inverse = 1.0 / d;
  M negative = x < 0;
  F numerator = select(negative, z, 1.0);
  F quotient = numerator * inverse;
  F rest = fma(-quotient, d, numerator) - quotient * dLo;
  rest = select(negative, rest + zLo, rest);
  return fma(rest, inverse, quotient);
}

} // namespace tenon::codegen::math
