#include "tenon/codegen/kernel/conv/conv.h"

#include "tenon/codegen/kernel/conv/depthwise_gradient.h"
#include "tenon/codegen/kernel/conv/lowering.h"
#include "tenon/codegen/kernel/matmul/kernels.h"
#include "tenon/codegen/llvm/module_compiler.h"

#include "llvm/IR/Module.h"

using namespace llvm;

namespace tenon::codegen::matmul {

// The contraction's indices become the convolution's.
Epilogue mapIndices(const ConvolutionSpec &spec, const ConvolutionPart &part, const Epilogue &epilogue) {
  if (!epilogue)
    return {};
  return [spec, part, epilogue](IRBuilderBase &b, const EpilogueContext &inner, Element sum) {
    SmallVector<Value *, 5> index(spec.spatial.size() + 2, b.getInt64(0));
    auto get = [&](int position) -> Value * { return position < 0 ? b.getInt64(0) : inner.index[size_t(position)]; };
    index[size_t(spec.outBatchDim)] = get(part.batch);
    Value *feature = get(part.feature);
    if (part.column >= 0)
      feature = b.CreateAdd(b.CreateMul(feature, b.getInt64(spec.rhsPanelColumns)), get(part.column));
    if (part.group >= 0)
      feature = b.CreateAdd(feature, b.CreateMul(get(part.group), b.getInt64(part.featuresPerGroup)));
    index[size_t(spec.outFeatureDim)] = feature;
    EpilogueContext outer = inner;
    if (inner.laneDim == (part.column >= 0 ? part.column : part.feature))
      outer.laneDim = spec.outFeatureDim;
    if (inner.laneDim == part.batch)
      outer.laneDim = spec.outBatchDim;
    for (auto [d, phase] : llvm::enumerate(part.phases)) {
      size_t dim = size_t(spec.outSpatialDims[d]);
      index[dim] = get(part.spatial[d]);
      if (phase.outStep != 1 || phase.outFirst != 0)
        index[dim] = b.CreateAdd(b.CreateMul(index[dim], b.getInt64(phase.outStep)), b.getInt64(phase.outFirst));
      if (inner.laneDim == part.spatial[d])
        outer.laneDim = int(dim);
    }
    if (inner.lanes == 1)
      outer.laneDim = -1;
    outer.index = index;
    return epilogue(b, outer, sum);
  };
}

namespace {

Status validate(const ConvolutionSpec &spec) {
  if (spec.featureGroups < 1 || spec.batchGroups < 1 || (spec.featureGroups > 1 && spec.batchGroups > 1))
    return invalidArgument("convolution with impossible group counts");
  if (spec.inputFeatures % spec.featureGroups || spec.batch % spec.batchGroups ||
      spec.outputFeatures % (spec.featureGroups * spec.batchGroups))
    return invalidArgument("convolution whose groups do not divide its dimensions");
  for (const ConvolutionWindow &window : spec.spatial)
    if (window.stride < 1 || window.inputDilation < 1 || window.kernelDilation < 1)
      return invalidArgument("convolution with a stride or dilation below one");
  return {};
}

// Every combination of one phase of each dimension.
SmallVector<SmallVector<WindowPhase, 3>> combinations(ArrayRef<SmallVector<WindowPhase, 2>> phases) {
  SmallVector<SmallVector<WindowPhase, 3>> result = {{}};
  for (const SmallVector<WindowPhase, 2> &choices : phases) {
    SmallVector<SmallVector<WindowPhase, 3>> next;
    for (const auto &prefix : result)
      for (const WindowPhase &phase : choices) {
        next.push_back(prefix);
        next.back().push_back(phase);
      }
    result = std::move(next);
  }
  return result;
}

bool isEmpty(const ConvolutionSpec &spec) {
  bool empty = spec.batch == 0 || spec.outputFeatures == 0;
  for (const ConvolutionWindow &window : spec.spatial)
    empty |= window.outputSize == 0;
  return empty;
}

} // namespace

// The phases of a convolution that is not depthwise: the input is padded where it must be, then come the contractions.
static Status planPhases(ConvolutionPlan &plan, StringRef symbol, bool hasEpilogue) {
  const ConvolutionSpec &spec = plan.spec;
  SmallVector<SmallVector<WindowPhase, 2>, 3> phases;
  for (const ConvolutionWindow &window : spec.spatial)
    phases.push_back(windowPhases(window));
  plan.input = padInput(spec, phases);
  plan.buffers.out = 2 + spec.extraOperands;
  Kernel &kernel = plan.kernel;
  if (plan.input.needed) {
    kernel.tempBytes = plan.input.elements * storageBytes(spec.lhs);
    plan.padding = planPadding(spec, plan.input, plan.target.costs);
    double nanoseconds = double(kernel.tempBytes) * plan.target.costs.copiedByte;
    kernel.phases.push_back({symbol.str() + ".pad", plan.padding->tasks(), nanoseconds});
    plan.buffers.lhs = plan.buffers.out + 1;
  }
  SmallVector<SmallVector<WindowPhase, 3>> all = combinations(phases);
  // Parts of a transposed convolution that differ in where they begin have one code, which knows of no other block.
  if (all.size() == 1) {
    plan.buffers.temp = plan.buffers.out + 1;
    plan.buffers.tempBytes = int64_t(alignTo(uint64_t(kernel.tempBytes), 64));
  }
  for (const SmallVector<WindowPhase, 3> &combination : all) {
    ConvolutionPart part = contractionPart(spec, plan.input, combination, hasEpilogue, plan.target.costs);
    std::string name = symbol.str() + (plan.parts.empty() ? "" : "." + std::to_string(plan.parts.size()));
    TENON_ASSIGN_OR_RETURN(ContractionPlan contraction,
                           planContractionOn(part.contraction, plan.target, name, hasEpilogue, plan.buffers));
    kernel.phases.append(contraction.kernel.phases.begin(), contraction.kernel.phases.end());
    kernel.scratchBytes = std::max(kernel.scratchBytes, contraction.kernel.scratchBytes);
    if (contraction.kernel.tempBytes > 0)
      kernel.tempBytes = plan.buffers.tempBytes + contraction.kernel.tempBytes;
    kernel.bytes += contraction.kernel.bytes;
    plan.flops += contraction.flops;
    plan.parts.push_back({std::move(part), std::move(contraction)});
  }
  return {};
}

ConvolutionSpec inPanels(const ConvolutionSpec &spec, int64_t columns) {
  ConvolutionSpec result = spec;
  result.rhsPanelColumns = columns;
  result.rhsOutputFeatureStride = 1;
  int64_t stride = result.rhsInputFeatureStride = columns;
  stride *= spec.inputFeatures;
  for (ConvolutionWindow &window : llvm::reverse(result.spatial)) {
    window.rhsStride = stride;
    stride *= window.kernelSize;
  }
  result.rhsPanelStride = stride;
  return result;
}

// Whether a task is work for a core, and not for one of many threads of hardware.

StatusOr<ConvolutionPlan> planConvolution(const ConvolutionSpec &spec, const MatmulTarget &target, StringRef symbol,
                                          bool hasEpilogue) {
  TENON_RETURN_IF_ERROR(validate(spec));
  ConvolutionPlan plan;
  plan.spec = spec;
  plan.target = target;
  plan.kernel.kind = "convolution";
  plan.kernel.resultInit = {-1};
  plan.isEmpty = isEmpty(spec);
  if (plan.isEmpty) {
    plan.kernel.phases.push_back({symbol.str(), 0, 0});
  } else if (isDepthwise(spec)) {
    TENON_ASSIGN_OR_RETURN(plan.depthwise, planDepthwise(spec, target, symbol, hasEpilogue, plan.kernel));
  } else if (isDepthwiseGradient(spec) && target.costs.hasCores()) {
    TENON_ASSIGN_OR_RETURN(plan.gradient, planDepthwiseGradient(spec, target, symbol, hasEpilogue, plan.kernel));
  } else {
    TENON_RETURN_IF_ERROR(planPhases(plan, symbol, hasEpilogue));
  }
  return plan;
}

int64_t kernelPanelColumns(const ConvolutionSpec &spec, const MatmulTarget &target, bool hasEpilogue) {
  StatusOr<ConvolutionPlan> plan = planConvolution(spec, target, "", hasEpilogue);
  if (!plan.ok() || plan->parts.size() != 1 || spec.featureGroups * spec.batchGroups != 1)
    return 0;
  const ContractionPlan &asItLies = plan->parts.front().contraction;
  if (asItLies.problem.swapped || !asItLies.schedule.packRhs || asItLies.problem.arithmetic.inTiles())
    return 0;
  int64_t width = panelWidth(asItLies.problem, /*mayPad=*/false);
  if (width != 0) {
    StatusOr<ConvolutionPlan> other = planConvolution(inPanels(spec, width), target, "", hasEpilogue);
    if (!other.ok())
      return 0;
    const MatmulPlan &schedule = other->parts.front().contraction.schedule;
    if (schedule.kind == MatmulPlan::Kind::kTiled && !schedule.packRhs)
      return width;
  }
  // One panel of all features is packed in long pieces at least.
  return spec.rhsOutputFeatureStride != 1 ? spec.outputFeatures : 0;
}

// Whether both are the same contraction but for where it begins in the arrays, as most parts of a transposed
// convolution are.
static bool differInOffsets(const ContractionPlan &a, const ContractionPlan &b) {
  const ContractionSpec &x = a.problem.spec, &y = b.problem.spec;
  return a.problem.swapped == b.problem.swapped && x.batch == y.batch && x.m == y.m && x.n == y.n && x.k == y.k &&
         a.schedule.toString() == b.schedule.toString();
}

// Adds a part's kernel that calls `code`, that of another part, with pointers moved from where that part begins.
static void emitMoved(const ContractionPlan &part, const ContractionPlan &other, int64_t buffers, Function *code) {
  const Problem &p = part.problem, &from = other.problem;
  Module &module = *code->getParent();
  Emitter e(module, part.kernel.phases.back().symbol, kernelParameters(module.getContext()), false);
  Value *table = e.b.CreateAlloca(ArrayType::get(e.b.getPtrTy(), uint64_t(buffers)));
  for (int64_t i = 0; i < buffers; ++i) {
    int64_t bytes = 0;
    if (i == p.buffers.lhs)
      bytes = (p.spec.lhsOffset - from.spec.lhsOffset) * storageBytes(p.spec.lhs);
    else if (i == p.buffers.rhs)
      bytes = (p.spec.rhsOffset - from.spec.rhsOffset) * storageBytes(p.spec.rhs);
    else if (i == p.buffers.out)
      bytes = (p.spec.outOffset - from.spec.outOffset) * storageBytes(p.spec.out);
    Value *moved = e.b.CreateConstGEP1_64(e.b.getInt8Ty(), e.buffer(e.arg(0), int(i)), uint64_t(bytes));
    e.store(moved, e.gep(e.b.getPtrTy(), table, i));
  }
  e.b.CreateCall(code, {table, e.arg(1), e.arg(2), e.arg(3)});
  e.ret();
  compileQuickly(*e.function);
}

// The code of the part as a function that is no kernel: a target may take kernels apart.
static Function *emitShared(const ContractionPlan &part, Module &module) {
  ContractionPlan plan = part;
  std::string &symbol = plan.kernel.phases.back().symbol;
  symbol += ".shared";
  emitContraction(plan, module, {});
  Function *code = module.getFunction(symbol);
  code->setLinkage(GlobalValue::InternalLinkage);
  return code;
}

static void emitParts(const ConvolutionPlan &plan, Module &module, const Epilogue &epilogue) {
  int64_t buffers = plan.buffers.out + (plan.kernel.tempBytes > 0 ? 2 : 1);
  SmallVector<bool> done(plan.parts.size());
  for (size_t first = 0; first < plan.parts.size(); ++first) {
    const ContractionPlan &part = plan.parts[first].contraction;
    SmallVector<size_t, 4> alike;
    for (size_t other = first; other < plan.parts.size(); ++other)
      if (!done[other] && (other == first || (!epilogue && differInOffsets(part, plan.parts[other].contraction))))
        alike.push_back(other);
    if (done[first])
      continue;
    if (alike.size() == 1)
      emitContraction(part, module, mapIndices(plan.spec, plan.parts[first].part, epilogue));
    Function *code = alike.size() > 1 ? emitShared(part, module) : nullptr;
    for (size_t other : alike) {
      done[other] = true;
      if (code)
        emitMoved(plan.parts[other].contraction, part, buffers, code);
    }
  }
}

void emitConvolution(const ConvolutionPlan &plan, Module &module, const Epilogue &epilogue) {
  StringRef first = plan.kernel.phases[0].symbol;
  if (plan.isEmpty)
    return emitTasks(module, first, plan.target, [](Emitter &, Value *, Value *, Value *) {});
  if (plan.depthwise)
    return emitDepthwise(*plan.depthwise, plan.spec, module, first, epilogue);
  if (plan.gradient)
    return emitDepthwiseGradient(*plan.gradient, plan.spec, module, plan.kernel, epilogue);
  if (plan.padding)
    emitPadding(*plan.padding, module, first, plan.target, 0, plan.buffers.lhs);
  emitParts(plan, module, epilogue);
}

void ConvolutionPlan::print(raw_ostream &os) const {
  if (isEmpty)
    os << "empty\n";
  if (depthwise)
    os << "depthwise " << (depthwise->planar ? "planes" : "channels") << " lanes " << depthwise->lanes << " tasks "
       << kernel.phases[0].extent << '\n';
  if (gradient)
    gradient->print(os);
  if (padding)
    os << "padding: " << padding->rows << " rows, " << padding->rowsPerTask << " a task\n";
  for (const Part &part : parts)
    part.contraction.print(os);
}

} // namespace tenon::codegen::matmul
