#include "tenon/frontend/import/bytecode_stream.h"

#include "llvm/ADT/bit.h"
#include "llvm/Support/Endian.h"

namespace tenon::frontend {

using llvm::failed;
using llvm::failure;
using llvm::LogicalResult;
using llvm::success;

BytecodeErrors::BytecodeErrors(mlir::Location location)
    : location_(location), handler_(location.getContext(), [this](mlir::Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() != mlir::DiagnosticSeverity::Error)
          return failure();
        // Success means that no other handler sees the diagnostic.
        return success(std::exchange(reported_, true));
      }) {}

mlir::InFlightDiagnostic BytecodeErrors::emit(const llvm::Twine &message) {
  return mlir::emitError(location_) << "malformed bytecode: " << message;
}

LogicalResult BytecodeStream::fail(const llvm::Twine &message) {
  errors_->emit(message + " at byte " + llvm::Twine(offset_));
  return failure();
}

LogicalResult BytecodeStream::readBytes(uint64_t count, llvm::ArrayRef<uint8_t> &bytes) {
  if (count > data_.size())
    return fail("unexpected end");
  bytes = data_.take_front(count);
  data_ = data_.drop_front(count);
  offset_ += count;
  return success();
}

LogicalResult BytecodeStream::readByte(uint8_t &value) {
  llvm::ArrayRef<uint8_t> byte;
  if (failed(readBytes(1, byte)))
    return failure();
  value = byte[0];
  return success();
}

// The number of trailing zeros of the first byte is the number of bytes that follow; a first byte of zero stands
// before eight plain bytes.
LogicalResult BytecodeStream::readVarInt(uint64_t &value) {
  uint8_t first;
  if (failed(readByte(first)))
    return failure();
  if (first & 1) {
    value = first >> 1;
    return success();
  }
  unsigned following = first ? llvm::countr_zero(first) : 8;
  llvm::ArrayRef<uint8_t> bytes;
  if (failed(readBytes(following, bytes)))
    return failure();
  uint8_t word[8] = {};
  std::copy(bytes.begin(), bytes.end(), word);
  uint64_t high = llvm::support::endian::read64le(word);
  value = first ? (high << (7 - following)) | (first >> (following + 1)) : high;
  return success();
}

LogicalResult BytecodeStream::readSignedVarInt(int64_t &value) {
  uint64_t encoded;
  if (failed(readVarInt(encoded)))
    return failure();
  value = static_cast<int64_t>((encoded >> 1) ^ (~(encoded & 1) + 1));
  return success();
}

LogicalResult BytecodeStream::readVarIntWithFlag(uint64_t &value, bool &flag) {
  if (failed(readVarInt(value)))
    return failure();
  flag = value & 1;
  value >>= 1;
  return success();
}

LogicalResult BytecodeStream::readCount(uint64_t &count) {
  if (failed(readVarInt(count)))
    return failure();
  return count > remaining() ? fail("a count beyond the data") : success();
}

LogicalResult BytecodeStream::readCountWithFlag(uint64_t &count, bool &flag) {
  if (failed(readVarIntWithFlag(count, flag)))
    return failure();
  return count > remaining() ? fail("a count beyond the data") : success();
}

LogicalResult BytecodeStream::readNullTerminated(llvm::StringRef &text) {
  auto *end = std::find(data_.begin(), data_.end(), 0);
  if (end == data_.end())
    return fail("a string without end");
  text = llvm::StringRef(reinterpret_cast<const char *>(data_.begin()), end - data_.begin());
  llvm::ArrayRef<uint8_t> bytes;
  return readBytes(text.size() + 1, bytes);
}

LogicalResult BytecodeStream::align(uint64_t alignment) {
  if (!llvm::isPowerOf2_64(alignment) || alignment > 1 << 20)
    return fail("a bad alignment");
  llvm::ArrayRef<uint8_t> padding;
  return readBytes(llvm::alignTo(offset_, alignment) - offset_, padding);
}

LogicalResult BytecodeStream::readSection(uint8_t &id, BytecodeStream &contents) {
  uint8_t idAndAlignment;
  uint64_t length;
  if (failed(readByte(idAndAlignment)) || failed(readVarInt(length)))
    return failure();
  id = idAndAlignment & 0x7F;
  if (idAndAlignment & 0x80) {
    uint64_t alignment;
    if (failed(readVarInt(alignment)) || failed(align(alignment)))
      return failure();
  }
  size_t start = offset_;
  llvm::ArrayRef<uint8_t> bytes;
  if (failed(readBytes(length, bytes)))
    return failure();
  contents = BytecodeStream(bytes, start, *errors_);
  return success();
}

} // namespace tenon::frontend
