// Ops that only keep earlier passes from doing something, and annotations without meaning on one device.

#include "tenon/ir/stablehlo.h"
#include "tenon/passes/passes.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {
namespace {

// Custom calls that say where a value lives or how it is sharded; on one device each is its operand.
bool isAnnotation(sh::CustomCallOp call) {
  static constexpr llvm::StringLiteral names[] = {"Sharding", "SPMDFullToShardShape", "SPMDShardToFullShape",
                                                  "annotate_device_placement", "LayoutConstraint"};
  return llvm::is_contained(names, call.getCallTargetName()) && call->getNumOperands() == 1 &&
         call->getNumResults() == 1 && call->getOperand(0).getType() == call->getResult(0).getType();
}

} // namespace

LogicalResult stripBarriers(ModuleOp module) {
  SmallVector<Operation *> identities;
  module.walk([&](Operation *op) {
    auto call = dyn_cast<sh::CustomCallOp>(op);
    if (isa<sh::OptimizationBarrierOp>(op) || (call && isAnnotation(call)))
      identities.push_back(op);
  });
  for (Operation *op : identities) {
    op->replaceAllUsesWith(op->getOperands());
    op->erase();
  }
  return success();
}

} // namespace tenon::passes
