// jax.debug.inspect_array_sharding is a call that asks where its operand lies; who asks is an address in the process
// that compiles. Passes have no business there: they take the calls out, and say on the module who is to be told what.
#include "tenon/ir/op_sharding.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/passes/partition/partition.h"
#include "tenon/passes/partition/propagate/values.h"
#include "tenon/program/sharding.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {

bool isInspection(Operation *op) {
  auto call = dyn_cast<sh::CustomCallOp>(op);
  return call && call.getCallTargetName() == "InspectSharding" && call->getNumOperands() == 1 &&
         call->getNumResults() <= 1;
}

// The axes that the computation around an op is written for one device of.
static ir::Axes manualAxesAround(Operation *op, const ir::Mesh *mesh) {
  ir::Axes axes;
  for (auto around = op->getParentOfType<sdy::ManualComputationOp>(); around;
       around = around->getParentOfType<sdy::ManualComputationOp>())
    for (int axis : propagate::ValueShardings::manualAxes(around, mesh))
      axes.push_back({axis, 1, mesh->axes[axis].size});
  return axes;
}

// Without a sharding it is the same on all devices.
static program::Sharding shardingOf(sh::CustomCallOp call, ir::MeshTable &meshes) {
  program::Sharding whole;
  whole.kind = program::Sharding::Kind::kReplicated;
  auto perValue = call->getAttrOfType<sdy::TensorShardingPerValueAttr>(kOperandShardings);
  auto type = dyn_cast<RankedTensorType>(call->getOperand(0).getType());
  if (!perValue || !type)
    return whole;
  StatusOr<ir::Sharding> sharding = meshes.read(perValue.getShardings().front(), type.getRank());
  if (!sharding.ok())
    return whole;
  return ir::toOpSharding(*sharding, manualAxesAround(call, sharding->mesh)).value_or(whole);
}

void takeInspections(func::FuncOp main, ModuleOp module) {
  SmallVector<sh::CustomCallOp> calls;
  main.walk([&](sh::CustomCallOp call) {
    if (isInspection(call))
      calls.push_back(call);
  });
  if (calls.empty())
    return;
  ir::MeshTable meshes(main->getParentOfType<ModuleOp>());
  Builder builder(module.getContext());
  SmallVector<Attribute> told;
  for (sh::CustomCallOp call : calls) {
    auto asking = dyn_cast_or_null<StringAttr>(call.getBackendConfigAttr());
    told.push_back(builder.getArrayAttr({asking ? asking : builder.getStringAttr(""),
                                         builder.getStringAttr(program::toProto(shardingOf(call, meshes)))}));
    call->replaceAllUsesWith(call->getOperands().take_front(call->getNumResults()));
    call.erase();
  }
  if (!module->hasAttr(kInspectedAttribute))
    module->setAttr(kInspectedAttribute, builder.getArrayAttr(told));
}

} // namespace tenon::passes
