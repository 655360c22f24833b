#include "tenon/frontend/export/vhlo_encode.h"
#include "tenon/frontend/export/vhlo_dialect.h"
#include "tenon/ir/stablehlo.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "llvm/ADT/TypeSwitch.h"

namespace tenon::frontend {

using mlir::Attribute;
using mlir::DialectBytecodeWriter;
using mlir::Type;

namespace {

std::optional<VhloAttributeCode> enumCode(Attribute attribute) {
  using enum VhloAttributeCode;
  using namespace stablehlo;
  return llvm::TypeSwitch<Attribute, std::optional<VhloAttributeCode>>(attribute)
      .Case([](ComparisonDirectionAttr) { return kComparisonDirection; })
      .Case([](ComparisonTypeAttr) { return kComparisonType; })
      .Case([](FftTypeAttr) { return kFftType; })
      .Case([](PrecisionAttr) { return kPrecision; })
      .Case([](RngAlgorithmAttr) { return kRngAlgorithm; })
      .Case([](RngDistributionAttr) { return kRngDistribution; })
      .Case([](TransposeAttr) { return kTranspose; })
      .Case([](ResultAccuracyModeAttr) { return kResultAccuracyMode; })
      .Default(std::nullopt);
}

uint64_t enumValue(Attribute attribute) {
  using namespace stablehlo;
  return llvm::TypeSwitch<Attribute, uint64_t>(attribute)
      .Case<ComparisonDirectionAttr, ComparisonTypeAttr, FftTypeAttr, PrecisionAttr, RngAlgorithmAttr,
            RngDistributionAttr, TransposeAttr, ResultAccuracyModeAttr>(
          [](auto value) { return static_cast<uint64_t>(value.getValue()); });
}

template <typename RangeT> void writeAttributes(RangeT &&attributes, DialectBytecodeWriter &writer) {
  writer.writeVarInt(llvm::size(attributes));
  for (Attribute attribute : attributes)
    writer.writeAttribute(wrapForVhlo(attribute));
}

void writeTypes(llvm::ArrayRef<Type> types, DialectBytecodeWriter &writer) {
  writer.writeList(types, [&](Type type) { writer.writeType(wrapForVhlo(type)); });
}

Attribute wrapString(Attribute owner, llvm::StringRef text) {
  return wrapForVhlo(mlir::StringAttr::get(owner.getContext(), text));
}

void writeParts(mlir::ArrayAttr array, DialectBytecodeWriter &writer) { writeAttributes(array, writer); }

void writeParts(mlir::DictionaryAttr dictionary, DialectBytecodeWriter &writer) {
  writer.writeList(dictionary, [&](mlir::NamedAttribute entry) {
    writer.writeAttribute(wrapForVhlo(entry.getName()));
    writer.writeAttribute(wrapForVhlo(entry.getValue()));
  });
}

void writeParts(mlir::FloatAttr value, DialectBytecodeWriter &writer) {
  writer.writeType(wrapForVhlo(value.getType()));
  writer.writeAPFloatWithKnownSemantics(value.getValue());
}

void writeParts(mlir::IntegerAttr value, DialectBytecodeWriter &writer) {
  writer.writeType(wrapForVhlo(value.getType()));
  writer.writeAPIntWithKnownWidth(value.getValue());
}

void writeParts(mlir::StringAttr value, DialectBytecodeWriter &writer) { writer.writeOwnedString(value.getValue()); }

// MLIR packs booleans as artifacts do: eight to a byte, all equal ones as 0x00 or 0xFF. Only a single one differs.
void writeParts(mlir::DenseElementsAttr value, DialectBytecodeWriter &writer) {
  static constexpr char kTrue = 1;
  bool isTrue = value.getElementType().isInteger(1) && value.getNumElements() == 1 && value.getSplatValue<bool>();
  writer.writeType(wrapForVhlo(Type(value.getType())));
  writer.writeOwnedBlob(isTrue ? llvm::ArrayRef(kTrue) : value.getRawData());
}

void writeParts(mlir::TypeAttr value, DialectBytecodeWriter &writer) {
  writer.writeType(wrapForVhlo(value.getValue()));
}

void writeParts(stablehlo::OutputOperandAliasAttr alias, DialectBytecodeWriter &writer) {
  writer.writeSignedVarInts(alias.getOutputTupleIndices());
  writer.writeSignedVarInt(alias.getOperandIndex());
  writer.writeSignedVarInts(alias.getOperandTupleIndices());
}

void writeParts(stablehlo::TypeExtensionsAttr extensions, DialectBytecodeWriter &writer) {
  writer.writeSignedVarInts(extensions.getBounds());
}

void writeParts(stablehlo::ResultAccuracyAttr accuracy, DialectBytecodeWriter &writer) {
  writer.writeAPFloatWithKnownSemantics(accuracy.getAtol());
  writer.writeAPFloatWithKnownSemantics(accuracy.getRtol());
  writer.writeSignedVarInt(accuracy.getUlps());
  writer.writeAttribute(wrapForVhlo(accuracy.getMode()));
}

void writeParts(stablehlo::SubAxisInfoAttr info, DialectBytecodeWriter &writer) {
  writer.writeSignedVarInt(info.getPreSize());
  writer.writeSignedVarInt(info.getSize());
}

void writeParts(stablehlo::AxisRefAttr axis, DialectBytecodeWriter &writer) {
  writer.writeAttribute(wrapString(axis, axis.getName()));
  writer.writeVarInt(axis.getSubAxisInfo() ? 1 : 0);
  if (axis.getSubAxisInfo())
    writer.writeAttribute(wrapForVhlo(axis.getSubAxisInfo()));
}

void writeParts(stablehlo::MeshAxisAttr axis, DialectBytecodeWriter &writer) {
  writer.writeAttribute(wrapString(axis, axis.getName()));
  writer.writeSignedVarInt(axis.getSize());
}

void writeParts(stablehlo::MeshAttr mesh, DialectBytecodeWriter &writer) {
  llvm::SmallVector<Attribute> axes(mesh.getAxes().begin(), mesh.getAxes().end());
  writer.writeAttribute(wrapForVhlo(mlir::ArrayAttr::get(mesh.getContext(), axes)));
  writer.writeOptionalAttribute(mesh.getDeviceIds() ? wrapForVhlo(mesh.getDeviceIds()) : Attribute());
}

void writeParts(stablehlo::ReplicaGroupMeshAxesAttr groups, DialectBytecodeWriter &writer) {
  writer.writeAttribute(wrapForVhlo(groups.getMesh()));
  writer.writeAttribute(wrapForVhlo(groups.getAxes()));
}

} // namespace

std::optional<VhloAttributeCode> vhloCode(Attribute attribute) {
  using enum VhloAttributeCode;
  if (auto code = enumCode(attribute))
    return code;
  using Code = std::optional<VhloAttributeCode>;
  return llvm::TypeSwitch<Attribute, Code>(attribute)
      .Case([](mlir::ArrayAttr) { return kArray; })
      .Case([](mlir::BoolAttr) { return kBoolean; })
      .Case([](mlir::DictionaryAttr) { return kDictionary; })
      .Case([](mlir::FloatAttr) { return kFloat; })
      .Case([](mlir::IntegerAttr) { return kInteger; })
      .Case([](mlir::StringAttr text) { return llvm::isa<mlir::NoneType>(text.getType()) ? Code(kString) : Code(); })
      .Case([](mlir::DenseIntOrFPElementsAttr elements) {
        return llvm::isa<mlir::RankedTensorType>(elements.getType()) ? Code(kTensor) : Code();
      })
      .Case([](mlir::TypeAttr) { return kType; })
      .Case([](stablehlo::OutputOperandAliasAttr) { return kOutputOperandAlias; })
      .Case([](stablehlo::TypeExtensionsAttr) { return kTypeExtensions; })
      .Case([](stablehlo::ResultAccuracyAttr) { return kResultAccuracy; })
      .Case([](stablehlo::SubAxisInfoAttr) { return kSubAxisInfo; })
      .Case([](stablehlo::AxisRefAttr) { return kAxisRef; })
      .Case([](stablehlo::MeshAxisAttr) { return kMeshAxis; })
      .Case([](stablehlo::MeshAttr) { return kMesh; })
      .Case([](stablehlo::ReplicaGroupMeshAxesAttr) { return kReplicaGroupMeshAxes; })
      .Default(std::nullopt);
}

std::optional<VhloTypeCode> vhloCode(Type type) {
  using enum VhloTypeCode;
  for (const VhloSimpleType &simple : vhloSimpleTypes())
    if (simple.get(type.getContext()) == type)
      return simple.code;
  using Code = std::optional<VhloTypeCode>;
  return llvm::TypeSwitch<Type, Code>(type)
      .Case([](mlir::ComplexType) { return kComplex; })
      .Case([](mlir::FunctionType) { return kFunction; })
      .Case([](mlir::RankedTensorType tensor) {
        Attribute encoding = tensor.getEncoding();
        if (!encoding)
          return Code(kRankedTensor);
        return llvm::isa<stablehlo::TypeExtensionsAttr>(encoding) ? Code(kRankedTensorWithEncoding) : Code();
      })
      .Case([](mlir::UnrankedTensorType) { return kUnrankedTensor; })
      .Case([](mlir::TupleType) { return kTuple; })
      .Case([](stablehlo::FutureType) { return kFuture; })
      .Case([](mlir::MemRefType buffer) {
        return buffer.getLayout().isIdentity() && !buffer.getMemorySpace() ? Code(kRankedBuffer) : Code();
      })
      .Case([](mlir::quant::UniformQuantizedType) { return kUniformQuantized; })
      .Case([](mlir::quant::UniformQuantizedPerAxisType) { return kUniformQuantizedPerAxis; })
      .Default(std::nullopt);
}

void writeVhloAttribute(VhloAttributeCode code, Attribute attribute, DialectBytecodeWriter &writer) {
  writer.writeVarInt(static_cast<uint64_t>(code));
  if (code == VhloAttributeCode::kBoolean || code == VhloAttributeCode::kCustomCallApiVersion)
    return writer.writeVarInt(llvm::cast<mlir::IntegerAttr>(attribute).getValue().getZExtValue());
  if (enumCode(attribute))
    return writer.writeVarInt(enumValue(attribute));
  using namespace stablehlo;
  llvm::TypeSwitch<Attribute>(attribute)
      .Case<mlir::ArrayAttr, mlir::DictionaryAttr, mlir::FloatAttr, mlir::IntegerAttr, mlir::StringAttr,
            mlir::DenseElementsAttr, mlir::TypeAttr, OutputOperandAliasAttr, TypeExtensionsAttr, ResultAccuracyAttr,
            SubAxisInfoAttr, AxisRefAttr, MeshAxisAttr, MeshAttr, ReplicaGroupMeshAxesAttr>(
          [&](auto value) { writeParts(value, writer); });
}

namespace {

void writeQuantized(mlir::quant::QuantizedType type, DialectBytecodeWriter &writer) {
  writer.writeVarInt(type.getFlags());
  writer.writeType(wrapForVhlo(type.getStorageType()));
  writer.writeType(wrapForVhlo(type.getExpressedType()));
}

void writeParts(mlir::quant::UniformQuantizedType type, DialectBytecodeWriter &writer) {
  writeQuantized(type, writer);
  writer.writeAPFloatWithKnownSemantics(llvm::APFloat(type.getScale()));
  writer.writeSignedVarInt(type.getZeroPoint());
  writer.writeSignedVarInt(type.getStorageTypeMin());
  writer.writeSignedVarInt(type.getStorageTypeMax());
}

void writeParts(mlir::quant::UniformQuantizedPerAxisType type, DialectBytecodeWriter &writer) {
  writeQuantized(type, writer);
  writer.writeVarInt(type.getQuantizedDimension());
  writer.writeSignedVarInt(type.getStorageTypeMin());
  writer.writeSignedVarInt(type.getStorageTypeMax());
  writer.writeList(type.getScales(),
                   [&](double scale) { writer.writeAPFloatWithKnownSemantics(llvm::APFloat(scale)); });
  writer.writeSignedVarInts(type.getZeroPoints());
}

void writeParts(mlir::RankedTensorType type, DialectBytecodeWriter &writer) {
  if (type.getEncoding())
    writer.writeAttribute(wrapForVhlo(type.getEncoding()));
  writer.writeSignedVarInts(type.getShape());
  writer.writeType(wrapForVhlo(type.getElementType()));
}

void writeParts(mlir::MemRefType type, DialectBytecodeWriter &writer) {
  writer.writeSignedVarInts(type.getShape());
  writer.writeType(wrapForVhlo(type.getElementType()));
}

void writeParts(mlir::FunctionType type, DialectBytecodeWriter &writer) {
  writeTypes(type.getInputs(), writer);
  writeTypes(type.getResults(), writer);
}

void writeParts(mlir::TupleType type, DialectBytecodeWriter &writer) { writeTypes(type.getTypes(), writer); }
void writeParts(stablehlo::FutureType type, DialectBytecodeWriter &writer) { writeTypes(type.getTypes(), writer); }
void writeParts(mlir::ComplexType type, DialectBytecodeWriter &writer) {
  writer.writeType(wrapForVhlo(type.getElementType()));
}
void writeParts(mlir::UnrankedTensorType type, DialectBytecodeWriter &writer) {
  writer.writeType(wrapForVhlo(type.getElementType()));
}

} // namespace

void writeVhloType(Type type, DialectBytecodeWriter &writer) {
  writer.writeVarInt(static_cast<uint64_t>(*vhloCode(type)));
  llvm::TypeSwitch<Type>(type)
      .Case<mlir::quant::UniformQuantizedType, mlir::quant::UniformQuantizedPerAxisType, mlir::RankedTensorType,
            mlir::MemRefType, mlir::FunctionType, mlir::TupleType, stablehlo::FutureType, mlir::ComplexType,
            mlir::UnrankedTensorType>([&](auto value) { writeParts(value, writer); })
      .Default([](Type) {});
}

} // namespace tenon::frontend
