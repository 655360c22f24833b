// The StableHLO dialect's own attributes and types, as its tools write them into plain bytecode.
#include "tenon/frontend/import/stablehlo_bytecode.h"
#include "tenon/frontend/import/dialect_bytecode.h"
#include "tenon/ir/chlo.h"
#include "tenon/ir/stablehlo.h"

namespace tenon::frontend {

using llvm::failed;
using llvm::SmallVector;
using mlir::Attribute;
using mlir::DialectBytecodeReader;
using mlir::Type;

namespace {

enum AttributeCode : uint64_t {
  kChannelHandle = 1,
  kComparisonDirection = 2,
  kComparisonType = 3,
  kConvDimensionNumbers = 4,
  kDotDimensionNumbers = 5,
  kFftType = 6,
  kGatherDimensionNumbers = 7,
  kPrecision = 8,
  kRngAlgorithm = 9,
  kRngDistribution = 10,
  kScatterDimensionNumbers = 11,
  kTranspose = 12,
  kTypeExtensions = 13,
  kOutputOperandAlias = 14,
  kDotAlgorithm = 15,
  kResultAccuracyMode = 16,
  kResultAccuracy = 17,
  kReplicaGroupMeshAxes = 18,
  kSubAxisInfo = 19,
  kAxisRef = 20,
  kMeshAxis = 21,
  kMesh = 22,
};

Attribute readConvDimensionNumbers(DialectBytecodeReader &reader) {
  int64_t inputBatch, inputFeature, kernelInput, kernelOutput, outputBatch, outputFeature;
  SmallVector<int64_t> input, kernel, output;
  if (failed(reader.readSignedVarInt(inputBatch)) || failed(reader.readSignedVarInt(inputFeature)) ||
      failed(readIntegers(reader, input)) || failed(reader.readSignedVarInt(kernelInput)) ||
      failed(reader.readSignedVarInt(kernelOutput)) || failed(readIntegers(reader, kernel)) ||
      failed(reader.readSignedVarInt(outputBatch)) || failed(reader.readSignedVarInt(outputFeature)) ||
      failed(readIntegers(reader, output)))
    return {};
  return stablehlo::ConvDimensionNumbersAttr::get(reader.getContext(), inputBatch, inputFeature, input, kernelInput,
                                                  kernelOutput, kernel, outputBatch, outputFeature, output);
}

Attribute readDotDimensionNumbers(DialectBytecodeReader &reader) {
  SmallVector<int64_t> lhsBatching, rhsBatching, lhsContracting, rhsContracting;
  if (failed(readIntegers(reader, lhsBatching)) || failed(readIntegers(reader, rhsBatching)) ||
      failed(readIntegers(reader, lhsContracting)) || failed(readIntegers(reader, rhsContracting)))
    return {};
  return stablehlo::DotDimensionNumbersAttr::get(reader.getContext(), lhsBatching, rhsBatching, lhsContracting,
                                                 rhsContracting);
}

Attribute readDotAlgorithm(DialectBytecodeReader &reader) {
  Type lhs, rhs, accumulation;
  int64_t lhsCount, rhsCount, operations;
  bool imprecise;
  if (failed(reader.readType(lhs)) || failed(reader.readType(rhs)) || failed(reader.readType(accumulation)) ||
      failed(reader.readSignedVarInt(lhsCount)) || failed(reader.readSignedVarInt(rhsCount)) ||
      failed(reader.readSignedVarInt(operations)) || failed(reader.readBool(imprecise)))
    return {};
  return stablehlo::DotAlgorithmAttr::get(reader.getContext(), lhs, rhs, accumulation, lhsCount, rhsCount, operations,
                                          imprecise);
}

// Gather's and scatter's numbers have the same form.
template <typename AttributeT> Attribute readIndexedDimensionNumbers(DialectBytecodeReader &reader) {
  SmallVector<int64_t> windowDims, removedDims, batchingDims, indicesBatchingDims, indexMap;
  int64_t indexVectorDim;
  if (failed(readIntegers(reader, windowDims)) || failed(readIntegers(reader, removedDims)) ||
      failed(readIntegers(reader, batchingDims)) || failed(readIntegers(reader, indicesBatchingDims)) ||
      failed(readIntegers(reader, indexMap)) || failed(reader.readSignedVarInt(indexVectorDim)))
    return {};
  return AttributeT::get(reader.getContext(), windowDims, removedDims, batchingDims, indicesBatchingDims, indexMap,
                         indexVectorDim);
}

Attribute readMeshAttribute(DialectBytecodeReader &reader, uint64_t code) {
  llvm::StringRef name;
  int64_t size;
  bool present;
  Attribute mesh;
  mlir::ArrayAttr axes;
  switch (code) {
  case kSubAxisInfo:
    return readSubAxisInfo(reader);
  case kAxisRef: {
    stablehlo::SubAxisInfoAttr subAxis;
    if (failed(reader.readString(name)) || failed(reader.readBool(present)) ||
        (present && failed(reader.readAttribute(subAxis))))
      return {};
    return stablehlo::AxisRefAttr::get(reader.getContext(), name, subAxis);
  }
  case kMeshAxis:
    if (failed(reader.readString(name)) || failed(reader.readSignedVarInt(size)))
      return {};
    return stablehlo::MeshAxisAttr::get(reader.getContext(), name, size);
  case kMesh: {
    mlir::DenseIntElementsAttr deviceIds;
    if (failed(reader.readAttribute(axes)) || failed(reader.readBool(present)) ||
        (present && failed(reader.readAttribute(deviceIds))))
      return {};
    return makeMesh(reader, axes, deviceIds);
  }
  default:
    if (failed(reader.readAttribute(mesh)) || failed(reader.readAttribute(axes)))
      return {};
    return stablehlo::ReplicaGroupMeshAxesAttr::get(reader.getContext(), mesh, axes);
  }
}

Attribute readEnumAttribute(DialectBytecodeReader &reader, uint64_t code) {
  using namespace stablehlo;
  switch (code) {
  case kComparisonDirection:
    return readEnum<ComparisonDirectionAttr>(reader, symbolizeComparisonDirection);
  case kComparisonType:
    return readEnum<ComparisonTypeAttr>(reader, symbolizeComparisonType);
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
    return reader.emitError("unknown StableHLO attribute code ") << code, Attribute();
  }
}

} // namespace

Attribute readOutputOperandAlias(DialectBytecodeReader &reader) {
  SmallVector<int64_t> outputIndices, operandIndices;
  int64_t operand;
  if (failed(readIntegers(reader, outputIndices)) || failed(reader.readSignedVarInt(operand)) ||
      failed(readIntegers(reader, operandIndices)))
    return {};
  return stablehlo::OutputOperandAliasAttr::get(reader.getContext(), outputIndices, operand, operandIndices);
}

Attribute readTypeExtensions(DialectBytecodeReader &reader) {
  SmallVector<int64_t> bounds;
  if (failed(readIntegers(reader, bounds)))
    return {};
  return stablehlo::TypeExtensionsAttr::get(reader.getContext(), bounds);
}

Attribute readResultAccuracy(DialectBytecodeReader &reader) {
  auto absolute = reader.readAPFloatWithKnownSemantics(llvm::APFloat::IEEEdouble());
  if (failed(absolute))
    return {};
  auto relative = reader.readAPFloatWithKnownSemantics(llvm::APFloat::IEEEdouble());
  int64_t ulps;
  stablehlo::ResultAccuracyModeAttr mode;
  if (failed(relative) || failed(reader.readSignedVarInt(ulps)) || failed(reader.readAttribute(mode)))
    return {};
  return stablehlo::ResultAccuracyAttr::get(reader.getContext(), *absolute, *relative, ulps, mode);
}

Attribute readSubAxisInfo(DialectBytecodeReader &reader) {
  int64_t preSize, size;
  if (failed(reader.readSignedVarInt(preSize)) || failed(reader.readSignedVarInt(size)))
    return {};
  return stablehlo::SubAxisInfoAttr::get(reader.getContext(), preSize, size);
}

Attribute makeMesh(DialectBytecodeReader &reader, mlir::ArrayAttr axes, mlir::DenseIntElementsAttr deviceIds) {
  SmallVector<stablehlo::MeshAxisAttr> meshAxes;
  for (Attribute axis : axes) {
    meshAxes.push_back(llvm::dyn_cast<stablehlo::MeshAxisAttr>(axis));
    if (!meshAxes.back())
      return reader.emitError("a mesh whose axes are not mesh axes"), Attribute();
  }
  return stablehlo::MeshAttr::get(reader.getContext(), meshAxes, deviceIds);
}

Attribute readStablehloAttribute(DialectBytecodeReader &reader) {
  uint64_t code;
  int64_t handle, type;
  if (failed(reader.readVarInt(code)))
    return {};
  switch (code) {
  case kChannelHandle:
    if (failed(reader.readSignedVarInt(handle)) || failed(reader.readSignedVarInt(type)))
      return {};
    return stablehlo::ChannelHandleAttr::get(reader.getContext(), handle, type);
  case kConvDimensionNumbers:
    return readConvDimensionNumbers(reader);
  case kDotDimensionNumbers:
    return readDotDimensionNumbers(reader);
  case kDotAlgorithm:
    return readDotAlgorithm(reader);
  case kGatherDimensionNumbers:
    return readIndexedDimensionNumbers<stablehlo::GatherDimensionNumbersAttr>(reader);
  case kScatterDimensionNumbers:
    return readIndexedDimensionNumbers<stablehlo::ScatterDimensionNumbersAttr>(reader);
  case kTypeExtensions:
    return readTypeExtensions(reader);
  case kOutputOperandAlias:
    return readOutputOperandAlias(reader);
  case kResultAccuracy:
    return readResultAccuracy(reader);
  case kReplicaGroupMeshAxes:
  case kSubAxisInfo:
  case kAxisRef:
  case kMeshAxis:
  case kMesh:
    return readMeshAttribute(reader, code);
  default:
    return readEnumAttribute(reader, code);
  }
}

Type readStablehloType(DialectBytecodeReader &reader) {
  uint64_t code;
  SmallVector<Type> types;
  if (failed(reader.readVarInt(code)))
    return {};
  if (code == 0)
    return stablehlo::TokenType::get(reader.getContext());
  if (code != 1)
    return reader.emitError("unknown StableHLO type code ") << code, Type();
  return failed(readTypes(reader, types)) ? Type() : stablehlo::FutureType::get(reader.getContext(), types);
}

Attribute readChloAttribute(DialectBytecodeReader &reader) {
  uint64_t code;
  if (failed(reader.readVarInt(code)))
    return {};
  if (code == 0)
    return readEnum<chlo::ComparisonDirectionAttr>(reader, chlo::symbolizeComparisonDirection);
  if (code == 1)
    return readEnum<chlo::ComparisonTypeAttr>(reader, chlo::symbolizeComparisonType);
  return reader.emitError("unknown CHLO attribute code ") << code, Attribute();
}

} // namespace tenon::frontend
