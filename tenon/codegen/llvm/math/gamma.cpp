// The logarithm of |gamma| and its derivative, in double whatever the argument.
//
// lgamma has the roots 1 and 2; near them it is a polynomial times the distance, so that its relative error stays
// small. Other arguments up to 8 are brought to [1.5, 2.5] by gamma(x + 1) = x gamma(x), larger ones use Stirling's
// series, negative ones the reflection formula. digamma likewise, with its one positive root.
#include "tenon/codegen/llvm/math/math.h"

#include <cmath>

namespace tenon::codegen::math {
namespace {

// lgamma(1 + t) / t and lgamma(2 + t) / t for |t| <= 1/2.
constexpr double kNearOne[] = {
    -0x1.2788cfc6fb619p-1, 0x1.a51a6625307d4p-1,  -0x1.9a4d55beab380p-2, 0x1.151322ac7d64bp-2,  -0x1.a8b9c17a90b46p-3,
    0x1.5b40cb102668ep-3,  -0x1.2703a1e56583ap-3, 0x1.010b36ab8c89bp-3,  -0x1.c8066cecaa2e8p-4, 0x1.9a01e3b3a35ecp-4,
    -0x1.748ca19d734f3p-4, 0x1.556aedad2caa2p-4,  -0x1.3b14cbfb79e39p-4, 0x1.24936a3c9ee50p-4,  -0x1.118c1b8763ebfp-4,
    0x1.004074495f01fp-4,  -0x1.d8e69b77a22cfp-5, 0x1.c17fde12e869ap-5,  -0x1.eac04003c2066p-5, 0x1.c3815b33267fep-5,
    -0x1.d4916e6d1da74p-7, 0x1.463fe8b1c86cep-6,  -0x1.29f43d87457c8p-3, 0x1.0075e914db7b7p-3,  0x1.3a888546c7975p-3,
    -0x1.07d0b5e096cbdp-3, -0x1.cd1c32e29ab60p-3, 0x1.a5d67ac75ffdep-3};
constexpr double kNearTwo[] = {
    0x1.b0ee6072093cep-2,   0x1.4a34cc4a60fa7p-2,  -0x1.13e001a557616p-4,  0x1.51322ac7d8009p-6,
    -0x1.e404fc21888a2p-8,  0x1.7add6eae5591ap-9,  -0x1.38ac5c309cb02p-10, 0x1.0b36af367fb00p-11,
    -0x1.d3fd494391866p-13, 0x1.a127dc27d785ep-14, -0x1.78defdaa09a8bp-15, 0x1.5806f52c1626ap-16,
    -0x1.3ca93fafc31d3p-17, 0x1.263ea612f3ee2p-18, -0x1.131cfb44cf6a2p-19, 0x1.ee17a7675573fp-21,
    -0x1.c305415585f83p-22, 0x1.2b06ddef11b0ap-22, -0x1.33b80fc1dbe28p-23};
// B(2k) / (2k (2k - 1)): Stirling's series in 1/x.
constexpr double kStirling[] = {0x1.5555555555555p-4,   -0x1.6c16c16c16c17p-9, 0x1.a01a01a01a01ap-11,
                                -0x1.3813813813814p-11, 0x1.b951e2b18ff23p-11, -0x1.f6ab0d9993c7dp-10,
                                0x1.a41a41a41a41ap-8,   -0x1.e4286cb0f5398p-6, 0x1.6fe96381e0680p-3};
// -B(2k) / 2k: digamma's series in 1/x^2.
constexpr double kDigammaSeries[] = {-0x1.5555555555555p-4, 0x1.1111111111111p-7,  -0x1.0410410410410p-8,
                                     0x1.1111111111111p-8,  -0x1.f07c1f07c1f08p-8, 0x1.5995995995996p-6,
                                     -0x1.5555555555555p-4, 0x1.c5e5e5e5e5e5ep-2};
// digamma's positive root, and digamma(root + t) / t for |t| <= 1/4.
constexpr double kDigammaRoot = 0x1.762d86356be3fp+0, kDigammaRootLow = 0x1.b86a722197829p-54;
constexpr double kDigammaNearRoot[] = {
    0x1.ef72bc8ee38acp-1, -0x1.c563b54aa1a35p-2, 0x1.08b4294d504bfp-2, -0x1.4fc1317257f5cp-3,
    0x1.b9a5b636a6ec4p-4, -0x1.27baba25d5667p-4, 0x1.8fce031a4bcfbp-5, -0x1.0fa7ec7ddad99p-5,
    0x1.723d351e442e7p-6, -0x1.f9700ae447eeap-7, 0x1.596348a0e9292p-7, -0x1.d83a7d97b2b18p-8,
    0x1.40e9054a67a35p-8, -0x1.b6fd443ad9131p-9, 0x1.5415535d26b29p-9, -0x1.d14e27e7c89f6p-10};
constexpr double kHalfLog2Pi = 0x1.d67f1c864beb5p-1, kPi = 0x1.921fb54442d18p+1;

// sin(pi x) and cos(pi x); x has no integer part to lose.
F sinPi(F x) {
  F r = x - 2.0 * roundEven(x * 0.5);                                  // [-1, 1], exact
  F folded = select(abs(r) > 0.5, copysign(constant(x, 1), r) - r, r); // exact
  return sin(folded * kPi);
}

// a > 0.
F lgammaPositive(F a) {
  // Down to below 2.5, collecting the factors.
  F reduced = a, product = constant(a, 1);
  M middle = (a >= 2.5) & (a < 8.0);
  for (int i = 0; i < 6; ++i) {
    M more = middle & (reduced >= 2.5);
    F less = reduced - 1.0;
    product = select(more, product * less, product);
    reduced = select(more, less, reduced);
  }
  M low = a < 0.5, nearOne = a < 1.5;
  F t = select(low, a, select(nearOne, a - 1.0, reduced - 2.0));
  t = select(a < 8.0, t, 0.0);
  F series = t * select(nearOne, poly(t, kNearOne), poly(t, kNearTwo));

  F logarithm = log(select(middle, product, a));
  F small = select(low, series - logarithm, select(middle, series + logarithm, series));
  F inverse = 1.0 / a;
  F correction = fma(inverse, poly(inverse * inverse, kStirling), constant(a, kHalfLog2Pi));
  // (a - 1/2) log a - a, with the last product's rounding kept.
  F large = fma(a - 0.5, logarithm - 1.0, correction - 0.5);
  F y = select(a < 8.0, small, large) + 0.0; // no -0 at the root 1
  return select(a < INFINITY, y, a);
}

F lgammaBody(F x) {
  F a = abs(x);
  F y = lgammaPositive(a);
  // gamma(x) gamma(-x) = -pi / (x sin(pi x)).
  F reflected = log(kPi / (a * abs(sinPi(a)))) - y;
  M tiny = a < 0x1p-60;
  F negative = select(tiny, y, reflected);
  y = select(x < 0.0, negative, y);
  M pole = (x <= 0.0) & (floor(x) == x);
  y = select(pole, constant(x, INFINITY), y);
  return select(isNaN(x), x, y);
}

// The sum of 1 / (a + i) for i from 1 to 8, 0 <= a <= 9, as one quotient: the terms of i and 9 - i make
// (2a + 9) / (u + i (9 - i)) with u = a (a + 9), and the sum of the four quotients of these denominators is the
// logarithmic derivative of their product.
F sumOfEightInverses(F a) {
  constexpr double kProduct[] = {40320, 12176, 1308, 60, 1};
  constexpr double kDerivative[] = {12176, 2 * 1308, 3 * 60, 4};
  F u = fma(a, a, a * 9.0);
  return fma(a, 2, 9) * (poly(u, kDerivative) / poly(u, kProduct));
}

// a > 0.
F digammaPositive(F a) {
  constexpr double kLarge = 9; // from here on the series serves
  M small = a < kLarge;
  F sum = select(small, 1.0 / a + sumOfEightInverses(minOr(a, constant(a, kLarge))), 0.0);
  F shifted = select(small, a + 9.0, a);
  F inverse = 1.0 / shifted;
  F square = inverse * inverse;
  F tail = fma(square, poly(square, kDigammaSeries), -0.5 * inverse);
  F y = log(shifted) + (tail - sum);
  F t = (a - kDigammaRoot) - kDigammaRootLow;
  y = select(abs(t) < 0.25, t * poly(t, kDigammaNearRoot), y);
  return select(a < INFINITY, y, a);
}

F digammaBody(F x) {
  F a = abs(x);
  F y = digammaPositive(a);
  // digamma(x) = digamma(-x) - 1/x - pi cot(pi x), the angle taken from the nearest integer.
  y = patchRare(x < 0.0, y, [&] { return y + 1.0 / a - kPi * cotPi(x - roundEven(x)); });
  y = select(a < 0x1p-60, -1.0 / x, y);
  M pole = (x <= 0.0) & (floor(x) == x);
  return select(pole | isNaN(x), constant(x, NAN), y);
}

F shared(const char *name, F x, F (*body)(F)) {
  return isDouble(x) ? callShared(name, x, body) : narrow(callShared(name, widen(x), body));
}

} // namespace

F lgamma(F x) { return shared("lgamma", x, lgammaBody); }
F digamma(F x) { return shared("digamma", x, digammaBody); }

} // namespace tenon::codegen::math
