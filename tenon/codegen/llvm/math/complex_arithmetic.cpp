// Arithmetic, modulus and square roots of complex numbers. Complex floats are divided and measured in double, whose
// range and precision leave nothing to care for; complex doubles are scaled by powers of two, which is exact.
#include "tenon/codegen/llvm/math/complex.h"

#include "tenon/codegen/llvm/math/instruction_set.h"
#include "tenon/codegen/llvm/math/math.h"

#include <cmath>

namespace tenon::codegen::math {
namespace {

C widen(C z) { return {math::widen(z.re), math::widen(z.im)}; }
C narrow(C z) { return {math::narrow(z.re), math::narrow(z.im)}; }

// The exponent of the larger part, or 0 if that is zero, infinite or NaN.
I commonExponent(C z) {
  F m = maxOr(abs(z.re), abs(z.im));
  I exponent = (lshr(bits(m), 52) & 0x7ff) - 1023;
  return select((m > 0.0) & (m < INFINITY), exponent, 0);
}

C scale(C z, I n) { return scaleByPowerOfTwo(z, n); }
I negated(I n) { return constant(n, 0) - n; }

// 1 (0) for infinite (other) parts, with their sign.
C infiniteParts(C z) {
  auto part = [](F x) { return copysign(select(isInf(x), constant(x, 1), constant(x, 0)), x); };
  return {part(z.re), part(z.im)};
}
M isInfinite(C z) { return isInf(z.re) | isInf(z.im); }
M isFinite(C z) { return math::isFinite(z.re) & math::isFinite(z.im); }
// The same in fewer instructions: zero times what is not finite is NaN.
M hasNonFinitePart(C z) { return isNaN(fma(z.im, 0.0, z.re * 0.0)); }

C select(M m, C a, C b) { return {math::select(m, a.re, b.re), math::select(m, a.im, b.im)}; }

// x conj(y).
C timesConjugate(C x, C y) { return {x.re * y.re + x.im * y.im, x.im * y.re - x.re * y.im}; }

// Annex G: a zero divisor gives infinity, an infinite dividend stays infinite, an infinite divisor gives zero. `nan`:
// where both parts of the quotient are NaN.
C quotientOutOfRange(C x, C y, C quotient, M nan) {
  M zero = (y.re == 0.0) & (y.im == 0.0) & !(isNaN(x.re) & isNaN(x.im));
  F signedInfinity = copysign(constant(y.re, INFINITY), y.re);
  quotient = select(nan & zero, C{signedInfinity * x.re, signedInfinity * x.im}, quotient);
  C direction = timesConjugate(infiniteParts(x), y);
  M infinite = isInfinite(x) & isFinite(y);
  quotient = select(nan & infinite & !zero, C{direction.re * INFINITY, direction.im * INFINITY}, quotient);
  C vanishing = timesConjugate(x, infiniteParts(y));
  M finite = isFinite(x) & isInfinite(y);
  return select(nan & finite, C{vanishing.re * 0.0, vanishing.im * 0.0}, quotient);
}

C quotientCases(C x, C y, C quotient) {
  M nan = isNaN(quotient.re) & isNaN(quotient.im);
  return patchRare(nan, quotient, [&] { return quotientOutOfRange(x, y, quotient, nan); });
}

// For widened floats: their squares are normal numbers, and so are the reciprocals of these. What multiplying by one
// loses is nothing beside rounding to float.
C divideWide(C x, C y) {
  F reciprocal = 1.0 / fma(y.re, y.re, y.im * y.im);
  C n = timesConjugate(x, y);
  return quotientCases(x, y, {n.re * reciprocal, n.im * reciprocal});
}

// x / sy where the smaller part of y is so much smaller that it adds nothing to the norm of y, and may be lost in sy,
// which is y scaled: with y = c + id, |d| <= |c|, that is (x - i x d / c) / c.
C divideByLopsided(C x, C y, C sy) {
  M swapped = math::abs(y.im) > math::abs(y.re);
  // x / y = (x / i) / (y / i).
  C a = select(swapped, C{x.im, -x.re}, x), b = select(swapped, C{y.im, -y.re}, y);
  F c = math::select(swapped, sy.im, sy.re), ratio = b.im / b.re;
  M lost = math::abs(ratio) < 0x1p-1000;
  auto timesRatio = [&](F part) {
    F product = math::select(math::abs(b.im) > 1.0, part / b.re * b.im, part * b.im / b.re);
    return math::select(lost, product, part * ratio);
  };
  return {(a.re + timesRatio(a.im)) / c, (a.im - timesRatio(a.re)) / c};
}

C divideF64(C x, C y) {
  // y to about one, or 2^-52 if it is subnormal; x as large as products and quotients then allow, so that nothing of
  // its smaller part is lost.
  constexpr uint64_t kLarge = 960;
  I ex = math::select(isFinite(x), commonExponent(x) - kLarge, 0), ey = commonExponent(y);
  C sx = scale(x, negated(ex)), sy = scale(y, negated(ey));
  F norm = fma(sy.re, sy.re, sy.im * sy.im);
  C n = timesConjugate(sx, sy);
  C q = {n.re / norm, n.im / norm};
  F large = maxOr(math::abs(sy.re), math::abs(sy.im)), small = minOr(math::abs(sy.re), math::abs(sy.im));
  M lopsided = (small < 0x1p-500) & (large > 0.5) & (y.re != 0.0) & (y.im != 0.0) & isFinite(y);
  q = patchRare(lopsided, q, [&] { return divideByLopsided(sx, y, sy); });
  // In two steps: the difference may be twice the exponent's range. The first is exact.
  I exponent = ex - ey, half = ashr(exponent, 1);
  return quotientCases(x, y, scale(scale(q, half), exponent - half));
}

// Annex G: a product of infinities, or of one with what is not zero, is infinite though both sums of products are NaN.
C productCases(C x, C y, C product) {
  M nan = isNaN(product.re) & isNaN(product.im);
  auto zerosForNaN = [](C z) {
    auto part = [](F v) { return math::select(isNaN(v), copysign(constant(v, 0), v), v); };
    return C{part(z.re), part(z.im)};
  };
  C a = select(isInfinite(x), infiniteParts(x), zerosForNaN(x));
  C b = select(isInfinite(y), infiniteParts(y), zerosForNaN(y));
  C direction = {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  M infinite = isInfinite(x) | isInfinite(y);
  return select(nan & infinite, C{direction.re * INFINITY, direction.im * INFINITY}, product);
}

C productOfParts(C x, C y) { return {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re}; }

// The product where finite parts overflow beside infinite ones: they stay finite.
C productWithInfinity(C x, C y) {
  auto times = [](F a, F b) {
    F product = a * b, largest = constant(a, 0x1.fffffffffffffp+1023);
    F bounded = copysign(minOr(math::abs(product), largest), product);
    return math::select(math::isFinite(a) & math::isFinite(b), bounded, product);
  };
  return {times(x.re, y.re) - times(x.im, y.im), times(x.re, y.im) + times(x.im, y.re)};
}

// `product`, where a product of two parts has overflowed.
C productOutOfRange(C x, C y, C product) {
  if (!isDouble(x.re))
    return productCases(x, y, narrow(productOfParts(widen(x), widen(y))));
  // A half of each exponent less. What that loses of small parts is nothing beside a product that overflows, and the
  // part of the result that does not is right already.
  I ex = ashr(commonExponent(x), 1), ey = ashr(commonExponent(y), 1);
  C scaled = scale(productOfParts(scale(x, negated(ex)), scale(y, negated(ey))), ex + ey);
  M finite = isFinite(x) & isFinite(y);
  C other = select(finite, scaled, productWithInfinity(x, y));
  auto orOther = [](F part, F other) { return math::select(math::isFinite(part), part, other); };
  return productCases(x, y, {orOther(product.re, other.re), orOther(product.im, other.im)});
}

// The same of x^2, in the type of its parts: in factors, x^2 - y^2 overflows with its own value only, and an infinite
// part decides beside NaN. Iterated squares (the Mandelbrot set) are here most of the time. Each comparison chooses
// between floats, as AVX2 has no cheap form for what several together say of many lanes.
C squareOutOfRange(C z, C product) {
  F re = (z.re * 0.5 - z.im * 0.5) * (z.re * 0.5 + z.im * 0.5) * 4.0;
  auto infinityOf = [](F part) { return math::select(isInf(part), constant(part, INFINITY), constant(part, 0)); };
  F infinities = infinityOf(z.re) - infinityOf(z.im);
  return {math::select(infinities == 0.0, re, infinities), product.im};
}

// sqrt((|re| + |z|) / 2) for parts that neither over- nor underflow.
F largerPartOfRoot(C z) {
  F a = math::abs(z.re);
  F modulus = sqrt(fma(a, a, z.im * z.im));
  return sqrt((a + modulus) * 0.5);
}

// With the larger part t of the root: the smaller one is im / (2 t); signs by the half plane.
C rootOf(C z, F t) {
  F u = math::abs(z.im) / (t + t);
  M left = signBit(z.re);
  C root = {math::select(left, u, t), copysign(math::select(left, t, u), z.im)};
  // Zero: 0 + im.
  return select((z.re == 0.0) & (z.im == 0.0), C{math::abs(z.re), z.im}, root);
}

C sqrtCases(C z, C root) {
  F re = z.re, im = z.im;
  F zero = constant(re, 0), infinity = constant(re, INFINITY), nan = constant(re, NAN);
  // -inf + i y = 0 + i inf, +inf + i y = inf + i 0, for finite y; NaN imaginary parts give NaN beside the infinity.
  M left = signBit(re);
  F small = math::select(isNaN(im), nan, zero);
  C atInfinity = {math::select(left, small, infinity), copysign(math::select(left, infinity, small), im)};
  root = select(isInf(re), atInfinity, root);
  return select(isInf(im), C{infinity, im}, root);
}

// Only the larger part is had from scaled numbers, in which a small imaginary part may be lost.
C sqrtF64(C z) {
  I n = commonExponent(z);
  n = n - (n & 1);
  return rootOf(z, scaleByPowerOfTwo(largerPartOfRoot(scale(z, negated(n))), ashr(n, 1)));
}

// 1 / sqrt(z) of a finite number other than zero, as (t - i im / (2t)) / |z| with the larger part t of the root, which
// changes places with the smaller one in the left half plane. The imaginary part is scaled by itself, so that nothing
// of it is lost where its share of the result is small.
C rsqrtOfFinite(C z) {
  constexpr uint64_t kLarge = 960;
  I n = commonExponent(z);
  n = n - (n & 1);
  C s = scale(z, negated(n));
  I half = ashr(n, 1);
  F t = largerPartOfRoot(s), modulus = sqrt(fma(s.re, s.re, s.im * s.im));
  F im = math::abs(scaleByPowerOfTwo(z.im, constant(n, kLarge) - n)) / (2.0 * t * modulus);
  F u = scaleByPowerOfTwo(im, negated(half + kLarge));
  t = scaleByPowerOfTwo(t / modulus, negated(half));
  M left = signBit(z.re);
  return {math::select(left, u, t), copysign(math::select(left, t, u), -z.im)};
}

C sqrtOfWide(C z) { return rootOf(z, largerPartOfRoot(z)); }

} // namespace

C patchRare(M rare, C fast, llvm::function_ref<C()> slow) {
  F parts[] = {fast.re, fast.im};
  math::patchRare(rare, parts, [&](llvm::MutableArrayRef<F> patched) {
    C z = slow();
    patched[0] = z.re;
    patched[1] = z.im;
  });
  return {parts[0], parts[1]};
}

C scaleByPowerOfTwo(C z, I n) { return {scaleByPowerOfTwo(z.re, n), scaleByPowerOfTwo(z.im, n)}; }

C operator-(C z) { return {-z.re, -z.im}; }
C operator+(C x, C y) { return {x.re + y.re, x.im + y.im}; }
C operator-(C x, C y) { return {x.re - y.re, x.im - y.im}; }
C operator*(C x, C y) {
  C product = productOfParts(x, y);
  const bool isSquare = x.re.v == y.re.v && x.im.v == y.im.v;
  return patchRare(hasNonFinitePart(product), product,
                   [&] { return isSquare ? squareOutOfRange(x, product) : productOutOfRange(x, y, product); });
}

// x^2 - y^2 in factors, so that it neither cancels nor overflows in between, and 2 x y.
C square(C z) {
  F a = math::abs(z.re), b = math::abs(z.im);
  M far = maxOr(a, b) >= (isDouble(a) ? 0x1p1022 : 0x1p126);
  F one = constant(a, 1), half = math::select(far, constant(a, 0.5), one),
    twice = math::select(far, constant(a, 4), one);
  F re = (z.re * half - z.im * half) * (z.re * half + z.im * half) * twice;
  M isLarger = a > b;
  F large = math::select(isLarger, z.re, z.im), small = math::select(isLarger, z.im, z.re);
  return {re, large * (small + small)};
}

F logOfModulus(C z) {
  F m = maxOr(math::abs(z.re), math::abs(z.im)), zero = constant(m, 0), one = constant(m, 1);
  M large = m > 0x1p1000, small = m < 0x1p-1000;
  F factor = math::select(large, constant(m, 0x1p-64), math::select(small, constant(m, 0x1p64), one));
  constexpr double kShift = 0x1.62e42fefa39efp+5; // 64 ln 2
  F shift = math::select(large, constant(m, kShift), math::select(small, constant(m, -kShift), zero));
  return log(abs(C{z.re * factor, z.im * factor})) + shift;
}

C operator/(C x, C y) { return isDouble(x.re) ? divideF64(x, y) : narrow(divideWide(widen(x), widen(y))); }

// The modulus of floats by a root of double, which takes four times as long as one of floats.
static F modulusInDouble(C z) {
  C wide = widen(z);
  F modulus = math::narrow(sqrt(fma(wide.re, wide.re, wide.im * wide.im)));
  return math::select(isInfinite(z), constant(z.re, INFINITY), modulus);
}

// Rounded once but for cases next to ties: the sum of the squares and its root have words of what rounding lost. In
// double where these may be subnormal, and where the sum is not a number within range.
static F modulusOfFloats(C z) {
  Pair re = twoProduct(z.re, z.re), im = twoProduct(z.im, z.im), sum = twoSum(re.hi, im.hi);
  F root = sqrt(sum.hi);
  F rest = fma(-root, root, sum.hi) + (sum.lo + (re.lo + im.lo));
  F modulus = fma(rest, 0.5 / maxOr(constant(root, 0x1p-60), root), root);
  M isInRange = ((sum.hi > 0x1p-100) & (sum.hi < 0x1p126)) | ((z.re == 0.0) & (z.im == 0.0));
  return patchRare(!isInRange, modulus, [&] {
    // What is not finite may stay so for long. NaN has come through all of the above.
    F infinity = constant(z.re, INFINITY), nan = constant(z.re, NAN);
    F unbounded = math::select(isInf(z.re), infinity, math::select(isInf(z.im), infinity, modulus));
    F zeroIfFar = math::select(isInRange, nan, fma(z.im, 0.0, z.re * 0.0));
    return patchRare(zeroIfFar == 0.0, unbounded, [&] { return modulusInDouble(z); });
  });
}

F abs(C z) {
  if (!isDouble(z.re))
    return instructionsOf(*z.re.b).fusesMultiplyAdd() ? modulusOfFloats(z) : modulusInDouble(z);
  I n = commonExponent(z);
  C s = scale(z, negated(n));
  F modulus = scaleByPowerOfTwo(sqrt(fma(s.re, s.re, s.im * s.im)), n);
  return math::select(isInfinite(z), constant(z.re, INFINITY), modulus);
}

C sign(C z) {
  if (!isDouble(z.re))
    return narrow(sign(widen(z)));
  C s = scale(z, negated(commonExponent(z)));
  F modulus = sqrt(fma(s.re, s.re, s.im * s.im));
  M zero = modulus == 0.0;
  modulus = math::select(zero, constant(modulus, 1), modulus);
  return {s.re / modulus, s.im / modulus};
}

C sqrt(C z) {
  C root = isDouble(z.re) ? sqrtF64(z) : narrow(sqrtOfWide(widen(z)));
  return sqrtCases(z, root);
}

C rsqrt(C z) {
  C one = {constant(z.re, 1), constant(z.re, 0)};
  if (!isDouble(z.re)) {
    C w = widen(z);
    return narrow(widen(one) / sqrt(w));
  }
  return select(isFinite(z) & ((z.re != 0.0) | (z.im != 0.0)), rsqrtOfFinite(z), one / sqrt(z));
}

} // namespace tenon::codegen::math
