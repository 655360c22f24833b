#include "tenon/codegen/common/element_types.h"

#include "tenon/codegen/common/steps.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tenon::codegen {

using program::ElementType;

static ElementType integerType(unsigned width, bool isUnsigned) {
  switch (width) {
  case 1:
    return ElementType::kI1;
  case 2:
    return isUnsigned ? ElementType::kUI2 : ElementType::kI2;
  case 4:
    return isUnsigned ? ElementType::kUI4 : ElementType::kI4;
  case 8:
    return isUnsigned ? ElementType::kUI8 : ElementType::kI8;
  case 16:
    return isUnsigned ? ElementType::kUI16 : ElementType::kI16;
  case 32:
    return isUnsigned ? ElementType::kUI32 : ElementType::kI32;
  case 64:
    return isUnsigned ? ElementType::kUI64 : ElementType::kI64;
  default:
    return ElementType::kInvalid;
  }
}

ElementType programType(Type type) {
  return llvm::TypeSwitch<Type, ElementType>(type)
      .Case([](IntegerType integer) { return integerType(integer.getWidth(), integer.isUnsigned()); })
      .Case([](quant::QuantizedType quantized) {
        return integerType(quantized.getStorageTypeIntegralWidth(), !quantized.isSigned());
      })
      .Case([](Float4E2M1FNType) { return ElementType::kF4E2M1FN; })
      .Case([](Float6E2M3FNType) { return ElementType::kF6E2M3FN; })
      .Case([](Float6E3M2FNType) { return ElementType::kF6E3M2FN; })
      .Case([](Float8E3M4Type) { return ElementType::kF8E3M4; })
      .Case([](Float8E4M3Type) { return ElementType::kF8E4M3; })
      .Case([](Float8E4M3FNType) { return ElementType::kF8E4M3FN; })
      .Case([](Float8E4M3FNUZType) { return ElementType::kF8E4M3FNUZ; })
      .Case([](Float8E4M3B11FNUZType) { return ElementType::kF8E4M3B11FNUZ; })
      .Case([](Float8E5M2Type) { return ElementType::kF8E5M2; })
      .Case([](Float8E5M2FNUZType) { return ElementType::kF8E5M2FNUZ; })
      .Case([](Float8E8M0FNUType) { return ElementType::kF8E8M0FNU; })
      .Case([](BFloat16Type) { return ElementType::kBF16; })
      .Case([](Float16Type) { return ElementType::kF16; })
      .Case([](Float32Type) { return ElementType::kF32; })
      .Case([](Float64Type) { return ElementType::kF64; })
      .Case([](ComplexType complex) {
        return complex.getElementType().isF32()   ? ElementType::kComplexF32
               : complex.getElementType().isF64() ? ElementType::kComplexF64
                                                  : ElementType::kInvalid;
      })
      .Default([](Type) { return ElementType::kInvalid; });
}

program::Shape programShape(Type type) {
  program::Shape shape;
  if (isToken(type)) {
    shape.type = ElementType::kToken;
  } else if (auto tensor = dyn_cast<RankedTensorType>(type)) {
    shape.type = programType(tensor.getElementType());
    shape.dims.assign(tensor.getShape().begin(), tensor.getShape().end());
  }
  return shape;
}

} // namespace tenon::codegen
