// The error function, its complement and its inverse.
//
// In float erf is piecewise, and erfc(x) is e^(-x^2) h(x) with h piecewise. In double erf is x plus x times a
// polynomial below one, erfc(x) = e^(-x^2) h(t) / (1 + 2x) with t = (x - 3)/(x + 3), one polynomial for all x >= 1/2,
// and erf follows. The inverse is x times a function of w = -log(1 - x^2), cut where sqrt(w) serves better.
#include "tenon/codegen/llvm/math/math.h"
#include "tenon/codegen/llvm/math/piecewise.h"

#include <cmath>

namespace tenon::codegen::math {
namespace {

constexpr double kLog2E = 1.4426950408889634;
constexpr double kErfWidth = 0.5245;
// Pieces around the multiples of kErfWidth. In the second one, too, |x| is the base: erf(0.617) = 0.617.
const Pieces<7> kErfF32 = {
    {0x0p+0, 0x1.3c22p-1, 0x1.c23c42p-1, 0x1.922766p+0, 0x1.0c8a76p+1, 0x1.4fae3ep+1, 0x1.92c6e8p+1, 0x1.d8788p+1},
    {INFINITY, INFINITY, 0x1.929d6ep-1, 0x1.f28784p-1, 0x1.fe75d2p-1, 0x1.ffe4b4p-1, 0x1.fffeep-1, 0x1.fffffap-1},
    {{0x1.06eba8p-3, -0x1.d59c3p-3, 0x1.0a9e94p-1, 0x1.87cf86p-4, 0x1.c54538p-7, 0x1.30dfccp-10, 0x1.da20bp-15,
      0x1.6e8784p-20},
     {0x1.f9797ap-23, -0x1.e749a8p-2, -0x1.d4e994p-2, -0x1.33c02p-3, -0x1.db7952p-6, -0x1.8fc3d4p-9, -0x1.74ffa4p-13,
      -0x1.524b5ap-18},
     {-0x1.8129cp-2, -0x1.f3e494p-5, 0x1.849e9p-4, 0x1.00ff6ep-3, 0x1.26bd1p-5, 0x1.440ea4p-8, 0x1.7378cp-12,
      0x1.912c2ep-17},
     {0x1.2473a2p-13, 0x1.6ba562p-3, 0x1.c67318p-4, -0x1.8d0dfcp-5, -0x1.cbfaa4p-6, -0x1.6657fep-8, -0x1.04d6bp-11,
      -0x1.54980cp-16},
     {0x1.ca6ebp-4, -0x1.9c6782p-6, -0x1.16b0b2p-4, -0x1.d775f8p-8, 0x1.a23bb6p-7, 0x1.16ae2cp-8, 0x1.10dbbcp-11,
      0x1.b708fep-16},
     {0x1.561066p-9, -0x1.641162p-5, -0x1.ca8cbep-8, 0x1.0ea554p-6, -0x1.48b476p-10, -0x1.269b8ep-9, -0x1.c0389ep-12,
      -0x1.e683d8p-16},
     {-0x1.dc47cap-6, 0x1.9112a4p-8, 0x1.b3261ep-7, -0x1.6d2e4ep-8, -0x1.2301d6p-9, 0x1.5a203p-11, 0x1.07e24ap-12,
      0x1.b7d9fp-16}}};
// erf(x)/x - 1 in x^2, x <= 1.
constexpr double kErfF64[] = {0x1.06eba8214db69p-3,   -0x1.812746b0379e6p-2,  0x1.ce2f21a042b20p-4,
                              -0x1.b82ce31284998p-6,  0x1.565bcd0db0258p-8,   -0x1.c02db3d8eba9cp-11,
                              0x1.f9a321a0f422dp-14,  -0x1.f4d1df363ab10p-17, 0x1.b9def177291d1p-20,
                              -0x1.5f1d357cc0aadp-23, 0x1.f7a4049f054eep-27,  -0x1.386a973364e9bp-30,
                              0x1.05793b2b10085p-34};
// (1 + 2x) e^(x^2) erfc(x) in (x - 3)/(x + 3), x in [0.5, 27.5].
constexpr double kErfcx[] = {
    0x1.40c522d7e4987p+0,  -0x1.15c084bb9e8f3p-3,  -0x1.85a15c58aa610p-5,  0x1.098366a5b46e1p-3,
    -0x1.e88b803a4897dp-4, 0x1.17ca2877f0478p-4,   -0x1.8574c40c139b5p-6,  0x1.4b884e46683d4p-9,
    0x1.ef1bdd861f5e6p-10, -0x1.98db5190ca2c6p-11, -0x1.b912950df9432p-14, 0x1.065a47a64f27ep-13,
    0x1.4c2f450f25eecp-18, -0x1.513e14c221e00p-16, -0x1.896595ee9ea34p-21, 0x1.d25516a14734cp-19,
    0x1.814bf249946cfp-22, -0x1.4d568db030787p-21, -0x1.33183a18d197cp-23, 0x1.cdc83b8dcacb5p-24,
    0x1.61b1be50d415ep-25, -0x1.2f4872b3a84ddp-26, -0x1.ce561fb8bb50fp-28, 0x1.4f1677b39ccf7p-29};
// (e^r - 1 - r) / r^2, error relative to e^r, as exp has it.
constexpr double kExpTail[] = {0x1.fffffcp-2, 0x1.55548cp-3, 0x1.555858p-5, 0x1.123deap-7, 0x1.6ac862p-10};
// e^(a^2) erfc(a) to 2^-28, in pieces from 5/4, 9/4, 13/4, 21/4, 29/4, 0, 1/4 and 3/4: those of a + 3/4 by the half
// powers of two.
const Pieces<8> kErfcxF32 = {
    {0x1.bfffd4p+0, 0x1.60002ep+1, 0x1.10002ap+2, 0x1.900008p+2, 0x1.17334p+3, 0x0p+0, 0x1.ffff92p-2, 0x1.00002cp+0},
    {0x1.23cfdap-2, 0x1.8c9e88p-3, 0x1.08e606p-3, 0x1.6d2f7ap-4, 0x1.0727c4p-4, 0x1p+0, 0x1.3b3bep-1, 0x1.b5d848p-2},
    {{-0x1.0c3d7ap-3, -0x1.03053ep-4, -0x1.da38c8p-6, -0x1.c82c02p-7, -0x1.dc6facp-8, -0x1.20dd76p+0, -0x1.067f4ep-1,
      -0x1.17c4aep-2},
     {0x1.c8d12ep-5, 0x1.43b924p-6, 0x1.9ef66ap-8, 0x1.19a236p-9, 0x1.ac9c66p-11, 0x1.00004cp+0, 0x1.6ff8acp-2,
      0x1.3c26d6p-3},
     {-0x1.6cb6bcp-6, -0x1.84e90cp-8, -0x1.637528p-10, -0x1.57e078p-12, -0x1.7f3d3ap-14, -0x1.81383ap-1, -0x1.c6ada4p-3,
      -0x1.448284p-4},
     {0x1.1364ep-7, 0x1.c2c4dap-10, 0x1.2a65a4p-12, 0x1.9f55c2p-15, 0x1.549d88p-17, 0x1.00f0f8p-1, 0x1.fc989ap-4,
      0x1.33c85p-5},
     {-0x1.8b7604p-9, -0x1.f979f8p-12, -0x1.ea3b9ap-15, -0x1.f03e0ep-18, -0x1.2c9764p-20, -0x1.42dde2p-2, -0x1.060bbp-4,
      -0x1.11357ap-6},
     {0x1.10444p-10, 0x1.1355e2p-13, 0x1.8cf116p-17, 0x1.25e7d6p-20, 0x1.080954p-23, 0x1.d6762ep-3, 0x1.f83a7ap-6,
      0x1.ca7a24p-8},
     {-0x1.7d1cf4p-12, -0x1.2bee3cp-15, -0x1.57d47ap-19, -0x1.64aad4p-23, -0x1.e9515ep-27, -0x1.d645cp-3,
      -0x1.cc6e7cp-7, -0x1.607b56p-9},
     {0x1.df7a9ap-14, 0x1.2b205ep-17, 0x1.0910f2p-21, 0x1.91683p-26, 0x1.a91ff2p-30, 0x1.59cf0ep-3, 0x1.71dafap-8,
      0x1.be7044p-11}}};
// erf_inv(x)/x: in w - 3.125 for w <= 6.25, in sqrt(w) - 3.25 for sqrt(w) <= 4, in sqrt(w) - 5.05 beyond. The first two
// also to the precision of float.
constexpr double kInverseAF32[] = {0x1.a755e7c8a3a6bp+0,   0x1.ebd80d1f32ff0p-3,  -0x1.8b6c2cacf6c42p-8,
                                   -0x1.8455f84bfc7acp-11, 0x1.879b5aa9d09d8p-13, -0x1.d220d523ff5dcp-17,
                                   -0x1.6e67d3deeb445p-20, 0x1.ca5cb690f8753p-22, -0x1.f4676a79f1248p-26,
                                   -0x1.45e36f8857ecdp-28, 0x1.2115e4b32baccp-30, 0x1.74ee02bfc05c2p-38,
                                   -0x1.cca464cb0b4d1p-37};
constexpr double kInverseBF32[] = {0x1.8abcc3709e864p+1,  0x1.0158a672504ddp+0,   0x1.6006faa85f812p-8,
                                   -0x1.eb977725be552p-9, 0x1.458ff84d675f8p-9,   -0x1.bbba4198f67c7p-10,
                                   0x1.02f7cde7a4f0cp-10, -0x1.6b20083826735p-12, -0x1.618325925b717p-15,
                                   0x1.2129167a41c05p-14};
constexpr double kInverseAF64[] = {
    0x1.a755e7c99ae86p+0,   0x1.ebd80d9b13df7p-3,   -0x1.8b6c33114ee40p-8,  -0x1.845769483410ep-11,
    0x1.879c2a20d6bcap-13,  -0x1.d1d1f7cb080dap-17, -0x1.6e8a53ee35b9ap-20, 0x1.c6b4f8af32cebp-22,
    -0x1.f36ce541ec8e2p-26, -0x1.1a9eb6f3ac925p-28, 0x1.20f4eb252a173p-30,  -0x1.dc3dd2d11016ep-35,
    -0x1.c8960c611906fp-37, 0x1.723082cdf369cp-39,  -0x1.6d8ec0ad3126ep-44, -0x1.683228406fd39p-45,
    0x1.db32c45040e4bp-48,  -0x1.8b5c279aa590dp-55, -0x1.2bd9917b61a29p-53, 0x1.22b72977e0845p-56,
    0x1.51c58581b1b03p-60,  -0x1.a61dde4372cf6p-62, -0x1.30fd6103f1a89p-70, 0x1.fe1e74ea33d5ap-69};
constexpr double kInverseBF64[] = {
    0x1.8abcc380d5a48p+1,   0x1.0158a6d641d56p+0,   0x1.5ffcfe5b714e7p-8,   -0x1.ebadabba1851ap-9,
    0x1.468eeca7333b0p-9,   -0x1.ba9240d32ee65p-10, 0x1.f3cc551b0c368p-11,  -0x1.7448bdf5863bcp-12,
    0x1.932d7ccb79b00p-16,  0x1.1e6ae01b8b466p-14,  -0x1.8cf0cea6cf01ap-15, 0x1.a23ca78232896p-17,
    0x1.88b24afb0d30dp-19,  -0x1.0b5ddf96161c5p-18, 0x1.924447f147f7ap-20,  -0x1.0405060be36efp-25,
    -0x1.23333494608cdp-22, 0x1.1fa55a15a069dp-23,  0x1.6010228055311p-31,  -0x1.161d912a89693p-26};
constexpr double kInverseCF64[] = {0x1.39a07f9e2524cp+2,   0x1.02a209f638a22p+0,   -0x1.6437de54035c4p-13,
                                   -0x1.a415b093ba341p-13, 0x1.2acdb4870f4ccp-14,  -0x1.3446070433df3p-16,
                                   0x1.197203d868392p-18,  -0x1.e6fdc16782993p-21, 0x1.b0e1c23be7e10p-23,
                                   -0x1.d7b5dfd4aea9bp-25, 0x1.78d50530413fbp-26,  -0x1.82207996c5339p-27,
                                   0x1.82feb1821b90cp-28,  -0x1.658b6fc433ea2p-29, 0x1.4b5c34f510148p-30,
                                   -0x1.ba39803f5f460p-32, 0x1.3ccaecb279b89p-40,  0x1.1b25eb9587c5cp-35};

F erfF32(F x) {
  // From 3.93 on the result is 1. NaN passes.
  F a = minOr(constant(x, 3.93), abs(x));
  return withSign(evaluatePieces("erf", kErfF32, a, bits(fma(a, 1 / kErfWidth, constant(x, 0x1.8p23)))), x);
}

// erfc(a) for a >= 1/2, as y 2^n unless that is all that is wanted.
F erfcTail(F a) {
  // From 27.3 on the result is zero.
  F bounded = minOr(constant(a, 27.5), a);
  Pair square = twoProduct(bounded, bounded);
  Rounded n = {};
  Pair e = expScaled({-square.hi, -square.lo}, &n);
  F t = (bounded - 3.0) / (bounded + 3.0);
  F h = poly(t, kErfcx) / fma(bounded, 2.0, 1.0);
  return scaleByPowerOfTwo(fma(e.hi, h, e.lo * h), n);
}

F erfNear(F x) { return fma(x, poly(x * x, kErfF64), x); }

F erfF64(F x) {
  F a = abs(x);
  F far = 1.0 - erfcTail(maxOr(a, constant(a, 0.5)));
  return copysign(select(a < 1.0, erfNear(a), select(isNaN(x), x, far)), x);
}

F erfcF64(F x) {
  F a = abs(x);
  F tail = erfcTail(maxOr(a, constant(a, 0.5)));
  tail = select(x < 0.0, 2.0 - tail, tail);
  // From 1/2 on 1 - x is exact.
  F near = fma(-x, poly(x * x, kErfF64), 1.0 - x);
  F y = select(a < 0.875, near, tail);
  return select(isNaN(x), x, y);
}

// e^(-a^2) h(a) of a = |x|, where h is piecewise. Each factor is kept as a rounded number and what rounding lost, and
// only the last sum rounds.
F erfcF32(F x) {
  // From 10.06 on the result is zero. NaN passes.
  F a = minOr(constant(x, 10.2), abs(x));
  Piece piece = pieceOf("erfc", kErfcxF32, a, lshr(bits(a + 0.75), 22));
  F h = fma(piece.d, piece.p, piece.base);
  F hLo = fma(piece.d, piece.p, piece.base - h);

  // -a^2 = n ln 2 + r + rLo. The shift leaves n + 64 in the low bits: with its exponent that much higher no result is
  // subnormal before the last product.
  constexpr double kShift = 0x1.8p23 + 64, kLn2Hi = 0x1.62e43p-1, kLn2Lo = -0x1.05c61p-29;
  Pair square = twoProduct(a, a);
  F sum = fma(square.hi, -kLog2E, kShift);
  F n = sum - kShift;
  Pair r = fastTwoSum(fma(n, -kLn2Hi, -square.hi), fma(n, -kLn2Lo, -square.lo));

  // (h + hLo) (1 + r + q) with q = e^(r + rLo) - 1 - r. h + h r is between h / 2 and 2 h: its rest is exact.
  F q = fma(r.hi * r.hi, poly(r.hi, kExpTail), r.lo);
  F product = fma(h, r.hi, h);
  F rest = fma(h, r.hi, h - product) + fma(h, q, fma(hLo, r.hi, hLo));
  F scaled = fromBits(bits(product + rest) + shl(bits(sum), 23));
  F tail = fma(scaled, 0x1p-64, a * 0.0); // NaN passes here, too
  return select(x < 0.0, 2.0 - tail, tail);
}

// x in double, |x| < 1.
F erfInvWide(F x, bool full) {
  F a = abs(x);
  F w = -log1p(-a) - log1p(a);
  F root = sqrt(w);
  F p = constant(x, 0);
  if (full) {
    p = select(w <= 6.25, poly(w - 3.125, kInverseAF64),
               select(root <= 4.0, poly(root - 3.25, kInverseBF64), poly(root - 5.05, kInverseCF64)));
  } else {
    p = select(w <= 6.25, poly(w - 3.125, kInverseAF32), poly(root - 3.25, kInverseBF32));
  }
  return x * p;
}

} // namespace

F erf(F x) { return isDouble(x) ? erfF64(x) : erfF32(x); }
F erfc(F x) { return isDouble(x) ? erfcF64(x) : erfcF32(x); }

F erfInv(F x) {
  F a = abs(x);
  M inside = a < 1.0;
  F bounded = select(inside, x, 0.0);
  F y = isDouble(x) ? erfInvWide(bounded, true) : narrow(erfInvWide(widen(bounded), false));
  y = select(a == 1.0, copysign(constant(x, INFINITY), x), y);
  return select(inside | (a == 1.0), y, constant(x, NAN));
}

} // namespace tenon::codegen::math
