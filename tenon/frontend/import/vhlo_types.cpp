#include "tenon/frontend/import/dialect_bytecode.h"
#include "tenon/frontend/import/vhlo_encoding.h"
#include "tenon/ir/stablehlo.h"

#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/IR/BuiltinTypes.h"

namespace tenon::frontend {

using llvm::failed;
using mlir::DialectBytecodeReader;
using mlir::Type;

using enum VhloTypeCode;

namespace {

Type readShapedType(DialectBytecodeReader &reader, VhloTypeCode code) {
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

Type readCompositeType(DialectBytecodeReader &reader, VhloTypeCode code) {
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
  const auto *simple = llvm::find_if(vhloSimpleTypes(), [&](auto &row) { return row.code == VhloTypeCode(code); });
  if (simple != vhloSimpleTypes().end())
    return simple->get(reader.getContext());
  switch (VhloTypeCode(code)) {
  case kRankedTensor:
  case kRankedTensorWithEncoding:
  case kUnrankedTensor:
  case kRankedBuffer:
    return readShapedType(reader, VhloTypeCode(code));
  case kComplex:
  case kTuple:
  case kFuture:
  case kFunction:
    return readCompositeType(reader, VhloTypeCode(code));
  case kUniformQuantized:
    return readUniformQuantizedType(reader);
  case kUniformQuantizedPerAxis:
    return readUniformQuantizedPerAxisType(reader);
  case kWitness:
    return reader.emitError("shape witnesses are not supported"), Type();
  default:
    return reader.emitError("unknown VHLO type code ") << code << "; the artifact may be newer than it says", Type();
  }
}

} // namespace tenon::frontend
