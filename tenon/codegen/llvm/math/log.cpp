// Logarithms. x = 2^e m with m in [sqrt(1/2), sqrt(2)), taken from the bits; then log(m) from f = m - 1. In float a
// polynomial in f, in double the series of 2 atanh(f / (2 + f)), whose terms fall fast.
#include "tenon/codegen/llvm/math/math.h"

#include <cmath>

namespace tenon::codegen::math {
namespace {

// (log(1 + f) - f + f^2/2) / f^3 on [sqrt(1/2) - 1, sqrt(2) - 1], error relative to log(1 + f).
constexpr double kLogF32[] = {0x1.555548p-2,  -0x1.00006ep-2, 0x1.99a53ep-3,  -0x1.552fe0p-3, 0x1.230416p-3,
                              -0x1.00f7bcp-3, 0x1.efd260p-4,  -0x1.bfa350p-4, 0x1.b73740p-5};
// (2 atanh(s)/s - 2) / s^2 in s^2, s <= (sqrt(2) - 1) / (sqrt(2) + 1).
constexpr double kLogF64[] = {0x1.5555555555592p-1, 0x1.999999997ff1fp-2, 0x1.24924941e117bp-2, 0x1.c71c521463309p-3,
                              0x1.74663cf091d46p-3, 0x1.39a1e7c96b79bp-3, 0x1.2f03cafd9d372p-3};

// log2(1 + f) / f on the same interval, to 2^-35.8.
constexpr double kLog2Short[] = {
    0x1.71547652a1e98p+0,  -0x1.715476565e1d7p-1, 0x1.ec709ebb9bebcp-2,  -0x1.71547096f675dp-2, 0x1.277651fa478b5p-2,
    -0x1.ec72b5c0208f8p-3, 0x1.a63f44c6b2063p-3,  -0x1.71416e95421acp-3, 0x1.452913a96e939p-3,  -0x1.252f4463fe492p-3,
    0x1.287207131d2a2p-3,  -0x1.2488eaa260673p-3, 0x1.3ce85ac466ea5p-4};

// ln 2 with so few bits that its product with an exponent is exact, and the rest.
constexpr double kLn2HiF32 = 0x1.62e4p-1, kLn2LoF32 = 0x1.7f7d1cp-20;
constexpr double kLn2HiF64 = 0x1.62e42fee00000p-1, kLn2LoF64 = 0x1.a39ef35793c76p-33;

struct Decomposed {
  I mantissa; // bits of m
  I exponent;
};

// For positive normal x.
Decomposed decompose(F x) {
  bool wide = isDouble(x);
  // Subtracting the bits of sqrt(1/2) makes the exponent field count from there.
  uint64_t root = wide ? 0x3fe6a09e667f3bcd : 0x3f3504f3;
  uint64_t fraction = wide ? (uint64_t(1) << 52) - 1 : (1 << 23) - 1;
  I shifted = bits(x) - root;
  return {(shifted & fraction) + root, ashr(shifted, wide ? 52 : 23)};
}

struct Normalized {
  F m;
  I exponent;
};

// For positive finite x.
Normalized normalize(F x) {
  bool wide = isDouble(x);
  M tiny = x < (wide ? 0x1p-1022 : 0x1p-126);
  Decomposed parts = decompose(select(tiny, x * (wide ? 0x1p54 : 0x1p25), x));
  I exponent = select(tiny, parts.exponent - (wide ? 54 : 25), parts.exponent);
  return {fromBits(parts.mantissa), exponent};
}

// log(1 + f) - f, for f in [sqrt(1/2) - 1, sqrt(2) - 1].
F logTail(F f) {
  if (!isDouble(f)) {
    F square = f * f;
    return fma(square * f, poly(f, kLogF32), square * -0.5);
  }
  F s = f / (2.0 + f);
  F z = s * s;
  F half = f * f * 0.5;
  return fma(s, fma(z, poly(z, kLogF64), half), -half);
}

// e ln 2 + log(1 + f) + lo, with |f| < 0.42 and e an integer.
F combine(F e, F f, F lo) {
  bool wide = isDouble(f);
  Pair sum = fastTwoSum(e * (wide ? kLn2HiF64 : kLn2HiF32), f);
  F rest = fma(e, wide ? kLn2LoF64 : kLn2LoF32, sum.lo + lo);
  return sum.hi + (logTail(f) + rest);
}

// The results that no formula gives: arguments that are zero, negative, infinite or NaN. `x` is the argument whose
// logarithm is taken, `passed` what is returned when it is infinite or NaN.
F logSpecials(F y, F x, F passed) {
  y = select(x < INFINITY, y, passed);
  y = select(x < 0.0, constant(x, NAN), y);
  return select(x == 0.0, constant(x, -INFINITY), y);
}

} // namespace

F log(F x) {
  Normalized n = normalize(x);
  F y = combine(toFloat(n.exponent), n.m - 1.0, constant(x, 0));
  return logSpecials(y, x, x);
}

// With u = 1 + x rounded giving the exponent e, f = 2^-e (1 + x) - 1 is formed from x itself. `xLo` may be null.
static F log1pSum(F u, F x, const F *xLo) {
  bool wide = isDouble(x);
  Decomposed parts = decompose(u);
  F e = toFloat(parts.exponent);
  // Where x dwarfs one, u is x, and 2^-e might be subnormal.
  M large = slt(constant(parts.exponent, wide ? 60 : 30), parts.exponent);
  F scale = powerOfTwo(x, select(large, constant(parts.exponent, 0), constant(parts.exponent, 0) - parts.exponent));
  Pair f = twoSum(scale - 1.0, x * scale);
  F hi = select(large, fromBits(parts.mantissa) - 1.0, f.hi);
  F lo = select(large, constant(x, 0), xLo ? fma(*xLo, scale, f.lo) : f.lo);
  // d log(1 + f) = df / (1 + f), to second order.
  return combine(e, hi, lo * fma(hi, hi - 1.0, 1.0));
}

F log1p(F x) {
  F u = 1.0 + x;
  F y = log1pSum(u, x, nullptr);
  y = logSpecials(y, u, x);
  // Keeps -0, and arguments whose square underflows.
  return select(abs(x) < (isDouble(x) ? 0x1p-60 : 0x1p-30), x, y);
}

F log1pOfUnit(F x) {
  // As above with an exponent of 0 or 1, of which f takes one bit more than the format has at most.
  bool wide = isDouble(x);
  M isLower = 1.0 + x < (wide ? 0x1.6a09e667f3bcdp+0 : 0x1.6a09e6p+0);
  auto ofUpper = [&](double value) { return select(isLower, 0.0, constant(x, value)); };
  F scale = select(isLower, 1.0, constant(x, 0.5)), less = ofUpper(-0.5);
  F hi = fma(x, scale, less), lo = fma(x, scale, less - hi);
  Pair sum = fastTwoSum(ofUpper(wide ? kLn2HiF64 : kLn2HiF32), hi);
  F rest = ofUpper(wide ? kLn2LoF64 : kLn2LoF32) + (sum.lo + lo * fma(hi, hi - 1.0, 1.0));
  return sum.hi + (logTail(hi) + rest);
}

F log1p(Pair x) {
  F u = 1.0 + x.hi;
  F y = logSpecials(log1pSum(u, x.hi, &x.lo), u, x.hi);
  return select(abs(x.hi) < (isDouble(u) ? 0x1p-60 : 0x1p-30), x.hi, y);
}

F log2Wide(F x) {
  Normalized n = normalize(x);
  F f = n.m - 1.0, exponent = toFloat(n.exponent);
  if (!isDouble(x)) {
    f = widen(f);
    exponent = widen(exponent);
  }
  return fma(f, poly(f, kLog2Short), exponent);
}

Pair logPair(F x) {
  // log(m) = 2 atanh(s), s = f / (2 + f) and its first terms as pairs.
  Normalized n = normalize(x);
  F e = toFloat(n.exponent);
  F f = n.m - 1.0;
  Pair s = div({f, constant(f, 0)}, fastTwoSum(constant(f, 2), f));
  F z = s.hi * s.hi;
  // 2/3 as a pair; the rest of the series in double.
  constexpr double kRest[] = {0x1.999999999999ap-2, 0x1.2492492492492p-2, 0x1.c71c71c71c71cp-3, 0x1.745d1745d1746p-3,
                              0x1.3b13b13b13b14p-3, 0x1.1111111111111p-3, 0x1.e1e1e1e1e1e1ep-4, 0x1.af286bca1af28p-4,
                              0x1.8618618618618p-4, 0x1.642c8590b2164p-4, 0x1.47ae147ae147bp-4, 0x1.2f684bda12f68p-4};
  Pair square = mul(s, s);
  Pair cube = mul(square, s);
  Pair series = add(constantPair(f, 0x1.5555555555555p-1, 0x1.5555555555555p-55), z * poly(z, kRest));
  Pair tail = mul(cube, series);
  Pair twice = {s.hi + s.hi, s.lo + s.lo};
  Pair logM = add(twice, tail);
  // ln 2 in three parts.
  F eHi = e * kLn2HiF64;
  Pair eLo = twoProduct(e, constant(e, kLn2LoF64));
  Pair scaled = fastTwoSum(eHi, eLo.hi);
  return add({scaled.hi, scaled.lo + fma(e, 0x1.cc01f97b57a08p-87, eLo.lo)}, logM);
}

} // namespace tenon::codegen::math
