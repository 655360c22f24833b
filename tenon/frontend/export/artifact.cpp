// Portable artifacts: a module of VHLO operations, written by MLIR.
#include "tenon/frontend/export/export.h"
#include "tenon/frontend/export/vhlo_dialect.h"
#include "tenon/frontend/export/vhlo_spell.h"
#include "tenon/ir/chlo.h"
#include "tenon/ir/stablehlo.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"

namespace tenon::frontend {

using llvm::failed;
using llvm::failure;
using llvm::LogicalResult;
using llvm::success;
using mlir::Operation;
using mlir::Value;

namespace {

bool hasVhloForm(Operation *op) {
  return llvm::isa_and_nonnull<stablehlo::StablehloDialect, mlir::func::FuncDialect>(op->getDialect());
}

// The first version all of whose readers may know whether a top_k is stable.
constexpr VhloVersion kStability{1, 19, 0};

class VhloBuilder {
public:
  VhloBuilder(mlir::MLIRContext *context, VhloVersion version) : builder_(context), version_(version) {}

  LogicalResult convertBlock(mlir::Block &from, mlir::Block &to) {
    for (Operation &op : from) {
      builder_.setInsertionPointToEnd(&to);
      if (failed(hasVhloForm(&op) ? convert(op) : keep(op)))
        return failure();
    }
    return success();
  }

private:
  LogicalResult convert(Operation &op) {
    auto spelled = spellVhlo(&op, version_);
    if (failed(spelled) || failed(checkTypes(op)))
      return failure();
    mlir::OperationState state = vhloState(*spelled->row, op.getLoc(), spelled->inherent);
    state.addAttributes(spelled->discardable.getValue());
    for (Value operand : op.getOperands())
      state.addOperands(values_.lookup(operand));
    for (mlir::Type type : op.getResultTypes())
      state.addTypes(wrapForVhlo(type));
    for (unsigned i = 0; i < op.getNumRegions(); ++i)
      state.addRegion();
    Operation *converted = builder_.create(state);
    values_.map(op.getResults(), converted->getResults());
    for (auto [from, to] : llvm::zip(op.getRegions(), converted->getRegions()))
      if (failed(convertRegion(from, to, /*wrapArguments=*/true)))
        return failure();
    return success();
  }

  // An operation of another dialect, with casts between VHLO's types and its own.
  LogicalResult keep(Operation &op) {
    llvm::StringRef dialect = op.getName().getDialectNamespace();
    if (dialect != "sdy" && dialect != "chlo")
      return op.emitOpError("has no portable form");
    if (version_ < kMixedDialects)
      return op.emitOpError("needs StableHLO ")
             << kMixedDialects.str() << " or newer; the artifact is to be of " << version_.str();
    if (auto topK = llvm::dyn_cast<chlo::TopKOp>(op); topK && !topK.getIsStable() && version_ < kStability)
      return op.emitOpError("with attribute 'is_stable' needs StableHLO ")
             << kStability.str() << " or newer; the artifact is to be of " << version_.str();
    if (failed(checkTypes(op)))
      return failure();
    mlir::OperationState state(op.getLoc(), op.getName());
    state.addAttributes(op.getDiscardableAttrDictionary().getValue());
    for (Value operand : op.getOperands()) {
      Value kept = keptValues_.lookupOrNull(operand);
      state.addOperands(kept ? kept : cast(values_.lookup(operand), operand.getType()));
    }
    state.addTypes(op.getResultTypes());
    for (unsigned i = 0; i < op.getNumRegions(); ++i)
      state.addRegion();
    Operation *kept = builder_.create(state);
    kept->copyProperties(op.getPropertiesStorage());
    for (auto [from, to] : llvm::zip(op.getResults(), kept->getResults()))
      mapKept(from, to);
    for (auto [from, to] : llvm::zip(op.getRegions(), kept->getRegions()))
      if (failed(convertRegion(from, to, /*wrapArguments=*/false)))
        return failure();
    return success();
  }

  LogicalResult convertRegion(mlir::Region &from, mlir::Region &to, bool wrapArguments) {
    for (mlir::Block &block : from) {
      mlir::Block &converted = to.emplaceBlock();
      builder_.setInsertionPointToEnd(&converted);
      for (mlir::BlockArgument argument : block.getArguments()) {
        mlir::Type type = argument.getType();
        if (wrapArguments)
          values_.map(argument, converted.addArgument(wrapForVhlo(type), argument.getLoc()));
        else
          mapKept(argument, converted.addArgument(type, argument.getLoc()));
      }
      if (failed(convertBlock(block, converted)))
        return failure();
    }
    return success();
  }

  // A value of a kept operation, cast where it is defined if VHLO uses it.
  void mapKept(Value from, Value to) {
    keptValues_.map(from, to);
    if (llvm::any_of(from.getUsers(), hasVhloForm))
      values_.map(from, cast(to, wrapForVhlo(to.getType())));
  }

  Value cast(Value value, mlir::Type type) {
    return mlir::UnrealizedConversionCastOp::create(builder_, value.getLoc(), type, value).getResult(0);
  }

  LogicalResult checkTypes(Operation &op) {
    llvm::SmallVector<mlir::Type> types(op.getResultTypes());
    for (mlir::Region &region : op.getRegions())
      for (mlir::Block &block : region)
        llvm::append_range(types, block.getArgumentTypes());
    for (mlir::Type type : types)
      if (checked_.insert(type).second && failed(checkVhloType(type, version_, &op)))
        return failure();
    return success();
  }

  mlir::OpBuilder builder_;
  VhloVersion version_;
  // Maps values to ones of VHLO's types, and to ones of the original types for operations that are kept.
  mlir::IRMapping values_, keptValues_;
  llvm::DenseSet<mlir::Type> checked_;
};

// The version of MLIR's format that went with a version of StableHLO.
int64_t bytecodeVersion(VhloVersion version) {
  if (version < VhloVersion{0, 10})
    return 0;
  if (version < VhloVersion{0, 12})
    return 1;
  if (version < VhloVersion{0, 14})
    return 3;
  return version < VhloVersion{0, 15} ? 4 : 6;
}

} // namespace

std::string exportArtifact(mlir::ModuleOp module, VhloVersion version) {
  if (auto reason = whyUnsupported(version))
    return module.emitError("no portable artifact of StableHLO ") << version.str() << " can be written: " << *reason,
           "";
  loadVhloDialect(*module.getContext());
  mlir::OwningOpRef<mlir::ModuleOp> converted = mlir::ModuleOp::create(module.getLoc(), module.getName());
  converted.get()->setDiscardableAttrs(module->getDiscardableAttrDictionary());
  VhloBuilder builder(module.getContext(), version);
  if (failed(builder.convertBlock(*module.getBody(), *converted->getBody())))
    return "";
  std::string producer = "StableHLO_v" + version.str();
  mlir::BytecodeWriterConfig config(producer);
  config.setDesiredBytecodeVersion(bytecodeVersion(version));
  auto chloVersion = std::make_unique<chlo::ChloVersion>();
  chloVersion->hasStability = version >= kStability;
  config.setDialectVersion<chlo::ChloDialect>(std::move(chloVersion));
  std::string bytes;
  llvm::raw_string_ostream out(bytes);
  if (failed(mlir::writeBytecodeToFile(converted->getOperation(), out, config)))
    return module.emitError("MLIR cannot write this program as bytecode"), "";
  return bytes;
}

} // namespace tenon::frontend
