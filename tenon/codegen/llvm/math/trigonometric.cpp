// Sine, cosine and tangent for all arguments.
//
// x = n pi/2 + r: n is found by adding 1.5 * 2^(mantissa bits) (its low bits are the quadrant), r by subtracting n
// times pi/2 in three parts, kept as a pair, since near a multiple of pi/2 nearly all bits cancel. That is exact enough
// while n is below the limits here. Beyond, and only if some lane is, arguments are reduced by the method of Payne and
// Hanek: multiply by the bits of 2/pi that matter for the fraction. Of floats these are three doubles that a table has
// for each exponent, and all lanes are reduced at once; doubles are reduced one after the other, in 128-bit integers.
#include "tenon/codegen/llvm/math/math.h"

#include "llvm/ADT/APInt.h"

#include <array>
#include <cmath>

using namespace llvm;

namespace tenon::codegen::math {
namespace {

constexpr double kFastLimitF32 = 0x1p17, kFastLimitF64 = 0x1p30;

// (sin(r) / r - 1) / r^2 and (cos(r) - 1 + r^2/2) / r^4 in r^2, |r| <= pi/4 + 0.001.
constexpr double kSinF32[] = {-0x1.555546p-3, 0x1.11077ap-7, -0x1.995492p-13};
constexpr double kCosF32[] = {0x1.55554ap-5, -0x1.6c0c1ap-10, 0x1.99e0e4p-16};
constexpr double kSinF64[] = {-0x1.5555555555549p-3, 0x1.111111110f88dp-7,   -0x1.a01a019c1121ap-13,
                              0x1.71de3575b0610p-19, -0x1.ae5e63b6a4f0fp-26, 0x1.5d92103ee0102p-33};
constexpr double kCosF64[] = {0x1.555555555554cp-5,   -0x1.6c16c16c1520cp-10, 0x1.a01a019cbc257p-16,
                              -0x1.27e4f80f95e17p-22, 0x1.1ee9eec1ed5edp-29,  -0x1.8fafab9f353cdp-37};

struct Reduced {
  I quadrant; // modulo 4
  Pair r;     // |r| <= pi/4, about
};

Reduced reduceFast(F x) {
  bool wide = isDouble(x);
  double shift = wide ? 0x1.8p52 : 0x1.8p23;
  double c1 = wide ? 0x1.921fb54442d18p+0 : 0x1.921fb6p+0;
  double c2 = wide ? 0x1.1a62633145c07p-54 : -0x1.777a5cp-25;
  double c3 = wide ? -0x1.f1976b7ed8fbcp-110 : -0x1.ee59dap-50;
  F t = fma(x, 0x1.45f306dc9c883p-1, shift);
  F n = t - shift;
  F r1 = fma(n, -c1, x); // exact
  F p = n * c2;
  F rest = fma(n, c3, fma(n, c2, -p));
  F hi = r1 - p;
  F lo = ((r1 - hi) - p) - rest;
  return {bits(t), {hi, lo}};
}

// 64 zero bits, then the bits of 2/pi.
constexpr uint64_t kTwoOverPi[] = {0x0000000000000000, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041,
                                   0xfe5163abdebbc561, 0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e,
                                   0xe88235f52ebb4484, 0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b,
                                   0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d,
                                   0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab,
                                   0xf0cfbc209af4361d};

// For scalar double, right for finite |x| >= 2^29.
Reduced reduceHuge(F x) {
  I raw = bits(x);
  I exponent = (lshr(raw, 52) & 0x7ff) - 1075;
  I mantissa = (raw & 0xfffffffffffff) | 0x10000000000000;
  // |x| 2/pi = mantissa 2^exponent 0.b1 b2 b3...: bits before b[exponent - 1] give multiples of 4.
  I skip = maxSigned(exponent + (64 - 2), 0); // lanes beside a huge one may hold anything
  I word = lshr(skip, 6), offset = skip & 63;
  I w[4] = {raw, raw, raw, raw};
  for (int i = 0; i < 4; ++i)
    w[i] = lookup("two_over_pi", kTwoOverPi, word + i);
  auto window = [&](int i) {
    return I{x.b, x.b->CreateIntrinsic(Intrinsic::fshl, {raw.v->getType()}, {w[i].v, w[i + 1].v, offset.v})};
  };
  I m = zext(mantissa, 128);
  I product = shl(zext(mantissa * window(0), 128), 64) + m * zext(window(1), 128) + lshr(m * zext(window(2), 128), 64);
  // Two bits of quadrant, then the fraction, to be read as signed so that it is at most 1/2.
  I fraction = shl(product, 2);
  M below = slt(fraction, 0);
  I quadrant = truncate(lshr(product, 126), 64) + select(below, constant(raw, 1), constant(raw, 0));
  I magnitude = select(below, constant(fraction, 0) - fraction, fraction);
  I zeros = countLeadingZeros(magnitude);
  magnitude = shl(magnitude, zeros);
  F scale = powerOfTwo(x, constant(raw, uint64_t(-53)) - truncate(zeros, 64));
  F hi = toFloat(truncate(lshr(magnitude, 75), 64)) * scale;
  F lo = toFloat(truncate(lshr(magnitude, 22), 64) & 0x1fffffffffffff) * (scale * 0x1p-53);
  Pair r = mul({hi, lo}, constantPair(x, 0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54));
  M flip = below ^ signBit(x);
  r = {select(flip, -r.hi, r.hi), select(flip, -r.lo, r.lo)};
  return {select(signBit(x), constant(raw, 0) - quadrant, quadrant), r};
}

// The least exponent of floats beyond the fast limit, and how many there are.
constexpr int kLeastHugeExponent = 17, kHugeExponents = 128 - kLeastHugeExponent;

// 2^e 2/pi without the multiples of 4 that it makes of a float's mantissa in [1, 2), for each exponent e, in parts:
// two of 29 bits, whose products with a mantissa are exact, and a double.
struct TwoOverPiParts {
  std::array<double, kHugeExponents> parts[3];
};

const TwoOverPiParts &twoOverPiParts() {
  static const TwoOverPiParts table = [] {
    TwoOverPiParts made;
    constexpr unsigned kWords = std::size(kTwoOverPi), kBits = 64 * kWords, kPartBits[] = {29, 29, 53};
    SmallVector<uint64_t> words(reverse(kTwoOverPi));
    APInt digits(kBits, words);
    for (int i = 0; i < kHugeExponents; ++i) {
      // The mantissa's last bit is 2^-23: its multiples of 4 begin 25 bits before the point.
      constexpr int kAbove = 25;
      unsigned from = 64 - kAbove + kLeastHugeExponent + i, at = from;
      for (auto [part, bits] : enumerate(kPartBits)) {
        at += bits;
        uint64_t value = digits.extractBitsAsZExtValue(bits, kBits - at);
        made.parts[part][i] = std::ldexp(double(value), kAbove - int(at - from));
      }
    }
    return made;
  }();
  return table;
}

// For floats, right for finite |x| >= 2^17.
Reduced reduceHugeFloat(F x) {
  const TwoOverPiParts &table = twoOverPiParts();
  I raw = bits(x);
  F mantissa = widen(fromBits((raw & 0x807fffff) | 0x3f800000)); // in [1, 2), with the sign of x
  // Lanes beside a huge one may hold anything.
  I exponent = lshr(raw, 23) & 0xff;
  I index = maxSigned(exponent - uint64_t(127 + kLeastHugeExponent), 0);
  index = select(slt(index, kHugeExponents), index, uint64_t(0));
  F hi = mantissa * lookup("two_over_pi_hi", table.parts[0], index);
  F middle = mantissa * lookup("two_over_pi_middle", table.parts[1], index);
  F lo = mantissa * lookup("two_over_pi_lo", table.parts[2], index);
  constexpr double kShift = 0x1.8p52;
  F t = (hi + middle) + kShift;
  // The difference to a whole number is exact, as is the sum with the middle part where it is small.
  F fraction = ((hi - (t - kShift)) + middle) + lo;
  F r = fraction * 0x1.921fb54442d18p+0;
  F rounded = narrow(r);
  return {truncate(bits(t), 32), {rounded, narrow(r - widen(rounded))}};
}

// Results are pairs, of which lo is what rounding hi lost.
Pair sinKernel(Pair r) {
  F z = r.hi * r.hi;
  F p = isDouble(z) ? poly(z, kSinF64) : poly(z, kSinF32);
  // d sin = cos(r) lo, of which 1 - r^2/2 suffices.
  F lo = fma(z * -0.5, r.lo, r.lo);
  return {r.hi, fma(r.hi * z, p, lo)};
}

Pair cosKernel(Pair r) {
  F z = r.hi * r.hi;
  F p = isDouble(z) ? poly(z, kCosF64) : poly(z, kCosF32);
  F half = z * 0.5;
  F w = 1.0 - half;
  F rest = fma(z * z, p, -(r.hi * r.lo));
  return {w, ((1.0 - w) - half) + rest};
}

F applySign(F y, I quadrant) {
  unsigned toSign = isDouble(y) ? 62 : 30;
  return fromBits(bits(y) ^ shl(quadrant & 2, toSign));
}

F finishSin(Reduced a) {
  M odd = (a.quadrant & 1) != uint64_t(0);
  Pair s = sinKernel(a.r), c = cosKernel(a.r);
  return applySign(select(odd, c.hi, s.hi) + select(odd, c.lo, s.lo), a.quadrant);
}
F finishCos(Reduced a) { return finishSin({a.quadrant + 1, a.r}); }
F finishTan(Reduced a) {
  M odd = (a.quadrant & 1) != uint64_t(0);
  Pair s = sinKernel(a.r), c = cosKernel(a.r);
  s = fastTwoSum(s.hi, s.lo);
  c = fastTwoSum(c.hi, c.lo);
  Pair above = {select(odd, c.hi, s.hi), select(odd, c.lo, s.lo)};
  Pair below = {select(odd, s.hi, c.hi), select(odd, s.lo, c.lo)};
  F q = above.hi / below.hi;
  F rest = fma(-q, below.hi, above.hi) + (above.lo - q * below.lo);
  // The remainder's quotient needs few bits, and cot r is finite but for r = 0, that is x = 0, which is even.
  F y = q + rest / below.hi;
  return fromBits(bits(y) ^ shl(a.quadrant & 1, isDouble(y) ? 63 : 31));
}

// Doubles one lane after the other. The lanes' function is shared like the scalar one: its code is longer than that of
// the fast path, and a fused kernel may hold hundreds of calls. It takes a register of lanes, however many of them the
// kernel computes together: so there is one function for all kernels of a type, which ships.
F finishHuge(StringRef name, F x, function_ref<F(Reduced)> finish) {
  auto one = [&](F lanes) {
    return callShared(name, lanes, [&](F a) {
      return select(isFinite(a), finish(isDouble(a) ? reduceHuge(a) : reduceHugeFloat(a)), constant(a, NAN));
    });
  };
  if (!x.v->getType()->isVectorTy())
    return one(x);
  return byRegister(x, [&](F part) {
    if (!isDouble(part))
      return one(part);
    return callShared((name + ".lanes").str(), part, [&](F lanes) {
      IRBuilderBase &b = *lanes.b;
      Value *result = PoisonValue::get(lanes.v->getType());
      for (unsigned i = 0; i < laneCount(lanes); ++i)
        result = b.CreateInsertElement(result, one({&b, b.CreateExtractElement(lanes.v, i)}).v, i);
      return F{&b, result};
    });
  });
}

M isHuge(F x) { return abs(x) > (isDouble(x) ? kFastLimitF64 : kFastLimitF32); }

} // namespace

F sin(F x) {
  F y = finishSin(reduceFast(x));
  y = select(x == 0.0, x, y); // -0
  return patchRare(isHuge(x), y, [&] { return finishHuge("sin_huge", x, finishSin); });
}

F cos(F x) {
  return patchRare(isHuge(x), finishCos(reduceFast(x)), [&] { return finishHuge("cos_huge", x, finishCos); });
}

F tan(F x) {
  F y = finishTan(reduceFast(x));
  y = select(x == 0.0, x, y);
  return patchRare(isHuge(x), y, [&] { return finishHuge("tan_huge", x, finishTan); });
}

F sinOrCos(F x, M isCos) {
  Reduced a = reduceFast(x);
  F y = finishSin({a.quadrant + select(isCos, constant(a.quadrant, 1), constant(a.quadrant, 0)), a.r});
  y = select((x == 0.0) & !isCos, x, y);
  return patchRare(isHuge(x), y, [&] {
    return select(isCos, finishHuge("cos_huge", x, finishCos), finishHuge("sin_huge", x, finishSin));
  });
}

F cotPi(F x) {
  constexpr double kPi = 0x1.921fb54442d18p+1;
  F a = abs(x), rest = 0.5 - a; // exact where it is taken
  M steep = a <= 0.25;
  F t = select(steep, a, rest) * kPi, z = t * t;
  F s = fma(t * z, poly(z, kSinF64), t), c = fma(z * z, poly(z, kCosF64), fma(z, -0.5, 1));
  return copysign(select(steep, c, s) / select(steep, s, c), x);
}

std::pair<F, F> sinCos(F x) { return {sin(x), cos(x)}; }

} // namespace tenon::codegen::math
