#include "tenon/codegen/cpu/loop_emitter.h"

#include "tenon/codegen/cpu/element.h"
#include "tenon/codegen/cpu/loop_rows.h"
#include "tenon/codegen/cpu/loop_scan.h"
#include "tenon/codegen/cpu/loop_scatter.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/ir/tenon.h"

#include "mlir/IR/BuiltinTypes.h"

namespace tenon::codegen {

static bool isSupportedTensor(mlir::Type type) {
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() && isElementTypeSupported(tensor.getElementType());
}

bool canFuseInLoopKernel(mlir::Operation *op) {
  if (!llvm::all_of(op->getOperandTypes(), isSupportedTensor) || !llvm::all_of(op->getResultTypes(), isSupportedTensor))
    return false;
  if (op->getNumResults() == 0)
    return false;
  if (auto constant = llvm::dyn_cast<stablehlo::ConstantOp>(op))
    return llvm::isa<mlir::DenseElementsAttr>(constant.getValue());
  if (llvm::isa<stablehlo::IotaOp, stablehlo::OptimizationBarrierOp>(op) || RegionIndexer::movesElements(op))
    return true;
  if (llvm::isa<stablehlo::ReduceOp, stablehlo::ReduceWindowOp, stablehlo::MapOp>(op))
    return op->getNumOperands() > 0 && isScalarRegionSupported(op->getRegion(0));
  return isElementwiseSupported(op);
}

static bool canEmitScatter(stablehlo::ScatterOp scatter) {
  // A body may promote the element types; the results then need a conversion of their own.
  bool sameTypes = llvm::equal(scatter.getInputs().getTypes(), scatter->getResultTypes());
  return sameTypes && scatter->getNumResults() > 0 && llvm::all_of(scatter->getOperandTypes(), isSupportedTensor) &&
         isScalarRegionSupported(scatter.getUpdateComputation());
}

bool canEmitLoopKernel(mlir::Operation *op) {
  auto fusion = llvm::dyn_cast<ir::FusionOp>(op);
  if (auto scatter = llvm::dyn_cast<stablehlo::ScatterOp>(op))
    return canEmitScatter(scatter);
  if (!fusion)
    return canFuseInLoopKernel(op);
  if (fusion.getKind() != ir::FusionKind::Loop && fusion.getKind() != ir::FusionKind::Reduce &&
      fusion.getKind() != ir::FusionKind::Rows)
    return false;
  if (op->getNumResults() == 0 || !llvm::all_of(op->getOperandTypes(), isSupportedTensor))
    return false;
  return llvm::all_of(fusion.getBlock().without_terminator(),
                      [](mlir::Operation &inner) { return canFuseInLoopKernel(&inner); });
}

llvm::FailureOr<Kernel> emitLoopKernel(mlir::Operation *op, llvm::Module &module, llvm::StringRef symbol,
                                       const CpuTarget &target) {
  if (!canEmitLoopKernel(op))
    return op->emitError() << "no loop kernel can be emitted for this operation";
  KernelSource source = kernelSource(op);
  if (llvm::isa<stablehlo::ScatterOp>(op))
    return emitScatterKernel(source, module, symbol, target);
  if (scanOf(source))
    return emitScanKernel(source, module, symbol, target);
  if (auto plan = planRows(source, planTarget(target), needsOrderedReduction(source))) {
    if (plan->partSize > 0)
      return emitPartedReduction(source, *plan, module, symbol, target);
    return emitRowsKernel(source, *plan, module, symbol, target);
  }
  return emitMapKernel(source, module, symbol, target);
}

} // namespace tenon::codegen
