#include "tenon/frontend/import/bytecode_reader.h"
#include "tenon/frontend/import/bytecode_attributes.h"
#include "tenon/frontend/import/vhlo_convert.h"
#include "tenon/frontend/import/vhlo_table.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Bytecode/Encoding.h"

namespace tenon::frontend {

using llvm::failed;
using llvm::failure;
using llvm::LogicalResult;
using llvm::success;
using mlir::Operation;
namespace OpMask = mlir::bytecode::OpEncodingMask;

namespace {

constexpr unsigned kMaxRegionDepth = 200;

// One operation before it is created.
struct PendingOp {
  mlir::LocationAttr location;
  mlir::NamedAttrList attributes; // the dictionary of the file: discardable, and before version 5 inherent ones too
  mlir::Attribute propertiesAttr; // of operations that the writer did not know
  std::optional<BytecodeStream> properties;
  llvm::SmallVector<mlir::Type> types;
  llvm::SmallVector<mlir::Value> operands;
  uint64_t numRegions = 0;
  bool isIsolated = false;
};

class ModuleReader {
public:
  ModuleReader(BytecodeContainer &container, BytecodeErrors &errors, mlir::Location location)
      : container_(container), errors_(errors), location_(location), context_(location.getContext()),
        attributes_(container, errors, context_), names_(container.opNames.size()) {}

  mlir::OwningOpRef<mlir::ModuleOp> read() {
    mlir::OwningOpRef<mlir::ModuleOp> top = mlir::ModuleOp::create(location_);
    BytecodeStream stream = *container_.ir;
    scopes_.emplace_back();
    scopes_.back().push_back({});
    if (failed(readBlock(stream, *top->getBody(), 0)))
      return {};
    if (!stream.empty())
      return (void)stream.fail("data behind the program"), nullptr;
    // The file holds one module, or operations for one.
    auto inner = top->getOps<mlir::ModuleOp>();
    if (llvm::hasSingleElement(top->getBody()->getOperations()) && !inner.empty()) {
      mlir::ModuleOp module = *inner.begin();
      module->remove();
      return module;
    }
    return top;
  }

private:
  // Values are numbered in the order of their definition. A region's numbers begin behind those that the regions
  // around it use in total, also for values that they define later.
  struct RegionValues {
    uint64_t firstNumber = 0, count = 0;
    llvm::SmallVector<mlir::Value> values;
  };
  using Scope = std::vector<RegionValues>;

  llvm::FailureOr<mlir::Value> findValue(BytecodeStream &stream, uint64_t number) {
    for (const RegionValues &region : llvm::reverse(scopes_.back()))
      if (number >= region.firstNumber && number - region.firstNumber < region.values.size())
        return region.values[number - region.firstNumber];
    return stream.fail("use of value " + llvm::Twine(number) + " before its definition");
  }

  LogicalResult defineValue(BytecodeStream &stream, mlir::Value value) {
    RegionValues &region = scopes_.back().back();
    if (region.values.size() == region.count)
      return stream.fail("more values than a region announced");
    region.values.push_back(value);
    return success();
  }

  LogicalResult readAttribute(BytecodeStream &stream, mlir::Attribute &result) {
    uint64_t index;
    if (failed(stream.readVarInt(index)))
      return failure();
    result = attributes_.attribute(index);
    return success(static_cast<bool>(result));
  }

  template <typename AttributeT> LogicalResult readAttributeAs(BytecodeStream &stream, AttributeT &result) {
    mlir::Attribute attribute;
    if (failed(readAttribute(stream, attribute)))
      return failure();
    result = llvm::dyn_cast<AttributeT>(attribute);
    return result ? success() : stream.fail("an attribute of the wrong kind");
  }

  LogicalResult readType(BytecodeStream &stream, mlir::Type &result) {
    uint64_t index;
    if (failed(stream.readVarInt(index)))
      return failure();
    result = attributes_.type(index);
    return success(static_cast<bool>(result));
  }

  LogicalResult readBlock(BytecodeStream &stream, mlir::Block &block, unsigned depth) {
    uint64_t numOps;
    bool hasArguments;
    if (failed(stream.readCountWithFlag(numOps, hasArguments)))
      return failure();
    if (hasArguments && failed(readArguments(stream, block)))
      return failure();
    if (hasArguments && container_.version >= mlir::bytecode::kUseListOrdering) {
      uint8_t hasUseListOrders;
      if (failed(stream.readByte(hasUseListOrders)) ||
          (hasUseListOrders && failed(skipUseListOrders(stream, block.getNumArguments()))))
        return failure();
    }
    for (; numOps; --numOps)
      if (failed(readOp(stream, block, depth)))
        return failure();
    return success();
  }

