#include "tenon/codegen/kernel/contraction/contraction.h"

#include "tenon/codegen/common/memory/instructions.h"
#include "tenon/codegen/kernel/contraction/epilogue.h"
#include "tenon/ir/element_types.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/ir/tenon.h"
#include "tenon/support/strides.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::codegen {
namespace {

using matmul::ContractionSpec, matmul::ConvolutionSpec, matmul::ConvolutionWindow;

Operation *contractionIn(Operation *op) {
  if (auto fusion = dyn_cast<ir::FusionOp>(op)) {
    for (Operation &inner : fusion.getBlock())
      if (isa<sh::DotGeneralOp, sh::ConvolutionOp>(inner))
        return &inner;
    return nullptr;
  }
  return isa<sh::DotGeneralOp, sh::ConvolutionOp>(op) ? op : nullptr;
}

// What a contraction reads: the operand of a conversion that the fusion computes on the way.
Value storedOperand(Value operand) {
  auto convert = operand.getDefiningOp<sh::ConvertOp>();
  return convert && isa<ir::FusionOp>(convert->getParentOp()) ? convert.getOperand() : operand;
}

// A kernel in panels of output features (passes/fuse/kernel_panels.cpp): the panels that a fusion reads in its place.
// Null where it lies as it is.
sh::TransposeOp panelsOf(sh::ConvolutionOp op) {
  auto whole = op.getRhs().getDefiningOp<sh::ReshapeOp>();
  return whole ? whole.getOperand().getDefiningOp<sh::TransposeOp>() : nullptr;
}

// The types of the operands in memory, and what they are multiplied as. Integers of the same values give the same
// products, whatever their width.
template <typename Spec> void setOperandTypes(Spec &spec, Operation *contraction) {
  auto set = [&](Value operand, Type &stored, Type &as) {
    Type to = elementTypeOf(operand);
    stored = elementTypeOf(storedOperand(operand));
    if (stored != to && isa<FloatType>(to))
      as = to;
  };
  set(contraction->getOperand(0), spec.lhs, spec.lhsAs);
  set(contraction->getOperand(1), spec.rhs, spec.rhsAs);
  spec.out = elementTypeOf(contraction->getResult(0));
}

// How an array lies in memory.
struct RowMajor {
  explicit RowMajor(Value array) : sizes(shapeOf(array)), strides(rowMajorStrides(sizes)) {}

  ArrayRef<int64_t> sizes;
  std::vector<int64_t> strides;
};

ContractionSpec dotSpec(sh::DotGeneralOp op) {
  RowMajor lhs(op.getLhs()), rhs(op.getRhs()), out(op.getResult());
  auto numbers = op.getDotDimensionNumbers();
  ContractionSpec spec;
  setOperandTypes(spec, op);
  int64_t next = 0; // dimension of the result
  for (auto [l, r] : llvm::zip(numbers.getLhsBatchingDimensions(), numbers.getRhsBatchingDimensions()))
    spec.batch.push_back({lhs.sizes[l], lhs.strides[l], rhs.strides[r], out.strides[next++]});
  for (auto [l, r] : llvm::zip(numbers.getLhsContractingDimensions(), numbers.getRhsContractingDimensions()))
    spec.k.push_back({lhs.sizes[l], lhs.strides[l], rhs.strides[r], 0});
  for (int64_t i = 0; i < int64_t(lhs.sizes.size()); ++i)
    if (!llvm::is_contained(numbers.getLhsBatchingDimensions(), i) &&
        !llvm::is_contained(numbers.getLhsContractingDimensions(), i))
      spec.m.push_back({lhs.sizes[i], lhs.strides[i], 0, out.strides[next++]});
  for (int64_t i = 0; i < int64_t(rhs.sizes.size()); ++i)
    if (!llvm::is_contained(numbers.getRhsBatchingDimensions(), i) &&
        !llvm::is_contained(numbers.getRhsContractingDimensions(), i))
      spec.n.push_back({rhs.sizes[i], 0, rhs.strides[i], out.strides[next++]});
  return spec;
}

// How the kernel of a convolution lies in memory. Output features may be in panels, of `columns`, one `panelStride`
// behind the other.
struct KernelPlaces : RowMajor {
  explicit KernelPlaces(sh::ConvolutionOp op) : RowMajor(op.getRhs()) {
    sh::TransposeOp transpose = panelsOf(op);
    if (!transpose)
      return;
    RowMajor panels(transpose.getOperand());
    std::vector<int64_t> parts;
    for (int64_t dim : transpose.getPermutation())
      parts.push_back(panels.strides[dim]);
    int64_t features = op.getDimensionNumbers().getKernelOutputFeatureDimension();
    columns = panels.sizes[transpose.getPermutation()[features + 1]];
    panelStride = parts[features];
    parts.erase(parts.begin() + features);
    strides = std::move(parts);
  }

