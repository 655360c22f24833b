#include "tenon/codegen/gpu/library_convolution.h"

#include "tenon/codegen/gpu/library_product.h"
#include "tenon/ir/convolution_role.h"
#include "tenon/ir/element_types.h"
#include "tenon/ir/tf32.h"
#include "tenon/program/plain_convolution.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace tenon::codegen {
namespace {

using matmul::ConvolutionSpec, matmul::ConvolutionWindow;
using program::ConvolutionArray, program::ConvolutionDim, program::DeviceConvolution;

constexpr int64_t kMost = std::numeric_limits<int32_t>::max();

// Steps that are not taken are of size one.
ConvolutionWindow normalized(ConvolutionWindow window) {
  if (window.outputSize == 1)
    window.stride = 1;
  if (window.inputSize == 1)
    window.inputDilation = 1;
  if (window.kernelSize == 1) {
    window.kernelDilation = 1;
    window.reversed = false;
  }
  return window;
}

// The convolution's three arrays, as StableHLO calls them.
struct Arrays {
  ConvolutionArray lhs, rhs, out;
};

Arrays arraysOf(const ConvolutionPlan &plan) {
  const ConvolutionSpec &spec = plan.spec;
  auto array = [](int buffer, mlir::Type type, std::vector<int64_t> sizes, std::vector<int64_t> strides) {
    return ConvolutionArray{buffer, ir::toElementType(type), std::move(sizes), std::move(strides)};
  };
  Arrays arrays{array(0, spec.lhs, {spec.batch, spec.inputFeatures}, {spec.lhsBatchStride, spec.lhsFeatureStride}),
                array(1, spec.rhs, {spec.outputFeatures, spec.inputFeatures / spec.featureGroups},
                      {spec.rhsOutputFeatureStride, spec.rhsInputFeatureStride}),
                array(plan.buffers.out, spec.out, {spec.batch / spec.batchGroups, spec.outputFeatures},
                      {spec.outBatchStride, spec.outFeatureStride})};
  auto add = [](ConvolutionArray &to, int64_t size, int64_t stride) {
    to.sizes.push_back(size);
    to.strides.push_back(stride);
  };
  for (const ConvolutionWindow &window : spec.spatial) {
    add(arrays.lhs, window.inputSize, window.lhsStride);
    add(arrays.rhs, window.kernelSize, window.rhsStride);
    add(arrays.out, window.outputSize, window.outStride);
  }
  return arrays;
}

// Batch and features change places.
ConvolutionArray exchanged(ConvolutionArray array) {
  std::swap(array.sizes[0], array.sizes[1]);
  std::swap(array.strides[0], array.strides[1]);
  return array;
}

// The dimension of a forward convolution with this much padding in front, so that a window of `taps` has `places` on
// the input. The padding behind is as large as that in front, which more engines know, if it may be. None where either
// would be negative.
std::optional<ConvolutionDim> dimOf(int64_t input, int64_t taps, int64_t places, ConvolutionDim dim) {
  int64_t least = (places - 1) * dim.stride + (taps - 1) * dim.dilation + 1 - input - dim.padLow;
  int64_t most = least + dim.stride - 1;
  if (dim.padLow < 0 || most < 0)
    return std::nullopt;
  dim.padHigh = std::clamp(dim.padLow, std::max<int64_t>(least, 0), most);
  return dim;
}

// Adds what `dim` makes of each window; false where it makes nothing of one.
template <typename Dim>
bool addDims(llvm::ArrayRef<ConvolutionWindow> windows, std::vector<ConvolutionDim> &dims, const Dim &dim) {
  for (const ConvolutionWindow &window : windows) {
    std::optional<ConvolutionDim> made = dim(window);
    if (!made)
      return false;
    dims.push_back(*made);
  }
  return true;
}

std::optional<DeviceConvolution> forward(const ConvolutionSpec &spec, const Arrays &arrays) {
  if (spec.batchGroups != 1)
    return std::nullopt;
  DeviceConvolution made{.computes = DeviceConvolution::Computes::kOutput,
                         .input = arrays.lhs,
                         .kernel = arrays.rhs,
                         .output = arrays.out,
                         .dims = {}};
  bool isOne = addDims(spec.spatial, made.dims, [](const ConvolutionWindow &w) {
    return dimOf(w.inputSize, w.kernelSize, w.outputSize,
                 {.stride = w.stride, .dilation = w.kernelDilation, .padLow = w.padLow});
  });
  return isOne ? std::optional(std::move(made)) : std::nullopt;
}

// Groups of batches of the input are groups of its features there.
std::optional<DeviceConvolution> kernelGradient(const ConvolutionSpec &spec, const Arrays &arrays) {
  if (spec.featureGroups != 1)
    return std::nullopt;
  DeviceConvolution made{.computes = DeviceConvolution::Computes::kKernel,
                         .input = exchanged(arrays.lhs),
                         .kernel = exchanged(arrays.out),
                         .output = exchanged(arrays.rhs),
                         .dims = {}};
  bool isOne = addDims(spec.spatial, made.dims, [](const ConvolutionWindow &w) {
    return dimOf(w.inputSize, w.outputSize, w.kernelSize,
                 {.stride = w.kernelDilation, .dilation = w.stride, .padLow = w.padLow});
  });
  return isOne ? std::optional(std::move(made)) : std::nullopt;
}

// The kernel of the convolution whose gradient this is: inputs and outputs of each group change places. None where the
// features of all groups then have no stride.
std::optional<ConvolutionArray> transposedKernel(const ConvolutionSpec &spec, const ConvolutionArray &rhs) {
  const int64_t groups = spec.featureGroups, features = spec.outputFeatures / groups;
  ConvolutionArray kernel = rhs;
  kernel.sizes[0] = spec.inputFeatures;
  kernel.sizes[1] = features;
  std::swap(kernel.strides[0], kernel.strides[1]);
  const bool isOne = groups == 1 || rhs.sizes[1] * rhs.strides[1] == features * rhs.strides[0];
  return isOne ? std::optional(std::move(kernel)) : std::nullopt;
}

std::optional<DeviceConvolution> inputGradient(const ConvolutionSpec &spec, const Arrays &arrays) {
  std::optional<ConvolutionArray> kernel = transposedKernel(spec, arrays.rhs);
  if (spec.batchGroups != 1 || !kernel)
    return std::nullopt;
  DeviceConvolution made{.computes = DeviceConvolution::Computes::kInput,
                         .input = arrays.out,
                         .kernel = *std::move(kernel),
                         .output = arrays.lhs,
                         .dims = {},
                         .isReversed = true};
  bool isOne = addDims(spec.spatial, made.dims, [](const ConvolutionWindow &w) -> std::optional<ConvolutionDim> {
    if (w.stride != 1)
      return std::nullopt;
    return dimOf(w.outputSize, w.kernelSize, w.inputSize,
                 {.stride = w.inputDilation,
                  .dilation = w.kernelDilation,
                  .padLow = (w.kernelSize - 1) * w.kernelDilation - w.padLow});
  });
  return isOne ? std::optional(std::move(made)) : std::nullopt;
}

// Whether the library's numbers hold all of the convolution's.
bool areNumbersSmall(const ConvolutionSpec &spec, const Arrays &arrays) {
  bool areSmall = true;
  for (const ConvolutionArray *array : {&arrays.lhs, &arrays.rhs, &arrays.out})
    for (const std::vector<int64_t> *numbers : {&array->sizes, &array->strides})
      areSmall &= llvm::all_of(*numbers, [](int64_t number) { return number >= 1 && number <= kMost; });
  for (const ConvolutionWindow &window : spec.spatial)
    areSmall =
        areSmall &&
        std::max({window.stride, window.inputDilation, window.kernelDilation, std::abs(window.padLow)}) <= kMost &&
        std::max((window.kernelSize - 1) * window.kernelDilation, (window.inputSize - 1) * window.inputDilation) <=
            kMost;
  return areSmall;
}

// A convolution with a reversed kernel is one without, and the gradient of an input, too; it depends on how the arrays
// lie which of them the library can be asked for.
std::optional<DeviceConvolution> convolutionOf(const ConvolutionSpec &spec, const Arrays &arrays,
                                               ir::ConvolutionRole role) {
  auto isDilatedAt = [](const ConvolutionWindow &window) { return window.inputDilation > 1; };
  auto isReversedAt = [](const ConvolutionWindow &window) { return window.reversed; };
  auto isAsItIs = [](const ConvolutionWindow &window) { return window.kernelSize > 1 && !window.reversed; };
  const bool isDilated = llvm::any_of(spec.spatial, isDilatedAt), isReversed = llvm::any_of(spec.spatial, isReversedAt);
  if (isReversed && llvm::any_of(spec.spatial, isAsItIs))
    return std::nullopt;
  llvm::SmallVector<std::optional<DeviceConvolution>, 2> ways;
  if (role == ir::ConvolutionRole::kInputGradient)
    ways.push_back(inputGradient(spec, arrays));
  else if (role == ir::ConvolutionRole::kKernelGradient)
    ways.push_back(kernelGradient(spec, arrays));
  if (role == ir::ConvolutionRole::kForward || (isReversed && !isDilated))
    ways.push_back(forward(spec, arrays));
  for (std::optional<DeviceConvolution> &way : ways) {
    if (!way)
      continue;
    way->isReversed ^= isReversed;
    if (std::optional<DeviceConvolution> plain = program::plainConvolution(*std::move(way)))
      return plain;
  }
  return std::nullopt;
}

bool isHalf(ElementType type) { return type == ElementType::kBF16 || type == ElementType::kF16; }

// Convolutions with the features last, of 16x56x56x128 by 3x3x128x128 on an H100 with cuDNN 9.19. Of f32, and not tf32:
// ours take 0.38 ms where cuDNN takes 0.57; both gradients take 0.98 and 0.76, but cuDNN's errors are 24 times ours,
// since it adds up all products of a kernel's gradient one after the other. Of 16-bit floats: 0.071 to 0.075 and 0.075,
// gradients 0.154 and 0.163 (f16), 0.156 and 0.203 (bf16). In three dimensions (2x28x28x28x128 by 3x3x3x128x128)
// gradients take 0.37 where cuDNN takes 0.18.
bool isOursAsGood(const DeviceConvolution &convolution) {
  if (convolution.input.strides[1] != 1 || convolution.allowsTf32)
    return false;
  return convolution.input.type == ElementType::kF32 ||
         (isHalf(convolution.input.type) && convolution.dims.size() <= 2);
}

// Convolutions of 16-bit floats with the features first, whose windows are no vectors for our kernels' copies: 0.52 ms
// for 16x128x56x56 by 128x128x3x3 on an H100, where the chip's peak is 0.015, and 0.08 with the features last.
bool isOursSlow(const DeviceConvolution &convolution) {
  return convolution.computes != DeviceConvolution::Computes::kKernel && isHalf(convolution.input.type) &&
         convolution.input.strides[1] != 1;
}

} // namespace

