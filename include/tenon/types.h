// The element types of arrays as C++ types (xla-preview-2017, "C++ interface": the table of native types).
#pragma once

#include "tenon/array.h"
#include "tenon/status.h"
#include "tenon/xla.pb.h"
#include "tenon/xla_namespace.h"

#include <complex>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>

namespace tenon::xla_2017 {

using int8 = std::int8_t;
using int16 = std::int16_t;
using int32 = std::int32_t;
using int64 = std::int64_t;
using uint8 = std::uint8_t;
using uint16 = std::uint16_t;
using uint32 = std::uint32_t;
using uint64 = std::uint64_t;
using complex64 = std::complex<float>;
using complex128 = std::complex<double>;
using std::string;

namespace util {
using tenon::Status;
using tenon::StatusOr;
} // namespace util
using tenon::Status;
using tenon::StatusCode;
using tenon::StatusOr;

namespace types_internal {
// The nearest value of a format of at most 16 bits (ties to even), and back; only for the float types below 32 bits.
TENON_API std::uint16_t encode(PrimitiveType type, double value);
TENON_API double decode(PrimitiveType type, std::uint16_t code);
} // namespace types_internal

// A float of at most 16 bits: its code, and conversions, which round to nearest, ties to even. Beyond the range lies
// infinity; NaN in a format without infinity; the largest value in one with neither. F8E8M0FNU has neither sign nor
// zero: those give NaN.
template <PrimitiveType kType, typename Storage> class SmallFloat {
public:
  static constexpr PrimitiveType kPrimitiveType = kType;

  constexpr SmallFloat() = default;
  // The nearest value.
  explicit SmallFloat(double value) : code_(static_cast<Storage>(types_internal::encode(kType, value))) {}
  // The nearest value.
  explicit SmallFloat(float value) : SmallFloat(static_cast<double>(value)) {}
  // The nearest value.
  explicit SmallFloat(int value) : SmallFloat(static_cast<double>(value)) {}
  // The number with that code, in the lowest bits.
  static constexpr SmallFloat fromCode(Storage code) {
    SmallFloat result;
    result.code_ = code;
    return result;
  }

  // Its code.
  constexpr Storage code() const { return code_; }
  // The same number.
  explicit operator double() const { return types_internal::decode(kType, code_); }
  // The same number: every one of these formats is among the floats.
  explicit operator float() const { return static_cast<float>(types_internal::decode(kType, code_)); }

  // As numbers: NaN is unequal to itself, and zeros are equal.
  friend bool operator==(SmallFloat a, SmallFloat b) { return double(a) == double(b); }
  // As numbers: NaN is unequal to everything.
  friend bool operator!=(SmallFloat a, SmallFloat b) { return double(a) != double(b); }
  // As numbers: false where one is NaN.
  friend bool operator<(SmallFloat a, SmallFloat b) { return double(a) < double(b); }

private:
  Storage code_ = 0;
};

using half = SmallFloat<F16, std::uint16_t>;
using bfloat16 = SmallFloat<BF16, std::uint16_t>;
using float4_e2m1fn = SmallFloat<F4E2M1FN, std::uint8_t>;
using float6_e2m3fn = SmallFloat<F6E2M3FN, std::uint8_t>;
using float6_e3m2fn = SmallFloat<F6E3M2FN, std::uint8_t>;
using float8_e3m4 = SmallFloat<F8E3M4, std::uint8_t>;
using float8_e4m3 = SmallFloat<F8E4M3, std::uint8_t>;
using float8_e4m3fn = SmallFloat<F8E4M3FN, std::uint8_t>;
using float8_e4m3b11fnuz = SmallFloat<F8E4M3B11FNUZ, std::uint8_t>;
using float8_e4m3fnuz = SmallFloat<F8E4M3FNUZ, std::uint8_t>;
using float8_e5m2 = SmallFloat<F8E5M2, std::uint8_t>;
using float8_e5m2fnuz = SmallFloat<F8E5M2FNUZ, std::uint8_t>;
using float8_e8m0fnu = SmallFloat<F8E8M0FNU, std::uint8_t>;

// An integer of fewer than 8 bits, in a byte of its own.
template <PrimitiveType kType, typename Storage, int kBits> class SmallInteger {
public:
  static constexpr PrimitiveType kPrimitiveType = kType;

  constexpr SmallInteger() = default;
  // Keeps the lowest bits.
  explicit constexpr SmallInteger(int value)
      : value_(static_cast<Storage>(static_cast<Storage>(static_cast<unsigned>(value) << (8 - kBits)) >> (8 - kBits))) {
  }
  // The same number.
  explicit constexpr operator int() const { return value_; }
  // As numbers.
  friend constexpr bool operator==(SmallInteger a, SmallInteger b) { return a.value_ == b.value_; }
  // As numbers.
  friend constexpr bool operator!=(SmallInteger a, SmallInteger b) { return a.value_ != b.value_; }
  // As numbers.
  friend constexpr bool operator<(SmallInteger a, SmallInteger b) { return a.value_ < b.value_; }

private:
  Storage value_ = 0;
};

using int2 = SmallInteger<S2, std::int8_t, 2>;
using int4 = SmallInteger<S4, std::int8_t, 4>;
using uint2 = SmallInteger<U2, std::uint8_t, 2>;
using uint4 = SmallInteger<U4, std::uint8_t, 4>;

namespace types_internal {
template <typename T, typename = void> struct PrimitiveTypeOf {};
template <typename T> struct PrimitiveTypeOf<T, std::void_t<decltype(T::kPrimitiveType)>> {
  static constexpr PrimitiveType value = T::kPrimitiveType;
};
template <PrimitiveType type> struct Constant {
  static constexpr PrimitiveType value = type;
};
template <> struct PrimitiveTypeOf<bool> : Constant<PRED> {};
template <> struct PrimitiveTypeOf<int8> : Constant<S8> {};
template <> struct PrimitiveTypeOf<int16> : Constant<S16> {};
template <> struct PrimitiveTypeOf<int32> : Constant<S32> {};
template <> struct PrimitiveTypeOf<int64> : Constant<S64> {};
template <> struct PrimitiveTypeOf<uint8> : Constant<U8> {};
template <> struct PrimitiveTypeOf<uint16> : Constant<U16> {};
template <> struct PrimitiveTypeOf<uint32> : Constant<U32> {};
template <> struct PrimitiveTypeOf<uint64> : Constant<U64> {};
// `long long` where int64 is `long`, and the other way about.
template <> struct PrimitiveTypeOf<std::conditional_t<std::is_same_v<int64, long>, long long, long>> : Constant<S64> {};
template <>
struct PrimitiveTypeOf<std::conditional_t<std::is_same_v<uint64, unsigned long>, unsigned long long, unsigned long>>
    : Constant<U64> {};
template <> struct PrimitiveTypeOf<float> : Constant<F32> {};
template <> struct PrimitiveTypeOf<double> : Constant<F64> {};
template <> struct PrimitiveTypeOf<complex64> : Constant<C64> {};
template <> struct PrimitiveTypeOf<complex128> : Constant<C128> {};
} // namespace types_internal

// The PrimitiveType that a C++ type stands for: bool PRED, int32 S32, int64 S64, uint32 U32, uint64 U64, float F32,
// double F64, and the types above. No other type compiles. (xla-preview-2017, ComputationBuilder: ConstantR0.)
template <typename NativeT> constexpr PrimitiveType NativeToPrimitiveType() {
  return types_internal::PrimitiveTypeOf<NativeT>::value;
}

} // namespace tenon::xla_2017
