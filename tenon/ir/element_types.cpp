#include "tenon/ir/element_types.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/TypeSwitch.h"

namespace tenon::ir {

using mlir::ComplexType;
using mlir::IntegerType;
using mlir::Type;
using mlir::quant::QuantizedType;

static ElementType integerOf(unsigned width, bool isUnsigned) {
  ElementKind kind = width == 1 ? ElementKind::kBool : isUnsigned ? ElementKind::kUnsigned : ElementKind::kSigned;
  for (const ElementTypeInfo &info : elementTypes())
    if (info.kind == kind && info.bits == width)
      return info.type;
  return ElementType::kInvalid;
}

static ElementType complexOf(Type part) {
#define TENON_COMPLEX(enumerator, name, xla, number, itsPart, numpy)                                                   \
  if (toElementType(part) == ElementType::itsPart)                                                                     \
    return ElementType::enumerator;
#include "tenon/support/element_types.def"
  return ElementType::kInvalid;
}

ElementType toElementType(Type type) {
  return llvm::TypeSwitch<Type, ElementType>(type)
      .Case([](IntegerType integer) { return integerOf(integer.getWidth(), integer.isUnsigned()); })
      .Case([](QuantizedType quantized) {
        return integerOf(quantized.getStorageTypeIntegralWidth(), !quantized.isSigned());
      })
      .Case([](ComplexType complex) { return complexOf(complex.getElementType()); })
#define TENON_FLOAT(xla, name, number, exponentBits, mantissaBits, bias, special, mlirType, llvm, dlpack, numpy)       \
  .Case([](mlir::mlirType) { return ElementType::k##xla; })
#include "tenon/support/element_types.def"
      .Default([](Type) { return ElementType::kInvalid; });
}

Type fromElementType(mlir::MLIRContext *context, ElementType type) {
  switch (type) {
#define TENON_INTEGER(enumerator, name, xla, number, kind, bits, numpy)                                                \
  case ElementType::enumerator:                                                                                        \
    return IntegerType::get(                                                                                           \
        context, bits, ElementKind::kind == ElementKind::kUnsigned ? IntegerType::Unsigned : IntegerType::Signless);
#define TENON_FLOAT(xla, name, number, exponentBits, mantissaBits, bias, special, mlirType, llvm, dlpack, numpy)       \
  case ElementType::k##xla:                                                                                            \
    return mlir::mlirType::get(context);
#define TENON_COMPLEX(enumerator, name, xla, number, part, numpy)                                                      \
  case ElementType::enumerator:                                                                                        \
    return ComplexType::get(fromElementType(context, ElementType::part));
#include "tenon/support/element_types.def"
  case ElementType::kToken:
  case ElementType::kInvalid:
    return {};
  }
  return {};
}

static bool hasNegativeZero(const llvm::fltSemantics &format) {
  return llvm::APFloat::semanticsHasSignedRepr(format) && llvm::APFloat::getZero(format, true).isNegative();
}

bool convertsExactly(mlir::Type from, mlir::Type to) {
  auto fromInteger = llvm::dyn_cast<mlir::IntegerType>(from), toInteger = llvm::dyn_cast<mlir::IntegerType>(to);
  auto fromFloat = llvm::dyn_cast<mlir::FloatType>(from), toFloat = llvm::dyn_cast<mlir::FloatType>(to);
  auto isUnsigned = [](mlir::IntegerType type) { return type.isUnsigned() || type.getWidth() == 1; };
  if (fromInteger && toInteger) {
    if (isUnsigned(fromInteger))
      return fromInteger.getWidth() + (isUnsigned(toInteger) ? 0 : 1) <= toInteger.getWidth();
    return !isUnsigned(toInteger) && fromInteger.getWidth() <= toInteger.getWidth();
  }
  if (!toFloat)
    return false;
  const llvm::fltSemantics &wide = toFloat.getFloatSemantics();
  int precision = static_cast<int>(llvm::APFloat::semanticsPrecision(wide));
  if (fromInteger) {
    int bits = static_cast<int>(fromInteger.getWidth()) - (isUnsigned(fromInteger) ? 0 : 1);
    return bits <= precision && bits <= llvm::APFloat::semanticsMaxExponent(wide);
  }
  if (!fromFloat)
    return false;
  const llvm::fltSemantics &narrow = fromFloat.getFloatSemantics();
  auto leastExponent = [](const llvm::fltSemantics &semantics) {
    return llvm::APFloat::semanticsMinExponent(semantics) -
           static_cast<int>(llvm::APFloat::semanticsPrecision(semantics)) + 1;
  };
  return static_cast<int>(llvm::APFloat::semanticsPrecision(narrow)) <= precision &&
         llvm::APFloat::semanticsMaxExponent(narrow) <= llvm::APFloat::semanticsMaxExponent(wide) &&
         leastExponent(narrow) >= leastExponent(wide) &&
         (llvm::APFloat::semanticsHasInf(wide) || !llvm::APFloat::semanticsHasInf(narrow)) &&
         (llvm::APFloat::semanticsHasNaN(wide) || !llvm::APFloat::semanticsHasNaN(narrow)) &&
         (hasNegativeZero(wide) || !hasNegativeZero(narrow));
}

} // namespace tenon::ir
