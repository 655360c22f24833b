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
  kDimMapping = 8,
  kTensorMapping = 9,
  kOpShardingRule = 10,
  kTensorShardingUnreduced = 15, // with unreduced axes
  kTensorShardingPerValueUnreduced = 16,
  kTensorShardingUnreducedKind = 17, // and how these are put together
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

Attribute readTensorSharding(DialectBytecodeReader &reader, bool hasUnreduced, bool hasKind) {
  Attribute mesh;
  SmallVector<sdy::DimensionShardingAttr> dimensions;
  SmallVector<sdy::AxisRefAttr> replicated, unreduced;
  if (failed(reader.readAttribute(mesh)) || failed(readAttributes(reader, dimensions)) ||
      failed(readAttributes(reader, replicated)) || (hasUnreduced && failed(readAttributes(reader, unreduced))))
    return {};
  int64_t number = 0;
  if (hasKind && failed(reader.readSignedVarInt(number)))
    return {};
  std::optional<sdy::ReductionOp> kind =
      number < 0 || number > 2 ? std::nullopt : sdy::symbolizeReductionOp(static_cast<uint32_t>(number));
  if (!kind)
    return reader.emitError("a sharding with an unknown kind of reduction"), Attribute();
  if (!llvm::isa<mlir::FlatSymbolRefAttr, sdy::MeshAttr>(mesh))
    return reader.emitError("a sharding over something that is not a mesh"), Attribute();
  return sdy::TensorShardingAttr::get(reader.getContext(), mesh, dimensions, replicated, unreduced,
                                      unreduced.empty() ? sdy::ReductionOp::SUM : *kind);
}

// Factors are written i, j, ..., z, z_1, z_2, ...
void printFactor(llvm::raw_ostream &out, int64_t factor) {
  constexpr int64_t kLast = 'z' - 'i';
  if (factor >= 0 && factor <= kLast)
    out << static_cast<char>('i' + factor);
  else
    out << "z_" << factor - kLast;
}

// `[i, jk]`: the factors of each dimension of a tensor.
void printMapping(llvm::raw_ostream &out, mlir::ArrayAttr mapping) {
  out << '[';
  llvm::interleaveComma(mapping.getAsRange<mlir::DenseI64ArrayAttr>(), out, [&](mlir::DenseI64ArrayAttr dimension) {
    for (int64_t factor : dimension.asArrayRef())
      printFactor(out, factor);
  });
  out << ']';
}

// The attribute keeps the rule as the text it has in programs; so the parts of one need no attributes of their own.
Attribute readShardingRule(DialectBytecodeReader &reader) {
  SmallVector<int64_t> sizes, factors;
  SmallVector<mlir::ArrayAttr> operands, results;
  std::string text;
  llvm::raw_string_ostream out(text);
  if (failed(readIntegers(reader, sizes)) || failed(readAttributes(reader, operands)) ||
      failed(readAttributes(reader, results)))
    return {};
  auto isFactor = [&](int64_t factor) { return factor >= 0 && factor < static_cast<int64_t>(sizes.size()); };
  auto isDimension = [&](Attribute dimension) {
    auto of = llvm::dyn_cast<mlir::DenseI64ArrayAttr>(dimension);
    return of && !of.empty() && llvm::all_of(of.asArrayRef(), isFactor);
  };
  for (mlir::ArrayAttr mapping : llvm::concat<mlir::ArrayAttr>(operands, results))
    if (!llvm::all_of(mapping, isDimension))
      return reader.emitError("a sharding rule must name factors of its own, at least one for each dimension"),
             Attribute();
  out << '(';
  llvm::interleaveComma(operands, out, [&](mlir::ArrayAttr mapping) { printMapping(out, mapping); });
  out << ")->(";
  llvm::interleaveComma(results, out, [&](mlir::ArrayAttr mapping) { printMapping(out, mapping); });
  out << ')';
  if (!sizes.empty()) {
    out << " {";
    llvm::interleaveComma(llvm::enumerate(sizes), out, [&](auto entry) {
      printFactor(out, entry.index());
      out << '=' << entry.value();
    });
    out << '}';
  }
  for (const char *kind : {"reduction", "need_replication", "permutation", "blocked_propagation"}) {
    factors.clear();
    if (failed(readIntegers(reader, factors)))
      return {};
    if (!llvm::all_of(factors, isFactor))
      return reader.emitError("a sharding rule must name factors of its own"), Attribute();
    if (factors.empty())
      continue;
    out << ' ' << kind << "={";
    llvm::interleaveComma(factors, out, [&](int64_t factor) { printFactor(out, factor); });
    out << '}';
  }
  bool isCustom;
  if (failed(reader.readBool(isCustom)))
    return {};
  return sdy::OpShardingRuleAttr::get(reader.getContext(), text + (isCustom ? ", custom" : ""));
}

Attribute readMapping(DialectBytecodeReader &reader, uint64_t code) {
  SmallVector<int64_t> factors;
  SmallVector<mlir::DenseI64ArrayAttr> dimensions;
  if (code == kDimMapping)
    return failed(readIntegers(reader, factors)) ? Attribute()
                                                 : mlir::DenseI64ArrayAttr::get(reader.getContext(), factors);
  if (failed(readAttributes(reader, dimensions)))
    return {};
  return mlir::ArrayAttr::get(reader.getContext(), SmallVector<Attribute>(dimensions.begin(), dimensions.end()));
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
  case kTensorShardingUnreducedKind:
    return readTensorSharding(reader, code != kTensorSharding, code == kTensorShardingUnreducedKind);
  case kTensorShardingPerValue:
  case kTensorShardingPerValueUnreduced: {
    SmallVector<sdy::TensorShardingAttr> shardings;
    return failed(readAttributes(reader, shardings)) ? Attribute()
                                                     : sdy::TensorShardingPerValueAttr::get(context, shardings);
  }
  case kOpShardingRule:
    return readShardingRule(reader);
  case kDimMapping:
  case kTensorMapping:
    return readMapping(reader, code);
  default:
    return reader.emitError("unsupported sdy attribute code ") << code, Attribute();
  }
}

} // namespace tenon::frontend