  int64_t columns = 0, panelStride = 0;
};

ConvolutionSpec convolutionSpec(sh::ConvolutionOp op) {
  RowMajor lhs(op.getLhs()), out(op.getResult());
  KernelPlaces rhs(op);
  auto numbers = op.getDimensionNumbers();
  ConvolutionSpec spec;
  setOperandTypes(spec, op);
  spec.rhsPanelColumns = rhs.columns;
  spec.rhsPanelStride = rhs.panelStride;
  spec.batch = lhs.sizes[numbers.getInputBatchDimension()];
  spec.inputFeatures = lhs.sizes[numbers.getInputFeatureDimension()];
  spec.outputFeatures = rhs.sizes[numbers.getKernelOutputFeatureDimension()];
  spec.featureGroups = op.getFeatureGroupCount();
  spec.batchGroups = op.getBatchGroupCount();
  spec.lhsBatchStride = lhs.strides[numbers.getInputBatchDimension()];
  spec.lhsFeatureStride = lhs.strides[numbers.getInputFeatureDimension()];
  spec.rhsInputFeatureStride = rhs.strides[numbers.getKernelInputFeatureDimension()];
  spec.rhsOutputFeatureStride = rhs.strides[numbers.getKernelOutputFeatureDimension()];
  spec.outBatchStride = out.strides[numbers.getOutputBatchDimension()];
  spec.outFeatureStride = out.strides[numbers.getOutputFeatureDimension()];
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
    window.inputSize = lhs.sizes[input];
    window.kernelSize = rhs.sizes[kernel];
    window.outputSize = out.sizes[output];
    window.stride = orElse(op.getWindowStrides(), i, 1);
    window.padLow = padding[2 * i];
    window.padHigh = padding[2 * i + 1];
    window.inputDilation = orElse(op.getLhsDilation(), i, 1);
    window.kernelDilation = orElse(op.getRhsDilation(), i, 1);
    window.reversed = orElse(op.getWindowReversal(), i, 0) != 0;
    window.lhsStride = lhs.strides[input];
    window.rhsStride = rhs.strides[kernel];
    window.outStride = out.strides[output];
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
  return tensor && tensor.hasStaticShape() && isElementTypeSupported(tensor.getElementType());
}

// What the plan does not see: the other operands and results of the fusion.
template <typename Result, typename Plan>
FailureOr<ContractionKernelPlan> finish(Operation *op, const char *kind, StatusOr<Plan> plan,
                                        std::optional<EpiloguePlan> epilogue) {
  if (!plan.ok())
    return op->emitError(plan.status().message());
  Result result{*std::move(plan), std::move(epilogue)};
  Kernel &kernel = result.kernel;
  kernel.kind = kind;
  kernel.resultInit.assign(op->getNumResults(), -1);
  kernel.bytes = 0;
  for (Value operand : op->getOperands())
    kernel.bytes += static_cast<double>(tensorBytes(operand.getType()));
  for (Value stored : op->getResults())
    kernel.bytes += static_cast<double>(tensorBytes(stored.getType()));
  return ContractionKernelPlan(std::move(result));
}

// Divides the spec's dimensions, and stores, as the epilogue says.
void apply(const EpiloguePlan &epilogue, ContractionSpec &spec) {
  const ContractionIndexDim *part = epilogue.dims.begin();
  unsigned number = 0; // of the result's dimension
  for (auto *role : {&spec.batch, &spec.m, &spec.n}) {
    SmallVector<matmul::ContractionDim, 2> parts;
    for (const matmul::ContractionDim &dim : *role) {
      int64_t left = dim.size;
      for (; part != epilogue.dims.end() && part->dim == number; ++part) {
        left = part->extent == 0 ? 0 : left / part->extent;
        parts.push_back({part->extent, dim.lhsStride * left, dim.rhsStride * left,
                         part->extent == 1 ? dim.outStride : part->stride});
      }
      ++number;
    }
    *role = std::move(parts);
  }
  auto mayWrap = [&](size_t first, size_t count) {
    SmallVector<unsigned> dims;
    for (size_t i = 0; i < count; ++i)
      dims.push_back(static_cast<unsigned>(first + i));
    return count < 2 || epilogue.lanesMayWrap(dims);
  };
  spec.epilogueLanesMayWrap =
      mayWrap(spec.batch.size(), spec.m.size()) && mayWrap(spec.batch.size() + spec.m.size(), spec.n.size());
}

// The same; the dimensions are the result's.
void apply(const EpiloguePlan &epilogue, ConvolutionSpec &spec) {
  auto setStride = [&](int dim, int64_t &stride) {
    if (epilogue.dims[dim].extent != 1)
      stride = epilogue.dims[dim].stride;
  };
  setStride(spec.outBatchDim, spec.outBatchStride);
  setStride(spec.outFeatureDim, spec.outFeatureStride);
  SmallVector<unsigned> wrapped{static_cast<unsigned>(spec.outBatchDim)};
  for (auto [window, dim] : llvm::zip(spec.spatial, spec.outSpatialDims)) {
    setStride(dim, window.outStride);
    wrapped.push_back(static_cast<unsigned>(dim));
  }
  spec.epilogueLanesMayWrap = epilogue.lanesMayWrap(wrapped);
}

// A convolution's windows are laid out for whole dimensions.
bool mayDivideResult(Operation *contraction) { return isa<sh::DotGeneralOp>(contraction); }

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
  for (Value operand : contraction->getOperands())
    if (Value stored = storedOperand(operand);
        stored != operand && (!isa<BlockArgument>(stored) || !isPlain(stored.getType()) ||
                              !ir::convertsExactly(elementTypeOf(stored), elementTypeOf(operand))))
      return false;
  auto fusion = dyn_cast<ir::FusionOp>(op);
  return !fusion || planEpilogue(fusion, contraction, mayDivideResult(contraction));
}