std::optional<DeviceConvolution> libraryConvolution(const KernelPlan &plan, const GpuChip &chip,
                                                    double leastNanoseconds, bool allowsTf32) {
  const auto *convolution =
      plan.parts.size() == 1 ? std::get_if<ConvolutionPlan>(&plan.parts.front().schedule) : nullptr;
  if (!convolution || convolution->isEmpty || convolution->depthwise ||
      (convolution->epilogue && !convolution->epilogue->isTrivial))
    return std::nullopt;
  ConvolutionSpec spec = convolution->spec;
  constexpr size_t kMostSpatial = 3;
  if (spec.lhsAs || spec.rhsAs || spec.lhs != spec.rhs || spec.extraOperands > 0 || spec.spatial.empty() ||
      spec.spatial.size() > kMostSpatial || !mlir::isa<mlir::FloatType>(spec.lhs))
    return std::nullopt;
  for (ConvolutionWindow &window : spec.spatial)
    window = normalized(window);
  double perNanosecond = operationsOf(ir::toElementType(spec.lhs), ir::toElementType(spec.out), chip);
  if (perNanosecond == 0)
    return std::nullopt;
  Arrays arrays = arraysOf(*convolution);
  if (!areNumbersSmall(spec, arrays))
    return std::nullopt;
  auto op = mlir::cast<stablehlo::ConvolutionOp>(convolution->epilogue ? convolution->epilogue->contraction
                                                                       : plan.parts.front().source.op);
  std::optional<DeviceConvolution> made = convolutionOf(spec, arrays, ir::roleOf(op));
  if (!made)
    return std::nullopt;
  made->allowsTf32 = made->input.type == ElementType::kF32 && ir::mayRoundToTf32(op, allowsTf32);
  if (isOursAsGood(*made))
    return std::nullopt;
  constexpr double kSlowness = 8; // against our other kernels
  const double nanoseconds = ir::operationsIn(op) / perNanosecond * (isOursSlow(*made) ? kSlowness : 1);
  return nanoseconds >= leastNanoseconds ? made : std::nullopt;
}

bool wantsPlainKernel(stablehlo::ConvolutionOp op, const GpuChip &chip, double leastNanoseconds, bool allowsTf32) {
  mlir::Type lhs = ir::elementTypeOf(op.getLhs()), out = ir::elementTypeOf(op->getResult(0));
  if (lhs != ir::elementTypeOf(op.getRhs()) || !mlir::isa<mlir::FloatType>(lhs))
    return false;
  const double perNanosecond = operationsOf(ir::toElementType(lhs), ir::toElementType(out), chip);
  // Those that are ours with the features last: isOursAsGood.
  const bool isOurs = lhs.isF32() ? !ir::mayRoundToTf32(op, allowsTf32)
                                  : isHalf(ir::toElementType(lhs)) && ir::typeOf(op->getResult(0)).getRank() <= 4;
  return perNanosecond > 0 && !isOurs && ir::operationsIn(op) / perNanosecond >= leastNanoseconds;
}

} // namespace tenon::codegen
