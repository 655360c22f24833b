#include "tenon/compiler/readable.h"

#include "tenon/ir/chlo.h"
#include "tenon/ir/group_axes.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/ir/tenon.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::compiler {
namespace {

void setDictionaryConfig(sh::CustomCallOp call, DictionaryAttr config) {
  // The importer takes a dictionary from typed calls only.
  call.setBackendConfigAttr(config);
  call.setApiVersion(sh::CustomCallApiVersion::API_VERSION_TYPED_FFI);
}

// The importer's name for an op that is an instruction of HLO and not an op of StableHLO; empty for others.
StringRef instructionOf(Operation *op) {
  if (isa<chlo::ErfOp>(op))
    return "mhlo.erf";
  return isa<chlo::TopKOp>(op) ? "mhlo.topk" : "";
}

// chlo.erf is HLO's erf; others, which HLO has no instruction for, are calls of that name, for so they run: as one
// function, not as a formula that XLA would put in their place.
void replaceByCall(Operation *op) {
  OpBuilder builder(op);
  StringRef instruction = instructionOf(op);
  OperationState state(op->getLoc(), sh::CustomCallOp::getOperationName());
  state.addOperands(op->getOperands());
  state.addTypes(op->getResultTypes());
  state.addAttribute("call_target_name",
                     builder.getStringAttr(instruction.empty() ? op->getName().getStringRef() : instruction));
  if (!instruction.empty()) {
    SmallVector<NamedAttribute> attributes;
    if (auto topK = dyn_cast<chlo::TopKOp>(op))
      attributes = {builder.getNamedAttr("k", topK.getKAttr()),
                    builder.getNamedAttr("largest", builder.getBoolAttr(true))};
    state.addAttribute("mhlo.attributes", builder.getDictionaryAttr(attributes));
    state.addAttribute("mhlo.version", builder.getI64IntegerAttr(1));
  }
  auto call = cast<sh::CustomCallOp>(builder.create(state));
  DictionaryAttr attributes = op->getAttrDictionary();
  if (instruction.empty() && !attributes.empty())
    setDictionaryConfig(call, attributes);
  op->replaceAllUsesWith(call->getResults());
  op->erase();
}

// Groups by the axes of a mesh, which not every reader knows, become lists of processes.
void listGroups(ModuleOp module) {
  module.walk([](Operation *op) {
    if (!isa_and_nonnull<sh::ReplicaGroupMeshAxesAttr>(op->getAttr("replica_groups")))
      return;
    StatusOr<ir::ProcessGroups> groups = ir::processGroups(op, ir::processGrid(op));
    if (groups.ok())
      op->setAttr("replica_groups", ir::listAttribute(op->getContext(), *groups));
  });
}

// Makes the main function of a module a private one of `module`, under the inner module's name.
func::FuncOp adopt(ModuleOp module, ModuleOp inner) {
  auto function = inner.lookupSymbol<func::FuncOp>("main");
  if (!function)
    return nullptr;
  function = function.clone();
  function.setName(inner.getName().value_or("manual_computation"));
  function.setPrivate();
  SymbolTable(module).insert(function);
  return function;
}

void nameComputation(sh::CustomCallOp call, ArrayRef<func::FuncOp> functions) {
  auto config = dyn_cast_or_null<DictionaryAttr>(call.getBackendConfigAttr());
  auto number = config ? config.getAs<IntegerAttr>("module") : nullptr;
  if (!number || number.getValue().uge(functions.size()) || !functions[number.getInt()])
    return;
  OpBuilder builder(call);
  call.setCalledComputationsAttr(builder.getArrayAttr(FlatSymbolRefAttr::get(functions[number.getInt()])));
}

} // namespace

void makeReadable(ModuleOp module, ArrayRef<OwningOpRef<ModuleOp>> manualComputations) {
  listGroups(module);
  for (const OwningOpRef<ModuleOp> &inner : manualComputations)
    listGroups(inner.get());
  SmallVector<func::FuncOp> functions(manualComputations.size());
  for (const OwningOpRef<ModuleOp> &inner : manualComputations)
    if (auto number = inner.get()->getAttrOfType<IntegerAttr>(ir::kManualComputationAttribute);
        number && number.getValue().ult(functions.size()))
      functions[number.getInt()] = adopt(module, inner.get());
  SmallVector<Operation *> ops;
  module.walk([&](Operation *op) {
    if (auto call = dyn_cast<sh::CustomCallOp>(op)) {
      if (call.getCallTargetName() == ir::kManualComputationTarget)
        nameComputation(call, functions);
      if (auto config = dyn_cast_or_null<DictionaryAttr>(call.getBackendConfigAttr()))
        setDictionaryConfig(call, config);
    } else if (isa_and_nonnull<chlo::ChloDialect>(op->getDialect()) && op->getNumRegions() == 0) {
      ops.push_back(op);
    }
  });
  llvm::for_each(ops, replaceByCall);
}

} // namespace tenon::compiler
