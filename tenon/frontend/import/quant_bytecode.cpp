// Quantized types, which VHLO encodes with the fields that the quant dialect itself uses.
#include "tenon/frontend/import/dialect_bytecode.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

namespace tenon::frontend {

using llvm::failed;
using llvm::SmallVector;
using mlir::DialectBytecodeReader;
using mlir::Type;

namespace {

struct Storage {
  uint64_t flags;
  Type storage, expressed;
};

// The types' own checks take a storage type that is not an integer for a bug.
bool isUsable(const Storage &parts) {
  return llvm::isa<mlir::IntegerType>(parts.storage) && parts.storage.getIntOrFloatBitWidth() <= 32 &&
         llvm::isa<mlir::FloatType>(parts.expressed) && parts.flags <= 1;
}

llvm::LogicalResult readStorage(DialectBytecodeReader &reader, Storage &parts) {
  if (failed(reader.readVarInt(parts.flags)) || failed(reader.readType(parts.storage)) ||
      failed(reader.readType(parts.expressed)))
    return llvm::failure();
  if (!isUsable(parts))
    return reader.emitError("malformed quantized type");
  return llvm::success();
}

} // namespace

Type readUniformQuantizedType(DialectBytecodeReader &reader) {
  Storage parts;
  if (failed(readStorage(reader, parts)))
    return {};
  auto scale = reader.readAPFloatWithKnownSemantics(llvm::APFloat::IEEEdouble());
  int64_t zeroPoint, min, max;
  if (failed(scale) || failed(reader.readSignedVarInt(zeroPoint)) || failed(reader.readSignedVarInt(min)) ||
      failed(reader.readSignedVarInt(max)))
    return {};
  return mlir::quant::UniformQuantizedType::getChecked([&] { return reader.emitError(); }, parts.flags, parts.storage,
                                                       parts.expressed, scale->convertToDouble(), zeroPoint, min, max);
}

Type readUniformQuantizedPerAxisType(DialectBytecodeReader &reader) {
  Storage parts;
  uint64_t dimension, count;
  int64_t min, max;
  SmallVector<double> scales;
  SmallVector<int64_t> zeroPoints;
  if (failed(readStorage(reader, parts)) || failed(reader.readVarInt(dimension)) ||
      failed(reader.readSignedVarInt(min)) || failed(reader.readSignedVarInt(max)) || failed(reader.readVarInt(count)))
    return {};
  for (; count; --count) {
    auto scale = reader.readAPFloatWithKnownSemantics(llvm::APFloat::IEEEdouble());
    if (failed(scale))
      return {};
    scales.push_back(scale->convertToDouble());
  }
  if (failed(readIntegers(reader, zeroPoints)))
    return {};
  if (dimension > INT32_MAX)
    return reader.emitError("malformed quantized type"), Type();
  return mlir::quant::UniformQuantizedPerAxisType::getChecked([&] { return reader.emitError(); }, parts.flags,
                                                              parts.storage, parts.expressed, scales, zeroPoints,
                                                              static_cast<int32_t>(dimension), min, max);
}

// One scale for each block of several dimensions.
static Type readSubChannelType(DialectBytecodeReader &reader) {
  Storage parts;
  int64_t min, max;
  SmallVector<int64_t> dimensions, blocks;
  mlir::DenseElementsAttr scales, zeroPoints;
  if (failed(readStorage(reader, parts)) || failed(reader.readSignedVarInt(min)) ||
      failed(reader.readSignedVarInt(max)) || failed(readIntegers(reader, dimensions)) ||
      failed(readIntegers(reader, blocks)) || failed(reader.readAttribute(scales)) ||
      failed(reader.readAttribute(zeroPoints)))
    return {};
  // Conditions that the type's own verifier takes for granted.
  bool usable = dimensions.size() == blocks.size() && scales.getElementType() == parts.expressed &&
                zeroPoints.getElementType() == parts.storage &&
                scales.getType().getShape() == zeroPoints.getType().getShape() &&
                llvm::all_of(dimensions, [](int64_t d) { return d >= 0 && d <= INT32_MAX; });
  if (!usable)
    return reader.emitError("malformed quantized type"), Type();
  SmallVector<int32_t> narrow(dimensions.begin(), dimensions.end());
  return mlir::quant::UniformQuantizedSubChannelType::getChecked([&] { return reader.emitError(); }, parts.flags,
                                                                 parts.storage, parts.expressed, scales, zeroPoints,
                                                                 narrow, blocks, min, max);
}

Type readQuantType(DialectBytecodeReader &reader) {
  uint64_t code;
  if (failed(reader.readVarInt(code)))
    return {};
  if (code == 4)
    return readUniformQuantizedType(reader);
  if (code == 5)
    return readUniformQuantizedPerAxisType(reader);
  if (code == 6)
    return readSubChannelType(reader);
  return reader.emitError("unsupported quantized type code ") << code, Type();
}

} // namespace tenon::frontend
