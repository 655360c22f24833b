// Arithmetic, logic, comparison and selection of single elements.
#include "tenon/interpreter/kernels.h"

#include "llvm/ADT/bit.h"

#include <bit>
#include <cmath>

namespace tenon::interpreter::kernels {
namespace {

using Fn = ScalarKernel::Fn;
using K = const ScalarKernel &;
using X = const Scalar *;

// One function a kind; null where the op is not defined.
struct ByKind {
  Fn onBool = nullptr, onSigned = nullptr, onUnsigned = nullptr, onFloat = nullptr, onComplex = nullptr;
};

MaybeKernel choose(ElementType operand, ElementType result, const ByKind &fns) {
  Fn fn = nullptr;
  switch (kindOf(operand)) {
  case ElementKind::kBool:
    fn = fns.onBool;
    break;
  case ElementKind::kSigned:
    fn = fns.onSigned;
    break;
  case ElementKind::kUnsigned:
    fn = fns.onUnsigned;
    break;
  case ElementKind::kFloat:
    fn = fns.onFloat;
    break;
  case ElementKind::kComplex:
    fn = fns.onComplex;
    break;
  case ElementKind::kNone:
    break;
  }
  if (!fn)
    return std::nullopt;
  return ScalarKernel{fn, operand, result, {0, 0}};
}

MaybeKernel choose(ElementType type, const ByKind &fns) { return choose(type, type, fns); }

Scalar orBits(K, X x) { return Scalar::ofUnsigned(x[0].u | x[1].u); }
Scalar andBits(K, X x) { return Scalar::ofUnsigned(x[0].u & x[1].u); }
Scalar xorBits(K, X x) { return Scalar::ofUnsigned(x[0].u ^ x[1].u); }
Scalar notBits(K, X x) { return Scalar::ofUnsigned(~x[0].u); }
Scalar notBool(K, X x) { return Scalar::ofInt(!x[0].i); }

Scalar addInt(K, X x) { return Scalar::ofUnsigned(x[0].u + x[1].u); }
Scalar addFloat(K, X x) { return Scalar::ofFloat(x[0].f + x[1].f); }
Scalar addComplex(K, X x) { return Scalar::ofComplex(x[0].complex<double>() + x[1].complex<double>()); }
Scalar subInt(K, X x) { return Scalar::ofUnsigned(x[0].u - x[1].u); }
Scalar subFloat(K, X x) { return Scalar::ofFloat(x[0].f - x[1].f); }
Scalar subComplex(K, X x) { return Scalar::ofComplex(x[0].complex<double>() - x[1].complex<double>()); }
Scalar mulInt(K, X x) { return Scalar::ofUnsigned(x[0].u * x[1].u); }
Scalar mulFloat(K, X x) { return Scalar::ofFloat(x[0].f * x[1].f); }
Scalar mulComplex(K, X x) { return Scalar::ofComplex(x[0].complex<long double>() * x[1].complex<long double>()); }

// Division by zero gives all ones, INT_MIN / -1 wraps to INT_MIN; a remainder by zero is the dividend.
Scalar divSigned(K, X x) {
  if (x[1].i == 0)
    return Scalar::ofInt(-1);
  if (x[1].i == -1)
    return Scalar::ofUnsigned(-x[0].u);
  return Scalar::ofInt(x[0].i / x[1].i);
}
Scalar divUnsigned(K, X x) { return Scalar::ofUnsigned(x[1].u == 0 ? ~uint64_t{0} : x[0].u / x[1].u); }
Scalar divFloat(K, X x) { return Scalar::ofFloat(x[0].f / x[1].f); }
Scalar divComplex(K, X x) { return Scalar::ofComplex(x[0].complex<long double>() / x[1].complex<long double>()); }
Scalar remSigned(K, X x) {
  if (x[1].i == 0)
    return x[0];
  return Scalar::ofInt(x[1].i == -1 ? 0 : x[0].i % x[1].i);
}
Scalar remUnsigned(K, X x) { return Scalar::ofUnsigned(x[1].u == 0 ? x[0].u : x[0].u % x[1].u); }
Scalar remFloat(K, X x) { return Scalar::ofFloat(std::fmod(x[0].f, x[1].f)); }

// IEEE 754-2019 maximum and minimum: NaN wins, +0 is above -0.
double maximumOf(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) ? a : b;
  if (a == b)
    return std::signbit(a) ? b : a;
  return a > b ? a : b;
}
double minimumOf(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) ? a : b;
  if (a == b)
    return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

bool anyNan(Scalar z) { return std::isnan(z.c.re) || std::isnan(z.c.im); }

// Lexicographic; unordered when a part is NaN.
std::partial_ordering orderComplex(Scalar a, Scalar b) {
  if (anyNan(a) || anyNan(b))
    return std::partial_ordering::unordered;
  if (a.c.re != b.c.re)
    return a.c.re <=> b.c.re;
  return a.c.im <=> b.c.im;
}

Scalar maxSigned(K, X x) { return x[0].i >= x[1].i ? x[0] : x[1]; }
Scalar maxUnsigned(K, X x) { return x[0].u >= x[1].u ? x[0] : x[1]; }
Scalar maxFloat(K, X x) { return Scalar::ofFloat(maximumOf(x[0].f, x[1].f)); }
Scalar minSigned(K, X x) { return x[0].i <= x[1].i ? x[0] : x[1]; }
Scalar minUnsigned(K, X x) { return x[0].u <= x[1].u ? x[0] : x[1]; }
Scalar minFloat(K, X x) { return Scalar::ofFloat(minimumOf(x[0].f, x[1].f)); }
// The extremum of complex numbers. Numbers that are equal but for the signs of zeros are compared part by part.
template <double (*OfParts)(double, double), bool largest> Scalar extremumComplex(K, X x) {
  if (anyNan(x[0]) || anyNan(x[1]))
    return anyNan(x[0]) ? x[0] : x[1];
  std::partial_ordering order = orderComplex(x[0], x[1]);
  if (order == 0)
    return Scalar::ofComplex(std::complex(OfParts(x[0].c.re, x[1].c.re), OfParts(x[0].c.im, x[1].c.im)));
  return (order > 0) == largest ? x[0] : x[1];
}
constexpr Fn maxComplex = extremumComplex<maximumOf, true>, minComplex = extremumComplex<minimumOf, false>;

// A negative exponent gives zero except for bases whose powers stay integers; zero to a negative power is all ones.
Scalar powSigned(K self, X x) {
  uint64_t base = x[0].u;
  int64_t exponent = x[1].i;
  if (exponent < 0) {
    if (x[0].i == 1)
      return x[0];
    if (x[0].i == -1)
      return Scalar::ofInt(exponent % 2 ? -1 : 1);
    return Scalar::ofInt(x[0].i == 0 ? -1 : 0);
  }
  uint64_t result = 1;
  for (; exponent; exponent >>= 1, base *= base)
    if (exponent & 1)
      result *= base;
  return Scalar::ofUnsigned(result);
}
Scalar powUnsigned(K, X x) {
  uint64_t base = x[0].u, result = 1;
  for (uint64_t exponent = x[1].u; exponent; exponent >>= 1, base *= base)
    if (exponent & 1)
      result *= base;
  return Scalar::ofUnsigned(result);
}

// The shift amount is read as unsigned at the type's width; at or beyond the width all bits are shifted out.
uint64_t shiftAmount(K self, Scalar amount) {
  unsigned bits = bitWidth(self.operand);
  return bits == 64 ? amount.u : amount.u & ((uint64_t{1} << bits) - 1);
}
uint64_t zeroExtended(K self, Scalar value) {
  unsigned bits = bitWidth(self.operand);
  return bits == 64 ? value.u : value.u & ((uint64_t{1} << bits) - 1);
}
int64_t signExtended(K self, Scalar value) {
  unsigned unused = 64 - bitWidth(self.operand);
  return static_cast<int64_t>(value.u << unused) >> unused;
}
Scalar shl(K self, X x) {
  uint64_t amount = shiftAmount(self, x[1]);
  return Scalar::ofUnsigned(amount >= bitWidth(self.operand) ? 0 : x[0].u << amount);
}
Scalar shrLogical(K self, X x) {
  uint64_t amount = shiftAmount(self, x[1]);
  return Scalar::ofUnsigned(amount >= bitWidth(self.operand) ? 0 : zeroExtended(self, x[0]) >> amount);
}
Scalar shrArithmetic(K self, X x) {
  uint64_t amount = std::min<uint64_t>(shiftAmount(self, x[1]), 63);
  return Scalar::ofInt(signExtended(self, x[0]) >> amount);
}

Scalar mulHighSigned(K self, X x) {
  return Scalar::ofInt(static_cast<int64_t>((static_cast<__int128>(x[0].i) * x[1].i) >> bitWidth(self.operand)));
}
Scalar mulHighUnsigned(K self, X x) {
  auto product = static_cast<unsigned __int128>(x[0].u) * x[1].u;
  return Scalar::ofUnsigned(static_cast<uint64_t>(product >> bitWidth(self.operand)));
}

Scalar absSigned(K, X x) { return Scalar::ofUnsigned(x[0].i < 0 ? -x[0].u : x[0].u); }
Scalar absFloat(K, X x) { return Scalar::ofFloat(std::fabs(x[0].f)); }
Scalar absComplex(K, X x) {
  return Scalar::ofFloat(static_cast<double>(std::hypot(static_cast<long double>(x[0].c.re), x[0].c.im)));
}
Scalar negInt(K, X x) { return Scalar::ofUnsigned(-x[0].u); }
Scalar negFloat(K, X x) { return Scalar::ofFloat(-x[0].f); }
Scalar negComplex(K, X x) { return Scalar::ofComplex(std::complex<double>(-x[0].c.re, -x[0].c.im)); }

Scalar signSigned(K, X x) { return Scalar::ofInt((x[0].i > 0) - (x[0].i < 0)); }
// Zeros keep their sign, NaN stays.
Scalar signFloat(K, X x) {
  double value = x[0].f;
  return Scalar::ofFloat(std::isnan(value) || value == 0 ? value : std::copysign(1.0, value));
}
Scalar signComplex(K, X x) {
  if (anyNan(x[0]))
    return Scalar::ofComplex(std::complex<double>(NAN, NAN));
  if (x[0].c.re == 0 && x[0].c.im == 0)
    return Scalar::ofComplex(std::complex<double>(0, 0));
  auto z = x[0].complex<long double>();
  return Scalar::ofComplex(z / std::hypot(z.real(), z.imag()));
}

Scalar clz(K self, X x) {
  return Scalar::ofInt(std::countl_zero(zeroExtended(self, x[0])) - (64 - static_cast<int>(bitWidth(self.operand))));
}
Scalar popcnt(K self, X x) { return Scalar::ofInt(std::popcount(zeroExtended(self, x[0]))); }

bool holds(Direction direction, std::partial_ordering order) {
  switch (direction) {
  case Direction::EQ:
    return order == 0;
  case Direction::NE:
    return order != 0;
  case Direction::GE:
    return order >= 0;
  case Direction::GT:
    return order > 0;
  case Direction::LE:
    return order <= 0;
  case Direction::LT:
    return order < 0;
  }
  return false;
}
Scalar verdict(K self, std::partial_ordering order) {
  return Scalar::ofInt(holds(static_cast<Direction>(self.parameters[0]), order));
}
Scalar compareSigned(K self, X x) { return verdict(self, x[0].i <=> x[1].i); }
Scalar compareUnsigned(K self, X x) { return verdict(self, x[0].u <=> x[1].u); }
Scalar compareFloat(K self, X x) { return verdict(self, x[0].f <=> x[1].f); }
Scalar compareComplex(K self, X x) {
  auto order = orderComplex(x[0], x[1]);
  // -0 and +0 are equal parts, which <=> on the parts respects.
  return verdict(self, order);
}

// IEEE totalOrder as an integer comparison: sign-magnitude bits to two's complement.
int64_t totalOrderKey(ElementType type, Scalar value) {
  unsigned bits = bitWidth(type);
  uint64_t code = bitsOf(type, value);
  if (floatFormat(type).special == FloatFormat::Special::Scale)
    return static_cast<int64_t>(code);
  uint64_t signBit = uint64_t{1} << (bits - 1);
  auto magnitude = static_cast<int64_t>(code & (signBit - 1));
  return code & signBit ? -1 - magnitude : magnitude;
}
Scalar compareTotal(K self, X x) {
  return verdict(self, totalOrderKey(self.operand, x[0]) <=> totalOrderKey(self.operand, x[1]));
}

Scalar selectFn(K, X x) { return x[0].i ? x[1] : x[2]; }
Scalar first(K, X x) { return x[0]; }

template <Fn Max, Fn Min> Scalar clampFn(K self, X x) {
  Scalar low[] = {x[1], x[0]};
  Scalar high[] = {Max(self, low), x[2]};
  return Min(self, high);
}

} // namespace

