// Convolutions against the plain definition.
#pragma once

#include "tenon/codegen/kernel/conv/lowering.h"
#include "tenon/codegen/kernel/matmul/test/array_testing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace tenon::codegen::testing {

using namespace matmul;

struct Dim {
  int64_t input, kernel, stride = 1, low = 0, high = 0, inputDilation = 1, kernelDilation = 1;
  bool reversed = false;
};

struct Shape {
  Type in = Type::kF32, out = Type::kF32;
  int64_t batch = 1, channels = 1, features = 1, featureGroups = 1, batchGroups = 1;
  std::vector<Dim> spatial;
  // Dimension letters from outermost to innermost: N, C and digits; O, I and digits; N, F and digits.
  std::string lhs, rhs, result;
};

inline int64_t outputSize(const Dim &d) {
  int64_t dilated = d.input == 0 ? 0 : (d.input - 1) * d.inputDilation + 1, padded = d.low + dilated + d.high;
  int64_t window = d.kernel == 0 ? 0 : (d.kernel - 1) * d.kernelDilation + 1;
  return padded <= 0 || window > padded ? 0 : (padded - window) / d.stride + 1;
}

// Row-major strides of the dimensions named in `order`.
template <typename SizeOf> std::vector<int64_t> stridesOf(const std::string &order, SizeOf sizeOf) {
  std::vector<int64_t> strides(order.size());
  int64_t stride = 1;
  for (size_t i = order.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= sizeOf(order[i]);
  }
  return strides;
}

inline ConvolutionSpec specOf(const Shape &s, int64_t &lhsCount, int64_t &rhsCount, int64_t &outCount) {
  ConvolutionSpec spec;
  spec.lhs = spec.rhs = mlirType(s.in), spec.out = mlirType(s.out);
  spec.batch = s.batch, spec.inputFeatures = s.channels, spec.outputFeatures = s.features;
  spec.featureGroups = s.featureGroups, spec.batchGroups = s.batchGroups;
  auto digit = [&](char c) -> const Dim & { return s.spatial[size_t(c - '0')]; };
  auto lhsSize = [&](char c) { return c == 'N' ? s.batch : c == 'C' ? s.channels : digit(c).input; };
  auto rhsSize = [&](char c) {
    return c == 'O' ? s.features : c == 'I' ? s.channels / s.featureGroups : digit(c).kernel;
  };
  auto outSize = [&](char c) {
    return c == 'N' ? s.batch / s.batchGroups : c == 'F' ? s.features : outputSize(digit(c));
  };
  auto lhs = stridesOf(s.lhs, lhsSize), rhs = stridesOf(s.rhs, rhsSize), out = stridesOf(s.result, outSize);
  auto count = [](const std::string &order, auto size) {
    return std::accumulate(order.begin(), order.end(), int64_t(1), [&](int64_t n, char c) { return n * size(c); });
  };
  lhsCount = count(s.lhs, lhsSize), rhsCount = count(s.rhs, rhsSize), outCount = count(s.result, outSize);
  spec.lhsBatchStride = lhs[s.lhs.find('N')], spec.lhsFeatureStride = lhs[s.lhs.find('C')];
  spec.rhsInputFeatureStride = rhs[s.rhs.find('I')], spec.rhsOutputFeatureStride = rhs[s.rhs.find('O')];
  spec.outBatchStride = out[s.result.find('N')], spec.outFeatureStride = out[s.result.find('F')];
  spec.outBatchDim = int(s.result.find('N')), spec.outFeatureDim = int(s.result.find('F'));
  for (size_t d = 0; d < s.spatial.size(); ++d) {
    const Dim &dim = s.spatial[d];
    char c = char('0' + d);
    spec.spatial.push_back({dim.input, dim.kernel, outputSize(dim), dim.stride, dim.low, dim.high, dim.inputDilation,
                            dim.kernelDilation, dim.reversed, lhs[s.lhs.find(c)], rhs[s.rhs.find(c)],
                            out[s.result.find(c)]});
    spec.outSpatialDims.push_back(int(s.result.find(c)));
  }
  return spec;
}

