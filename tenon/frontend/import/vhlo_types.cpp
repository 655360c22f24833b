#include "tenon/frontend/import/dialect_bytecode.h"
#include "tenon/ir/stablehlo.h"

#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/IR/BuiltinTypes.h"

namespace tenon::frontend {

using llvm::failed;
using mlir::DialectBytecodeReader;
using mlir::IntegerType;
using mlir::Type;

namespace {

enum TypeCode : uint64_t {
  kBoolean = 0,
  kComplex = 1,
  kBF16 = 2,
  kF16 = 3,
  kF32 = 4,
  kF64 = 5,
  kF8E4M3FN = 6,
  kF8E5M2 = 7,
  kFunction = 8,
  kIndex = 9,
  kSI4 = 10,
  kSI8 = 11,
  kSI16 = 12,
  kSI32 = 13,
  kSI64 = 14,
  kUI4 = 15,
  kUI8 = 16,
  kUI16 = 17,
  kUI32 = 18,
  kUI64 = 19,
  kRankedTensor = 20,
  kRankedTensorWithEncoding = 21,
  kToken = 22,
  kTuple = 23,
  kUniformQuantized = 24,
  kUnrankedTensor = 25,
  kWitness = 26,
  kF8E4M3FNUZ = 27,
  kF8E5M2FNUZ = 28,
  kF8E4M3B11FNUZ = 29,
  kUniformQuantizedPerAxis = 30,
  kSI2 = 31,
  kUI2 = 32,
  kNone = 33,
  kTF32 = 34,
  kF8E4M3 = 35,
  kF8E3M4 = 36,
  kF4E2M1FN = 37,
  kF6E2M3FN = 38,
  kF6E3M2FN = 39,
  kF8E8M0FNU = 40,
  kRankedBuffer = 41,
  kFuture = 42,
};

// Types without parameters; null for the others.
Type simpleType(uint64_t code, mlir::MLIRContext *context) {
  auto integer = [&](unsigned width) { return IntegerType::get(context, width); };
  auto unsignedInteger = [&](unsigned width) { return IntegerType::get(context, width, IntegerType::Unsigned); };
  switch (code) {
  case kBoolean:
    return integer(1);
  case kSI2:
    return integer(2);
  case kSI4:
    return integer(4);
  case kSI8:
    return integer(8);
  case kSI16:
    return integer(16);
  case kSI32:
    return integer(32);
  case kSI64:
    return integer(64);
  case kUI2:
    return unsignedInteger(2);
  case kUI4:
    return unsignedInteger(4);
  case kUI8:
    return unsignedInteger(8);
  case kUI16:
    return unsignedInteger(16);
  case kUI32:
    return unsignedInteger(32);
  case kUI64:
    return unsignedInteger(64);
  case kIndex:
    return mlir::IndexType::get(context);
  case kNone:
    return mlir::NoneType::get(context);
  case kToken:
    return stablehlo::TokenType::get(context);
  case kBF16:
    return mlir::BFloat16Type::get(context);
  case kF16:
    return mlir::Float16Type::get(context);
  case kTF32:
    return mlir::FloatTF32Type::get(context);
  case kF32:
    return mlir::Float32Type::get(context);
  case kF64:
    return mlir::Float64Type::get(context);
  case kF4E2M1FN:
    return mlir::Float4E2M1FNType::get(context);
  case kF6E2M3FN:
    return mlir::Float6E2M3FNType::get(context);
  case kF6E3M2FN:
    return mlir::Float6E3M2FNType::get(context);
  case kF8E3M4:
    return mlir::Float8E3M4Type::get(context);
  case kF8E4M3:
    return mlir::Float8E4M3Type::get(context);
  case kF8E4M3FN:
    return mlir::Float8E4M3FNType::get(context);
  case kF8E4M3FNUZ:
    return mlir::Float8E4M3FNUZType::get(context);
  case kF8E4M3B11FNUZ:
    return mlir::Float8E4M3B11FNUZType::get(context);
  case kF8E5M2:
    return mlir::Float8E5M2Type::get(context);
  case kF8E5M2FNUZ:
    return mlir::Float8E5M2FNUZType::get(context);
  case kF8E8M0FNU:
    return mlir::Float8E8M0FNUType::get(context);
  default:
    return {};
  }
}

Type readShapedType(DialectBytecodeReader &reader, uint64_t code) {
  mlir::Attribute encoding;
  if (code == kRankedTensorWithEncoding && failed(reader.readAttribute(encoding)))
    return {};
  llvm::SmallVector<int64_t> shape;
  Type element;
  if (code != kUnrankedTensor && failed(readShape(reader, shape)))
    return {};
  if (failed(reader.readType(element)))
    return {};
  if (code == kRankedTensor || code == kRankedTensorWithEncoding)
    return makeTensorType(reader, shape, element, encoding);
  if (!mlir::TensorType::isValidElementType(element))
    return reader.emitError("a tensor cannot have elements of type ") << element, Type();
  if (code == kUnrankedTensor)
    return mlir::UnrankedTensorType::get(element);
  return mlir::MemRefType::getChecked([&] { return reader.emitError(); }, shape, element);
}

Type readCompositeType(DialectBytecodeReader &reader, uint64_t code) {
  mlir::MLIRContext *context = reader.getContext();
  llvm::SmallVector<Type> types, results;
  if (code == kComplex) {
    Type element;
    if (failed(reader.readType(element)))
      return {};
    return mlir::ComplexType::getChecked([&] { return reader.emitError(); }, element);
  }
  if (failed(readTypes(reader, types)))
    return {};
  if (code == kTuple)
    return mlir::TupleType::get(context, types);
  if (code == kFuture)
    return stablehlo::FutureType::get(context, types);
  if (failed(readTypes(reader, results)))
    return {};
  return mlir::FunctionType::get(context, types, results);
}

} // namespace

Type readVhloType(DialectBytecodeReader &reader) {
  uint64_t code;
  if (failed(reader.readVarInt(code)))
    return {};
  if (Type type = simpleType(code, reader.getContext()))
    return type;
  switch (code) {
  case kRankedTensor:
  case kRankedTensorWithEncoding:
  case kUnrankedTensor:
  case kRankedBuffer:
    return readShapedType(reader, code);
  case kComplex:
  case kTuple:
  case kFuture:
  case kFunction:
    return readCompositeType(reader, code);
  case kUniformQuantized:
    return readUniformQuantizedType(reader);
  case kUniformQuantizedPerAxis:
    return readUniformQuantizedPerAxisType(reader);
  case kWitness:
    return reader.emitError("shape witnesses are not supported"), Type();
  default:
    return reader.emitError("unknown VHLO type code ") << code << "; the artifact may be newer than StableHLO 1.20",
           Type();
  }
}

} // namespace tenon::frontend
