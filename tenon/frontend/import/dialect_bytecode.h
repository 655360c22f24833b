// Decoding of the attributes and types of each dialect that programs are stored in. The codes are the format: they
// never change their meaning. All functions return null after an error has been emitted through the reader.
#pragma once

#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/IR/Attributes.h"
#include "mlir/IR/Types.h"

namespace tenon::frontend {

// Portable artifacts: decoded straight to builtin's and StableHLO's attributes and types.
mlir::Attribute readVhloAttribute(mlir::DialectBytecodeReader &reader);
mlir::Type readVhloType(mlir::DialectBytecodeReader &reader);

// All but constants in resources, which need the file's table of them.
inline constexpr uint64_t kDenseResourceCode = 16;
mlir::Attribute readBuiltinAttribute(mlir::DialectBytecodeReader &reader);
mlir::Type readBuiltinType(mlir::DialectBytecodeReader &reader);

mlir::Attribute readStablehloAttribute(mlir::DialectBytecodeReader &reader);
mlir::Type readStablehloType(mlir::DialectBytecodeReader &reader);
mlir::Attribute readChloAttribute(mlir::DialectBytecodeReader &reader);
mlir::Attribute readSdyAttribute(mlir::DialectBytecodeReader &reader);

mlir::Type readQuantType(mlir::DialectBytecodeReader &reader);
mlir::Type readUniformQuantizedType(mlir::DialectBytecodeReader &reader);
mlir::Type readUniformQuantizedPerAxisType(mlir::DialectBytecodeReader &reader);

// Helpers. Unlike the reader's own lists these take no memory for counts that a damaged file only claims.
llvm::LogicalResult readIntegers(mlir::DialectBytecodeReader &reader, llvm::SmallVectorImpl<int64_t> &values);
llvm::LogicalResult readTypes(mlir::DialectBytecodeReader &reader, llvm::SmallVectorImpl<mlir::Type> &types);
template <typename AttributeT>
llvm::LogicalResult readAttributes(mlir::DialectBytecodeReader &reader, llvm::SmallVectorImpl<AttributeT> &values) {
  uint64_t count;
  if (llvm::failed(reader.readVarInt(count)))
    return llvm::failure();
  for (; count; --count) {
    AttributeT value;
    if (llvm::failed(reader.readAttribute(value)))
      return llvm::failure();
    values.push_back(value);
  }
  return llvm::success();
}

// Names and values; a name may be neither empty nor repeated.
mlir::Attribute readDictionary(mlir::DialectBytecodeReader &reader);
// Dimensions of a tensor: each a size or dynamic, and not more elements than ir::kMaxElements.
llvm::LogicalResult readShape(mlir::DialectBytecodeReader &reader, llvm::SmallVectorImpl<int64_t> &shape);
// A tensor type whose parts have been read; null after an error.
mlir::Type makeTensorType(mlir::DialectBytecodeReader &reader, llvm::ArrayRef<int64_t> shape, mlir::Type element,
                          mlir::Attribute encoding);
// The elements of a static tensor from the bytes of a blob.
mlir::Attribute makeTensorAttribute(mlir::DialectBytecodeReader &reader, mlir::ShapedType type,
                                    llvm::ArrayRef<char> blob);

} // namespace tenon::frontend
