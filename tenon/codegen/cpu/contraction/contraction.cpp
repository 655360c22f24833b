#include "tenon/codegen/cpu/contraction/contraction.h"

#include "tenon/codegen/common/memory/steps.h"
#include "tenon/codegen/cpu/contraction/epilogue.h"
#include "tenon/ir/element_types.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/ir/tenon.h"
#include "tenon/support/cpu_quota.h"
#include "tenon/support/strides.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::codegen {
namespace {

using matmul::ContractionSpec, matmul::ConvolutionSpec, matmul::ConvolutionWindow, matmul::MatmulTarget;

MatmulTarget matmulTarget(const CpuTarget &target) {
  MatmulTarget result;
  result.vectorBits = target.vectorBits();
  result.fma = target.fma();
  result.f16c = target.f16c();
  result.int16Pairs = target.isX86();
  result.avx512Bf16 = target.avx512bf16();
  result.avx512Vnni = target.avx512vnni();
  result.avxVnni = target.avxvnni();
  result.l1Bytes = target.l1Bytes();
  result.l2Bytes = target.l2Bytes();
  result.cores = std::max(2, usableCpus()); // how finely tasks are cut
  return result;
}

Operation *contractionIn(Operation *op) {
  if (auto fusion = dyn_cast<ir::FusionOp>(op)) {
    for (Operation &inner : fusion.getBlock())
      if (isa<sh::DotGeneralOp, sh::ConvolutionOp>(inner))
        return &inner;
    return nullptr;
  }
  return isa<sh::DotGeneralOp, sh::ConvolutionOp>(op) ? op : nullptr;
}

using ir::typeOf;

ContractionSpec dotSpec(sh::DotGeneralOp op) {
  RankedTensorType lhs = typeOf(op.getLhs()), rhs = typeOf(op.getRhs()), out = typeOf(op.getResult());
  auto lhsStrides = rowMajorStrides(lhs.getShape()), rhsStrides = rowMajorStrides(rhs.getShape()),
       outStrides = rowMajorStrides(out.getShape());
  auto numbers = op.getDotDimensionNumbers();
  ContractionSpec spec;
  spec.lhs = ir::toElementType(lhs.getElementType());
  spec.rhs = ir::toElementType(rhs.getElementType());
  spec.out = ir::toElementType(out.getElementType());
  int64_t next = 0; // dimension of the result
  for (auto [l, r] : llvm::zip(numbers.getLhsBatchingDimensions(), numbers.getRhsBatchingDimensions()))
    spec.batch.push_back({lhs.getDimSize(l), lhsStrides[l], rhsStrides[r], outStrides[next++]});
  for (auto [l, r] : llvm::zip(numbers.getLhsContractingDimensions(), numbers.getRhsContractingDimensions()))
    spec.k.push_back({lhs.getDimSize(l), lhsStrides[l], rhsStrides[r], 0});
  for (int64_t i = 0; i < lhs.getRank(); ++i)
    if (!llvm::is_contained(numbers.getLhsBatchingDimensions(), i) &&
        !llvm::is_contained(numbers.getLhsContractingDimensions(), i))
      spec.m.push_back({lhs.getDimSize(i), lhsStrides[i], 0, outStrides[next++]});
  for (int64_t i = 0; i < rhs.getRank(); ++i)
    if (!llvm::is_contained(numbers.getRhsBatchingDimensions(), i) &&
        !llvm::is_contained(numbers.getRhsContractingDimensions(), i))
      spec.n.push_back({rhs.getDimSize(i), 0, rhsStrides[i], outStrides[next++]});
  return spec;
}

ConvolutionSpec convolutionSpec(sh::ConvolutionOp op) {
  RankedTensorType lhs = typeOf(op.getLhs()), rhs = typeOf(op.getRhs()), out = typeOf(op.getResult());
  auto lhsStrides = rowMajorStrides(lhs.getShape()), rhsStrides = rowMajorStrides(rhs.getShape()),
       outStrides = rowMajorStrides(out.getShape());
  auto numbers = op.getDimensionNumbers();
  ConvolutionSpec spec;
  spec.lhs = ir::toElementType(lhs.getElementType());
  spec.rhs = ir::toElementType(rhs.getElementType());
  spec.out = ir::toElementType(out.getElementType());
  spec.batch = lhs.getDimSize(numbers.getInputBatchDimension());
  spec.inputFeatures = lhs.getDimSize(numbers.getInputFeatureDimension());
  spec.outputFeatures = rhs.getDimSize(numbers.getKernelOutputFeatureDimension());
  spec.featureGroups = op.getFeatureGroupCount();
  spec.batchGroups = op.getBatchGroupCount();
  spec.lhsBatchStride = lhsStrides[numbers.getInputBatchDimension()];
  spec.lhsFeatureStride = lhsStrides[numbers.getInputFeatureDimension()];
  spec.rhsInputFeatureStride = rhsStrides[numbers.getKernelInputFeatureDimension()];
  spec.rhsOutputFeatureStride = rhsStrides[numbers.getKernelOutputFeatureDimension()];
  spec.outBatchStride = outStrides[numbers.getOutputBatchDimension()];
  spec.outFeatureStride = outStrides[numbers.getOutputFeatureDimension()];
  spec.outBatchDim = numbers.getOutputBatchDimension();
  spec.outFeatureDim = numbers.getOutputFeatureDimension();

  // Window attributes belong to the i-th spatial dimension of each array; the spec's order is the result's.
  size_t count = numbers.getOutputSpatialDimensions().size();
  auto orElse = [](auto values, size_t i, int64_t fallback) { return values ? int64_t((*values)[i]) : fallback; };
  SmallVector<int64_t> padding(2 * count, 0);
  if (auto attribute = op.getPaddingAttr())
    padding.assign(attribute.getValues<int64_t>().begin(), attribute.getValues<int64_t>().end());
  SmallVector<std::pair<int, ConvolutionWindow>> windows;
  for (size_t i = 0; i < count; ++i) {
    int64_t input = numbers.getInputSpatialDimensions()[i], kernel = numbers.getKernelSpatialDimensions()[i],
            output = numbers.getOutputSpatialDimensions()[i];
    ConvolutionWindow window;
    window.inputSize = lhs.getDimSize(input);
    window.kernelSize = rhs.getDimSize(kernel);
    window.outputSize = out.getDimSize(output);
    window.stride = orElse(op.getWindowStrides(), i, 1);
    window.padLow = padding[2 * i];
    window.padHigh = padding[2 * i + 1];
    window.inputDilation = orElse(op.getLhsDilation(), i, 1);
    window.kernelDilation = orElse(op.getRhsDilation(), i, 1);
    window.reversed = orElse(op.getWindowReversal(), i, 0) != 0;
    window.lhsStride = lhsStrides[input];
    window.rhsStride = rhsStrides[kernel];
    window.outStride = outStrides[output];
    windows.push_back({int(output), window});
  }
  llvm::sort(windows, [](auto &a, auto &b) { return a.first < b.first; });
  for (auto &[dim, window] : windows) {
    spec.outSpatialDims.push_back(dim);
    spec.spatial.push_back(window);
  }
  return spec;
}

bool isPlain(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() &&
         ir::toElementType(tensor.getElementType()) != program::ElementType::kInvalid;
}

// What the plan does not see: the other operands and results of the fusion.
template <typename Plan> FailureOr<ContractionKernelPlan> finish(Operation *op, const char *kind, StatusOr<Plan> plan) {
  if (!plan.ok())
    return op->emitError(plan.status().message());
  Kernel &kernel = plan->kernel;
  kernel.kind = kind;
  kernel.resultInit.assign(op->getNumResults(), -1);
  kernel.bytes = 0;
  for (Value operand : op->getOperands())
    kernel.bytes += static_cast<double>(tensorBytes(operand.getType()));
  for (Value result : op->getResults())
    kernel.bytes += static_cast<double>(tensorBytes(result.getType()));
  return ContractionKernelPlan(*std::move(plan));
}

// Whether no broadcast of the fusion depends on the dimensions [first, last) of the result, or on `more`.
bool ignoresDimensions(Operation *op, int64_t first, int64_t last, ArrayRef<int> more = {}) {
  auto fusion = dyn_cast<ir::FusionOp>(op);
  if (!fusion)
    return true;
  for (auto broadcast : fusion.getBlock().getOps<sh::BroadcastInDimOp>())
    for (auto [i, dim] : llvm::enumerate(broadcast.getBroadcastDimensions()))
      if (typeOf(broadcast.getOperand()).getDimSize(i) != 1 &&
          ((dim >= first && dim < last) || llvm::is_contained(more, int(dim))))
        return false;
  return true;
}

} // namespace

