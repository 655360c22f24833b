#include "tenon/codegen/cpu/conv/conv.h"

#include "tenon/codegen/cpu/conv/lowering.h"
#include "tenon/codegen/cpu/matmul/kernels.h"

#include "llvm/IR/Module.h"

using namespace llvm;

namespace tenon::codegen {

// The contraction's indices become the convolution's.
Epilogue mapIndices(const ConvolutionSpec &spec, const ConvolutionPart &part, const Epilogue &epilogue) {
  if (!epilogue)
    return {};
  return [spec, part, epilogue](IRBuilderBase &b, const EpilogueContext &inner, Value *acc) {
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
    return epilogue(b, outer, acc);
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

StatusOr<Kernel> emitConvolution(Module &module, StringRef symbol, const ConvolutionSpec &spec,
                                 const MatmulTarget &target, const Epilogue &epilogue) {
  TENON_RETURN_IF_ERROR(validate(spec));
  Type sum = epilogue && spec.sum != Type::kInvalid ? spec.sum : spec.out;
  if (!chooseArithmetic(spec.lhs, spec.rhs, sum, target))
    return invalidArgument(std::string("no convolution of ") + program::elementTypeName(spec.lhs) + " and " +
                           program::elementTypeName(spec.rhs) + " into " + program::elementTypeName(spec.out));
  Kernel kernel;
  kernel.kind = "convolution";
  kernel.resultInit = {-1};
  if (isEmpty(spec)) {
    emitTasks(module, symbol, target, [](Emitter &, Value *, Value *, Value *) {});
    kernel.phases.push_back({symbol.str(), 0, 0});
    return kernel;
  }
  if (isDepthwise(spec))
    return emitDepthwise(module, symbol, spec, target, epilogue);
  SmallVector<SmallVector<WindowPhase, 2>, 3> phases;
  for (const ConvolutionWindow &window : spec.spatial)
    phases.push_back(windowPhases(window));
  PaddedInput input = padInput(spec, phases);
  ContractionBuffers buffers;
  buffers.out = 2 + spec.extraOperands;
  if (input.needed) {
    KernelPhase pad;
    pad.symbol = symbol.str() + ".pad";
    kernel.tempBytes = input.elements * program::byteSize(spec.lhs);
    pad.extent = emitPadding(module, pad.symbol, spec, input, target, 0, buffers.out + 1);
    pad.nanoseconds = double(kernel.tempBytes) / 10;
    kernel.phases.push_back(pad);
    buffers.lhs = buffers.out + 1;
  }
  int number = 0;
  for (const SmallVector<WindowPhase, 3> &combination : combinations(phases)) {
    ConvolutionPart part = contractionPart(spec, input, combination, bool(epilogue));
    std::string name = number == 0 ? symbol.str() : symbol.str() + "." + std::to_string(number);
    ++number;
    Epilogue mapped = mapIndices(spec, part, epilogue);
    TENON_ASSIGN_OR_RETURN(Kernel piece, emitContractionOn(module, name, part.contraction, target, mapped, buffers));
    kernel.phases.append(piece.phases.begin(), piece.phases.end());
    kernel.scratchBytes = std::max(kernel.scratchBytes, piece.scratchBytes);
    kernel.flops += piece.flops;
    kernel.bytes += piece.bytes;
  }
  return kernel;
}

} // namespace tenon::codegen