  LogicalResult readArguments(BytecodeStream &stream, mlir::Block &block) {
    uint64_t count;
    if (failed(stream.readCount(count)))
      return failure();
    for (; count; --count) {
      mlir::Type type;
      mlir::LocationAttr argumentLocation = mlir::UnknownLoc::get(context_);
      bool hasLocation = true;
      if (container_.version >= mlir::bytecode::kElideUnknownBlockArgLocation) {
        uint64_t index;
        if (failed(stream.readVarIntWithFlag(index, hasLocation)) || !(type = attributes_.type(index)))
          return failure();
      } else if (failed(readType(stream, type))) {
        return failure();
      }
      if (hasLocation && failed(readAttributeAs(stream, argumentLocation)))
        return failure();
      if (failed(defineValue(stream, block.addArgument(type, argumentLocation))))
        return failure();
    }
    return success();
  }

  // The order in which a value's users are listed. Nothing here depends on it.
  LogicalResult skipUseListOrders(BytecodeStream &stream, uint64_t numValues) {
    uint64_t count = 1, value, numIndices;
    if (numValues > 1 && failed(stream.readCount(count)))
      return failure();
    for (; count; --count) {
      bool areIndexPairs;
      if ((numValues > 1 && failed(stream.readVarInt(value))) ||
          failed(stream.readCountWithFlag(numIndices, areIndexPairs)))
        return failure();
      for (; numIndices; --numIndices)
        if (failed(stream.readVarInt(value)))
          return failure();
    }
    return success();
  }

  LogicalResult readOp(BytecodeStream &stream, mlir::Block &block, unsigned depth) {
    uint64_t nameIndex;
    if (failed(stream.readVarInt(nameIndex)))
      return failure();
    if (nameIndex >= container_.opNames.size())
      return stream.fail("operation name " + llvm::Twine(nameIndex) + " of " + llvm::Twine(container_.opNames.size()));
    PendingOp pending;
    if (failed(readOpParts(stream, container_.opNames[nameIndex], pending)))
      return failure();
    Operation *op = container_.dialects[container_.opNames[nameIndex].dialect] == "vhlo"
                        ? createVhlo(container_.opNames[nameIndex], pending, block)
                        : create(nameIndex, pending, block);
    if (!op)
      return failure();
    for (mlir::Value result : op->getResults())
      if (failed(defineValue(stream, result)))
        return failure();
    if (failed(readRegions(stream, *op, pending.isIsolated, depth)))
      return failure();
    return foldCast(op);
  }

  LogicalResult readOpParts(BytecodeStream &stream, const BytecodeOpName &name, PendingOp &pending) {
    uint8_t mask;
    uint64_t count;
    if (failed(stream.readByte(mask)) || failed(readAttributeAs(stream, pending.location)))
      return failure();
    if (mask & OpMask::kHasAttrs) {
      mlir::DictionaryAttr dictionary;
      if (failed(readAttributeAs(stream, dictionary)))
        return failure();
      pending.attributes = dictionary;
    }
    if ((mask & OpMask::kHasProperties) && failed(readPropertiesReference(stream, name, pending)))
      return failure();
    if (mask & OpMask::kHasResults) {
      if (failed(stream.readCount(count)))
        return failure();
      pending.types.resize(count);
      for (mlir::Type &type : pending.types)
        if (failed(readType(stream, type)))
          return failure();
    }
    if (mask & OpMask::kHasOperands) {
      if (failed(stream.readCount(count)))
        return failure();
      for (; count; --count) {
        uint64_t number;
        if (failed(stream.readVarInt(number)))
          return failure();
        auto value = findValue(stream, number);
        if (failed(value))
          return failure();
        pending.operands.push_back(*value);
      }
    }
    if (mask & OpMask::kHasSuccessors)
      return stream.fail("branches between blocks are not supported");
    if ((mask & OpMask::kHasUseListOrders) && container_.version >= mlir::bytecode::kUseListOrdering &&
        failed(skipUseListOrders(stream, pending.types.size())))
      return failure();
    if (mask & OpMask::kHasInlineRegions)
      return stream.readCountWithFlag(pending.numRegions, pending.isIsolated);
    return success();
  }

