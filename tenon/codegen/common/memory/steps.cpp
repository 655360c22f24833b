#include "tenon/codegen/common/memory/steps.h"

#include "tenon/ir/stablehlo.h"
#include "tenon/ir/tenon.h"
#include "tenon/ir/types.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::codegen {

bool isToken(Type type) { return isa<sh::TokenType>(type); }

bool isScalarTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getRank() == 0;
}

int64_t tensorBytes(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() ? ir::storedBytes(tensor) : 0;
}

StepKind structuralKind(Operation *op) {
  if (op->hasTrait<OpTrait::IsTerminator>())
    return StepKind::kReturn;
  if (op->hasTrait<OpTrait::ConstantLike>())
    return StepKind::kConstant;
  if (isa<sh::WhileOp>(op))
    return StepKind::kWhile;
  if (isa<sh::IfOp, sh::CaseOp>(op))
    return StepKind::kBranch;
  if (isa<sh::AfterAllOp, sh::CreateTokenOp>(op))
    return StepKind::kNothing;
  bool reshape = isa<sh::ReshapeOp>(op);
  if (reshape || (op->hasTrait<ir::Elementwise>() && op->getNumRegions() == 0))
    if (op->getNumOperands() > 0 && llvm::all_of(op->getOperandTypes(), isScalarTensor) &&
        llvm::all_of(op->getResultTypes(), isScalarTensor))
      return StepKind::kScalar;
  if (reshape)
    return StepKind::kAlias;
  return StepKind::kKernel;
}

LogicalResult forEachStep(Block &block, llvm::function_ref<bool(Operation *)> hasScalarCode,
                          llvm::function_ref<LogicalResult(Operation *, StepKind)> visit) {
  for (Operation &op : block) {
    StepKind kind = structuralKind(&op);
    if (kind == StepKind::kScalar && !isa<sh::ReshapeOp>(op) && !hasScalarCode(&op))
      kind = StepKind::kKernel;
    if (failed(visit(&op, kind)))
      return failure();
    if (kind == StepKind::kWhile || kind == StepKind::kBranch)
      for (Region &region : op.getRegions())
        if (failed(forEachStep(region.front(), hasScalarCode, visit)))
          return failure();
  }
  return success();
}

StepKind ProgramSteps::kindOf(Operation *op) const {
  StepKind kind = structuralKind(op);
  if (kind == StepKind::kKernel || kind == StepKind::kScalar) {
    if (kernels.contains(op))
      return StepKind::kKernel;
    if (services.contains(op))
      return StepKind::kService;
  }
  return kind;
}

} // namespace tenon::codegen