// The specification of the contraction with what the rest of the fusion, if there is one, asks of it.
template <typename Spec> static void complete(Spec &spec, Operation *op, const std::optional<EpiloguePlan> &epilogue) {
  // The last result is the one that the contraction stores; the epilogue stores the others.
  spec.extraOperands = epilogue ? static_cast<int>(op->getNumOperands() - 2 + op->getNumResults() - 1) : 0;
  spec.sum = spec.out;
  spec.out = elementTypeOf(op->getResults().back());
  if (!epilogue)
    return;
  apply(*epilogue, spec);
  for (const PlanAccess &access : epilogue->use.accesses)
    if (int buffer = epilogue->source.inputNumber(access.value);
        buffer >= 0 && elementCount(shapeOf(access.value)) == elementCount(shapeOf(op->getResults().back())))
      spec.fullOperands.push_back({buffer, elementTypeOf(access.value)});
}

static FailureOr<ContractionKernelPlan> planDot(Operation *op, const ContractionSpec &spec,
                                                std::optional<EpiloguePlan> epilogue, StringRef symbol,
                                                const ProductTarget &target) {
  bool hasEpilogue = epilogue && !epilogue->isTrivial;
  return finish<DotPlan>(op, "dot", planContraction(spec, target.matmulTarget(), symbol, hasEpilogue),
                         std::move(epilogue));
}

static ContractionSpec completeDotSpec(Operation *op, sh::DotGeneralOp dot,
                                       const std::optional<EpiloguePlan> &epilogue) {
  ContractionSpec spec = dotSpec(dot);
  spec.epilogueLanesAlongM = true;
  complete(spec, op, epilogue);
  return spec;
}

static ConvolutionSpec completeConvolutionSpec(Operation *op, sh::ConvolutionOp convolution,
                                               const std::optional<EpiloguePlan> &epilogue) {
  ConvolutionSpec spec = convolutionSpec(convolution);
  spec.epilogueLanesAlongSpatial = true;
  complete(spec, op, epilogue);
  return spec;
}

FailureOr<ContractionKernelPlan> planContractionKernel(Operation *op, StringRef symbol, const ProductTarget &target) {
  Operation *contraction = contractionIn(op);
  std::optional<EpiloguePlan> epilogue;
  if (auto fusion = dyn_cast<ir::FusionOp>(op)) {
    epilogue = planEpilogue(fusion, contraction, mayDivideResult(contraction));
    if (!epilogue)
      return op->emitError("no kernel can be emitted for what this fusion makes of its contraction");
  }
  if (auto dot = dyn_cast<sh::DotGeneralOp>(contraction)) {
    ContractionSpec spec = completeDotSpec(op, dot, epilogue);
    return planDot(op, spec, std::move(epilogue), symbol, target);
  }
  ConvolutionSpec spec = completeConvolutionSpec(op, cast<sh::ConvolutionOp>(contraction), epilogue);
  bool hasEpilogue = epilogue && !epilogue->isTrivial;
  return finish<ConvolutionPlan>(op, "convolution", planConvolution(spec, target.matmulTarget(), symbol, hasEpilogue),
                                 std::move(epilogue));
}

