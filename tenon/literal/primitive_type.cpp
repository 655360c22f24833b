#include "tenon/literal/primitive_type.h"

#include <algorithm>
#include <cctype>
#include <limits>

namespace xla {
namespace internal {
namespace {

namespace format = tenon::float_format;

constexpr TypeInfo kTypes[] = {
    {PRED, "pred", Kind::kPred, 1, 1},
    {S2, "s2", Kind::kSigned, 2, 1},
    {S4, "s4", Kind::kSigned, 4, 1},
    {S8, "s8", Kind::kSigned, 8, 1},
    {S16, "s16", Kind::kSigned, 16, 2},
    {S32, "s32", Kind::kSigned, 32, 4},
    {S64, "s64", Kind::kSigned, 64, 8},
    {U2, "u2", Kind::kUnsigned, 2, 1},
    {U4, "u4", Kind::kUnsigned, 4, 1},
    {U8, "u8", Kind::kUnsigned, 8, 1},
    {U16, "u16", Kind::kUnsigned, 16, 2},
    {U32, "u32", Kind::kUnsigned, 32, 4},
    {U64, "u64", Kind::kUnsigned, 64, 8},
    {F4E2M1FN, "f4e2m1fn", Kind::kFloat, 4, 1, &format::kF4E2M1FN},
    {F6E2M3FN, "f6e2m3fn", Kind::kFloat, 6, 1, &format::kF6E2M3FN},
    {F6E3M2FN, "f6e3m2fn", Kind::kFloat, 6, 1, &format::kF6E3M2FN},
    {F8E3M4, "f8e3m4", Kind::kFloat, 8, 1, &format::kF8E3M4},
    {F8E4M3, "f8e4m3", Kind::kFloat, 8, 1, &format::kF8E4M3},
    {F8E4M3FN, "f8e4m3fn", Kind::kFloat, 8, 1, &format::kF8E4M3FN},
    {F8E4M3B11FNUZ, "f8e4m3b11fnuz", Kind::kFloat, 8, 1, &format::kF8E4M3B11FNUZ},
    {F8E4M3FNUZ, "f8e4m3fnuz", Kind::kFloat, 8, 1, &format::kF8E4M3FNUZ},
    {F8E5M2, "f8e5m2", Kind::kFloat, 8, 1, &format::kF8E5M2},
    {F8E5M2FNUZ, "f8e5m2fnuz", Kind::kFloat, 8, 1, &format::kF8E5M2FNUZ},
    {F8E8M0FNU, "f8e8m0fnu", Kind::kFloat, 8, 1, &format::kF8E8M0FNU},
    {BF16, "bf16", Kind::kFloat, 16, 2, &format::kBF16},
    {F16, "f16", Kind::kFloat, 16, 2, &format::kF16},
    {F32, "f32", Kind::kFloat, 32, 4},
    {F64, "f64", Kind::kFloat, 64, 8},
    {C64, "c64", Kind::kComplex, 64, 8},
    {C128, "c128", Kind::kComplex, 128, 16},
};

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

std::uint64_t integer(const TypeInfo &info, Special which) {
  bool isSigned = info.kind == Kind::kSigned;
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

unsigned char canonicalByte(const TypeInfo &info, unsigned char byte) {
  if (info.kind == Kind::kPred)
    return byte != 0;
  auto low = static_cast<unsigned char>(byte << (8 - info.bits));
  return static_cast<unsigned char>(info.kind == Kind::kSigned ? static_cast<signed char>(low) >> (8 - info.bits)
                                                               : low >> (8 - info.bits));
}

} // namespace

const TypeInfo *findType(PrimitiveType type) {
  for (const TypeInfo &info : kTypes)
    if (info.type == type)
      return &info;
  return nullptr;
}

gtl::ArraySlice<TypeInfo> elementTypes() { return kTypes; }

bool specialValue(const TypeInfo &info, Special which, unsigned char *bytes) {
  if (info.kind == Kind::kComplex) {
    if (which == Special::kLowest || which == Special::kHighest)
      return false;
    std::fill_n(bytes, info.bytes, 0);
    if (info.type == C64)
      putFloat<float>(which, bytes);
    else
      putFloat<double>(which, bytes);
  } else if (info.type == F64) {
    putFloat<double>(which, bytes);
  } else if (info.type == F32) {
    putFloat<float>(which, bytes);
  } else {
    std::uint64_t bits = info.format ? smallFloat(*info.format, which) : integer(info, which);
    std::memcpy(bytes, &bits, static_cast<size_t>(info.bytes));
  }
  return true;
}

bool allCanonical(const TypeInfo &info, const void *bytes, int64 size) {
  if (info.bits >= 8)
    return true;
  auto *at = static_cast<const unsigned char *>(bytes);
  return std::all_of(at, at + size, [&](unsigned char byte) { return byte == canonicalByte(info, byte); });
}

void makeCanonical(const TypeInfo &info, void *bytes, int64 size) {
  if (info.bits >= 8)
    return;
  auto *at = static_cast<unsigned char *>(bytes);
  std::transform(at, at + size, at, [&](unsigned char byte) { return canonicalByte(info, byte); });
}

} // namespace internal

using internal::findType;
using internal::Kind;

std::string PrimitiveTypeName(PrimitiveType type) {
  if (auto *info = findType(type))
    return info->name;
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
  for (const internal::TypeInfo &info : internal::elementTypes())
    if (name == info.name)
      return info.type;
  for (PrimitiveType type : {TUPLE, TOKEN, OPAQUE_TYPE})
    if (name == PrimitiveTypeName(type))
      return type;
  return tenon::invalidArgument("no element type is called '" + std::string(name) + "'");
}

static bool isOfKind(PrimitiveType type, Kind kind) {
  auto *info = findType(type);
  return info && info->kind == kind;
}

bool IsFloatType(PrimitiveType type) { return isOfKind(type, Kind::kFloat); }
bool IsComplexType(PrimitiveType type) { return isOfKind(type, Kind::kComplex); }
bool IsSignedIntegerType(PrimitiveType type) { return isOfKind(type, Kind::kSigned); }
bool IsUnsignedIntegerType(PrimitiveType type) { return isOfKind(type, Kind::kUnsigned); }

namespace types_internal {

static const tenon::FloatFormat &formatOf(PrimitiveType type) {
  auto *info = findType(type);
  if (!info || !info->format)
    tenon::dieBecauseOf(tenon::internalError(PrimitiveTypeName(type) + " is no float of at most 16 bits"));
  return *info->format;
}

std::uint16_t encode(PrimitiveType type, double value) {
  return static_cast<std::uint16_t>(encodeFloat(formatOf(type), value));
}

double decode(PrimitiveType type, std::uint16_t code) {
  const tenon::FloatFormat &format = formatOf(type);
  return decodeFloat(format, code & ((1u << format.bits()) - 1));
}

} // namespace types_internal
} // namespace xla
