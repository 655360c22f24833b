// Encodings that StableHLO and VHLO share. All return null after an error.
#pragma once

#include "mlir/Bytecode/BytecodeImplementation.h"

namespace tenon::frontend {

mlir::Attribute readOutputOperandAlias(mlir::DialectBytecodeReader &reader);
mlir::Attribute readTypeExtensions(mlir::DialectBytecodeReader &reader);
mlir::Attribute readResultAccuracy(mlir::DialectBytecodeReader &reader);
mlir::Attribute readSubAxisInfo(mlir::DialectBytecodeReader &reader);
// Makes a mesh of attributes that have been read.
mlir::Attribute makeMesh(mlir::DialectBytecodeReader &reader, mlir::ArrayAttr axes,
                         mlir::DenseIntElementsAttr deviceIds);

// The numbers of enumerations are the same in both dialects.
template <typename AttributeT, typename EnumT>
mlir::Attribute readEnum(mlir::DialectBytecodeReader &reader, std::optional<EnumT> (*symbolize)(uint32_t)) {
  uint64_t value;
  if (llvm::failed(reader.readVarInt(value)))
    return {};
  std::optional<EnumT> symbol;
  if (value <= UINT32_MAX)
    symbol = symbolize(static_cast<uint32_t>(value));
  if (!symbol)
    return reader.emitError("unknown value ") << value << " of " << llvm::getTypeName<EnumT>(), mlir::Attribute();
  return AttributeT::get(reader.getContext(), *symbol);
}

} // namespace tenon::frontend
