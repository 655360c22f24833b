#include "tenon/codegen/cpu/loop_emitter.h"

#include "tenon/codegen/cpu/computation.h"
#include "tenon/codegen/cpu/element.h"
#include "tenon/codegen/cpu/loop_rows.h"
#include "tenon/codegen/cpu/loop_scan.h"
#include "tenon/codegen/cpu/loop_scatter.h"
#include "tenon/codegen/cpu/loop_select.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/ir/tenon.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/MathExtras.h"

namespace tenon::codegen {

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
  if (auto constant = llvm::dyn_cast<stablehlo::ConstantOp>(op))
    return llvm::isa<mlir::DenseElementsAttr>(constant.getValue());
  if (llvm::isa<stablehlo::IotaOp, stablehlo::OptimizationBarrierOp>(op) || RegionIndexer::movesElements(op))
    return true;
  // Others cost too much to be computed again in each kernel that uses them.
  if (appliesComputation(op))
    return isScalarRegionSupported(op->getRegion(0));
  return isElementwiseSupported(op);
}

static bool canEmitScatter(stablehlo::ScatterOp scatter) {
  // A body may promote the element types; the results then need a conversion of their own.
  bool sameTypes = llvm::equal(scatter.getInputs().getTypes(), scatter->getResultTypes());
  return sameTypes && scatter->getNumResults() > 0 && llvm::all_of(scatter->getOperandTypes(), isSupportedTensor) &&
         isComputationSupported(scatter.getUpdateComputation());
}

static bool canEmitSelect(stablehlo::SelectAndScatterOp op) {
  return op.getOperand().getType() == op.getResult().getType() &&
         llvm::all_of(op->getOperandTypes(), isSupportedTensor) &&
         elementTypeOf(op.getSource()) == elementTypeOf(op.getOperand()) && isComputationSupported(op.getSelect()) &&
         isComputationSupported(op.getScatter());
}

bool canEmitLoopKernel(mlir::Operation *op) {
  auto fusion = llvm::dyn_cast<ir::FusionOp>(op);
  if (auto scatter = llvm::dyn_cast<stablehlo::ScatterOp>(op))
    return canEmitScatter(scatter);
  if (auto select = llvm::dyn_cast<stablehlo::SelectAndScatterOp>(op))
    return canEmitSelect(select);
  if (!fusion)
    return canFuseInLoopKernel(op) ||
           (appliesComputation(op) && hasSupportedTypes(op) && isComputationSupported(op->getRegion(0)));
  if (fusion.getKind() != ir::FusionKind::Loop && fusion.getKind() != ir::FusionKind::Reduce &&
      fusion.getKind() != ir::FusionKind::Rows)
    return false;
  if (op->getNumResults() == 0 || !llvm::all_of(op->getOperandTypes(), isSupportedTensor))
    return false;
  return llvm::all_of(fusion.getBlock().without_terminator(),
                      [](mlir::Operation &inner) { return canFuseInLoopKernel(&inner); });
}

// One phase, or a reduction's two: no cuts.
static llvm::FailureOr<Kernel> emitPhase(const KernelSource &source, llvm::Module &module, llvm::StringRef symbol,
                                         const CpuTarget &target) {
  if (llvm::isa<stablehlo::ScatterOp>(source.op))
    return emitScatterKernel(source, module, symbol, target);
  if (llvm::isa<stablehlo::SelectAndScatterOp>(source.op))
    return emitSelectAndScatterKernel(source, module, symbol, target);
  if (scanOf(source))
    return emitScanKernel(source, module, symbol, target);
  if (auto plan = planRows(source, planTarget(target), needsOrderedReduction(source))) {
    if (plan->partSize > 0)
      return emitPartedReduction(source, *plan, module, symbol, target);
    return emitRowsKernel(source, *plan, module, symbol, target);
  }
  return emitMapKernel(source, module, symbol, target);
}

static bool standsAlone(mlir::Operation *op) {
  constexpr int64_t kShortWindow = 8;
  std::optional<CumulativeWindow> window = cumulativeWindow(op);
  return window && shapeOf(op->getOperand(0))[window->dim] > kShortWindow;
}

// Groups the cut values by op: all results of one op come from one phase.
static llvm::SmallVector<llvm::SmallVector<mlir::Value>> groupCuts(llvm::ArrayRef<mlir::Value> cuts) {
  llvm::SmallVector<llvm::SmallVector<mlir::Value>> groups;
  for (mlir::Value value : cuts) {
    if (groups.empty() || groups.back().front().getDefiningOp() != value.getDefiningOp())
      groups.emplace_back();
    groups.back().push_back(value);
  }
  return groups;
}

llvm::FailureOr<Kernel> emitLoopKernel(mlir::Operation *op, llvm::Module &module, llvm::StringRef symbol,
                                       const CpuTarget &target) {
  if (!canEmitLoopKernel(op))
    return op->emitError() << "no loop kernel can be emitted for this operation";
  KernelSource source = kernelSource(op);
  Kernel whole;
  auto addPhases = [&](const Kernel &kernel) {
    whole.phases.append(kernel.phases.begin(), kernel.phases.end());
    whole.scratchBytes = std::max(whole.scratchBytes, kernel.scratchBytes);
    whole.tempBytes = std::max(whole.tempBytes, source.tempBase + kernel.tempBytes);
    whole.flops += kernel.flops;
  };
  for (auto &values : groupCuts(chooseCuts(source, standsAlone))) {
    KernelSource phase = source;
    phase.outputs.assign(values.begin(), values.end());
    for (mlir::Value value : values) {
      phase.outputOffsets.push_back(source.tempBase);
      int64_t bytes = elementCount(shapeOf(value)) * storageBytes(elementTypeOf(value));
      source.tempBase += llvm::alignTo(bytes, 64);
    }
    phase.tempBase = source.tempBase;
    auto kernel = emitPhase(phase, module, (symbol + "_part" + llvm::Twine(whole.phases.size())).str(), target);
    if (llvm::failed(kernel))
      return llvm::failure();
    addPhases(*kernel);
    source.inputs.append(values.begin(), values.end());
    source.inputOffsets.append(phase.outputOffsets.begin(), phase.outputOffsets.end());
  }
  auto last = emitPhase(source, module, symbol, target);
  if (llvm::failed(last))
    return llvm::failure();
  addPhases(*last);
  whole.resultInit = last->resultInit;
  whole.mayAlias = last->mayAlias;
  whole.kind = last->kind;
  whole.bytes = trafficBytes(kernelSource(op)) + 2.0 * source.tempBase;
  return whole;
}

} // namespace tenon::codegen
