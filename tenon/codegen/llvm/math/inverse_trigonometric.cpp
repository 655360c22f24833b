// Inverse trigonometric functions, all from the arc tangent of a quotient: atan2(y, x) with |y| <= |x| (else of the
// complement), reduced once more by tan(pi/8) so that one polynomial on [0, tan(pi/8)] serves. In double, whatever the
// argument: of floats the polynomial is shorter. Only atan of floats is computed in float, without the second
// reduction.
#include "tenon/codegen/llvm/math/math.h"

#include <cmath>

namespace tenon::codegen::math {
namespace {

// (atan(q)/q - 1) / q^2 in q^2, q <= tan(pi/8).
constexpr double kAtanFull[] = {-0x1.5555555555554p-2, 0x1.9999999999583p-3,  -0x1.249249246f493p-3,
                                0x1.c71c71b44dd21p-4,  -0x1.745d144e51e22p-4, 0x1.3b1364bbf420ap-4,
                                -0x1.110be81315528p-4, 0x1.e16772e96398dp-5,  -0x1.ab3a01327a8b3p-5,
                                0x1.6fdc9c9ef6613p-5,  -0x1.0fc133796f9a6p-5, 0x1.e7f8ae2b83b57p-7};
constexpr double kAtanShort[] = {-0x1.555554c89e691p-2, 0x1.99991a47a8868p-3,  -0x1.247f0614e03d2p-3,
                                 0x1.c467f0c760abcp-4,  -0x1.5b44e833e4fc0p-4, 0x1.84f32dff56b33p-5};

constexpr double kPi = 0x1.921fb54442d18p+1, kPiLo = 0x1.1a62633145c07p-53;
constexpr double kTanPiOver8 = 0x1.a827999fcef32p-2;

enum class Precision { kShort, kFull }; // for a float result, for a double

// Angle of (x, y) for y >= 0 and any x, neither NaN nor both zero nor both infinite. y and x may be pairs.
F angle(Pair y, Pair x, Precision precision) {
  bool full = precision == Precision::kFull;
  M left = signBit(x.hi);
  Pair ax = {abs(x.hi), full ? select(left, -x.lo, x.lo) : x.lo};
  M steep = y.hi > ax.hi;
  Pair small = {select(steep, ax.hi, y.hi), select(steep, ax.lo, y.lo)};
  Pair large = {select(steep, y.hi, ax.hi), select(steep, y.lo, ax.lo)};
  // atan(s/l) = pi/4 + atan((s - l)/(s + l)).
  M shifted = small.hi > large.hi * kTanPiOver8;
  Pair n, d;
  if (full) {
    Pair difference = fastTwoSum(-large.hi, small.hi), sum = fastTwoSum(large.hi, small.hi);
    n = {select(shifted, difference.hi, small.hi), select(shifted, difference.lo + (small.lo - large.lo), small.lo)};
    d = {select(shifted, sum.hi, large.hi), select(shifted, sum.lo + (small.lo + large.lo), large.lo)};
  } else {
    n.hi = select(shifted, small.hi - large.hi, small.hi);
    d.hi = select(shifted, small.hi + large.hi, large.hi);
  }
  F q = n.hi / d.hi;
  F z = q * q;
  F tail = q * z * (full ? poly(z, kAtanFull) : poly(z, kAtanShort));
  if (full) {
    F rest = (fma(-q, d.hi, n.hi) + (n.lo - q * d.lo)) / d.hi;
    rest = select(isFinite(rest), rest, 0.0);
    tail = tail + rest * (1.0 - z);
  }
  // The multiple of pi/4, signs folded: angle = base + sign * (q + tail).
  F base = select(shifted, constant(q, kPi / 4), constant(q, 0));
  F baseLo = select(shifted, constant(q, kPiLo / 4), constant(q, 0));
  auto complement = [&](M when, double hi, double lo) {
    base = select(when, hi - base, base);
    baseLo = select(when, lo - baseLo, baseLo);
    q = select(when, -q, q);
    tail = select(when, -tail, tail);
  };
  complement(steep, kPi / 2, kPiLo / 2);
  complement(left, kPi, kPiLo);
  if (!full)
    return base + (q + tail);
  Pair s = fastTwoSum(base, q);
  return s.hi + (s.lo + (tail + baseLo));
}

// Both in double.
F atan2Wide(F y, F x, Precision precision) {
  F ay = abs(y);
  M bothZero = (ay == 0.0) & (x == 0.0);
  M bothInfinite = isInf(y) & isInf(x);
  M plain = bothZero | bothInfinite;
  // Both zero is like (1, 0), both infinite like (1, 1), signs kept.
  F u = select(plain, copysign(constant(x, 1), x), x);
  F v = select(bothZero, constant(x, 0), select(bothInfinite, constant(x, 1), ay));
  if (precision == Precision::kFull) {
    // Keeps quotients and remainders in range. Beyond the ratio of 2^+-1000, the remainder no longer counts.
    M big = (v > 0x1p1000) | (abs(u) > 0x1p1000);
    M tiny = (v < 0x1p-900) & (abs(u) < 0x1p-900);
    F scale = select(big, constant(x, 0x1p-60), select(tiny, constant(x, 0x1p120), constant(x, 1)));
    u = u * scale;
    v = v * scale;
  }
  F zero = constant(x, 0);
  F result = angle({v, zero}, {u, zero}, precision);
  result = copysign(result, y);
  return select(isNaN(x) | isNaN(y), x + y, result);
}

F asinWide(F x, Precision precision) {
  F a = abs(x), one = constant(x, 1), zero = constant(x, 0);
  if (precision == Precision::kShort)
    return copysign(angle({a, zero}, {sqrt((1.0 - a) * (1.0 + a)), zero}, precision), x);
  // sqrt(1 - a^2) as a pair, from (1 - a)(1 + a) as one.
  Pair product = mul(fastTwoSum(one, -a), fastTwoSum(one, a));
  F root = sqrt(product.hi);
  F rest = (fma(-root, root, product.hi) + product.lo) * 0.5 / root;
  rest = select(isFinite(rest), rest, 0.0);
  return select(a < 0x1p-28, x, copysign(angle({a, zero}, {root, rest}, precision), x));
}

F acosWide(F x, Precision precision) {
  F zero = constant(x, 0), one = constant(x, 1);
  if (precision == Precision::kShort)
    return angle({sqrt((1.0 - x) * (1.0 + x)), zero}, {x, zero}, precision);
  Pair product = mul(twoSum(one, -x), twoSum(one, x));
  F root = sqrt(product.hi);
  F rest = (fma(-root, root, product.hi) + product.lo) * 0.5 / root;
  rest = select(isFinite(rest), rest, 0.0);
  return angle({root, rest}, {x, zero}, precision);
}

// (atan(q)/q - 1) / q^2 in q^2, q <= 1.
constexpr double kAtanF32[] = {-0x1.55553ep-2, 0x1.9991e8p-3, -0x1.24208ep-3, 0x1.c08c5p-4,   -0x1.58093ap-4,
                               0x1.da2ae8p-5,  -0x1.fd80dp-6, 0x1.6429bcp-7,  -0x1.d367b6p-10};

// atan(q) = q + q w for q = |x| up to 1. Beyond, with q = 1 / |x|, pi/2 less that, as a double word whose low part
// takes what rounding lost of pi/2, of its difference to q, and of the quotient.
F atanF32(F x) {
  constexpr float kHalfPi = 0x1.921fb6p+0f, kHalfPiLo = -0x1.777a5cp-25f;
  F a = minOr(constant(x, 0x1p100), abs(x)); // infinity is no worse than this; NaN passes
  M steep = a > 1.0;
  F n = minOr(constant(x, 1), a), d = maxOr(a, constant(x, 1));
  F q = n / d, z = q * q;
  // By pairs of coefficients, as these chains are short, but for the first, which is added at the end: with even and
  // odd ones by themselves sums are larger, and what rounding loses of these made the error 1.08 ULP.
  F z2 = z * z;
  auto two = [&](int k) { return fma(z, kAtanF32[k + 1], kAtanF32[k]); };
  F p = fma(fma(fma(two(7), z2, two(5)), z2, two(3)), z2, two(1));
  F w = fma(z, kAtanF32[0], z2 * p);
  F near = fma(q, w, q);
  F s = kHalfPi - q, sLo = (kHalfPi - s) - q;
  // What the quotient lacks is its remainder over d. Times the derivative, 1 / (1 + q^2), that is q / (1 + q^2) of the
  // remainder: about 0.43 near 1, where w loses most, and a fifth of an ULP off at most where q and its errors are
  // small.
  F lost = fma(fma(-q, d, n), -0.43, double(kHalfPiLo)) + sLo;
  F y = fma(-q, w, s);
  F far = y + (fma(-q, w, s - y) + lost);
  return copysign(select(steep, far, near), x);
}

F ofFloat(F x, F (*f)(F, Precision)) {
  return isDouble(x) ? f(x, Precision::kFull) : narrow(f(widen(x), Precision::kShort));
}

} // namespace

F atan2(F y, F x) {
  return isDouble(x) ? atan2Wide(y, x, Precision::kFull) : narrow(atan2Wide(widen(y), widen(x), Precision::kShort));
}

F atan(F x) {
  if (!isDouble(x))
    return atanF32(x);
  F a = abs(x), one = constant(x, 1), zero = constant(x, 0);
  // Infinity is no worse than this.
  F bounded = minOr(constant(x, 0x1p200), a);
  return copysign(select(isNaN(x), x, angle({bounded, zero}, {one, zero}, Precision::kFull)), x);
}

F asin(F x) {
  F y = ofFloat(x, asinWide);
  return select(abs(x) > 1.0, constant(x, NAN), y);
}

F acos(F x) {
  F y = ofFloat(x, acosWide);
  return select(abs(x) > 1.0, constant(x, NAN), y);
}

} // namespace tenon::codegen::math
