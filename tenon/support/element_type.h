// The element types of arrays, made from the table element_types.def.
#pragma once

#include "tenon/support/float_format.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string_view>

namespace tenon {

// Every element is stored in whole bytes: booleans and the types narrower than a byte take one byte each (sub-byte
// integers sign- or zero-extended, sub-byte floats in the low bits).
enum class ElementType : uint8_t {
  kInvalid,
#define TENON_ELEMENT_TYPE(enumerator, xla) enumerator,
#include "tenon/support/element_types.def"
};

enum class ElementKind : uint8_t { kNone, kBool, kSigned, kUnsigned, kFloat, kComplex };

struct ElementTypeInfo {
  ElementType type;
  const char *name;      // StableHLO's name: "f32", "ui8", "complex<f32>", "i1"
  const char *xlaName;   // XLA's name: "f32", "u8", "c64", "pred"
  const char *numpyName; // the name of NumPy's or ml_dtypes' dtype; null for tokens
  int number;            // the number in xla.proto
  ElementKind kind;      // kNone for tokens and kInvalid
  uint8_t bits;          // the value's width, as bitcast_convert counts it (i1: 1, i4: 4, complex<f32>: 64)
  uint8_t bytes;         // the storage of one element; 0 for tokens
  FloatFormat format;    // the format of a float, or of the parts of a complex number
};

namespace element_type_internal {

// Text in lower case, made by the compiler.
template <size_t size> struct LowerCase {
  char text[size];
  consteval LowerCase(const char (&name)[size]) {
    std::transform(name, name + size, text, [](char c) { return 'A' <= c && c <= 'Z' ? char(c - 'A' + 'a') : c; });
  }
};
template <LowerCase name> inline constexpr const char *lowerCase = name.text;

constexpr ElementTypeInfo describe(ElementType type, const char *name, const char *xlaName, const char *numpyName,
                                   int number, ElementKind kind, unsigned bits, FloatFormat format = {}) {
  unsigned bytes = kind == ElementKind::kNone ? 0 : std::max(bits / 8, 1u);
  return {type, name, xlaName, numpyName, number, kind, uint8_t(bits), uint8_t(bytes), format};
}

#define TENON_FLOAT(xla, name, number, exponentBits, mantissaBits, bias, special, mlir, llvm, dlpack, numpy)           \
  inline constexpr FloatFormat k##xla##Format{exponentBits, mantissaBits, bias, FloatFormat::Special::special};
#include "tenon/support/element_types.def"

// Indexed by ElementType.
inline constexpr ElementTypeInfo kTypes[] = {
    describe(ElementType::kInvalid, "invalid", "invalid", nullptr, 0, ElementKind::kNone, 0),
#define TENON_INTEGER(enumerator, name, xla, number, kind, bits, numpy)                                                \
  describe(ElementType::enumerator, name, lowerCase<#xla>, numpy, number, ElementKind::kind, bits),
#define TENON_FLOAT(xla, name, number, exponentBits, mantissaBits, bias, special, mlir, llvm, dlpack, numpy)           \
  describe(ElementType::k##xla, name, lowerCase<#xla>, numpy, number, ElementKind::kFloat, k##xla##Format.bits(),      \
           k##xla##Format),
#define TENON_COMPLEX(enumerator, name, xla, number, part, numpy)                                                      \
  describe(ElementType::enumerator, name, lowerCase<#xla>, numpy, number, ElementKind::kComplex,                       \
           2 * part##Format.bits(), part##Format),
#define TENON_TOKEN(enumerator, name, xla, number)                                                                     \
  describe(ElementType::enumerator, name, lowerCase<#xla>, nullptr, number, ElementKind::kNone, 0),
#include "tenon/support/element_types.def"
};

} // namespace element_type_internal

constexpr const ElementTypeInfo &elementTypeInfo(ElementType type) {
  return element_type_internal::kTypes[static_cast<size_t>(type)];
}

// All types but kInvalid, which is the first, and tokens, which are the last.
constexpr std::span<const ElementTypeInfo> elementTypes() {
  return std::span(element_type_internal::kTypes).subspan(1, static_cast<size_t>(ElementType::kToken) - 1);
}

constexpr const char *elementTypeName(ElementType type) { return elementTypeInfo(type).name; }
constexpr ElementKind kindOf(ElementType type) { return elementTypeInfo(type).kind; }
constexpr int64_t byteSize(ElementType type) { return elementTypeInfo(type).bytes; }
constexpr unsigned bitWidth(ElementType type) { return elementTypeInfo(type).bits; }
constexpr bool isFloat(ElementType type) { return kindOf(type) == ElementKind::kFloat; }
constexpr bool isComplex(ElementType type) { return kindOf(type) == ElementKind::kComplex; }
// Whether it is a number of fewer than 8 bits. Booleans are no numbers.
constexpr bool isSubByteNumber(ElementType type) { return bitWidth(type) > 1 && bitWidth(type) < 8; }
// The format of a float, or of the parts of a complex number.
constexpr const FloatFormat &floatFormat(ElementType type) { return elementTypeInfo(type).format; }

// The type that has this number in xla.proto; kInvalid if there is none.
constexpr ElementType elementTypeNumbered(int number) {
  auto found = std::ranges::find(element_type_internal::kTypes, number, &ElementTypeInfo::number);
  return found == std::end(element_type_internal::kTypes) ? ElementType::kInvalid : found->type;
}

// The type of a complex number's parts; any other type itself.
constexpr ElementType realType(ElementType type) {
  switch (type) {
#define TENON_COMPLEX(enumerator, name, xla, number, part, numpy)                                                      \
  case ElementType::enumerator:                                                                                        \
    return ElementType::part;
#include "tenon/support/element_types.def"
  default:
    return type;
  }
}

// The type that StableHLO calls so; kInvalid if there is none, and for tokens.
constexpr ElementType elementTypeNamed(std::string_view name) {
  auto found = std::ranges::find(elementTypes(), name, &ElementTypeInfo::name);
  return found == elementTypes().end() ? ElementType::kInvalid : found->type;
}

} // namespace tenon
