// convolution and dynamic_conv.
#include "tenon/interpreter/accumulate.h"
#include "tenon/interpreter/layout.h"
#include "tenon/interpreter/ops.h"
#include "tenon/ir/infer.h"

namespace tenon::interpreter {
namespace {

struct Convolution {
  Dims strides, lhsDilation, rhsDilation;
  llvm::SmallVector<bool> reversal;
  llvm::SmallVector<std::pair<int64_t, int64_t>> padding;
  stablehlo::ConvDimensionNumbersAttr numbers;
  int64_t featureGroups, batchGroups;
};

template <typename Op> Convolution describe(Op op, int64_t spatialRank) {
  Convolution conv;
  conv.strides = valuesOr(op.getWindowStrides(), spatialRank, 1);
  conv.lhsDilation = valuesOr(op.getLhsDilation(), spatialRank, 1);
  conv.rhsDilation = valuesOr(op.getRhsDilation(), spatialRank, 1);
  conv.reversal.assign(spatialRank, false);
  if (std::optional<llvm::ArrayRef<bool>> reversal = op.getWindowReversal())
    conv.reversal.assign(reversal->begin(), reversal->end());
  conv.numbers = op.getDimensionNumbers();
  conv.featureGroups = op.getFeatureGroupCount();
  conv.batchGroups = op.getBatchGroupCount();
  return conv;
}

// A pair of elements that a window multiplies: positions in the lhs and in the rhs, both without batch and features.
struct Tap {
  int64_t lhs, rhs;
};

// The taps of the window at `window`, in the order of the kernel's index.
std::vector<Tap> tapsOf(const Convolution &conv, const Tensor &lhs, const Tensor &rhs, llvm::ArrayRef<int64_t> window) {
  Dims lhsStrides = stridesOf(lhs.shape()), rhsStrides = stridesOf(rhs.shape()), kernelShape;
  llvm::ArrayRef<int64_t> input = conv.numbers.getInputSpatialDimensions(),
                          kernel = conv.numbers.getKernelSpatialDimensions();
  for (int64_t d : kernel)
    kernelShape.push_back(rhs.dim(d));
  std::vector<Tap> taps;
  forEachIndex(kernelShape, [&](llvm::ArrayRef<int64_t> offset, int64_t) {
    Tap tap{0, 0};
    for (size_t d = 0; d < offset.size(); ++d) {
      int64_t at = window[d] * conv.strides[d] + offset[d] * conv.rhsDilation[d] - conv.padding[d].first;
      if (at < 0 || at % conv.lhsDilation[d] != 0 || at / conv.lhsDilation[d] >= lhs.dim(input[d]))
        return;
      int64_t tapIndex = conv.reversal[d] ? kernelShape[d] - 1 - offset[d] : offset[d];
      tap.lhs += at / conv.lhsDilation[d] * lhsStrides[input[d]];
      tap.rhs += tapIndex * rhsStrides[kernel[d]];
    }
    taps.push_back(tap);
  });
  return taps;
}

template <typename T> void convolve(const Convolution &conv, const Tensor &lhs, const Tensor &rhs, Tensor &result) {
  stablehlo::ConvDimensionNumbersAttr n = conv.numbers;
  std::vector<T> a = accumulatorsOf<T>(lhs), b = accumulatorsOf<T>(rhs);
  Dims ls = stridesOf(lhs.shape()), rs = stridesOf(rhs.shape()), os = stridesOf(result.shape()), outSpatial;
  for (int64_t d : n.getOutputSpatialDimensions())
    outSpatial.push_back(result.dim(d));
  const int64_t batches = result.dim(n.getOutputBatchDimension()),
                outFeatures = result.dim(n.getOutputFeatureDimension());
  const int64_t inFeatures = rhs.dim(n.getKernelInputFeatureDimension());
  const int64_t lb = ls[n.getInputBatchDimension()], lf = ls[n.getInputFeatureDimension()];
  const int64_t ri = rs[n.getKernelInputFeatureDimension()], ro = rs[n.getKernelOutputFeatureDimension()];
  const int64_t perFeatureGroup = outFeatures / conv.featureGroups, perBatchGroup = outFeatures / conv.batchGroups;
  forEachIndex(outSpatial, [&](llvm::ArrayRef<int64_t> window, int64_t) {
    std::vector<Tap> taps = tapsOf(conv, lhs, rhs, window);
    int64_t base = 0;
    for (auto [d, i] : llvm::zip(n.getOutputSpatialDimensions(), window))
      base += i * os[d];
    for (int64_t batch = 0; batch < batches; ++batch)
      for (int64_t feature = 0; feature < outFeatures; ++feature) {
        // A group of output features sees its group of input features, or of the batch.
        int64_t firstFeature = feature / perFeatureGroup * inFeatures;
        int64_t lhsBatch = feature / perBatchGroup * batches + batch;
        T sum{};
        for (const Tap &tap : taps)
          for (int64_t i = 0; i < inFeatures; ++i)
            sum += a[tap.lhs + lhsBatch * lb + (firstFeature + i) * lf] * b[tap.rhs + feature * ro + i * ri];
        result.set(base + batch * os[n.getOutputBatchDimension()] + feature * os[n.getOutputFeatureDimension()],
                   scalarOfAccumulator(sum));
      }
  });
}

LogicalResult yieldConvolution(Invocation &call, const Convolution &conv) {
  const Tensor &lhs = call.tensor(0), &rhs = call.tensor(1);
  stablehlo::ConvDimensionNumbersAttr n = conv.numbers;
  auto spatialRank = static_cast<size_t>(lhs.rank() - 2);
  auto positive = [&](const Dims &dims) {
    return dims.size() == spatialRank && llvm::all_of(dims, [](int64_t v) { return v > 0; });
  };
  if (rhs.rank() != lhs.rank() || n.getInputSpatialDimensions().size() != spatialRank || !positive(conv.strides) ||
      !positive(conv.lhsDilation) || !positive(conv.rhsDilation) || conv.reversal.size() != spatialRank)
    return call.fail("window attributes do not match the operands' rank");
  if (conv.featureGroups < 1 || conv.batchGroups < 1 ||
      rhs.dim(n.getKernelInputFeatureDimension()) * conv.featureGroups != lhs.dim(n.getInputFeatureDimension()) ||
      rhs.dim(n.getKernelOutputFeatureDimension()) % (conv.featureGroups * conv.batchGroups) != 0 ||
      lhs.dim(n.getInputBatchDimension()) % conv.batchGroups != 0)
    return call.fail("groups do not divide the features and batches");
  Dims shape(lhs.rank());
  shape[n.getOutputBatchDimension()] = lhs.dim(n.getInputBatchDimension()) / conv.batchGroups;
  shape[n.getOutputFeatureDimension()] = rhs.dim(n.getKernelOutputFeatureDimension());
  for (size_t d = 0; d < spatialRank; ++d) {
    stablehlo::WindowDimension window{rhs.dim(n.getKernelSpatialDimensions()[d]),
                                      conv.strides[d],
                                      conv.padding[d].first,
                                      conv.padding[d].second,
                                      conv.lhsDilation[d],
                                      conv.rhsDilation[d]};
    shape[n.getOutputSpatialDimensions()[d]] = window.count(lhs.dim(n.getInputSpatialDimensions()[d]));
  }
  llvm::FailureOr<Tensor> result = call.make(shape, call.elementOf(0));
  if (llvm::failed(result))
    return llvm::failure();
  if (result->size() != 0)
    withAccumulator(result->elementType(), {lhs.elementType(), rhs.elementType()},
                    [&](auto zero) { convolve<decltype(zero)>(conv, lhs, rhs, *result); });
  return call.yield(*result);
}

} // namespace

LogicalResult evaluate(stablehlo::ConvolutionOp op, Invocation &call) {
  int64_t spatialRank = call.tensor(0).rank() - 2;
  if (spatialRank < 0)
    return call.fail("needs a batch and a feature dimension");
  Convolution conv = describe(op, spatialRank);
  conv.padding = paddingOf(op.getPadding(), spatialRank);
  return yieldConvolution(call, conv);
}

LogicalResult evaluate(stablehlo::DynamicConvOp op, Invocation &call) {
  int64_t spatialRank = call.tensor(0).rank() - 2;
  const Tensor &padding = call.tensor(2);
  if (spatialRank < 0 || padding.size() != 2 * spatialRank)
    return call.fail("needs a batch and a feature dimension, and two values of padding for each other dimension");
  Convolution conv = describe(op, spatialRank);
  for (int64_t d = 0; d < spatialRank; ++d)
    conv.padding.push_back({padding.intAt(2 * d), padding.intAt(2 * d + 1)});
  return yieldConvolution(call, conv);
}

} // namespace tenon::interpreter
