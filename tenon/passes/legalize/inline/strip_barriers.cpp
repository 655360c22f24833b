// Ops that only keep earlier passes from doing something, and annotations without meaning on one device.

#include "tenon/ir/annotations.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/passes/passes.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {
namespace {

bool isIdentity(sh::CustomCallOp call) {
  return ir::isAnnotation(call) && call->getNumResults() != 0 &&
         llvm::all_of(call->getResultTypes(), llvm::IsaPred<RankedTensorType>) &&
         call->getOperandTypes() == call->getResultTypes();
}

// Memory whose contents are to be overwritten: zeros, so that every run gives the same.
bool isAllocation(sh::CustomCallOp call) {
  StringRef name = call.getCallTargetName();
  if ((name != "CreateBuffer" && name != "AllocateBuffer") || call->getNumOperands() || call->getNumResults() != 1)
    return false;
  auto type = dyn_cast<RankedTensorType>(call->getResult(0).getType());
  return type && type.hasStaticShape();
}

void replaceByZeros(sh::CustomCallOp call) {
  OpBuilder builder(call);
  auto type = cast<RankedTensorType>(call->getResult(0).getType());
  Value zero = sh::ConstantOp::create(builder, call.getLoc(),
                                      SplatElementsAttr::get(RankedTensorType::get({}, builder.getI1Type()), false));
  zero = sh::ConvertOp::create(builder, call.getLoc(), type.clone(ArrayRef<int64_t>()), zero);
  call->getResult(0).replaceAllUsesWith(
      sh::BroadcastInDimOp::create(builder, call.getLoc(), type, zero, ArrayRef<int64_t>{}));
  call.erase();
}

} // namespace

LogicalResult stripBarriers(ModuleOp module) {
  SmallVector<Operation *> identities;
  SmallVector<sh::CustomCallOp> allocations;
  module.walk([&](Operation *op) {
    auto call = dyn_cast<sh::CustomCallOp>(op);
    if (isa<sh::OptimizationBarrierOp>(op) || (call && isIdentity(call)))
      identities.push_back(op);
    else if (call && isAllocation(call))
      allocations.push_back(call);
  });
  llvm::for_each(allocations, replaceByZeros);
  for (Operation *op : identities) {
    op->replaceAllUsesWith(op->getOperands());
    op->erase();
  }
  return success();
}

LogicalResult stripSinks(ModuleOp module) {
  SmallVector<sh::CustomCallOp> sinks;
  module.walk([&](sh::CustomCallOp call) {
    if (ir::isSink(call))
      sinks.push_back(call);
  });
  llvm::for_each(sinks, [](sh::CustomCallOp call) { call.erase(); });
  return success();
}

} // namespace tenon::passes
