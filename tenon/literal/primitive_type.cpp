#include "tenon/literal/primitive_type.h"
#include "tenon/support/shown.h"

#include <algorithm>
#include <cctype>
#include <limits>

namespace tenon::xla_2017 {

using tenon::ElementKind;
using tenon::ElementType;
using tenon::ElementTypeInfo;

namespace internal {
namespace {

template <typename T> void put(T value, unsigned char *bytes) { std::memcpy(bytes, &value, sizeof value); }

template <typename T> void putFloat(Special which, unsigned char *bytes) {
  constexpr T kInfinity = std::numeric_limits<T>::infinity();
  put(which == Special::kZero     ? T(0)
      : which == Special::kOne    ? T(1)
      : which == Special::kLowest ? -kInfinity
                                  : kInfinity,
      bytes);
}

std::uint32_t smallFloat(const tenon::FloatFormat &format, Special which) {
  using Kind = tenon::FloatFormat::Special;
  if (which == Special::kZero || which == Special::kOne)
    return encodeFloat(format, which == Special::kOne);
  // Infinity is one above the largest finite value.
  std::uint32_t highest = maxFiniteCode(format) + (format.special == Kind::Ieee);
  if (which == Special::kHighest)
    return highest;
  return format.special == Kind::Scale ? 0 : highest | 1u << (format.bits() - 1);
}

std::uint64_t integer(const ElementTypeInfo &info, Special which) {
  bool isSigned = info.kind == ElementKind::kSigned;
  std::uint64_t highest = ~std::uint64_t{0} >> (64 - info.bits + isSigned);
  switch (which) {
  case Special::kZero:
    return 0;
  case Special::kOne:
    // s2 has -2 ... 1.
    return 1;
  case Special::kLowest:
    return isSigned ? ~highest : 0;
  case Special::kHighest:
    return highest;
  }
  return 0;
}

unsigned char canonicalByte(const ElementTypeInfo &info, unsigned char byte) {
  if (info.kind == ElementKind::kBool)
    return byte != 0;
  auto low = static_cast<unsigned char>(byte << (8 - info.bits));
  return static_cast<unsigned char>(info.kind == ElementKind::kSigned ? static_cast<signed char>(low) >> (8 - info.bits)
                                                                      : low >> (8 - info.bits));
}

} // namespace

TENON_SHOWN const ElementTypeInfo *findType(PrimitiveType type) {
  const ElementTypeInfo &info = elementTypeInfo(tenon::elementTypeOf(type));
  return info.kind == ElementKind::kNone ? nullptr : &info;
}

bool specialValue(const ElementTypeInfo &info, Special which, unsigned char *bytes) {
  if (info.kind == ElementKind::kComplex) {
    if (which == Special::kLowest || which == Special::kHighest)
      return false;
    std::fill_n(bytes, info.bytes, 0);
    if (info.type == ElementType::kComplexF32)
      putFloat<float>(which, bytes);
    else
      putFloat<double>(which, bytes);
  } else if (info.type == ElementType::kF64) {
    putFloat<double>(which, bytes);
  } else if (info.type == ElementType::kF32) {
    putFloat<float>(which, bytes);
  } else {
    std::uint64_t bits = info.kind == ElementKind::kFloat ? smallFloat(info.format, which) : integer(info, which);
    std::memcpy(bytes, &bits, static_cast<size_t>(info.bytes));
  }
  return true;
}

TENON_SHOWN bool allCanonical(const ElementTypeInfo &info, const void *bytes, int64 size) {
  if (info.bits >= 8)
    return true;
  auto *at = static_cast<const unsigned char *>(bytes);
  return std::all_of(at, at + size, [&](unsigned char byte) { return byte == canonicalByte(info, byte); });
}

void makeCanonical(const ElementTypeInfo &info, void *bytes, int64 size) {
  if (info.bits >= 8)
    return;
  auto *at = static_cast<unsigned char *>(bytes);
  std::transform(at, at + size, at, [&](unsigned char byte) { return canonicalByte(info, byte); });
}

} // namespace internal

using internal::findType;

std::string PrimitiveTypeName(PrimitiveType type) {
  if (auto *info = findType(type))
    return info->xlaName;
  switch (type) {
  case TUPLE:
    return "tuple";
  case TOKEN:
    return "token";
  case OPAQUE_TYPE:
    return "opaque";
  default:
    return "invalid";
  }
}

StatusOr<PrimitiveType> ParsePrimitiveType(tensorflow::StringPiece name) {
  for (const ElementTypeInfo &info : tenon::elementTypes())
    if (name == info.xlaName)
      return tenon::primitiveTypeOf(info.type);
  for (PrimitiveType type : {TUPLE, TOKEN, OPAQUE_TYPE})
    if (name == PrimitiveTypeName(type))
      return type;
  return tenon::invalidArgument("no element type is called '" + std::string(name) + "'");
}

static bool isOfKind(PrimitiveType type, ElementKind kind) {
  auto *info = findType(type);
  return info && info->kind == kind;
}

bool IsFloatType(PrimitiveType type) { return isOfKind(type, ElementKind::kFloat); }
bool IsComplexType(PrimitiveType type) { return isOfKind(type, ElementKind::kComplex); }
bool IsSignedIntegerType(PrimitiveType type) { return isOfKind(type, ElementKind::kSigned); }
bool IsUnsignedIntegerType(PrimitiveType type) { return isOfKind(type, ElementKind::kUnsigned); }

namespace types_internal {

static const tenon::FloatFormat &formatOf(PrimitiveType type) {
  auto *info = findType(type);
  if (!info || info->kind != ElementKind::kFloat || info->bits > 16)
    tenon::dieBecauseOf(tenon::internalError(PrimitiveTypeName(type) + " is no float of at most 16 bits"));
  return info->format;
}

std::uint16_t encode(PrimitiveType type, double value) {
  return static_cast<std::uint16_t>(encodeFloat(formatOf(type), value));
}

double decode(PrimitiveType type, std::uint16_t code) {
  const tenon::FloatFormat &format = formatOf(type);
  return decodeFloat(format, code & ((1u << format.bits()) - 1));
}

} // namespace types_internal
} // namespace tenon::xla_2017
