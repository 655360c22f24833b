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
  bool any() const { return reported_; }

private:
  mlir::Location location_;
  bool reported_ = false;
  mlir::ScopedDiagnosticHandler handler_;
};

// A position in a stretch of a file. Offsets are those in the whole file, for messages and for alignment.
class BytecodeStream {
public:
  BytecodeStream(llvm::ArrayRef<uint8_t> data, size_t offset, BytecodeErrors &errors)
      : data_(data), offset_(offset), errors_(&errors) {}

  bool empty() const { return data_.empty(); }
  size_t remaining() const { return data_.size(); }
  llvm::ArrayRef<uint8_t> rest() const { return data_; }
  size_t position() const { return offset_; }
  BytecodeErrors &getErrors() const { return *errors_; }

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
  llvm::ArrayRef<uint8_t> data_;
  size_t offset_;
  BytecodeErrors *errors_;
};

} // namespace tenon::frontend
