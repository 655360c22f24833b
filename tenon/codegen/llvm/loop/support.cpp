#include "tenon/codegen/llvm/loop/support.h"

#include "tenon/codegen/common/region/region_evaluator.h"
#include "tenon/codegen/llvm/computation.h"
#include "tenon/codegen/llvm/element/element.h"
#include "tenon/codegen/llvm/element/scalar_evaluator.h"
#include "tenon/ir/captures.h"
#include "tenon/ir/elementwise_loop.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/ir/tenon.h"

#include "mlir/IR/BuiltinTypes.h"

namespace tenon::codegen::loop {

static bool isSupportedTensor(mlir::Type type) {
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() && isElementTypeSupported(tensor.getElementType());
}

static bool appliesComputation(mlir::Operation *op) {
  return llvm::isa<stablehlo::ReduceOp, stablehlo::ReduceWindowOp, stablehlo::MapOp>(op) && op->getNumOperands() > 0;
}

static bool hasSupportedTypes(mlir::Operation *op) {
  return op->getNumResults() > 0 && llvm::all_of(op->getOperandTypes(), isSupportedTensor) &&
         llvm::all_of(op->getResultTypes(), isSupportedTensor);
}

bool canFuseInLoopKernel(mlir::Operation *op) {
  if (!hasSupportedTypes(op))
    return false;
  ElementForm form = elementForm(op);
  if (form == ElementForm::kConstant)
    return llvm::isa<mlir::DenseElementsAttr>(llvm::cast<stablehlo::ConstantOp>(op).getValue());
  // Others cost too much to be computed again in each kernel that uses them.
  if (appliesComputation(op))
    return isScalarRegionSupported(op->getRegion(0));
  return form == ElementForm::kIota || form == ElementForm::kMoved || isElementwiseSupported(op);
}

// Whether an element of the carried value at the index at hand, in a register, is all that an iteration takes of it.
static bool isInRegister(stablehlo::WhileOp loop, unsigned number) {
  mlir::BlockArgument argument = loop.getBody().front().getArgument(number);
  auto moves = [](mlir::Operation *user) { return elementForm(user) == ElementForm::kMoved; };
  return shapeOf(argument).empty() || (shapeOf(argument) == ir::elementShape(loop) &&
                                       (!ir::isUnchanged(loop, number) || llvm::none_of(argument.getUsers(), moves)));
}

// Whether a fusion may have the loop in it. What it uses from outside it reads from memory in each iteration.
static bool canIterate(stablehlo::WhileOp loop) {
  auto isSupported = [](mlir::Region &region) {
    return llvm::all_of(region.front().without_terminator(),
                        [](mlir::Operation &op) { return canFuseInLoopKernel(&op); });
  };
  auto isArgument = [](mlir::Value value) { return llvm::isa<mlir::BlockArgument>(value); };
  auto isCarried = [&](unsigned number) { return isInRegister(loop, number) || ir::writtenPart(loop, number); };
  return hasSupportedTypes(loop) && ir::isElementwiseLoop(loop) &&
         llvm::all_of(llvm::seq(loop->getNumResults()), isCarried) &&
         llvm::all_of(ir::capturedValues(loop), isArgument) && isSupported(loop.getCond()) &&
         isSupported(loop.getBody());
}

static bool canEmitScatter(stablehlo::ScatterOp scatter, const KernelTarget &target) {
  // A body may promote the element types; the results then need a conversion of their own.
  bool sameTypes = llvm::equal(scatter.getInputs().getTypes(), scatter->getResultTypes());
  return sameTypes && scatter->getNumResults() > 0 && llvm::all_of(scatter->getOperandTypes(), isSupportedTensor) &&
         isComputationSupported(scatter.getUpdateComputation(), target);
}

static bool canEmitSelect(stablehlo::SelectAndScatterOp op, const KernelTarget &target) {
  return op.getOperand().getType() == op.getResult().getType() &&
         llvm::all_of(op->getOperandTypes(), isSupportedTensor) &&
         elementTypeOf(op.getSource()) == elementTypeOf(op.getOperand()) &&
         isComputationSupported(op.getSelect(), target) && isComputationSupported(op.getScatter(), target);
}

bool canEmitLoopKernel(mlir::Operation *op, const KernelTarget &target) {
  auto fusion = llvm::dyn_cast<ir::FusionOp>(op);
  if (auto scatter = llvm::dyn_cast<stablehlo::ScatterOp>(op))
    return canEmitScatter(scatter, target);
  if (auto select = llvm::dyn_cast<stablehlo::SelectAndScatterOp>(op))
    return canEmitSelect(select, target);
  if (!fusion)
    return canFuseInLoopKernel(op) ||
           (appliesComputation(op) && hasSupportedTypes(op) && isComputationSupported(op->getRegion(0), target));
  if (fusion.getKind() != ir::FusionKind::Loop && fusion.getKind() != ir::FusionKind::Reduce &&
      fusion.getKind() != ir::FusionKind::Rows)
    return false;
  if (op->getNumResults() == 0 || !llvm::all_of(op->getOperandTypes(), isSupportedTensor))
    return false;
  return llvm::all_of(fusion.getBlock().without_terminator(), [](mlir::Operation &inner) {
    auto loop = llvm::dyn_cast<stablehlo::WhileOp>(inner);
    return loop ? canIterate(loop) : canFuseInLoopKernel(&inner);
  });
}

} // namespace tenon::codegen::loop
