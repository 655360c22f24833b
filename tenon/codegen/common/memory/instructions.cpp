#include "tenon/codegen/common/memory/instructions.h"

#include "tenon/ir/folded.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/ir/tenon.h"
#include "tenon/ir/types.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::codegen {

bool isToken(Type type) { return isa<sh::TokenType>(type); }

int64_t tensorBytes(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() ? ir::storedBytes(tensor) : 0;
}

InstructionKind structuralKind(Operation *op) {
  if (op->hasTrait<OpTrait::IsTerminator>())
    return InstructionKind::kReturn;
  if (op->hasTrait<OpTrait::ConstantLike>() || ir::isFolded(op))
    return InstructionKind::kConstant;
  if (isa<sh::WhileOp>(op))
    return InstructionKind::kWhile;
  if (isa<sh::IfOp, sh::CaseOp>(op))
    return InstructionKind::kBranch;
  if (isa<sh::AfterAllOp, sh::CreateTokenOp>(op))
    return InstructionKind::kNothing;
  bool reshape = isa<sh::ReshapeOp>(op);
  if (reshape || (op->hasTrait<ir::Elementwise>() && op->getNumRegions() == 0))
    if (op->getNumOperands() > 0 && llvm::all_of(op->getOperandTypes(), isScalarTensor) &&
        llvm::all_of(op->getResultTypes(), isScalarTensor))
      return InstructionKind::kScalar;
  if (reshape)
    return InstructionKind::kAlias;
  return InstructionKind::kKernel;
}

LogicalResult forEachInstruction(Block &block, llvm::function_ref<bool(Operation *)> hasScalarCode,
                                 llvm::function_ref<LogicalResult(Operation *, InstructionKind)> visit) {
  for (Operation &op : block) {
    InstructionKind kind = structuralKind(&op);
    if (kind == InstructionKind::kScalar && !isa<sh::ReshapeOp>(op) && !hasScalarCode(&op))
      kind = InstructionKind::kKernel;
    if (failed(visit(&op, kind)))
      return failure();
    if (kind == InstructionKind::kWhile || kind == InstructionKind::kBranch)
      for (Region &region : op.getRegions())
        if (failed(forEachInstruction(region.front(), hasScalarCode, visit)))
          return failure();
  }
  return success();
}

InstructionKind ProgramInstructions::kindOf(Operation *op) const {
  InstructionKind kind = structuralKind(op);
  if (kind == InstructionKind::kKernel || kind == InstructionKind::kScalar) {
    if (kernels.contains(op))
      return InstructionKind::kKernel;
    if (views.contains(op))
      return InstructionKind::kView;
    if (runtimeCalls.contains(op))
      return InstructionKind::kRuntimeCall;
  }
  return kind;
}

bool readOnlyBy(Operation *op, int index) {
  for (auto [i, operand] : llvm::enumerate(op->getOperands()))
    if (int(i) != index && operand == op->getOperand(index))
      return false;
  return true;
}

bool isNextValueOf(Value result, Value argument) {
  auto carried = dyn_cast<BlockArgument>(argument);
  auto loop = carried ? dyn_cast_if_present<sh::WhileOp>(carried.getOwner()->getParentOp()) : sh::WhileOp();
  return loop && carried.getParentRegion() == &loop.getBody() &&
         loop.getBody().front().getTerminator()->getOperand(carried.getArgNumber()) == result;
}

} // namespace tenon::codegen
