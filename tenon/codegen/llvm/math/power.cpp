// Powers and roots. x^y = e^(y log x): in double with the logarithm as a pair, whose error of 2^-66 is what a result of
// 2^1024 leaves one ULP of; of floats in plain double, to what float shows.
#include "tenon/codegen/llvm/math/math.h"

#include <cmath>

using namespace llvm;

namespace tenon::codegen::math {
namespace {

// IEEE 754's cases around `magnitude`, which gives |x|^y for finite positive |x|.
F powCases(F x, F y, function_ref<F(F, F)> magnitude) {
  bool wide = isDouble(x);
  F a = abs(x);
  F base = select((a > 0.0) & (a < INFINITY), a, 1.0);
  // Beyond, every base but 1 has over- or underflowed.
  double huge = wide ? 0x1p70 : 0x1p40;
  F exponent = maxOr(constant(y, -huge), minOr(constant(y, huge), y));
  F result = magnitude(base, exponent);

  M integral = trunc(y) == y;
  F half = y * 0.5;
  M odd = integral & (trunc(half) != half) & isFinite(y);
  result = select(a == 0.0, select(y > 0.0, constant(x, 0), constant(x, INFINITY)), result);
  result = select(a == INFINITY, select(y > 0.0, constant(x, INFINITY), constant(x, 0)), result);
  result = select(odd & signBit(x), -result, result);
  M invalid = (x < 0.0) & (a < INFINITY) & !integral;
  result = select(invalid | isNaN(x) | isNaN(y), constant(x, NAN), result);
  return select((y == 0.0) | (x == 1.0), constant(x, 1), result);
}

F powF32(F x, F y) {
  return powCases(x, y, [](F a, F e) { return narrow(exp2Wide(log2Wide(a) * widen(e))); });
}

F powF64(F x, F y) {
  return callShared("pow", x, y,
                    [](F u, F v) { return powCases(u, v, [](F a, F e) { return exp(mul(logPair(a), e)); }); });
}

// The value of a constant exponent, or NaN.
double constantExponent(F y) {
  auto *value = dyn_cast<Constant>(y.v);
  if (value && value->getType()->isVectorTy())
    value = value->getSplatValue();
  auto *number = dyn_cast_or_null<ConstantFP>(value);
  if (!number)
    return NAN;
  APFloat f = number->getValueAPF();
  bool losesInfo;
  f.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
  return f.convertToDouble();
}

// m^(-1/3) on [1, 8], to 2^-9.5.
constexpr double kInverseCubeRoot[] = {0x1.80a42e59ee748p+0,  -0x1.86ac31f63bc00p-1, 0x1.5718c94a57f10p-2,
                                       -0x1.68b0003aa7530p-4, 0x1.b222419450dcap-7,  -0x1.1380f4c32f486p-10,
                                       0x1.1d502ec3af0f1p-15};

// Cube root of a double, to 2^-34 (`steps` 2) or the last bit (3).
F cbrtWide(F x, int steps) {
  F a = abs(x);
  F scaled = a;
  M tiny = a < 0x1p-1022;
  if (steps == 3)
    scaled = select(tiny, a * 0x1p54, a);
  // |x| = m 2^(3k), m in [1, 8). The division by 3 is a multiplication.
  I field = lshr(bits(scaled), 52) + 2049;
  I third = lshr(field * 21846, 16);
  I rest = field - third * 3;
  F m = fromBits((bits(scaled) & 0xfffffffffffff) | shl(rest + 1023, 52));
  F r = poly(m, kInverseCubeRoot);
  for (int i = 0; i < steps; ++i) {
    F residual = fma(-(m * r), r * r, 1.0);
    r = fma(r * residual, 1.0 / 3, r);
  }
  F square = r * r;
  F y = m * square;
  if (steps == 3) {
    Pair yy = twoProduct(y, y);
    F residual = fma(-yy.hi, y, m) - yy.lo * y;
    y = fma(residual, square * (1.0 / 3), y);
  }
  F root = y * powerOfTwo(x, third - 1024);
  if (steps == 3)
    root = select(tiny, root * 0x1p-18, root);
  M special = (a == 0.0) | !(a < INFINITY);
  return select(special, x, copysign(root, x));
}

F rsqrtByDivision(F x) {
  F y = 1.0 / sqrt(x);
  // One step of Newton on the error of the two roundings. Not where x y^2 is not about one.
  Pair h = twoProduct(x, y);
  F residual = fma(-h.hi, y, 1.0) - h.lo * y;
  M usual = abs(residual) < 0.5;
  return select(usual, fma(y * 0.5, residual, y), y);
}

// The same of floats in [2^-126, 2^124), to 0.526 ULP, in half of the time that processors take for both.
// Their own estimates differ, so this starts from half of the negated exponent, as a difference of bits, which is 0.79
// times the result within 4 %. That is where a step of Newton needs no factors, y (a - x y^2), and leaves 9e-4. Cut
// down to 12 bits y has an exact square, so c = 1 - x y^2 is rounded once, below 2^-32, and two terms of
// (1 - c)^(-1/2) = 1 + c / 2 + 3 c^2 / 8 + ... correct it.
F rsqrtByEstimate(F x) {
  I half = lshr(bits(x), 1);
  F y = fromBits(constant(half, 0x5f0b4000) - half);
  F step = y * fma(-(x * y), y, 0x1.e41894p+0);
  F near = fromBits(bits(step) & 0xfffff000);
  F c = fma(-x, near * near, 1.0);
  return fma(near * c, fma(c, 0x1.800012p-2, 0x1.00002p-1), near);
}

} // namespace

F powInt(F x, int64_t n) {
  uint64_t count = n < 0 ? uint64_t(-n) : n;
  F result = constant(x, 1), square = x;
  for (bool first = true; count; count >>= 1) {
    if (count & 1) {
      result = first ? square : result * square;
      first = false;
    }
    if (count > 1)
      square = square * square;
  }
  return n < 0 ? 1.0 / result : result;
}

F pow(F x, F y) {
  double fixed = constantExponent(y);
  if (fixed == 1 || fixed == 2 || fixed == -1)
    return powInt(x, int64_t(fixed));
  if (fixed == 0.5) // +0 for -0, infinity for -infinity
    return select(x == -INFINITY, constant(x, INFINITY), sqrt(x + 0.0));
  return isDouble(x) ? powF64(x, y) : powF32(x, y);
}

F cbrt(F x) { return isDouble(x) ? cbrtWide(x, 3) : narrow(cbrtWide(widen(x), 2)); }

F rsqrt(F x) {
  if (isDouble(x))
    return rsqrtByDivision(x);
  // From 2^124 on the square of the result has fewer bits than others; zero, subnormals, infinity, NaN and negative
  // numbers have bits beyond these, too.
  constexpr uint64_t kLow = 0x00800000, kHigh = 0x7d800000, kSign = 0x80000000;
  M rare = !slt(bits(x) - kLow + kSign, int64_t(int32_t(kHigh - kLow - kSign)));
  return patchRare(rare, rsqrtByEstimate(x), [&] { return rsqrtByDivision(x); });
}

} // namespace tenon::codegen::math