bool isContraction(Operation *op) {
  if (auto fusion = dyn_cast<ir::FusionOp>(op))
    return fusion.getKind() == ir::FusionKind::Dot || fusion.getKind() == ir::FusionKind::Convolution;
  return isa<sh::DotGeneralOp, sh::ConvolutionOp>(op);
}

bool canEmitContraction(Operation *op) {
  Operation *contraction = contractionIn(op);
  if (!contraction || !llvm::all_of(contraction->getOperandTypes(), isPlain) ||
      !llvm::all_of(contraction->getResultTypes(), isPlain))
    return false;
  auto fusion = dyn_cast<ir::FusionOp>(op);
  return !fusion || canEmitEpilogue(fusion, contraction);
}

FailureOr<ContractionKernelPlan> planContractionKernel(Operation *op, StringRef symbol, const CpuTarget &target) {
  Operation *contraction = contractionIn(op);
  bool hasEpilogue = isa<ir::FusionOp>(op);
  // The last result is the one that the contraction stores; the epilogue stores the others.
  int extra = hasEpilogue ? op->getNumOperands() - 2 + op->getNumResults() - 1 : 0;
  program::ElementType stored = ir::toElementType(typeOf(op->getResults().back()).getElementType());
  if (auto dot = dyn_cast<sh::DotGeneralOp>(contraction)) {
    ContractionSpec spec = dotSpec(dot);
    spec.extraOperands = extra;
    spec.sum = spec.out;
    spec.out = stored;
    spec.epilogueLanesAlongM = true;
    int64_t batch = int64_t(spec.batch.size()), rows = int64_t(spec.m.size()), columns = int64_t(spec.n.size());
    spec.epilogueLanesMayWrap = (rows < 2 || ignoresDimensions(op, batch, batch + rows)) &&
                                (columns < 2 || ignoresDimensions(op, batch + rows, batch + rows + columns));
    return finish(op, "dot", planContraction(spec, matmulTarget(target), symbol, hasEpilogue));
  }
  ConvolutionSpec spec = convolutionSpec(cast<sh::ConvolutionOp>(contraction));
  spec.extraOperands = extra;
  spec.sum = spec.out;
  spec.out = stored;
  spec.epilogueLanesAlongSpatial = true;
  SmallVector<int> wrapped(spec.outSpatialDims.begin(), spec.outSpatialDims.end());
  wrapped.push_back(spec.outBatchDim);
  spec.epilogueLanesMayWrap = ignoresDimensions(op, 0, 0, wrapped);
  return finish(op, "convolution", planConvolution(spec, matmulTarget(target), symbol, hasEpilogue));
}

static Epilogue epilogueOf(Operation *op) {
  auto fusion = dyn_cast<ir::FusionOp>(op);
  return fusion ? makeEpilogue(fusion, contractionIn(op)) : Epilogue();
}

void emitContractionKernel(const ContractionPlan &plan, Operation *op, llvm::Module &module) {
  emitContraction(plan, module, epilogueOf(op));
}

void emitContractionKernel(const ConvolutionPlan &plan, Operation *op, llvm::Module &module) {
  emitConvolution(plan, module, epilogueOf(op));
}

} // namespace tenon::codegen
