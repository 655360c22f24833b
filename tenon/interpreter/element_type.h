// Element types of the reference interpreter: how one element is stored, and the value domain it computes in.
//
// Every element is loaded into a Scalar, a wide untagged value, computed on, and stored back, which rounds or wraps
// once. Floats up to f32 compute in double: + - * / sqrt of two such values are exact enough that the one rounding at
// the store is the correct rounding (53 >= 2 * 24 + 2), and an elementary function is off by 0.5 ulp and a hair.
#pragma once

#include "tenon/support/element_type.h"

#include "mlir/IR/Types.h"

#include <complex>
#include <cstdint>
#include <optional>

namespace tenon::interpreter {

constexpr bool isInteger(ElementType type) {
  return kindOf(type) == ElementKind::kSigned || kindOf(type) == ElementKind::kUnsigned;
}

// The type that elements are stored as: the storage type of a quantized type, s64 for `index`. Signless integers are
// signed.
std::optional<ElementType> elementTypeOf(mlir::Type type);

// One element. The element type says which member holds it: i for i1 (0 or 1) and signed integers (sign-extended), u
// for unsigned integers (zero-extended), f for floats, c for complex values.
union Scalar {
  struct Complex {
    double re, im;
  };
  int64_t i;
  uint64_t u;
  double f;
  Complex c;

  static Scalar ofInt(int64_t value) {
    Scalar s{};
    s.i = value;
    return s;
  }
  static Scalar ofUnsigned(uint64_t value) {
    Scalar s{};
    s.u = value;
    return s;
  }
  static Scalar ofFloat(double value) {
    Scalar s{};
    s.f = value;
    return s;
  }
  template <typename T> static Scalar ofComplex(std::complex<T> value) {
    Scalar s{};
    s.c = {static_cast<double>(value.real()), static_cast<double>(value.imag())};
    return s;
  }
  template <typename T> std::complex<T> complex() const { return {static_cast<T>(c.re), static_cast<T>(c.im)}; }
};

// Element `index` of an array of `type`. `store` wraps integers and rounds floats.
using LoadFn = Scalar (*)(const uint8_t *base, int64_t index);
using StoreFn = void (*)(uint8_t *base, int64_t index, Scalar value);
LoadFn loader(ElementType type);
StoreFn storer(ElementType type);
// The value as it is read back after it was stored.
Scalar normalize(ElementType type, Scalar value);

// Value conversion as `convert` defines it, before the store into `to`.
Scalar convertScalar(ElementType from, ElementType to, Scalar value);
Scalar zeroOf(ElementType type);
// The integer `value` in any domain.
Scalar scalarOf(ElementType type, int64_t value);
// The smallest and largest finite values; for integers the extreme values.
Scalar minFinite(ElementType type);
Scalar maxFinite(ElementType type);
// Bits of the stored element, zero-extended (not for complex types).
uint64_t bitsOf(ElementType type, Scalar value);
Scalar fromBits(ElementType type, uint64_t bits);

} // namespace tenon::interpreter
