// A convolution's window slides over the input with fixed strides, so the element that output o and tap t meet lies at
// an address linear in both: the whole convolution is a contraction whose lhs has overlapping strides. What breaks the
// pattern is taken care of before:
// - Padding: the input is copied once into a padded array (in parallel, before the contraction), unless no window
//   leaves the input. Negative padding is only an offset.
// - Input dilation (transposed convolutions): outputs whose index has the same residue modulo the dilation meet the
//   same regular subset of taps, so each residue is its own contraction over those taps; no zero is multiplied.
// - Groups are a batch dimension of the contraction.
#include "tenon/codegen/kernel/conv/lowering.h"

#include "tenon/support/insertion_sort.h"

#include <numeric>

namespace tenon::codegen::matmul {

llvm::SmallVector<WindowPhase, 2> windowPhases(const ConvolutionWindow &w) {
  // Dilations may be as large as their type allows where there is one element: no product of them, no sum.
  int64_t strideFactor = std::gcd(w.stride, w.inputDilation), tapFactor = std::gcd(w.kernelDilation, w.inputDilation);
  int64_t period = w.inputDilation / strideFactor, tapStep = w.inputDilation / tapFactor;
  llvm::SmallVector<WindowPhase, 2> phases;
  for (int64_t r = 0; r < period && r < w.outputSize; ++r) {
    WindowPhase phase;
    phase.outFirst = r;
    phase.outStep = period;
    phase.outputs = (w.outputSize - r - 1) / period + 1;
    phase.tapStep = tapStep;
    phase.inputStep = w.stride / strideFactor;
    phase.tapInput = w.kernelDilation / tapFactor;
    for (int64_t t = 0; t < tapStep && t < w.kernelSize; ++t) {
      int64_t position = r * w.stride + t * w.kernelDilation - w.padLow;
      if (position % w.inputDilation)
        continue;
      phase.tapFirst = t;
      phase.taps = (w.kernelSize - t - 1) / tapStep + 1;
      phase.inputFirst = position / w.inputDilation;
      break;
    }
    // From one to itself it is no step.
    if (phase.outputs <= 1)
      phase.outStep = phase.inputStep = 1;
    if (phase.taps <= 1)
      phase.tapStep = phase.tapInput = 1;
    phases.push_back(phase);
  }
  return phases;
}

PaddedInput padInput(const ConvolutionSpec &spec, llvm::ArrayRef<llvm::SmallVector<WindowPhase, 2>> phases) {
  PaddedInput input;
  size_t rank = spec.spatial.size();
  for (size_t d = 0; d < rank; ++d) {
    int64_t low = 0, high = 0;
    for (const WindowPhase &phase : phases[d]) {
      if (phase.taps == 0 || phase.outputs == 0)
        continue;
      int64_t last = phase.inputFirst + (phase.outputs - 1) * phase.inputStep + (phase.taps - 1) * phase.tapInput;
      low = std::max(low, -phase.inputFirst);
      high = std::max(high, last + 1 - spec.spatial[d].inputSize);
    }
    input.low.push_back(low);
    input.high.push_back(high);
    input.needed |= low > 0 || high > 0;
  }
  input.batchStride = spec.lhsBatchStride;
  input.featureStride = spec.lhsFeatureStride;
  for (const ConvolutionWindow &window : spec.spatial)
    input.strides.push_back(window.lhsStride);
  if (!input.needed)
    return input;
  // Dense, in the input's own order of dimensions.
  struct Dim {
    int64_t size, *stride;
  };
  llvm::SmallVector<Dim, 5> dims = {{spec.batch, &input.batchStride}, {spec.inputFeatures, &input.featureStride}};
  for (size_t d = 0; d < rank; ++d)
    dims.push_back({spec.spatial[d].inputSize + input.low[d] + input.high[d], &input.strides[d]});
  // By stride; larger dimensions outside among equals.
  insertionSort(dims,
                [](const Dim &a, const Dim &b) { return std::pair(*a.stride, a.size) > std::pair(*b.stride, b.size); });
  int64_t stride = 1;
  for (size_t i = dims.size(); i-- > 0;) {
    *dims[i].stride = stride;
    stride *= dims[i].size;
  }
  input.elements = stride;
  return input;
}

// Whether each image is a row of the contraction's batch. Results stored channel by channel: one image at a time has
// contiguous rows of pixels.
static bool isBatchOutside(const ConvolutionSpec &spec, llvm::ArrayRef<WindowPhase> phases, int64_t features,
                           bool hasEpilogue, const CostModel &costs) {
  int64_t outputs = 1;
  for (const WindowPhase &phase : phases)
    outputs *= phase.outputs;
  bool planar = outputs > 1 && std::abs(spec.outFeatureStride) > 1 && features > 1;
  for (const ConvolutionWindow &window : spec.spatial)
    planar &= window.outputSize == 1 || std::abs(window.outStride) < std::abs(spec.outFeatureStride);
  planar &= spec.outBatchStride > spec.outFeatureStride;
  return planar && (outputs >= costs.imageResults || hasEpilogue);
}

// The columns of the contraction.
static void addFeatures(const ConvolutionSpec &spec, int64_t features, ConvolutionPart &part) {
  ContractionSpec &c = part.contraction;
  part.feature = int(c.batch.size() + c.m.size());
  if (int64_t columns = spec.rhsPanelColumns) {
    part.column = part.feature + 1;
    c.n.push_back({features / columns, 0, spec.rhsPanelStride, spec.outFeatureStride * columns});
    c.n.push_back({columns, 0, spec.rhsOutputFeatureStride, spec.outFeatureStride});
  } else {
    c.n.push_back({features, 0, spec.rhsOutputFeatureStride, spec.outFeatureStride});
  }
}

ConvolutionPart contractionPart(const ConvolutionSpec &spec, const PaddedInput &input,
                                llvm::ArrayRef<WindowPhase> phases, bool hasEpilogue, const CostModel &costs) {
  ConvolutionPart part;
  ContractionSpec &c = part.contraction;
  c.lhs = spec.lhs, c.rhs = spec.rhs, c.out = spec.out, c.sum = spec.sum;
  c.lhsAs = spec.lhsAs, c.rhsAs = spec.rhsAs;
  c.extraOperands = spec.extraOperands;
  c.fullOperands = spec.fullOperands;
  c.epilogueLanesAlongM = spec.epilogueLanesAlongSpatial;
  c.epilogueLanesMayWrap = spec.epilogueLanesMayWrap;
  part.phases.assign(phases.begin(), phases.end());

  int64_t groups = spec.featureGroups * spec.batchGroups;
  int64_t features = spec.outputFeatures / groups, channels = spec.inputFeatures / spec.featureGroups;
  int64_t batch = spec.batch / spec.batchGroups;
  part.featuresPerGroup = features;
  if (groups > 1) {
    int64_t lhsStride = spec.batchGroups > 1 ? input.batchStride * batch : input.featureStride * channels;
    part.group = int(c.batch.size());
    c.batch.push_back({groups, lhsStride, spec.rhsOutputFeatureStride * features, spec.outFeatureStride * features});
  }
  ContractionDim batchDim{batch, input.batchStride, 0, spec.outBatchStride};
  bool batchOutside = isBatchOutside(spec, phases, features, hasEpilogue, costs);
  if (batchOutside) {
    part.batch = int(c.batch.size());
    c.batch.push_back(batchDim);
  }

  // Row dimensions, outermost first by the result's strides.
  struct Row {
    ContractionDim dim;
    int *position;
  };
  llvm::SmallVector<Row, 4> rows;
  part.spatial.resize(phases.size());
  if (!batchOutside)
    rows.push_back({batchDim, &part.batch});
  for (size_t d = 0; d < phases.size(); ++d) {
    const WindowPhase &phase = phases[d];
    const ConvolutionWindow &window = spec.spatial[d];
    rows.push_back(
        {{phase.outputs, phase.inputStep * input.strides[d], 0, phase.outStep * window.outStride}, &part.spatial[d]});
    c.lhsOffset += (phase.inputFirst + input.low[d] * (input.needed ? 1 : 0)) * input.strides[d];
    c.outOffset += phase.outFirst * window.outStride;
    int64_t firstTap = window.reversed ? window.kernelSize - 1 - phase.tapFirst : phase.tapFirst;
    if (phase.taps)
      c.rhsOffset += firstTap * window.rhsStride;
    int64_t tapStride = (window.reversed ? -1 : 1) * phase.tapStep * window.rhsStride;
    c.k.push_back({phase.taps, phase.tapInput * input.strides[d], tapStride, 0});
  }
  insertionSort(rows, [](const Row &a, const Row &b) { return std::abs(a.dim.outStride) > std::abs(b.dim.outStride); });
  for (const Row &row : rows) {
    *row.position = int(c.batch.size() + c.m.size());
    c.m.push_back(row.dim);
  }
  addFeatures(spec, features, part);
  c.k.push_back({channels, input.featureStride, spec.rhsInputFeatureStride, 0});
  return part;
}

} // namespace tenon::codegen::matmul
