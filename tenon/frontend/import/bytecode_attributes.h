// Attributes and types of a bytecode file, decoded when first asked for.
#pragma once

#include "tenon/frontend/import/bytecode_container.h"
#include "tenon/frontend/import/part_counter.h"

#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/IR/Location.h"

namespace tenon::frontend {

class BytecodeAttributes {
public:
  BytecodeAttributes(const BytecodeContainer &container, BytecodeErrors &errors, mlir::MLIRContext *context);

  // Null after an error.
  mlir::Attribute attribute(uint64_t index);
  mlir::Type type(uint64_t index);

  // The reader that dialects decode their attributes and types with.
  class Reader;

  const BytecodeContainer &container;
  BytecodeErrors &errors;
  mlir::MLIRContext *context;

private:
  template <typename T> struct Slot {
    T value;
    bool inProgress = false;
  };
  template <typename T>
  T resolve(llvm::MutableArrayRef<Slot<T>> slots, llvm::ArrayRef<BytecodeEntry> entries, uint64_t index);
  template <typename T> T decode(const BytecodeEntry &entry);
  template <typename T> T decodeCustom(const BytecodeEntry &entry, Reader &reader);
  mlir::Attribute readDenseResource(Reader &reader);

  std::vector<Slot<mlir::Attribute>> attributes_;
  std::vector<Slot<mlir::Type>> types_;
  unsigned depth_ = 0;
  PartCounter parts_;
};

class BytecodeAttributes::Reader final : public mlir::DialectBytecodeReader {
public:
  Reader(BytecodeAttributes &attributes, BytecodeStream stream) : attributes_(attributes), stream_(stream) {}

  bool atEnd() const { return stream_.empty(); }
  BytecodeStream &getStream() { return stream_; }
  // A reader of the same file over other bytes.
  Reader over(llvm::ArrayRef<uint8_t> bytes) const {
    return Reader(attributes_, BytecodeStream(bytes, stream_.position(), stream_.getErrors()));
  }

  mlir::InFlightDiagnostic emitError(const llvm::Twine &message) const override {
    return attributes_.errors.emit(message);
  }
  llvm::FailureOr<const mlir::DialectVersion *> getDialectVersion(llvm::StringRef) const override {
    return llvm::failure();
  }
  mlir::MLIRContext *getContext() const override { return attributes_.context; }
  uint64_t getBytecodeVersion() const override { return attributes_.container.version; }

  using DialectBytecodeReader::readAttribute;
  using DialectBytecodeReader::readOptionalAttribute;
  using DialectBytecodeReader::readType;
  llvm::LogicalResult readAttribute(mlir::Attribute &result) override;
  llvm::LogicalResult readOptionalAttribute(mlir::Attribute &result) override;
  llvm::LogicalResult readType(mlir::Type &result) override;
  llvm::LogicalResult readVarInt(uint64_t &result) override { return stream_.readVarInt(result); }
  llvm::LogicalResult readSignedVarInt(int64_t &result) override { return stream_.readSignedVarInt(result); }
  llvm::FailureOr<llvm::APInt> readAPIntWithKnownWidth(unsigned bitWidth) override;
  llvm::FailureOr<llvm::APFloat> readAPFloatWithKnownSemantics(const llvm::fltSemantics &semantics) override;
  llvm::LogicalResult readString(llvm::StringRef &result) override;
  llvm::LogicalResult readBlob(llvm::ArrayRef<char> &result) override;
  llvm::LogicalResult readBool(bool &result) override;

private:
  llvm::FailureOr<mlir::AsmDialectResourceHandle> readResourceHandle() override {
    emitError("resources are not supported");
    return llvm::failure();
  }

  BytecodeAttributes &attributes_;
  BytecodeStream stream_;
};

} // namespace tenon::frontend
