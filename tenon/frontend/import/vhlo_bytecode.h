// Decoding of VHLO's attributes and types. The codes are the format: they never change their meaning.
#pragma once

#include "mlir/IR/Attributes.h"
#include "mlir/IR/Types.h"

namespace mlir {
class DialectBytecodeReader;
}

namespace tenon::frontend {

// Null on failure, after an error has been emitted through the reader.
mlir::Attribute readVhloAttribute(mlir::DialectBytecodeReader &reader);
mlir::Type readVhloType(mlir::DialectBytecodeReader &reader);

} // namespace tenon::frontend