// Adds the products of spatial dimensions d.. for one result element.
inline void addTaps(const ConvolutionSpec &spec, const Elements &lhs, const Elements &rhs,
                    const std::vector<int64_t> &o, size_t d, int64_t lhsAt, int64_t rhsAt, PlainSum &taps) {
  if (d == spec.spatial.size()) {
    for (int64_t c = 0; c < spec.inputFeatures / spec.featureGroups; ++c)
      taps.add(lhs, lhsAt + c * spec.lhsFeatureStride, rhs, rhsAt + c * spec.rhsInputFeatureStride);
    return;
  }
  const ConvolutionWindow &w = spec.spatial[d];
  for (int64_t t = 0; t < w.kernelSize; ++t) {
    int64_t position = o[d] * w.stride + t * w.kernelDilation - w.padLow;
    if (position < 0 || position % w.inputDilation || position / w.inputDilation >= w.inputSize)
      continue;
    int64_t tap = w.reversed ? w.kernelSize - 1 - t : t;
    addTaps(spec, lhs, rhs, o, d + 1, lhsAt + position / w.inputDilation * w.lhsStride, rhsAt + tap * w.rhsStride,
            taps);
  }
}

template <typename Body> void forEachIndex(const std::vector<int64_t> &sizes, const Body &body) {
  std::vector<int64_t> index(sizes.size(), 0);
  for (int64_t size : sizes)
    if (size == 0)
      return;
  for (;;) {
    body(index);
    size_t d = sizes.size();
    while (d > 0 && ++index[d - 1] == sizes[d - 1])
      index[--d] = 0;
    if (d == 0)
      return;
  }
}

// acc + 3 * feature + 100 * (offset from the indices - outOffset).
inline Element addFeatureAndOffsetError(const ConvolutionSpec &spec, llvm::IRBuilderBase &b,
                                        const EpilogueContext &context, Element sum) {
  llvm::Type *element = b.getFloatTy();
  auto scaled = [&](int dim, int64_t stride) {
    return b.CreateMul(context.index[size_t(dim)], b.getInt64(uint64_t(stride)));
  };
  llvm::Value *offset =
      b.CreateAdd(scaled(spec.outBatchDim, spec.outBatchStride), scaled(spec.outFeatureDim, spec.outFeatureStride));
  for (size_t d = 0; d < spec.spatial.size(); ++d)
    offset = b.CreateAdd(offset, scaled(spec.outSpatialDims[d], spec.spatial[d].outStride));
  llvm::Value *wrong = b.CreateSIToFP(b.CreateSub(offset, context.outOffset), element);
  llvm::Value *feature = b.CreateSIToFP(context.index[size_t(spec.outFeatureDim)], element);
  auto spread = [&](llvm::Value *value) {
    return context.lanes == 1 ? value : b.CreateVectorSplat(context.lanes, value);
  };
  llvm::Value *features = spread(feature);
  if (context.laneDim == spec.outFeatureDim && context.lanes > 1)
    for (unsigned i = 1; i < context.lanes; ++i)
      features = b.CreateInsertElement(features, b.CreateFAdd(feature, llvm::ConstantFP::get(element, i)), i);
  llvm::Type *type = features->getType();
  llvm::Value *result = b.CreateFAdd(sum.re, b.CreateFMul(features, llvm::ConstantFP::get(type, 3)));
  return {b.CreateFAdd(result, b.CreateFMul(spread(wrong), llvm::ConstantFP::get(type, 100)))};
}

// The plain definition's taps of one result element; index: batch, feature, spatial.
inline PlainSum tapsAt(const ConvolutionSpec &spec, const Elements &lhs, const Elements &rhs,
                       const std::vector<int64_t> &index) {
  int64_t n = index[0], f = index[1], groups = spec.featureGroups * spec.batchGroups;
  int64_t group = f / (spec.outputFeatures / groups), lhsAt = n * spec.lhsBatchStride;
  if (spec.featureGroups > 1)
    lhsAt += group * (spec.inputFeatures / groups) * spec.lhsFeatureStride;
  if (spec.batchGroups > 1)
    lhsAt += group * (spec.batch / groups) * spec.lhsBatchStride;
  PlainSum taps;
  addTaps(spec, lhs, rhs, {index.begin() + 2, index.end()}, 0, lhsAt, f * spec.rhsOutputFeatureStride, taps);
  return taps;
}

inline bool matches(const Array &out, int64_t at, const PlainSum &taps, double added) {
  if (isInteger(out.type))
    return out.getInt(at) == Array::fromBits(out.type, taps.integer);
  std::complex<double> expected = taps.sum + added;
  double accumulate = isComplex(out.type) || out.type == Type::kF64 ? ulpOf(out.type) : 0x1p-23;
  double tolerance = ulpOf(out.type) * std::abs(expected) + (taps.magnitude + 4 + std::abs(expected)) * accumulate * 8;
  return std::abs(out.get(at) - expected) <= tolerance;
}

