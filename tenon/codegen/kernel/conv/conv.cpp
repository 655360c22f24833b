#include "tenon/codegen/kernel/conv/conv.h"

#include "tenon/codegen/kernel/conv/lowering.h"
#include "tenon/codegen/kernel/matmul/kernels.h"

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
    if (part.group >= 0)
      feature = b.CreateAdd(feature, b.CreateMul(get(part.group), b.getInt64(part.featuresPerGroup)));
    index[size_t(spec.outFeatureDim)] = feature;
    EpilogueContext outer = inner;
    if (inner.laneDim == part.feature)
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
    plan.padding = planPadding(spec, plan.input);
    kernel.phases.push_back({symbol.str() + ".pad", plan.padding->tasks(), double(kernel.tempBytes) / 10});
    plan.buffers.lhs = plan.buffers.out + 1;
  }
  for (const SmallVector<WindowPhase, 3> &combination : combinations(phases)) {
    ConvolutionPart part = contractionPart(spec, plan.input, combination, hasEpilogue);
    std::string name = symbol.str() + (plan.parts.empty() ? "" : "." + std::to_string(plan.parts.size()));
    TENON_ASSIGN_OR_RETURN(ContractionPlan contraction,
                           planContractionOn(part.contraction, plan.target, name, hasEpilogue, plan.buffers));
    kernel.phases.append(contraction.kernel.phases.begin(), contraction.kernel.phases.end());
    kernel.scratchBytes = std::max(kernel.scratchBytes, contraction.kernel.scratchBytes);
    kernel.bytes += contraction.kernel.bytes;
    plan.flops += contraction.flops;
    plan.parts.push_back({std::move(part), std::move(contraction)});
  }
  return {};
}

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
  } else {
    TENON_RETURN_IF_ERROR(planPhases(plan, symbol, hasEpilogue));
  }
  return plan;
}

void emitConvolution(const ConvolutionPlan &plan, Module &module, const Epilogue &epilogue) {
  StringRef first = plan.kernel.phases[0].symbol;
  if (plan.isEmpty)
    return emitTasks(module, first, plan.target, [](Emitter &, Value *, Value *, Value *) {});
  if (plan.depthwise)
    return emitDepthwise(*plan.depthwise, plan.spec, module, first, epilogue);
  if (plan.padding)
    emitPadding(*plan.padding, module, first, plan.target, 0, plan.buffers.lhs);
  for (const ConvolutionPlan::Part &part : plan.parts)
    emitContraction(part.contraction, module, mapIndices(plan.spec, part.part, epilogue));
}

void ConvolutionPlan::print(raw_ostream &os) const {
  if (isEmpty)
    os << "empty\n";
  if (depthwise)
    os << "depthwise " << (depthwise->planar ? "planes" : "channels") << " lanes " << depthwise->lanes << " tasks "
       << kernel.phases[0].extent << '\n';
  if (padding)
    os << "padding: " << padding->rows << " rows, " << padding->rowsPerTask << " a task\n";
  for (const Part &part : parts)
    part.contraction.print(os);
}

} // namespace tenon::codegen::matmul