MaybeKernel add(ElementType t) { return choose(t, {orBits, addInt, addInt, addFloat, addComplex}); }
MaybeKernel subtract(ElementType t) { return choose(t, {nullptr, subInt, subInt, subFloat, subComplex}); }
MaybeKernel multiply(ElementType t) { return choose(t, {andBits, mulInt, mulInt, mulFloat, mulComplex}); }
MaybeKernel divide(ElementType t) { return choose(t, {nullptr, divSigned, divUnsigned, divFloat, divComplex}); }
MaybeKernel remainder(ElementType t) { return choose(t, {nullptr, remSigned, remUnsigned, remFloat, nullptr}); }
MaybeKernel maximum(ElementType t) { return choose(t, {orBits, maxSigned, maxUnsigned, maxFloat, maxComplex}); }
MaybeKernel minimum(ElementType t) { return choose(t, {andBits, minSigned, minUnsigned, minFloat, minComplex}); }
MaybeKernel power(ElementType t) {
  if (!isInteger(t))
    return floatPower(t);
  return choose(t, {.onSigned = powSigned, .onUnsigned = powUnsigned});
}
MaybeKernel logicalAnd(ElementType t) { return choose(t, {andBits, andBits, andBits}); }
MaybeKernel logicalOr(ElementType t) { return choose(t, {orBits, orBits, orBits}); }
MaybeKernel logicalXor(ElementType t) { return choose(t, {xorBits, xorBits, xorBits}); }
MaybeKernel logicalNot(ElementType t) { return choose(t, {notBool, notBits, notBits}); }
MaybeKernel shiftLeft(ElementType t) { return choose(t, {nullptr, shl, shl}); }
MaybeKernel shiftRightArithmetic(ElementType t) { return choose(t, {nullptr, shrArithmetic, shrArithmetic}); }
MaybeKernel shiftRightLogical(ElementType t) { return choose(t, {nullptr, shrLogical, shrLogical}); }
MaybeKernel mulHigh(ElementType t) { return choose(t, {nullptr, mulHighSigned, mulHighUnsigned}); }
MaybeKernel abs(ElementType t) {
  return choose(t, realType(t), {.onSigned = absSigned, .onFloat = absFloat, .onComplex = absComplex});
}
MaybeKernel negate(ElementType t) { return choose(t, {nullptr, negInt, negInt, negFloat, negComplex}); }
MaybeKernel sign(ElementType t) {
  return choose(t, {.onSigned = signSigned, .onFloat = signFloat, .onComplex = signComplex});
}
MaybeKernel countLeadingZeros(ElementType t) { return choose(t, {nullptr, clz, clz}); }
MaybeKernel populationCount(ElementType t) { return choose(t, {nullptr, popcnt, popcnt}); }

MaybeKernel compare(ElementType t, Direction direction, bool totalOrder) {
  Fn onFloat = totalOrder ? compareTotal : compareFloat;
  MaybeKernel kernel =
      choose(t, ElementType::kI1,
             {compareUnsigned, compareSigned, compareUnsigned, onFloat, totalOrder ? nullptr : compareComplex});
  if (kernel)
    kernel->parameters[0] = static_cast<int64_t>(direction);
  return kernel;
}
MaybeKernel select(ElementType t) { return choose(t, {selectFn, selectFn, selectFn, selectFn, selectFn}); }
MaybeKernel clamp(ElementType t) {
  return choose(t, {clampFn<orBits, andBits>, clampFn<maxSigned, minSigned>, clampFn<maxUnsigned, minUnsigned>,
                    clampFn<maxFloat, minFloat>, clampFn<maxComplex, minComplex>});
}
MaybeKernel identity(ElementType t) { return choose(t, {first, first, first, first, first}); }

} // namespace tenon::interpreter::kernels
