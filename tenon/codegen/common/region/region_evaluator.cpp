#include "tenon/codegen/common/region/region_evaluator.h"

#include "tenon/ir/traits.h"

namespace tenon::codegen {

ElementForm elementForm(mlir::Operation *op) {
  if (llvm::isa<stablehlo::ConstantOp>(op))
    return ElementForm::kConstant;
  if (llvm::isa<stablehlo::IotaOp>(op))
    return ElementForm::kIota;
  if (op->hasTrait<ir::MovesElements>())
    return ElementForm::kMoved;
  if (llvm::isa<stablehlo::ReduceOp, stablehlo::ReduceWindowOp>(op))
    return ElementForm::kReduced;
  return ElementForm::kComputed;
}

} // namespace tenon::codegen
