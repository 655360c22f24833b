#include "tenon/frontend/export/vhlo_dialect.h"
#include "tenon/frontend/export/vhlo_encode.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/MLIRContext.h"

namespace tenon::frontend {

using llvm::failure;
using llvm::LogicalResult;
using llvm::StringRef;
using llvm::success;
using mlir::Attribute;
using mlir::DictionaryAttr;
using mlir::OpaqueProperties;
using mlir::Operation;
using mlir::OperationName;
using mlir::Type;

namespace {

template <typename StorageBaseT, typename KeyT> struct WrapperStorage : StorageBaseT {
  using KeyTy = KeyT;

  explicit WrapperStorage(KeyT key) : key(std::move(key)) {}
  bool operator==(const KeyT &other) const { return key == other; }
  static llvm::hash_code hashKey(const KeyT &key) {
    using llvm::hash_value;
    return hash_value(key);
  }
  static WrapperStorage *construct(mlir::StorageUniquer::StorageAllocator &allocator, const KeyT &key) {
    return new (allocator.allocate<WrapperStorage>()) WrapperStorage(key);
  }

  KeyT key;
};

using AttributeKey = std::pair<uint64_t, Attribute>;

class VhloAttr : public Attribute::AttrBase<VhloAttr, Attribute, WrapperStorage<mlir::AttributeStorage, AttributeKey>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(VhloAttr)
  using Base::Base;
  static constexpr llvm::StringLiteral name = "vhlo.attribute";

  void write(mlir::DialectBytecodeWriter &writer) const {
    auto [code, attribute] = getImpl()->key;
    writeVhloAttribute(static_cast<VhloAttributeCode>(code), attribute, writer);
  }
};

class VhloType : public Type::TypeBase<VhloType, Type, WrapperStorage<mlir::TypeStorage, Type>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(VhloType)
  using Base::Base;
  static constexpr llvm::StringLiteral name = "vhlo.type";

  void write(mlir::DialectBytecodeWriter &writer) const { writeVhloType(getImpl()->key, writer); }
};

struct BytecodeInterface : mlir::BytecodeDialectInterface {
  explicit BytecodeInterface(mlir::Dialect *dialect) : BytecodeDialectInterface(dialect) {}

  LogicalResult writeAttribute(Attribute attribute, mlir::DialectBytecodeWriter &writer) const final {
    return llvm::cast<VhloAttr>(attribute).write(writer), success();
  }
  LogicalResult writeType(Type type, mlir::DialectBytecodeWriter &writer) const final {
    return llvm::cast<VhloType>(type).write(writer), success();
  }
};

// The properties of an operation are a dictionary. In the file they are its values, without the names.
struct PropertiesWriter : mlir::BytecodeOpInterface::FallbackModel<PropertiesWriter> {
  static LogicalResult readProperties(mlir::DialectBytecodeReader &, mlir::OperationState &) { return failure(); }
  void writeProperties(Operation *op, mlir::DialectBytecodeWriter &writer) const {
    for (mlir::NamedAttribute attribute : *op->getPropertiesStorage().as<DictionaryAttr *>())
      writer.writeAttribute(attribute.getValue());
  }
};

mlir::detail::InterfaceMap operationInterfaces() {
  mlir::detail::InterfaceMap interfaces;
  interfaces.insertModels<PropertiesWriter>();
  return interfaces;
}

// One operation. Verification fails, so that VHLO is not taken for something that can be compiled.
class VhloOperation final : public OperationName::Impl {
public:
  VhloOperation(const VhloOp &row, mlir::Dialect *dialect, mlir::TypeID id)
      : Impl(("vhlo." + row.name).str(), dialect, id, operationInterfaces()), hasProperties_(!row.attributes.empty()) {}

  LogicalResult foldHook(Operation *, llvm::ArrayRef<Attribute>, llvm::SmallVectorImpl<mlir::OpFoldResult> &) final {
    return failure();
  }
  void getCanonicalizationPatterns(mlir::RewritePatternSet &, mlir::MLIRContext *) final {}
  bool hasTrait(mlir::TypeID) final { return false; }
  OperationName::ParseAssemblyFn getParseAssemblyFn() final {
    return [](mlir::OpAsmParser &parser, mlir::OperationState &) {
      return parser.emitError(parser.getNameLoc(), "VHLO has no text");
    };
  }
  void populateDefaultAttrs(const OperationName &, mlir::NamedAttrList &) final {}
  void printAssembly(Operation *op, mlir::OpAsmPrinter &printer, StringRef) final { printer.printGenericOp(op); }
  LogicalResult verifyInvariants(Operation *op) final { return op->emitOpError("is only for portable artifacts"); }
  LogicalResult verifyRegionInvariants(Operation *) final { return failure(); }