  LogicalResult readPropertiesReference(BytecodeStream &stream, const BytecodeOpName &name, PendingOp &pending) {
    if (container_.version < mlir::bytecode::kNativePropertiesEncoding)
      return stream.fail("properties in a format version without them");
    if (!name.wasRegistered)
      return readAttribute(stream, pending.propertiesAttr);
    uint64_t index;
    if (failed(stream.readVarInt(index)))
      return failure();
    if (index >= container_.properties.size())
      return stream.fail("properties number " + llvm::Twine(index) + " of " +
                         llvm::Twine(container_.properties.size()));
    pending.properties = container_.properties[index];
    return success();
  }

  LogicalResult readRegions(BytecodeStream &stream, Operation &op, bool isIsolated, unsigned depth) {
    if (op.getNumRegions() == 0)
      return success();
    if (depth == kMaxRegionDepth)
      return stream.fail("regions nest deeper than " + llvm::Twine(kMaxRegionDepth));
    // Regions that see nothing from outside are sections of their own, and start a new numbering of values.
    BytecodeStream section = stream;
    bool isSection = isIsolated && container_.version >= mlir::bytecode::kLazyLoading;
    uint8_t id;
    if (isSection && failed(stream.readSection(id, section)))
      return failure();
    if (isSection && id != mlir::bytecode::Section::kIR)
      return stream.fail("expected the section of an isolated region");
    if (isIsolated)
      scopes_.emplace_back();
    BytecodeStream &source = isSection ? section : stream;
    for (mlir::Region &region : op.getRegions())
      if (failed(readRegion(source, region, depth + 1)))
        return failure();
    if (isIsolated)
      scopes_.pop_back();
    return isSection && !section.empty() ? section.fail("data behind a region") : success();
  }

  LogicalResult readRegion(BytecodeStream &stream, mlir::Region &region, unsigned depth) {
    uint64_t numBlocks, numValues;
    if (failed(stream.readCount(numBlocks)))
      return failure();
    if (numBlocks == 0)
      return success();
    if (failed(stream.readCount(numValues)))
      return failure();
    if (numBlocks > 1)
      return stream.fail("a region of several blocks, where StableHLO has only one");
    uint64_t firstNumber = 0;
    if (!scopes_.back().empty())
      firstNumber = scopes_.back().back().firstNumber + scopes_.back().back().count;
    scopes_.back().push_back({firstNumber, numValues, {}});
    if (failed(readBlock(stream, region.emplaceBlock(), depth)))
      return failure();
    scopes_.back().pop_back();
    return success();
  }

  Operation *insert(mlir::OperationState &state, PendingOp &pending, mlir::Block &block) {
    state.addOperands(pending.operands);
    state.addTypes(pending.types);
    for (; pending.numRegions; --pending.numRegions)
      state.addRegion();
    Operation *op = Operation::create(state);
    block.push_back(op);
    return op;
  }

  mlir::OperationName resolveName(uint64_t index) {
    const BytecodeOpName &name = container_.opNames[index];
    if (!names_[index])
      names_[index].emplace((container_.dialects[name.dialect] + "." + name.name).str(), context_);
    return *names_[index];
  }

  Operation *create(uint64_t nameIndex, PendingOp &pending, mlir::Block &block) {
    mlir::OperationName name = resolveName(nameIndex);
    if (!name.isRegistered()) {
      mlir::emitError(pending.location) << "unknown operation '" << name << "'";
      return nullptr;
    }
    mlir::OperationState state(pending.location, name);
    state.attributes = pending.attributes;
    if (pending.properties) {
      auto *interface = name.getInterface<mlir::BytecodeOpInterface>();
      if (!interface)
        return errors_.emit("properties of '") << name << "', which has none", nullptr;
      BytecodeAttributes::Reader reader(attributes_, *pending.properties);
      if (failed(readProperties(*interface, reader, state))) {
        errors_.emit("malformed properties of '") << name << "'";
        return nullptr;
      }
    }
    Operation *op = insert(state, pending, block);
    if (!pending.propertiesAttr || !op->getPropertiesStorageSize())
      return op;
    auto emitError = [&] { return op->emitError(); };
    return failed(op->setPropertiesFromAttribute(pending.propertiesAttr, emitError)) ? nullptr : op;
  }

