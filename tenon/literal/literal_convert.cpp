#include "tenon/literal.h"
#include "tenon/literal/primitive_type.h"
#include "tenon/literal/storage.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace tenon::xla_2017 {
namespace {

using tenon::ElementKind;
using tenon::ElementType;
using tenon::ElementTypeInfo;

// The exact value of an element that is being converted.
struct Number {
  // The value of an integer or PRED.
  bool negative = false;
  std::uint64_t magnitude = 0;
  // The value of a float or complex number.
  double real = 0, imaginary = 0;
};

// Elements are converted in pieces of this many, so that the element types are dispatched on once for each piece.
constexpr int64 kPiece = 256;

template <typename T, typename Fn> void load(const void *from, int64 count, Number *to, Fn fn) {
  for (int64 i = 0; i < count; ++i) {
    T value;
    std::memcpy(&value, static_cast<const char *>(from) + i * int64(sizeof(T)), sizeof(T));
    to[i] = fn(value);
  }
}

template <typename T> void loadInteger(const void *from, int64 count, Number *to) {
  load<T>(from, count, to, [](T value) {
    auto bits = static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
    return Number{value < 0, value < 0 ? -bits : bits, 0, 0};
  });
}

template <typename T> void loadFloat(const void *from, int64 count, Number *to) {
  load<T>(from, count, to, [](T value) { return Number{false, 0, value, 0}; });
}

void loadNumbers(const ElementTypeInfo &info, const void *from, int64 count, Number *to) {
  switch (info.kind) {
  case ElementKind::kBool:
    return loadInteger<std::uint8_t>(from, count, to);
  case ElementKind::kSigned:
    switch (info.bytes) {
    case 1:
      return loadInteger<std::int8_t>(from, count, to);
    case 2:
      return loadInteger<std::int16_t>(from, count, to);
    case 4:
      return loadInteger<std::int32_t>(from, count, to);
    default:
      return loadInteger<std::int64_t>(from, count, to);
    }
  case ElementKind::kUnsigned:
    switch (info.bytes) {
    case 1:
      return loadInteger<std::uint8_t>(from, count, to);
    case 2:
      return loadInteger<std::uint16_t>(from, count, to);
    case 4:
      return loadInteger<std::uint32_t>(from, count, to);
    default:
      return loadInteger<std::uint64_t>(from, count, to);
    }
  case ElementKind::kFloat: {
    auto decode = [&](std::uint16_t code) { return Number{false, 0, decodeFloat(info.format, code), 0}; };
    if (info.type == ElementType::kF64)
      return loadFloat<double>(from, count, to);
    if (info.type == ElementType::kF32)
      return loadFloat<float>(from, count, to);
    return info.bytes == 1 ? load<std::uint8_t>(from, count, to, decode) : load<std::uint16_t>(from, count, to, decode);
  }
  case ElementKind::kComplex:
    if (info.type == ElementType::kComplexF32)
      return load<complex64>(from, count, to,
                             [](complex64 value) { return Number{false, 0, value.real(), value.imag()}; });
    return load<complex128>(from, count, to,
                            [](complex128 value) { return Number{false, 0, value.real(), value.imag()}; });
  case ElementKind::kNone:
    break;
  }
}

// Bits of an integer type, the upper ones extended.
std::uint64_t integerBits(const ElementTypeInfo &to, bool fromFloat, const Number &number) {
  bool isSigned = to.kind == ElementKind::kSigned;
  int spare = 64 - to.bits;
  std::uint64_t bits = number.negative ? -number.magnitude : number.magnitude;
  if (fromFloat) {
    double value = std::trunc(number.real), limit = std::ldexp(1.0, to.bits - isSigned);
    std::uint64_t highest = ~std::uint64_t{0} >> (spare + isSigned);
    if (std::isnan(value))
      return 0;
    if (value >= limit)
      return highest;
    if (value < 0)
      return !isSigned ? 0 : value <= -limit ? ~highest : static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
    return static_cast<std::uint64_t>(value);
  }
  return isSigned ? static_cast<std::uint64_t>(static_cast<std::int64_t>(bits << spare) >> spare)
                  : bits << spare >> spare;
}

// The number as a double that rounds once more to what it should: to double itself it is rounded here.
double realOf(const ElementTypeInfo &to, bool fromFloat, const Number &number) {
  if (fromFloat)
    return number.real;
  double value = to.type == ElementType::kF64 || to.type == ElementType::kComplexF64
                     ? static_cast<double>(number.magnitude)
                     : tenon::roundToOdd(number.magnitude);
  return number.negative ? -value : value;
}

std::uint32_t smallFloat(const tenon::FloatFormat &format, double value) {
  // A format without NaN has a zero in its place, with the sign that ml_dtypes gives it.
  if (format.special == tenon::FloatFormat::Special::Finite && std::isnan(value))
    value = std::signbit(value) ? 0.0 : -0.0;
  return encodeFloat(format, value);
}

template <typename T, typename Fn> void store(void *to, int64 count, const Number *from, Fn fn) {
  for (int64 i = 0; i < count; ++i) {
    T value = static_cast<T>(fn(from[i]));
    std::memcpy(static_cast<char *>(to) + i * int64(sizeof(T)), &value, sizeof(T));
  }
}

template <typename Fn> void storeBits(int bytes, void *to, int64 count, const Number *from, Fn fn) {
  switch (bytes) {
  case 1:
    return store<std::uint8_t>(to, count, from, fn);
  case 2:
    return store<std::uint16_t>(to, count, from, fn);
  case 4:
    return store<std::uint32_t>(to, count, from, fn);
  default:
    return store<std::uint64_t>(to, count, from, fn);
  }
}

void storeNumbers(const ElementTypeInfo &info, bool fromFloat, void *to, int64 count, const Number *from) {
  auto real = [&](const Number &number) { return realOf(info, fromFloat, number); };
  switch (info.kind) {
  case ElementKind::kBool:
    return store<std::uint8_t>(to, count, from, [&](const Number &number) {
      return number.magnitude != 0 || !(number.real == 0 && number.imaginary == 0);
    });
  case ElementKind::kSigned:
  case ElementKind::kUnsigned:
    return storeBits(info.bytes, to, count, from,
                     [&](const Number &number) { return integerBits(info, fromFloat, number); });
  case ElementKind::kFloat:
    if (info.type == ElementType::kF64)
      return store<double>(to, count, from, real);
    if (info.type == ElementType::kF32)
      return store<float>(to, count, from, real);
    return storeBits(info.bytes, to, count, from,
                     [&](const Number &number) { return smallFloat(info.format, real(number)); });
  case ElementKind::kComplex:
    if (info.type == ElementType::kComplexF32)
      return store<complex64>(to, count, from, [&](const Number &number) {
        return complex64(static_cast<float>(real(number)), static_cast<float>(number.imaginary));
      });
    return store<complex128>(to, count, from,
                             [&](const Number &number) { return complex128(real(number), number.imaginary); });
  case ElementKind::kNone:
    break;
  }
}

} // namespace

StatusOr<Literal> Literal::Convert(PrimitiveType type) const {
  const ElementTypeInfo *from = internal::findType(shape_.element_type()), *to = internal::findType(type);
  if (!from || !to)
    return tenon::invalidArgument("Convert of " + ShapeUtil::HumanString(shape_) + " to " + PrimitiveTypeName(type));
  Shape shape = shape_;
  shape.set_element_type(type);
  TENON_ASSIGN_OR_RETURN(Literal result, Create(shape));
  bool fromFloat = from->kind == ElementKind::kFloat || from->kind == ElementKind::kComplex;
  int64 count = storage_->bytes / from->bytes;
  Number numbers[kPiece];
  // Padding, too, which is simpler than leaving it out; it is then filled again.
  for (int64 i = 0; i < count; i += kPiece) {
    int64 piece = std::min(kPiece, count - i);
    loadNumbers(*from, static_cast<const char *>(storage_->data) + i * from->bytes, piece, numbers);
    storeNumbers(*to, fromFloat, static_cast<char *>(result.storage_->data) + i * to->bytes, piece, numbers);
  }
  internal::fillPadding(shape, result.storage_->data, /*is_zero=*/false);
  return result;
}

} // namespace tenon::xla_2017