inline void compareWithDefinition(const ConvolutionSpec &spec, const Array &lhs, const Array &rhs, const Array &out,
                                  bool epilogue) {
  const Elements lhsElements(lhs), rhsElements(rhs);
  std::vector<int64_t> sizes = {spec.batch / spec.batchGroups, spec.outputFeatures};
  for (const ConvolutionWindow &window : spec.spatial)
    sizes.push_back(window.outputSize);
  int failures = 0;
  forEachIndex(sizes, [&](const std::vector<int64_t> &index) {
    int64_t n = index[0], f = index[1], at = n * spec.outBatchStride + f * spec.outFeatureStride;
    for (size_t d = 0; d < spec.spatial.size(); ++d)
      at += index[d + 2] * spec.spatial[d].outStride;
    PlainSum taps = tapsAt(spec, lhsElements, rhsElements, index);
    if (!matches(out, at, taps, epilogue ? 3.0 * double(f) : 0.0) && ++failures < 4)
      ADD_FAILURE() << "batch " << n << " feature " << f << " at " << at << " got " << out.get(at) << " for a sum of "
                    << taps.sum << " / " << int64_t(taps.integer);
  });
}

// The kernel's elements as panels of so many features, and the spec of a convolution that reads these.
inline Array packKernel(const ConvolutionSpec &spec, const Array &kernel, int64_t columns, ConvolutionSpec &packed) {
  packed = inPanels(spec, columns);
  std::vector<int64_t> sizes{spec.outputFeatures, spec.inputFeatures};
  for (const ConvolutionWindow &window : spec.spatial)
    sizes.push_back(window.kernelSize);
  Array result = kernel;
  size_t bytes = kernel.bytes.size() / size_t(packed.rhsPanelStride * spec.outputFeatures / columns);
  forEachIndex(sizes, [&](const std::vector<int64_t> &index) {
    int64_t f = index[0], from = f * spec.rhsOutputFeatureStride + index[1] * spec.rhsInputFeatureStride;
    int64_t to = f / columns * packed.rhsPanelStride + f % columns + index[1] * packed.rhsInputFeatureStride;
    for (size_t d = 0; d < spec.spatial.size(); ++d) {
      from += index[d + 2] * spec.spatial[d].rhsStride;
      to += index[d + 2] * packed.spatial[d].rhsStride;
    }
    std::copy_n(kernel.bytes.begin() + from * int64_t(bytes), bytes, result.bytes.begin() + to * int64_t(bytes));
  });
  return result;
}

// lanes: -1 without an epilogue, else what the epilogue allows (1: lanes along space, 2: lanes that wrap). columns: of
// panels in which the kernel lies, 0 for none.
inline void check(const Shape &shape, const MatmulTarget &target, int lanes = -1, int64_t columns = 0) {
  int64_t lhsCount, rhsCount, outCount;
  ConvolutionSpec spec = specOf(shape, lhsCount, rhsCount, outCount);
  std::mt19937 random(11);
  Array lhs(spec.lhs, lhsCount), rhs(spec.rhs, rhsCount), out(spec.out, outCount);
  lhs.fill(random), rhs.fill(random);
  std::fill(out.bytes.begin(), out.bytes.end(), uint8_t(0x5a));
  Array whole = out;
  ConvolutionSpec asItLies = spec;
  Array kernel = columns ? packKernel(asItLies, rhs, columns, spec) : rhs;
  Epilogue epilogue;
  if (lanes >= 0) {
    spec.epilogueLanesAlongSpatial = lanes & 1;
    spec.epilogueLanesMayWrap = lanes & 2;
    epilogue = [spec](llvm::IRBuilderBase &b, const EpilogueContext &context, Element sum) {
      return addFeatureAndOffsetError(spec, b, context, sum);
    };
  }
  JitModule jit(target);
  StatusOr<ConvolutionPlan> plan = planConvolution(spec, target, "kernel", bool(epilogue));
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  emitConvolution(*plan, jit.module(), epilogue);
  jit.compile();
  runKernel(jit, plan->kernel, {lhs.bytes.data(), kernel.bytes.data(), out.bytes.data()}, 3);
  runKernel(jit, plan->kernel, {lhs.bytes.data(), kernel.bytes.data(), whole.bytes.data()}, 1);
  SCOPED_TRACE(shape.lhs + "x" + shape.rhs + "->" + shape.result + " bits " + std::to_string(target.vectorBits));
  EXPECT_TRUE(out.bytes == whole.bytes) << "the partition changed the bits";
  compareWithDefinition(asItLies, lhs, rhs, out, lanes >= 0);
}

} // namespace tenon::codegen::testing
