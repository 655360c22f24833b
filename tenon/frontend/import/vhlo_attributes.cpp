#include "tenon/frontend/import/dialect_bytecode.h"
#include "tenon/frontend/import/stablehlo_bytecode.h"
#include "tenon/frontend/import/vhlo_encoding.h"
#include "tenon/ir/stablehlo.h"

#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

namespace tenon::frontend {

using llvm::failed;
using llvm::SmallVector;
using mlir::Attribute;
using mlir::DialectBytecodeReader;
using mlir::Type;

using enum VhloAttributeCode;

namespace {

Attribute readArray(DialectBytecodeReader &reader) {
  SmallVector<Attribute> elements;
  if (failed(readAttributes(reader, elements)))
    return {};
  return mlir::ArrayAttr::get(reader.getContext(), elements);
}

Attribute readBoolean(DialectBytecodeReader &reader) {
  uint64_t value;
  if (failed(reader.readVarInt(value)))
    return {};
  if (value > 1)
    return reader.emitError("boolean attribute with value ") << value, Attribute();
  return mlir::BoolAttr::get(reader.getContext(), value);
}

Attribute readFloat(DialectBytecodeReader &reader) {
  mlir::FloatType type;
  if (failed(reader.readType(type)))
    return {};
  auto value = reader.readAPFloatWithKnownSemantics(type.getFloatSemantics());
  if (failed(value))
    return {};
  return mlir::FloatAttr::get(type, *value);
}

Attribute readInteger(DialectBytecodeReader &reader) {
  Type type;
  if (failed(reader.readType(type)))
    return {};
  if (!type.isIntOrIndex())
    return reader.emitError("integer attribute of type ") << type, Attribute();
  unsigned width = type.isIndex() ? mlir::IndexType::kInternalStorageBitWidth : type.getIntOrFloatBitWidth();
  auto value = reader.readAPIntWithKnownWidth(width);
  if (failed(value))
    return {};
  return mlir::IntegerAttr::get(type, *value);
}

Attribute readTensor(DialectBytecodeReader &reader) {
  mlir::RankedTensorType type;
  llvm::ArrayRef<char> blob;
  if (failed(reader.readType(type)) || failed(reader.readBlob(blob)))
    return {};
  return makeTensorAttribute(reader, type, blob);
}

Attribute readTypeAttribute(DialectBytecodeReader &reader) {
  Type type;
  if (failed(reader.readType(type)))
    return {};
  return mlir::TypeAttr::get(type);
}

// Meshes, by whose axes collectives may name their groups.
Attribute readMeshAttribute(DialectBytecodeReader &reader, VhloAttributeCode code) {
  mlir::MLIRContext *context = reader.getContext();
  mlir::StringAttr name;
  int64_t size;
  switch (code) {
  case kSubAxisInfo:
    return readSubAxisInfo(reader);
  case kAxisRef: {
    uint64_t hasSubAxis;
    stablehlo::SubAxisInfoAttr subAxis;
    if (failed(reader.readAttribute(name)) || failed(reader.readVarInt(hasSubAxis)) ||
        (hasSubAxis && failed(reader.readAttribute(subAxis))))
      return {};
    return stablehlo::AxisRefAttr::get(context, name, subAxis);
  }
  case kMeshAxis:
    if (failed(reader.readAttribute(name)) || failed(reader.readSignedVarInt(size)))
      return {};
    return stablehlo::MeshAxisAttr::get(context, name, size);
  case kMesh: {
    mlir::ArrayAttr axes;
    mlir::DenseIntElementsAttr deviceIds;
    if (failed(reader.readAttribute(axes)) || failed(reader.readOptionalAttribute(deviceIds)))
      return {};
    return makeMesh(reader, axes, deviceIds);
  }
  case kReplicaGroupMeshAxes: {
    Attribute mesh;
    mlir::ArrayAttr axes;
    if (failed(reader.readAttribute(mesh)) || failed(reader.readAttribute(axes)))
      return {};
    if (auto symbol = llvm::dyn_cast<mlir::StringAttr>(mesh))
      mesh = mlir::FlatSymbolRefAttr::get(symbol);
    return stablehlo::ReplicaGroupMeshAxesAttr::get(context, mesh, axes);
  }
  default:
    return {};
  }
}

Attribute readEnumAttribute(DialectBytecodeReader &reader, VhloAttributeCode code) {
  using namespace stablehlo;
  switch (code) {
  case kComparisonDirection:
    return readEnum<ComparisonDirectionAttr>(reader, symbolizeComparisonDirection);
  case kComparisonType:
    return readEnum<ComparisonTypeAttr>(reader, symbolizeComparisonType);
  case kCustomCallApiVersion:
    return readEnum<CustomCallApiVersionAttr>(reader, symbolizeCustomCallApiVersion);
  case kFftType:
    return readEnum<FftTypeAttr>(reader, symbolizeFftType);
  case kPrecision:
    return readEnum<PrecisionAttr>(reader, symbolizePrecision);
  case kRngAlgorithm:
    return readEnum<RngAlgorithmAttr>(reader, symbolizeRngAlgorithm);
  case kRngDistribution:
    return readEnum<RngDistributionAttr>(reader, symbolizeRngDistribution);
  case kTranspose:
    return readEnum<TransposeAttr>(reader, symbolizeTranspose);
  case kResultAccuracyMode:
    return readEnum<ResultAccuracyModeAttr>(reader, symbolizeResultAccuracyMode);
  default:
    return {};
  }
}

} // namespace

Attribute readVhloAttribute(DialectBytecodeReader &reader) {
  uint64_t code;
  if (failed(reader.readVarInt(code)))
    return {};
  switch (VhloAttributeCode(code)) {
  case kArray:
    return readArray(reader);
  case kBoolean:
    return readBoolean(reader);
  case kDictionary:
    return readDictionary(reader);
  case kFloat:
    return readFloat(reader);
  case kInteger:
    return readInteger(reader);
  case kOutputOperandAlias:
    return readOutputOperandAlias(reader);
  case kString: {
    llvm::StringRef text;
    return failed(reader.readString(text)) ? Attribute() : mlir::StringAttr::get(reader.getContext(), text);
  }
  case kTensor:
    return readTensor(reader);
  case kType:
    return readTypeAttribute(reader);
  case kTypeExtensions:
    return readTypeExtensions(reader);
  case kResultAccuracy:
    return readResultAccuracy(reader);
  case kComparisonDirection:
  case kComparisonType:
  case kCustomCallApiVersion:
  case kFftType:
  case kPrecision:
  case kRngAlgorithm:
  case kRngDistribution:
  case kTranspose:
  case kResultAccuracyMode:
    return readEnumAttribute(reader, VhloAttributeCode(code));
  case kSubAxisInfo:
  case kAxisRef:
  case kReplicaGroupMeshAxes:
  case kMeshAxis:
  case kMesh:
    return readMeshAttribute(reader, VhloAttributeCode(code));
  default:
    return reader.emitError("unknown VHLO attribute code ") << code << "; the artifact may be newer than it says",
           Attribute();
  }
}

} // namespace tenon::frontend