  // Plain bytecode has no versions: a file holds the attributes that its writer's operations had, all optional ones
  // included, in alphabetical order. Where operations have gained one since, a file without it gets an absent one.
  static LogicalResult readProperties(mlir::BytecodeOpInterface::Concept &interface, BytecodeAttributes::Reader &reader,
                                      mlir::OperationState &state) {
    static constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral> kGained[] = {
        {"chlo.top_k", "is_stable"},
        {"stablehlo.collective_broadcast", "has_dynamic_root"},
        {"stablehlo.custom_call", "result_tilings"},
    };
    llvm::StringRef op = state.name.getStringRef();
    auto *gained = llvm::find_if(kGained, [&](auto &entry) { return entry.first == op; });
    if (gained == std::end(kGained))
      return interface.readProperties(reader, state);
    llvm::ArrayRef<mlir::StringAttr> names = state.name.getAttributeNames();
    size_t added = llvm::find(names, gained->second) - names.begin(), count = 0, addedOffset = 0;
    BytecodeStream probe = reader.getStream();
    for (uint64_t value; !probe.empty(); ++count) {
      if (count == added)
        addedOffset = probe.position() - reader.getStream().position();
      if (failed(probe.readVarInt(value)))
        return failure();
    }
    if (count >= names.size())
      return interface.readProperties(reader, state);
    if (count == added)
      addedOffset = probe.position() - reader.getStream().position();
    constexpr uint8_t kAbsent = 1;
    llvm::SmallVector<uint8_t> bytes(reader.getStream().rest());
    bytes.insert(bytes.begin() + addedOffset, kAbsent);
    BytecodeAttributes::Reader completed = reader.over(bytes);
    return interface.readProperties(completed, state);
  }

  Operation *createVhlo(const BytecodeOpName &name, PendingOp &pending, mlir::Block &block) {
    auto emitError = [&] { return mlir::emitError(pending.location); };
    const VhloOp *row = findVhloOp(name.name);
    if (!row) {
      emitError() << "unknown operation 'vhlo." << name.name << "'; the artifact may be newer than it says";
      return nullptr;
    }
    if (pending.properties) {
      BytecodeAttributes::Reader reader(attributes_, *pending.properties);
      for (const VhloAttribute &attribute : row->attributes) {
        mlir::Attribute value;
        if (failed(reader.readAttribute(value)))
          return nullptr;
        pending.attributes.set(attribute.name, value);
      }
    } else if (auto dictionary = llvm::dyn_cast_or_null<mlir::DictionaryAttr>(pending.propertiesAttr)) {
      for (mlir::NamedAttribute attribute : dictionary)
        pending.attributes.set(attribute.getName(), attribute.getValue());
    }
    auto converted = convertVhloOp(*row, pending.attributes, block.getParentOp(), emitError);
    if (failed(converted))
      return nullptr;
    mlir::OperationState state(pending.location, converted->name);
    state.attributes = converted->discardable;
    Operation *op = insert(state, pending, block);
    if (op->getPropertiesStorageSize() &&
        failed(op->setPropertiesFromAttribute(converted->inherent.getDictionary(context_), emitError)))
      return nullptr;
    return op;
  }

  // Artifacts that mix VHLO with other dialects (sdy) have casts between VHLO's types and the others'. Both sides have
  // been given the same type.
  LogicalResult foldCast(Operation *op) {
    auto cast = llvm::dyn_cast<mlir::UnrealizedConversionCastOp>(op);
    if (!cast)
      return success();
    if (cast.getOperandTypes() != cast.getResultTypes())
      return cast.emitError("cast between different types");
    auto &values = scopes_.back().back().values;
    size_t first = values.size() - cast.getNumResults();
    for (auto [index, operand] : llvm::enumerate(cast.getOperands()))
      values[first + index] = operand;
    cast.erase();
    return success();
  }

  BytecodeContainer &container_;
  BytecodeErrors &errors_;
  mlir::Location location_;
  mlir::MLIRContext *context_;
  BytecodeAttributes attributes_;
  std::vector<std::optional<mlir::OperationName>> names_;
  std::vector<Scope> scopes_;
};

} // namespace

mlir::OwningOpRef<mlir::ModuleOp> readBytecode(llvm::StringRef bytes, mlir::Location location) {
  BytecodeErrors errors(location);
  BytecodeContainer container;
  if (failed(readContainer(bytes, errors, container)))
    return {};
  return ModuleReader(container, errors, location).read();
}

} // namespace tenon::frontend