int64_t panelColumnsOf(Operation *op, int64_t runs, const ProductTarget &target) {
  auto dot = dyn_cast<sh::DotGeneralOp>(op);
  return dot ? matmul::panelColumnsOf(dotSpec(dot), runs, target.matmulTarget()) : 0;
}

int64_t kernelPanelColumnsOf(Operation *op, const ProductTarget &target) {
  auto convolution = dyn_cast_or_null<sh::ConvolutionOp>(contractionIn(op));
  if (!convolution || !canEmitContraction(op))
    return 0;
  std::optional<EpiloguePlan> epilogue;
  if (auto fusion = dyn_cast<ir::FusionOp>(op))
    epilogue = planEpilogue(fusion, convolution, mayDivideResult(convolution));
  return matmul::kernelPanelColumns(completeConvolutionSpec(op, convolution, epilogue), target.matmulTarget(),
                                    epilogue && !epilogue->isTrivial);
}

// Has the result be the accumulators. False if there is no arithmetic for the types.
static bool storeSums(ContractionSpec &spec, const matmul::MatmulTarget &target) {
  std::optional<matmul::Arithmetic> arithmetic =
      matmul::chooseArithmetic(spec.lhsType(), spec.rhsType(), spec.sum, target);
  if (!arithmetic || arithmetic->complex)
    return false;
  spec.out = spec.sum = arithmetic->sum;
  return true;
}

std::optional<DotPlan> planDotPart(Operation *op, DotPart part, StringRef symbol, const ProductTarget &target,
                                   const PlaceOperands &place) {
  auto dot = dyn_cast_or_null<sh::DotGeneralOp>(contractionIn(op));
  std::optional<EpiloguePlan> epilogue;
  if (auto fusion = dyn_cast<ir::FusionOp>(op); dot && fusion)
    epilogue = planEpilogue(fusion, dot, /*mayDivide=*/true);
  if (!dot || (isa<ir::FusionOp>(op) && !epilogue))
    return std::nullopt;
  ContractionSpec spec = completeDotSpec(op, dot, epilogue);
  (part == DotPart::kRowBlocks ? spec.inRowBlocks : spec.inDepthBlocks) = true;
  if (place)
    place(spec, !epilogue || epilogue->isTrivial);
  if (part == DotPart::kDepthSums) {
    if (!storeSums(spec, target.matmulTarget()))
      return std::nullopt;
    epilogue.reset();
  }
  FailureOr<ContractionKernelPlan> plan = planDot(op, spec, std::move(epilogue), symbol, target);
  if (failed(plan))
    return std::nullopt;
  auto &blocks = std::get<DotPlan>(*plan);
  // AMX has tiles of its own, which are set up, and an rhs that is packed, for all tasks of a kernel.
  if (blocks.schedule.kind != matmul::MatmulPlan::Kind::kTiled || blocks.problem.arithmetic.inTiles())
    return std::nullopt;
  return std::move(blocks);
}

void DotPlan::print(llvm::raw_ostream &os) const {
  matmul::ContractionPlan::print(os);
  if (epilogue)
    epilogue->print(os);
}

void ConvolutionPlan::print(llvm::raw_ostream &os) const {
  matmul::ConvolutionPlan::print(os);
  if (epilogue)
    epilogue->print(os);
}

matmul::Epilogue epilogueOf(const std::optional<EpiloguePlan> &plan, const EmissionTarget &target) {
  return plan && !plan->isTrivial ? makeEpilogue(*plan, target) : matmul::Epilogue();
}

void emitContractionKernel(const DotPlan &plan, llvm::Module &module, const EmissionTarget &target) {
  matmul::emitContraction(plan, module, epilogueOf(plan.epilogue, target));
}

void emitContractionKernel(const ConvolutionPlan &plan, llvm::Module &module, const EmissionTarget &target) {
  matmul::emitConvolution(plan, module, epilogueOf(plan.epilogue, target));
}

} // namespace tenon::codegen
