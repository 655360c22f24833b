#include "tenon/codegen/common/plan/byte_lanes.h"

#include "tenon/ir/stablehlo.h"

#include <cstdlib>

namespace tenon::codegen {

bool isOnBytes(mlir::Operation *op) {
  auto isByte = [](mlir::Value value) {
    mlir::Type type = elementTypeOf(value);
    return type.isInteger(1) || type.isInteger(8);
  };
  return llvm::isa<stablehlo::AddOp, stablehlo::SubtractOp, stablehlo::AndOp, stablehlo::OrOp, stablehlo::XorOp,
                   stablehlo::NotOp, stablehlo::MinimumOp, stablehlo::MaximumOp, stablehlo::CompareOp,
                   stablehlo::SelectOp, stablehlo::ConvertOp>(op) &&
         llvm::all_of(op->getOperands(), isByte) && llvm::all_of(op->getResults(), isByte);
}

bool computesWholeBytes(const LoopPlan &plan, const PlanTarget &target) {
  if (plan.use.widensBytes || !target.costs.hasCores() || plan.vectorDim < 0)
    return false;
  mlir::AffineExpr vector = plan.space().dim(plan.vectorDim);
  return llvm::all_of(plan.use.accesses, [&](const PlanAccess &access) {
    int64_t step = IndexSpace::linearForm(access.position).coefficient(vector);
    return target.masks ? step == 0 || step == 1 : std::abs(step) <= 2;
  });
}

} // namespace tenon::codegen
