#include "tenon/interpreter/element_type.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/BuiltinTypes.h"

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

// The formats of the element types F4E2M1FN to F16, in their order.
constexpr FloatFormat kFormats[] = {
    float_format::kF4E2M1FN, float_format::kF6E2M3FN,   float_format::kF6E3M2FN,   float_format::kF8E3M4,
    float_format::kF8E4M3,   float_format::kF8E4M3FN,   float_format::kF8E4M3FNUZ, float_format::kF8E4M3B11FNUZ,
    float_format::kF8E5M2,   float_format::kF8E5M2FNUZ, float_format::kF8E8M0FNU,  float_format::kBF16,
    float_format::kF16,
};

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

} // namespace tenon::interpreter
