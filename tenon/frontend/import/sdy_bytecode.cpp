// The sdy dialect's attributes, as Shardy encodes them.
#include "tenon/frontend/import/dialect_bytecode.h"
#include "tenon/ir/sdy.h"

namespace tenon::frontend {

using llvm::failed;
using llvm::SmallVector;
using mlir::Attribute;
using mlir::DialectBytecodeReader;

namespace {

enum AttributeCode : uint64_t {
  kManualAxes = 0,
  kMeshAxis = 1,
  kMesh = 2,
  kSubAxisInfo = 3,
  kAxisRef = 4,
  kDimensionSharding = 5,
  kTensorSharding = 6,
  kTensorShardingPerValue = 7,
  kOpShardingRule = 10,
  kTensorShardingUnreduced = 15, // with unreduced axes
  kTensorShardingPerValueUnreduced = 16,
};

Attribute readMesh(DialectBytecodeReader &reader) {
  SmallVector<sdy::MeshAxisAttr> axes;
  SmallVector<int64_t> deviceIds;
  if (failed(readAttributes(reader, axes)) || failed(readIntegers(reader, deviceIds)))
    return {};
  return sdy::MeshAttr::get(reader.getContext(), axes, deviceIds);
}

Attribute readAxisRef(DialectBytecodeReader &reader) {
  llvm::StringRef name;
  sdy::SubAxisInfoAttr subAxis;
  if (failed(reader.readString(name)) || failed(reader.readOptionalAttribute(subAxis)))
    return {};
  return sdy::AxisRefAttr::get(reader.getContext(), name, subAxis);
}

Attribute readDimensionSharding(DialectBytecodeReader &reader) {
  SmallVector<sdy::AxisRefAttr> axes;
  bool isClosed, hasPriority;
  uint64_t priority;
  if (failed(readAttributes(reader, axes)) || failed(reader.readBool(isClosed)) ||
      failed(reader.readVarIntWithFlag(priority, hasPriority)))
    return {};
  std::optional<int64_t> optionalPriority;
  if (hasPriority)
    optionalPriority = static_cast<int64_t>(priority);
  return sdy::DimensionShardingAttr::get(reader.getContext(), axes, isClosed, optionalPriority);
}

Attribute readTensorSharding(DialectBytecodeReader &reader, bool hasUnreduced) {
  Attribute mesh;
  SmallVector<sdy::DimensionShardingAttr> dimensions;
  SmallVector<sdy::AxisRefAttr> replicated, unreduced;
  if (failed(reader.readAttribute(mesh)) || failed(readAttributes(reader, dimensions)) ||
      failed(readAttributes(reader, replicated)) || (hasUnreduced && failed(readAttributes(reader, unreduced))))
    return {};
  if (!llvm::isa<mlir::FlatSymbolRefAttr, sdy::MeshAttr>(mesh))
    return reader.emitError("a sharding over something that is not a mesh"), Attribute();
  return sdy::TensorShardingAttr::get(reader.getContext(), mesh, dimensions, replicated, unreduced);
}

} // namespace

Attribute readSdyAttribute(DialectBytecodeReader &reader) {
  mlir::MLIRContext *context = reader.getContext();
  uint64_t code;
  int64_t first, second;
  if (failed(reader.readVarInt(code)))
    return {};
  switch (code) {
  case kManualAxes: {
    SmallVector<mlir::StringAttr> axes;
    return failed(readAttributes(reader, axes)) ? Attribute() : sdy::ManualAxesAttr::get(context, axes);
  }
  case kMeshAxis: {
    llvm::StringRef name;
    if (failed(reader.readString(name)) || failed(reader.readSignedVarInt(first)))
      return {};
    return sdy::MeshAxisAttr::get(context, name, first);
  }
  case kMesh:
    return readMesh(reader);
  case kSubAxisInfo:
    if (failed(reader.readSignedVarInt(first)) || failed(reader.readSignedVarInt(second)))
      return {};
    return sdy::SubAxisInfoAttr::get(context, first, second);
  case kAxisRef:
    return readAxisRef(reader);
  case kDimensionSharding:
    return readDimensionSharding(reader);
  case kTensorSharding:
  case kTensorShardingUnreduced:
    return readTensorSharding(reader, code == kTensorShardingUnreduced);
  case kTensorShardingPerValue:
  case kTensorShardingPerValueUnreduced: {
    SmallVector<sdy::TensorShardingAttr> shardings;
    return failed(readAttributes(reader, shardings)) ? Attribute()
                                                     : sdy::TensorShardingPerValueAttr::get(context, shardings);
  }
  case kOpShardingRule:
    return reader.emitError("sharding rules of custom operations are not supported"), Attribute();
  default:
    return reader.emitError("unsupported sdy attribute code ") << code, Attribute();
  }
}

} // namespace tenon::frontend
