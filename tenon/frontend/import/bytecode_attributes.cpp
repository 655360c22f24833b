#include "tenon/frontend/import/bytecode_attributes.h"
#include "tenon/frontend/import/dialect_bytecode.h"
#include "tenon/frontend/import/sub_byte_constants.h"
#include "tenon/frontend/import/text.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/BuiltinTypes.h"

namespace tenon::frontend {

using llvm::failed;
using llvm::failure;
using llvm::FailureOr;
using llvm::LogicalResult;
using llvm::succeeded;
using llvm::success;
using mlir::Attribute;
using mlir::Type;

namespace {

// Attributes refer to attributes. Locations nest deepest, a level for each frame of the user's call stack.
constexpr unsigned kMaxDepth = 600;

Attribute parseText(llvm::StringRef text, mlir::MLIRContext *context, Attribute) {
  Attribute attribute = mlir::parseAttribute(text, context);
  return attribute ? canonicalizeSubByteConstants(attribute) : attribute;
}
Type parseText(llvm::StringRef text, mlir::MLIRContext *context, Type) { return mlir::parseType(text, context); }

// How the dialects that programs are stored in are decoded. What none of these knows is text.
struct DialectDecoder {
  llvm::StringLiteral name;
  Attribute (*readAttribute)(mlir::DialectBytecodeReader &);
  Type (*readType)(mlir::DialectBytecodeReader &);
};
constexpr DialectDecoder kDecoders[] = {
    {"builtin", readBuiltinAttribute, readBuiltinType},
    {"vhlo", readVhloAttribute, readVhloType},
    {"stablehlo", readStablehloAttribute, readStablehloType},
    {"chlo", readChloAttribute, nullptr},
    {"sdy", readSdyAttribute, nullptr},
    {"quant", nullptr, readQuantType},
};

Attribute decodeWith(const DialectDecoder &decoder, mlir::DialectBytecodeReader &reader, Attribute) {
  return decoder.readAttribute ? decoder.readAttribute(reader) : Attribute();
}
Type decodeWith(const DialectDecoder &decoder, mlir::DialectBytecodeReader &reader, Type) {
  return decoder.readType ? decoder.readType(reader) : Type();
}

} // namespace

BytecodeAttributes::BytecodeAttributes(const BytecodeContainer &container, BytecodeErrors &errors,
                                       mlir::MLIRContext *context)
    : container(container), errors(errors), context(context), attributes_(container.attributes.size()),
      types_(container.types.size()) {}

Attribute BytecodeAttributes::attribute(uint64_t index) {
  return resolve<Attribute>(attributes_, container.attributes, index);
}

Type BytecodeAttributes::type(uint64_t index) { return resolve<Type>(types_, container.types, index); }

template <typename T>
T BytecodeAttributes::resolve(llvm::MutableArrayRef<Slot<T>> slots, llvm::ArrayRef<BytecodeEntry> entries,
                              uint64_t index) {
  if (index >= slots.size())
    return errors.emit("reference to attribute or type ") << index << " of " << slots.size(), T();
  Slot<T> &slot = slots[index];
  if (slot.value || errors.any())
    return slot.value;
  if (slot.inProgress)
    return errors.emit("an attribute or type that contains itself"), T();
  if (depth_ == kMaxDepth)
    return errors.emit("attributes nest deeper than ") << kMaxDepth, T();
  slot.inProgress = true;
  ++depth_;
  slot.value = decode<T>(entries[index]);
  --depth_;
  slot.inProgress = false;
  if (!slot.value)
    errors.emit("attribute or type ") << index << " cannot be decoded";
  else if (parts_.count(slot.value) >= PartCounter::kMany)
    errors.emit("attribute or type ") << index << " is too large";
  return errors.any() ? T() : slot.value;
}

template <typename T> T BytecodeAttributes::decode(const BytecodeEntry &entry) {
  Reader reader(*this, entry.data);
  if (entry.customEncoding) {
    T value = decodeCustom<T>(entry, reader);
    if (value && !reader.atEnd())
      return (void)reader.getStream().fail("data behind an attribute or type"), T();
    return value;
  }
  llvm::StringRef text;
  if (failed(reader.getStream().readNullTerminated(text)))
    return {};
  if (!reader.atEnd() || findHazard(text))
    return (void)reader.getStream().fail("malformed text of an attribute or type"), T();
  return parseText(text, context, T());
}

// Becomes an ordinary constant.
Attribute BytecodeAttributes::readDenseResource(Reader &reader) {
  uint64_t code, index;
  mlir::RankedTensorType type;
  if (failed(reader.readVarInt(code)) || failed(reader.readType(type)) || failed(reader.readVarInt(index)))
    return {};
  if (index >= container.resources.size())
    return errors.emit("resource number ") << index << " of " << container.resources.size(), Attribute();
  const BytecodeResource &resource = container.resources[index];
  if (resource.blob.empty() && type.getNumElements() != 0)
    return errors.emit("the data of resource '") << resource.name << "' has been left out", Attribute();
  llvm::ArrayRef<char> blob(reinterpret_cast<const char *>(resource.blob.data()), resource.blob.size());
  return makeTensorAttribute(reader, type, blob);
}

template <typename T> T BytecodeAttributes::decodeCustom(const BytecodeEntry &entry, Reader &reader) {
  llvm::StringRef name = container.dialects[entry.dialect];
  if constexpr (std::is_same_v<T, Attribute>) {
    BytecodeStream probe = reader.getStream();
    uint64_t code;
    if (name == "builtin" && !probe.empty() && succeeded(probe.readVarInt(code)) && code == kDenseResourceCode)
      return readDenseResource(reader);
  }
  for (const DialectDecoder &decoder : kDecoders)
    if (decoder.name == name)
      return decodeWith(decoder, reader, T());
  return errors.emit("dialect '") << name << "' has no binary form that is known here", T();
}

LogicalResult BytecodeAttributes::Reader::readAttribute(Attribute &result) {
  uint64_t index;
  if (failed(stream_.readVarInt(index)))
    return failure();
  result = attributes_.attribute(index);
  return success(static_cast<bool>(result));
}

LogicalResult BytecodeAttributes::Reader::readOptionalAttribute(Attribute &result) {
  uint64_t index;
  bool present;
  if (failed(stream_.readVarIntWithFlag(index, present)))
    return failure();
  result = present ? attributes_.attribute(index) : Attribute();
  return success(!present || result);
}

LogicalResult BytecodeAttributes::Reader::readType(Type &result) {
  uint64_t index;
  if (failed(stream_.readVarInt(index)))
    return failure();
  result = attributes_.type(index);
  return success(static_cast<bool>(result));
}

FailureOr<llvm::APInt> BytecodeAttributes::Reader::readAPIntWithKnownWidth(unsigned bitWidth) {
  if (bitWidth <= 8) {
    uint8_t value;
    if (failed(stream_.readByte(value)))
      return failure();
    return llvm::APInt(bitWidth, value, /*isSigned=*/false, /*implicitTrunc=*/true);
  }
  uint64_t words = 1;
  if (bitWidth > 64 && failed(stream_.readCount(words)))
    return failure();
  if (words > llvm::divideCeil(bitWidth, 64))
    return stream_.fail("a number wider than its type");
  llvm::SmallVector<uint64_t, 4> value(std::max<uint64_t>(words, 1), 0);
  for (uint64_t i = 0; i < words; ++i) {
    int64_t word;
    if (failed(stream_.readSignedVarInt(word)))
      return failure();
    value[i] = static_cast<uint64_t>(word);
  }
  return llvm::APInt(bitWidth, value);
}

FailureOr<llvm::APFloat>
BytecodeAttributes::Reader::readAPFloatWithKnownSemantics(const llvm::fltSemantics &semantics) {
  auto bits = readAPIntWithKnownWidth(llvm::APFloat::getSizeInBits(semantics));
  if (failed(bits))
    return failure();
  return llvm::APFloat(semantics, *bits);
}

LogicalResult BytecodeAttributes::Reader::readString(llvm::StringRef &result) {
  uint64_t index;
  if (failed(stream_.readVarInt(index)))
    return failure();
  if (index >= attributes_.container.strings.size())
    return stream_.fail("reference to a string that is not there");
  result = attributes_.container.strings[index];
  return success();
}

LogicalResult BytecodeAttributes::Reader::readBlob(llvm::ArrayRef<char> &result) {
  uint64_t size;
  llvm::ArrayRef<uint8_t> bytes;
  if (failed(stream_.readVarInt(size)) || failed(stream_.readBytes(size, bytes)))
    return failure();
  result = llvm::ArrayRef<char>(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  return success();
}

LogicalResult BytecodeAttributes::Reader::readBool(bool &result) {
  uint8_t value;
  if (failed(stream_.readByte(value)))
    return failure();
  result = value & 1;
  return success();
}

} // namespace tenon::frontend
