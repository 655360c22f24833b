// The primitives of MLIR's bytecode, read with every length checked.
#pragma once

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace tenon::frontend {

// Collects the errors of one file and reports only the first, since later ones follow from it. While this object lives,
// it handles all errors of the context.
class BytecodeErrors {
public:
  explicit BytecodeErrors(mlir::Location location);

  mlir::InFlightDiagnostic emit(const llvm::Twine &message);
  bool any() const { return reported; }

private:
  mlir::Location location;
  bool reported = false;
  mlir::ScopedDiagnosticHandler handler;
};

// A position in a stretch of a file. Offsets are those in the whole file, for messages and for alignment.
class BytecodeStream {
public:
  BytecodeStream(llvm::ArrayRef<uint8_t> data, size_t offset, BytecodeErrors &errors)
      : data(data), offset(offset), errors(&errors) {}

  bool empty() const { return data.empty(); }
  size_t remaining() const { return data.size(); }
  llvm::ArrayRef<uint8_t> rest() const { return data; }
  size_t position() const { return offset; }
  BytecodeErrors &getErrors() const { return *errors; }

  llvm::LogicalResult readByte(uint8_t &value);
  llvm::LogicalResult readBytes(uint64_t count, llvm::ArrayRef<uint8_t> &bytes);
  llvm::LogicalResult readVarInt(uint64_t &value);
  // Zig-zag encoded.
  llvm::LogicalResult readSignedVarInt(int64_t &value);
  llvm::LogicalResult readVarIntWithFlag(uint64_t &value, bool &flag);
  // The number of things of which each takes at least one byte of what remains.
  llvm::LogicalResult readCount(uint64_t &count);
  llvm::LogicalResult readCountWithFlag(uint64_t &count, bool &flag);
  llvm::LogicalResult readNullTerminated(llvm::StringRef &text);
  // Skips the padding in front of aligned data.
  llvm::LogicalResult align(uint64_t alignment);
  // A section: its number and a stream over its contents.
  llvm::LogicalResult readSection(uint8_t &id, BytecodeStream &contents);

  // Fails with an error at this position.
  llvm::LogicalResult fail(const llvm::Twine &message);

private:
  llvm::ArrayRef<uint8_t> data;
  size_t offset;
  BytecodeErrors *errors;
};

} // namespace tenon::frontend
