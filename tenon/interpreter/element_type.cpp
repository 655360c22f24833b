#include "tenon/interpreter/element_type.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/bit.h"

#include <array>
#include <cmath>
#include <cstring>
#include <limits>

namespace tenon::interpreter {
namespace {

struct TypeInfo {
  Domain domain;
  uint8_t bits;
  uint8_t bytes;
  const char *name;
};

constexpr TypeInfo kTypes[kNumElementTypes] = {
    {Domain::Bool, 1, 1, "i1"},
    {Domain::Signed, 2, 1, "i2"},
    {Domain::Signed, 4, 1, "i4"},
    {Domain::Signed, 8, 1, "i8"},
    {Domain::Signed, 16, 2, "i16"},
    {Domain::Signed, 32, 4, "i32"},
    {Domain::Signed, 64, 8, "i64"},
    {Domain::Unsigned, 2, 1, "ui2"},
    {Domain::Unsigned, 4, 1, "ui4"},
    {Domain::Unsigned, 8, 1, "ui8"},
    {Domain::Unsigned, 16, 2, "ui16"},
    {Domain::Unsigned, 32, 4, "ui32"},
    {Domain::Unsigned, 64, 8, "ui64"},
    {Domain::Float, 4, 1, "f4E2M1FN"},
    {Domain::Float, 6, 1, "f6E2M3FN"},
    {Domain::Float, 6, 1, "f6E3M2FN"},
    {Domain::Float, 8, 1, "f8E3M4"},
    {Domain::Float, 8, 1, "f8E4M3"},
    {Domain::Float, 8, 1, "f8E4M3FN"},
    {Domain::Float, 8, 1, "f8E4M3FNUZ"},
    {Domain::Float, 8, 1, "f8E4M3B11FNUZ"},
    {Domain::Float, 8, 1, "f8E5M2"},
    {Domain::Float, 8, 1, "f8E5M2FNUZ"},
    {Domain::Float, 8, 1, "f8E8M0FNU"},
    {Domain::Float, 16, 2, "bf16"},
    {Domain::Float, 16, 2, "f16"},
    {Domain::Float, 32, 4, "f32"},
    {Domain::Float, 64, 8, "f64"},
    {Domain::Complex, 64, 8, "complex<f32>"},
    {Domain::Complex, 128, 16, "complex<f64>"},
};

const TypeInfo &info(ElementType type) { return kTypes[static_cast<int>(type)]; }

using Special = FloatFormat::Special;
// From F4E2M1FN to F16.
constexpr FloatFormat kFormats[] = {
    {2, 1, 1, Special::Finite}, {2, 3, 1, Special::Finite}, {3, 2, 3, Special::Finite},  {3, 4, 3, Special::Ieee},
    {4, 3, 7, Special::Ieee},   {4, 3, 7, Special::Fn},     {4, 3, 8, Special::Fnuz},    {4, 3, 11, Special::Fnuz},
    {5, 2, 15, Special::Ieee},  {5, 2, 16, Special::Fnuz},  {8, 0, 127, Special::Scale}, {8, 7, 127, Special::Ieee},
    {5, 10, 15, Special::Ieee},
};

uint32_t lowMask(unsigned bits) { return (uint32_t{1} << bits) - 1; }

// The largest code of a finite magnitude.
uint32_t maxFiniteCode(const FloatFormat &format) {
  uint32_t all = lowMask(format.exponentBits + format.mantissaBits);
  switch (format.special) {
  case Special::Ieee:
    return all - lowMask(format.mantissaBits) - 1;
  case Special::Fn:
  case Special::Scale:
    return all - 1;
  case Special::Fnuz:
  case Special::Finite:
    return all;
  }
  return all;
}

// What values beyond the largest finite magnitude become.
uint32_t overflowCode(const FloatFormat &format, uint32_t signBit) {
  uint32_t max = maxFiniteCode(format);
  switch (format.special) {
  case Special::Ieee:
  case Special::Fn:
    return signBit | (max + 1);
  case Special::Fnuz:
    return uint32_t{1} << (format.exponentBits + format.mantissaBits);
  case Special::Scale:
    return max + 1;
  case Special::Finite:
    return signBit | max;
  }
  return max;
}

uint32_t nanCode(const FloatFormat &format, uint32_t signBit) {
  unsigned width = format.exponentBits + format.mantissaBits;
  switch (format.special) {
  case Special::Ieee:
    return signBit | (lowMask(format.exponentBits) << format.mantissaBits) | (1u << (format.mantissaBits - 1));
  case Special::Fn:
    return signBit | lowMask(width);
  case Special::Scale:
    return lowMask(width);
  case Special::Fnuz:
    return uint32_t{1} << width;
  case Special::Finite:
    // No NaN to represent it: zero. (What a NaN that is converted leaves of its sign is the conversion's.)
    return 0;
  }
  return 0;
}

} // namespace

Domain domainOf(ElementType type) { return info(type).domain; }
unsigned bitWidth(ElementType type) { return info(type).bits; }
int64_t byteSize(ElementType type) { return info(type).bytes; }
const char *name(ElementType type) { return info(type).name; }

ElementType realType(ElementType type) {
  return type == ElementType::C64 ? ElementType::F32 : type == ElementType::C128 ? ElementType::F64 : type;
}

static std::optional<ElementType> integerType(unsigned width, bool isUnsigned) {
  switch (width) {
  case 1:
    return ElementType::I1;
  case 2:
    return isUnsigned ? ElementType::U2 : ElementType::S2;
  case 4:
    return isUnsigned ? ElementType::U4 : ElementType::S4;
  case 8:
    return isUnsigned ? ElementType::U8 : ElementType::S8;
  case 16:
    return isUnsigned ? ElementType::U16 : ElementType::S16;
  case 32:
    return isUnsigned ? ElementType::U32 : ElementType::S32;
  case 64:
    return isUnsigned ? ElementType::U64 : ElementType::S64;
  default:
    return std::nullopt;
  }
}

static std::optional<ElementType> quantizedStorage(mlir::quant::QuantizedType type) {
  auto storage = llvm::dyn_cast<mlir::IntegerType>(type.getStorageType());
  if (!storage)
    return std::nullopt;
  return integerType(storage.getWidth(), !type.isSigned());
}

std::optional<ElementType> elementTypeOf(mlir::Type type) {
  using namespace mlir;
  if (auto integer = llvm::dyn_cast<IntegerType>(type))
    return integerType(integer.getWidth(), integer.isUnsigned());
  if (llvm::isa<IndexType>(type))
    return ElementType::S64;
  if (auto complex = llvm::dyn_cast<ComplexType>(type)) {
    if (complex.getElementType().isF32())
      return ElementType::C64;
    if (complex.getElementType().isF64())
      return ElementType::C128;
    return std::nullopt;
  }
  if (auto quantized = llvm::dyn_cast<quant::QuantizedType>(type))
    return quantizedStorage(quantized);
  return llvm::TypeSwitch<Type, std::optional<ElementType>>(type)
      .Case<Float4E2M1FNType>([](auto) { return ElementType::F4E2M1FN; })
      .Case<Float6E2M3FNType>([](auto) { return ElementType::F6E2M3FN; })
      .Case<Float6E3M2FNType>([](auto) { return ElementType::F6E3M2FN; })
      .Case<Float8E3M4Type>([](auto) { return ElementType::F8E3M4; })
      .Case<Float8E4M3Type>([](auto) { return ElementType::F8E4M3; })
      .Case<Float8E4M3FNType>([](auto) { return ElementType::F8E4M3FN; })
      .Case<Float8E4M3FNUZType>([](auto) { return ElementType::F8E4M3FNUZ; })
      .Case<Float8E4M3B11FNUZType>([](auto) { return ElementType::F8E4M3B11FNUZ; })
      .Case<Float8E5M2Type>([](auto) { return ElementType::F8E5M2; })
      .Case<Float8E5M2FNUZType>([](auto) { return ElementType::F8E5M2FNUZ; })
      .Case<Float8E8M0FNUType>([](auto) { return ElementType::F8E8M0FNU; })
      .Case<BFloat16Type>([](auto) { return ElementType::BF16; })
      .Case<Float16Type>([](auto) { return ElementType::F16; })
      .Case<Float32Type>([](auto) { return ElementType::F32; })
      .Case<Float64Type>([](auto) { return ElementType::F64; })
      .Default([](Type) { return std::nullopt; });
}

const FloatFormat &floatFormat(ElementType type) {
  return kFormats[static_cast<int>(type) - static_cast<int>(ElementType::F4E2M1FN)];
}

double decodeFloat(const FloatFormat &format, uint32_t code) {
  unsigned width = format.exponentBits + format.mantissaBits;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  if (format.special == Special::Scale)
    return code == lowMask(width) ? nan : std::ldexp(1.0, static_cast<int>(code) - format.bias);
  bool negative = (code >> width) & 1;
  uint32_t magnitude = code & lowMask(width);
  auto exponent = static_cast<int>(magnitude >> format.mantissaBits);
  uint32_t mantissa = magnitude & lowMask(format.mantissaBits);
  if (format.special == Special::Fnuz && negative && magnitude == 0)
    return nan;
  if (magnitude > maxFiniteCode(format)) {
    double special = format.special == Special::Ieee && mantissa == 0 ? std::numeric_limits<double>::infinity() : nan;
    return std::copysign(special, negative ? -1.0 : 1.0);
  }
  double value = exponent == 0
                     ? std::ldexp(mantissa, 1 - format.bias - format.mantissaBits)
                     : std::ldexp(mantissa + (1u << format.mantissaBits), exponent - format.bias - format.mantissaBits);
  return negative ? -value : value;
}

uint32_t encodeFloat(const FloatFormat &format, double value) {
  unsigned width = format.exponentBits + format.mantissaBits;
  uint32_t signBit = std::signbit(value) ? uint32_t{1} << width : 0;
  if (format.special == Special::Scale) // by way of float, as ml_dtypes does: below its range all is zero, thus NaN
    value = static_cast<float>(value);
  if (std::isnan(value) || (format.special == Special::Scale && value <= 0))
    return nanCode(format, signBit);
  double magnitude = std::fabs(value);
  if (std::isinf(magnitude))
    return overflowCode(format, signBit);
  if (magnitude == 0)
    return format.special == Special::Fnuz ? 0 : signBit;
  int exponent = std::max(std::ilogb(magnitude), 1 - format.bias);
  if (format.special == Special::Scale) {
    // One significant bit and no subnormals: the smallest code stands for 2^-127. Of 1 and 2 the even significand is 2,
    // so a tie goes up.
    exponent = std::ilogb(magnitude);
    if (exponent < -format.bias)
      return 0;
    int code = exponent + format.bias + (std::ldexp(magnitude, -exponent) >= 1.5);
    return std::min<uint32_t>(code, lowMask(width));
  }
  // The magnitude in units of the last place; nearbyint rounds ties to even. A carry into the next binade is right.
  double units = std::nearbyint(std::ldexp(magnitude, format.mantissaBits - exponent));
  int64_t code =
      (static_cast<int64_t>(exponent + format.bias - 1) << format.mantissaBits) + static_cast<int64_t>(units);
  if (code > maxFiniteCode(format))
    return overflowCode(format, signBit);
  return code == 0 && format.special == Special::Fnuz ? 0 : signBit | static_cast<uint32_t>(code);
}

} // namespace tenon::interpreter
