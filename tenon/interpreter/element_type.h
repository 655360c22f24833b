// Element types of the reference interpreter: how one element is stored, and the value domain it computes in.
//
// Every element is loaded into a Scalar, a wide untagged value, computed on, and stored back, which rounds or wraps
// once. Floats up to f32 compute in double: + - * / sqrt of two such values are exact enough that the one rounding at
// the store is the correct rounding (53 >= 2 * 24 + 2), and an elementary function is off by 0.5 ulp and a hair.
#pragma once

#include "tenon/support/float_format.h"

#include "mlir/IR/Types.h"

#include <complex>
#include <cstdint>
#include <optional>

namespace tenon::interpreter {

// The storage is that of program::ElementType: whole bytes; i1 and sub-byte types take one byte each.
enum class ElementType : uint8_t {
  I1,
  S2,
  S4,
  S8,
  S16,
  S32,
  S64,
  U2,
  U4,
  U8,
  U16,
  U32,
  U64,
  F4E2M1FN,
  F6E2M3FN,
  F6E3M2FN,
  F8E3M4,
  F8E4M3,
  F8E4M3FN,
  F8E4M3FNUZ,
  F8E4M3B11FNUZ,
  F8E5M2,
  F8E5M2FNUZ,
  F8E8M0FNU,
  BF16,
  F16,
  F32,
  F64,
  C64,
  C128,
};
inline constexpr int kNumElementTypes = static_cast<int>(ElementType::C128) + 1;

// The kind of value that an element is computed as.
enum class Domain : uint8_t { Bool, Signed, Unsigned, Float, Complex };

Domain domainOf(ElementType type);
// Bits of the value, as bitcast_convert counts them (i1: 1, i4: 4, complex<f32>: 64).
unsigned bitWidth(ElementType type);
// Bytes of storage.
int64_t byteSize(ElementType type);
const char *name(ElementType type);

inline bool isFloat(ElementType type) { return domainOf(type) == Domain::Float; }
inline bool isComplex(ElementType type) { return domainOf(type) == Domain::Complex; }
inline bool isInteger(ElementType type) {
  return domainOf(type) == Domain::Signed || domainOf(type) == Domain::Unsigned;
}
// f32 of complex<f32>; a real type itself.
ElementType realType(ElementType type);

// The storage's element type: of a quantized type, its storage type; of `index`, s64. Signless integers are signed.
std::optional<ElementType> elementTypeOf(mlir::Type type);

using tenon::FloatFormat;
// The format of an element type from F4E2M1FN to F16.
const FloatFormat &floatFormat(ElementType type);

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