  std::optional<Attribute> getInherentAttr(Operation *op, StringRef name) final {
    // Null while the operation is being created.
    bool isInherent = hasProperties_ && properties(op) && properties(op).contains(name);
    return isInherent ? std::optional(properties(op).get(name)) : std::nullopt;
  }
  void setInherentAttr(Operation *op, mlir::StringAttr name, Attribute value) final {
    mlir::NamedAttrList attributes(properties(op));
    attributes.set(name, value);
    properties(op) = attributes.getDictionary(op->getContext());
  }
  void populateInherentAttrs(Operation *op, mlir::NamedAttrList &attributes) final {
    if (hasProperties_)
      attributes.append(properties(op).getValue());
  }
  LogicalResult verifyInherentAttrs(OperationName, mlir::NamedAttrList &,
                                    llvm::function_ref<mlir::InFlightDiagnostic()>) final {
    return success();
  }
  int getOpPropertyByteSize() final { return hasProperties_ ? sizeof(DictionaryAttr) : 0; }
  void initProperties(OperationName, OpaqueProperties storage, OpaqueProperties initial) final {
    new (storage.as<DictionaryAttr *>()) DictionaryAttr(initial ? *initial.as<DictionaryAttr *>() : DictionaryAttr());
  }
  void deleteProperties(OpaqueProperties) final {}
  void populateDefaultProperties(OperationName, OpaqueProperties) final {}
  LogicalResult setPropertiesFromAttr(OperationName, OpaqueProperties storage, Attribute attribute,
                                      llvm::function_ref<mlir::InFlightDiagnostic()>) final {
    *storage.as<DictionaryAttr *>() = llvm::cast<DictionaryAttr>(attribute);
    return success();
  }
  Attribute getPropertiesAsAttr(Operation *op) final { return properties(op); }
  void copyProperties(OpaqueProperties to, OpaqueProperties from) final {
    *to.as<DictionaryAttr *>() = *from.as<DictionaryAttr *>();
  }
  bool compareProperties(OpaqueProperties a, OpaqueProperties b) final {
    return *a.as<DictionaryAttr *>() == *b.as<DictionaryAttr *>();
  }
  llvm::hash_code hashProperties(OpaqueProperties properties) final {
    return mlir::hash_value(*properties.as<DictionaryAttr *>());
  }

private:
  static DictionaryAttr &properties(Operation *op) { return *op->getPropertiesStorage().as<DictionaryAttr *>(); }

  bool hasProperties_;
};

class VhloDialect : public mlir::Dialect {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(VhloDialect)
  static constexpr StringRef getDialectNamespace() { return "vhlo"; }

  explicit VhloDialect(mlir::MLIRContext *context)
      : Dialect(getDialectNamespace(), context, mlir::TypeID::get<VhloDialect>()) {
    addAttributes<VhloAttr>();
    addTypes<VhloType>();
    addInterfaces<BytecodeInterface>();
    for (const VhloOp &row : vhloOps())
      mlir::RegisteredOperationName::insert(std::make_unique<VhloOperation>(row, this, ids_.allocate()), {});
  }

  void printAttribute(Attribute, mlir::DialectAsmPrinter &printer) const final { printer << "attribute"; }
  void printType(Type, mlir::DialectAsmPrinter &printer) const final { printer << "type"; }

private:
  mlir::TypeIDAllocator ids_;
};

} // namespace

Attribute wrapForVhlo(VhloAttributeCode code, Attribute attribute) {
  return VhloAttr::get(attribute.getContext(), AttributeKey(static_cast<uint64_t>(code), attribute));
}

Attribute wrapForVhlo(Attribute attribute) {
  mlir::Builder builder(attribute.getContext());
  if (auto symbol = llvm::dyn_cast<mlir::FlatSymbolRefAttr>(attribute))
    attribute = symbol.getAttr();
  else if (auto integers = llvm::dyn_cast<mlir::DenseI64ArrayAttr>(attribute))
    attribute = builder.getI64TensorAttr(integers);
  else if (auto booleans = llvm::dyn_cast<mlir::DenseBoolArrayAttr>(attribute))
    attribute = mlir::DenseElementsAttr::get(mlir::RankedTensorType::get({booleans.size()}, builder.getI1Type()),
                                             booleans.asArrayRef());
  auto code = vhloCode(attribute);
  return code ? wrapForVhlo(*code, attribute) : attribute;
}

Type wrapForVhlo(Type type) { return VhloType::get(type.getContext(), type); }

void loadVhloDialect(mlir::MLIRContext &context) { context.getOrLoadDialect<VhloDialect>(); }

mlir::OperationState vhloState(const VhloOp &row, mlir::Location location, DictionaryAttr inherent) {
  mlir::OperationState state(location, ("vhlo." + row.name).str());
  if (!row.attributes.empty())
    state.propertiesAttr = inherent;
  return state;
}

} // namespace tenon::frontend
