// Hurwitz's zeta function by Euler and Maclaurin: the first terms one by one, then the integral of the rest and its
// corrections with Bernoulli numbers. In double, whatever the argument: of floats with fewer terms and powers that are
// good to 2^-33, at negative places too where what is left of the terms is not small beside them.
#include "tenon/codegen/llvm/math/math.h"

#include <array>
#include <cmath>

namespace tenon::codegen::math {
namespace {

// B(2k) / (2k)!.
constexpr double kBernoulli[] = {0x1.5555555555555p-4,   -0x1.6c16c16c16c17p-10, 0x1.1566abc011567p-15,
                                 -0x1.bbd779334ef0bp-21, 0x1.66a8f2bf70ebep-26,  -0x1.22805d644267fp-31,
                                 0x1.d6db2c4e09162p-37,  -0x1.7da4e1f79955cp-42, 0x1.355871d652e9ep-47,
                                 -0x1.f57d968caacf1p-53, 0x1.967e1f09c376fp-58,  -0x1.497d9033a2b5cp-63};

// For integers only.
M isEven(F x) { return floor(x * 0.5) * 2.0 == x; }

// Times unit^x. q > 0.
F zetaInUnits(F x, F q, llvm::function_ref<F(F)> inUnits) {
  constexpr int kTerms = 10;
  F sum = constant(x, 0), base = q;
  for (int i = 0; i < kTerms; ++i) {
    sum = sum + pow(inUnits(base), -x);
    base = base + 1.0;
  }
  // The tail from base = q + 10 on.
  F power = pow(inUnits(base), -x);
  // The power of a large base may be out of range where the integral is not.
  F integral =
      patchRare(power < 0x1p-1000, power * base, [&] { return pow(inUnits(base), 1.0 - x) * (base / inUnits(base)); });
  F tail = integral / (x - 1.0) + 0.5 * power;
  F factor = x, inverseSquare = 1.0 / (base * base);
  F term = power / base;
  F corrections = constant(x, 0);
  for (int k = 0; k < 12; ++k) {
    corrections = fma(factor * term, kBernoulli[k], corrections);
    factor = factor * (x + (2 * k + 1.0)) * (x + (2 * k + 2.0));
    term = term * inverseSquare;
  }
  // Huge exponents: the products would be 0 * inf.
  tail = tail + select(isFinite(corrections), corrections, 0.0);
  return sum + select(isFinite(tail), tail, 0.0);
}

F zetaPositive(F x, F q) {
  return zetaInUnits(x, q, [](F base) { return base; });
}

// q^x zeta(x, q), which is between 1 and 1 + q for x >= 2.
F zetaOfOwnUnit(F x, F q) {
  return zetaInUnits(x, q, [&](F base) { return base / q; });
}

// a^-x - b^-x.
F differenceOfPowers(F x, F a, F b) {
  F difference = a - b, base = select(a < b, a, b);
  F result = pow(base, -x) * expm1(-x * log1p(abs(difference) / base));
  return select(difference == 0.0, 0.0, copysign(result, -difference));
}

// What zeta is where no sum gives it, else y.
F zetaSpecials(F x, F q, F y) {
  M even = isEven(x);
  M pole = (q <= 0.0) & (floor(q) == q);
  F infinity = constant(x, INFINITY), nan = constant(x, NAN);
  y = select((q <= 0.0) & (floor(x) != x), nan, y);
  y = select(pole, select(even, infinity, nan), y);
  y = select(x == 1.0, infinity, y);
  y = select(x < 1.0, nan, y);
  return select(isNaN(x) | isNaN(q), nan, y);
}

F zetaBody(F x, F q) {
  auto positive = [](F s, F from) { return callShared("zeta_positive", s, from, zetaPositive); };
  // The terms below zero, from q to fraction - 1, are those from 1 - fraction to -q, but for the sign if x is odd.
  // 1 - fraction is taken from q, since the fraction of a q just below zero is rounded.
  M negative = q < 0.0;
  F fraction = select(negative, q - floor(q), q);
  F y = positive(x, fraction);
  y = patchRare(negative, y, [&] {
    F below = ceil(q) - q;
    F mirrored = positive(x, below), beyond = positive(x, 1.0 - q);
    // Near a half both sides make up for each other: the largest terms are taken together, and the others cancel
    // exactly for a half itself.
    F others = positive(x, fraction + 1.0) - positive(x, below + 1.0);
    F difference = differenceOfPowers(x, fraction, below) + others;
    return select(isEven(x), (y + mirrored) - beyond, difference + beyond);
  });
  return zetaSpecials(x, q, y);
}

// base^-s of floats as doubles, NaN where it is out of range or not good to 2^-29.
F powerOfFloats(F s, F base) {
  constexpr double kMostExponent = 128; // the error is that of the logarithm times as much
  F exponent = s * log2Wide(base);
  return select(abs(exponent) < kMostExponent, exp2Wide(-exponent), constant(s, NAN));
}

// Zeta of floats as doubles, for finite s > 1 and q > 0. NaN where a power is.
F zetaOfPositiveFloats(F s, F q) {
  constexpr int kTerms = 5, kCorrections = 6;
  F base = q, sum = powerOfFloats(s, q);
  for (int i = 1; i < kTerms; ++i) {
    base = base + 1.0;
    sum = sum + exp2Wide(-(s * log2Wide(base))); // between the first and the last
  }
  base = base + 1.0;
  F last = powerOfFloats(s, base);
  F inverse = 1.0 / base, inverseSquare = inverse * inverse;
  F term = s * inverse, corrections = term * kBernoulli[0];
  for (int k = 1; k < kCorrections; ++k) {
    term = term * (inverseSquare * ((s + (2 * k - 1.0)) * (s + 2.0 * k)));
    corrections = fma(term, kBernoulli[k], corrections);
  }
  F tail = base / (s - 1.0) + 0.5 + corrections;
  return fma(last, tail, sum);
}

// a^-s - b^-s for a + b = 1, of floats as doubles, from both powers. Where these are close to each other it is
// 2 (a b)^(-s/2) sinh(s atanh(b - a)), and the square of the first factor is the product of the powers.
F differenceOfCloseFloats(F s, F a, F b, F powerOfA, F powerOfB) {
  // In squares, on which both are bounded: atanh(d) / d and sinh(u) / u.
  constexpr double kAtanh[] = {1, 1 / 3., 1 / 5., 1 / 7., 1 / 9., 1 / 11., 1 / 13., 1 / 15.};
  constexpr double kSinh[] = {1, 1 / 6., 1 / 120., 1 / 5040., 1 / 362880., 1 / 39916800., 1 / 6227020800.};
  F d = b - a;
  F u = s * d * poly(d * d, kAtanh);
  F close = 2.0 * sqrt(powerOfA * powerOfB) * u * poly(u * u, kSinh);
  return select((abs(d) < 0.25) & (abs(u) < 1.0), close, powerOfA - powerOfB);
}

// Zeta of floats as doubles for q < 0 and whole s > 1 as in zetaBody, from `beyond`, that of 1 - q. NaN where q makes
// it special, and where it is not good to 2^-29.
F zetaOfNegativeFloats(F s, F q, F beyond) {
  F fraction = q - floor(q), below = ceil(q) - q;
  F first = powerOfFloats(s, fraction), mirrored = powerOfFloats(s, below);
  F others = zetaOfPositiveFloats(s, fraction + 1.0), mirroredOthers = zetaOfPositiveFloats(s, below + 1.0);
  F sum = (first + mirrored) + (others + mirroredOthers) - beyond;
  F difference = differenceOfCloseFloats(s, fraction, below, first, mirrored) + (others - mirroredOthers) + beyond;
  // What is left of a difference must not be small beside its terms, but where these are exactly the same.
  M good = (abs(difference) * 4.0 > maxOr(others, beyond)) | (fraction == below);
  F y = select(isEven(s), sum, select(good, difference, constant(s, NAN)));
  return select(floor(q) != q, y, constant(s, NAN));
}

// Takes and gives floats as doubles, which are right to about 2^-29.
F zetaOfFloats(F x, F q) {
  M plain = (x > 1.0) & (x < INFINITY) & (abs(q) < INFINITY) & (q != 0.0), negative = plain & (q < 0.0);
  F s = select(plain, x, 2.0), from = select(plain, q, 1.0), nan = constant(x, NAN);
  F positive = zetaOfPositiveFloats(s, select(negative, 1.0 - q, from));
  F y = patchRare(negative, positive, [&] {
    M whole = negative & (floor(x) == x);
    return patchRare(whole, nan, [&] { return zetaOfNegativeFloats(s, select(whole, q, -0.5), positive); });
  });
  M rest = !plain | isNaN(y);
  return patchRare(rest, y, [&] {
    F special = zetaSpecials(x, q, constant(x, 0));
    return patchRare(rest & (special == 0.0), special, [&] { return callShared("zeta", x, q, zetaBody); });
  });
}

constexpr int kLargestFactorial = 170;

// n! for whole n up to that; of others that of some number.
F factorial(F n) {
  static const std::array<double, kLargestFactorial + 1> table = [] {
    std::array<double, kLargestFactorial + 1> numbers{};
    llvm::APFloat product(llvm::APFloat::IEEEquad(), 1);
    for (int i = 0; i <= kLargestFactorial; ++i) {
      if (i > 0)
        product.multiply(llvm::APFloat(llvm::APFloat::IEEEquad(), i), llvm::APFloat::rmNearestTiesToEven);
      llvm::APFloat rounded = product;
      bool losesInfo = false;
      rounded.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
      numbers[i] = rounded.convertToDouble();
    }
    return numbers;
  }();
  F bounded = minOr(maxOr(n, constant(n, 0)), constant(n, kLargestFactorial));
  return lookup("factorials", table, bits(bounded + 0x1p52) & 0xff);
}

// n! zeta(n + 1, x) of factorials that are out of range, in logarithms.
F largeFactorialTimesZeta(F next, F x) {
  auto ownUnit = [](F s, F q) { return callShared("zeta_own_unit", s, q, zetaOfOwnUnit); };
  // Where n + 1 is odd, the terms on both sides of a half cancel down to those above 1 - x.
  M half = (x < 0.0) & (x - floor(x) == 0.5) & !isEven(next);
  x = select(half, 1.0 - x, x);
  F factorial = lgamma(next), z = zeta(next, x), logarithm = log(x);
  F exponent = factorial - next * logarithm;
  // Stirling's formula, where the factorial's logarithm is out of range as well.
  exponent = select(isFinite(factorial), exponent, next * ((log(next) - 1.0) - logarithm));
  M positive = (x > 0.0) & isFinite(x) & isFinite(next);
  F near = exp(exponent) * ownUnit(next, x);
  F other = select(z == 0.0, z, copysign(exp(factorial + log(abs(z))), z));
  return select(positive, near, other);
}

// `zetaOf` is zeta, of doubles or of floats as doubles.
F polygammaBy(F n, F x, llvm::function_ref<F(F, F)> zetaOf) {
  // (-1)^(n+1) n! zeta(n + 1, x), and digamma for n = 0, where zeta would be infinite.
  M isDigamma = n == 0.0;
  F next = n + 1.0;
  F magnitude = patchRare(!isDigamma, x, [&] { return factorial(n) * zetaOf(select(isDigamma, 2.0, next), x); });
  magnitude = patchRare(n > kLargestFactorial, magnitude, [&] { return largeFactorialTimesZeta(next, x); });
  // By the parity of n, not that of n + 1: where n + 1 is rounded, n is even.
  F y = select(isEven(n), -magnitude, magnitude);
  y = patchRare(isDigamma, y, [&] { return digamma(x); });
  return select((n >= 0.0) & isFinite(n) & (floor(n) == n), y, constant(n, NAN));
}

F polygammaBody(F n, F x) { return polygammaBy(n, x, zeta); }

F polygammaOfFloats(F n, F x) {
  return polygammaBy(n, x, [](F s, F q) { return callShared("zeta_of_floats", s, q, zetaOfFloats); });
}

} // namespace

F zeta(F x, F q) {
  if (isDouble(x))
    return callShared("zeta", x, q, zetaBody);
  return narrow(callShared("zeta_of_floats", widen(x), widen(q), zetaOfFloats));
}

F polygamma(F n, F x) {
  if (isDouble(x))
    return callShared("polygamma", n, x, polygammaBody);
  return narrow(callShared("polygamma_of_floats", widen(n), widen(x), polygammaOfFloats));
}

} // namespace tenon::codegen::math
