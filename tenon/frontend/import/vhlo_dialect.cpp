#include "tenon/frontend/import/vhlo_dialect.h"
#include "tenon/frontend/import/vhlo_bytecode.h"
#include "tenon/frontend/import/vhlo_table.h"

#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"

MLIR_DEFINE_EXPLICIT_TYPE_ID(tenon::frontend::VhloDialect)

namespace tenon::frontend {

using llvm::failed;
using llvm::failure;
using llvm::LogicalResult;
using llvm::success;

namespace {

struct VhloBytecodeInterface : mlir::BytecodeDialectInterface {
  explicit VhloBytecodeInterface(mlir::Dialect *dialect) : BytecodeDialectInterface(dialect) {}

  mlir::Attribute readAttribute(mlir::DialectBytecodeReader &reader) const override {
    return readVhloAttribute(reader);
  }
  mlir::Type readType(mlir::DialectBytecodeReader &reader) const override { return readVhloType(reader); }
};

// One model serves every operation: the name in `state` finds the row that says which attributes follow.
struct VhloPropertiesReader : mlir::BytecodeOpInterface::ExternalModel<VhloPropertiesReader, VhloPropertiesReader> {
  static LogicalResult readProperties(mlir::DialectBytecodeReader &reader, mlir::OperationState &state) {
    const VhloOp *op = findVhloOp(state.name.stripDialect());
    if (!op)
      return reader.emitError("unknown VHLO operation '") << state.name << "'";
    for (const VhloAttribute &attribute : op->attributes) {
      mlir::Attribute value;
      if (failed(reader.readAttribute(value)))
        return failure();
      state.addAttribute(attribute.name, value);
    }
    return success();
  }
  void writeProperties(mlir::Operation *, mlir::DialectBytecodeWriter &) const {}
};

} // namespace

VhloDialect::VhloDialect(mlir::MLIRContext *context)
    : ExtensibleDialect(getDialectNamespace(), context, mlir::TypeID::get<VhloDialect>()) {
  addInterfaces<VhloBytecodeInterface>();
  for (const VhloOp &op : vhloOps()) {
    // Never verified: the module that holds them is, after the conversion.
    auto anything = [](mlir::Operation *) { return success(); };
    registerDynamicOp(mlir::DynamicOpDefinition::get(op.name, this, anything, anything));
    if (!op.attributes.empty())
      mlir::RegisteredOperationName::lookup(("vhlo." + op.name).str(), context)
          ->attachInterface<VhloPropertiesReader>();
  }
}

} // namespace tenon::frontend
