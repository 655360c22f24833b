// Convolutions against the plain definition: layouts, strides, padding, dilations, groups, types, epilogues.
#include "tenon/codegen/kernel/conv/lowering.h"
#include "tenon/codegen/kernel/matmul/test/array_testing.h"

#include "llvm/ADT/STLExtras.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace tenon::codegen::matmul {
namespace {

using testing::Array;
using testing::Elements;
using testing::hostTarget;
using testing::JitModule;
using testing::mlirType;
using testing::PlainSum;
using testing::runKernel;
using testing::sampled;
using testing::targets;
using testing::testsWhole;
using testing::Type;
using testing::ulpOf;

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

int64_t outputSize(const Dim &d) {
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

ConvolutionSpec specOf(const Shape &s, int64_t &lhsCount, int64_t &rhsCount, int64_t &outCount) {
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
void addTaps(const ConvolutionSpec &spec, const Elements &lhs, const Elements &rhs, const std::vector<int64_t> &o,
             size_t d, int64_t lhsAt, int64_t rhsAt, PlainSum &taps) {
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
Element addFeatureAndOffsetError(const ConvolutionSpec &spec, llvm::IRBuilderBase &b, const EpilogueContext &context,
                                 Element sum) {
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
PlainSum tapsAt(const ConvolutionSpec &spec, const Elements &lhs, const Elements &rhs,
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

bool matches(const Array &out, int64_t at, const PlainSum &taps, double added) {
  if (testing::isInteger(out.type))
    return out.getInt(at) == Array::fromBits(out.type, taps.integer);
  std::complex<double> expected = taps.sum + added;
  double accumulate = isComplex(out.type) || out.type == Type::kF64 ? ulpOf(out.type) : 0x1p-23;
  double tolerance = ulpOf(out.type) * std::abs(expected) + (taps.magnitude + 4 + std::abs(expected)) * accumulate * 8;
  return std::abs(out.get(at) - expected) <= tolerance;
}

void compareWithDefinition(const ConvolutionSpec &spec, const Array &lhs, const Array &rhs, const Array &out,
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

// lanes: -1 without an epilogue, else what the epilogue allows (1: lanes along space, 2: lanes that wrap).
void check(const Shape &shape, const MatmulTarget &target, int lanes = -1) {
  int64_t lhsCount, rhsCount, outCount;
  ConvolutionSpec spec = specOf(shape, lhsCount, rhsCount, outCount);
  std::mt19937 random(11);
  Array lhs(spec.lhs, lhsCount), rhs(spec.rhs, rhsCount), out(spec.out, outCount);
  lhs.fill(random), rhs.fill(random);
  std::fill(out.bytes.begin(), out.bytes.end(), uint8_t(0x5a));
  Array whole = out;
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
  runKernel(jit, plan->kernel, {lhs.bytes.data(), rhs.bytes.data(), out.bytes.data()}, 3);
  runKernel(jit, plan->kernel, {lhs.bytes.data(), rhs.bytes.data(), whole.bytes.data()}, 1);
  SCOPED_TRACE(shape.lhs + "x" + shape.rhs + "->" + shape.result + " bits " + std::to_string(target.vectorBits));
  EXPECT_TRUE(out.bytes == whole.bytes) << "the partition changed the bits";
  compareWithDefinition(spec, lhs, rhs, out, lanes >= 0);
}

const char *const kLayouts[][3] = {{"N01C", "01IO", "N01F"}, {"NC01", "OI01", "NF01"}, {"N01C", "O01I", "N01F"},
                                   {"C01N", "I01O", "01NF"}, {"NC01", "01IO", "N01F"}, {"01CN", "10OI", "F10N"}};

Shape inLayout(Shape shape, size_t layout) {
  shape.lhs = kLayouts[layout][0], shape.rhs = kLayouts[layout][1], shape.result = kLayouts[layout][2];
  return shape;
}

std::vector<Shape> shapes() {
  std::vector<Shape> list;
  auto add = [&](int64_t batch, int64_t channels, int64_t features, std::vector<Dim> spatial, int64_t featureGroups = 1,
                 int64_t batchGroups = 1) {
    Shape shape;
    shape.batch = batch, shape.channels = channels, shape.features = features, shape.spatial = std::move(spatial);
    shape.featureGroups = featureGroups, shape.batchGroups = batchGroups;
    list.push_back(shape);
  };
  add(2, 5, 7, {{9, 3, 1, 1, 1}, {11, 3, 1, 1, 1}});
  add(1, 3, 20, {{17, 7, 2, 3, 3}, {19, 7, 2, 2, 3}});
  add(2, 16, 33, {{6, 1}, {7, 1}});
  add(2, 8, 12, {{8, 2, 2}, {9, 3, 3}});
  add(1, 4, 18, {{7, 3, 1, 2, 2, 1, 2}, {9, 2, 2, 1, 3, 1, 3}});
  add(2, 6, 10, {{5, 4, 1, 2, 2, 2}, {6, 3, 1, 1, 2, 2}});
  add(1, 3, 4, {{5, 3, 2, 3, 1, 3}, {4, 5, 3, 2, 4, 2, 2}});
  add(1, 4, 6, {{8, 3, 1, -1, -2}, {9, 2, 2, -2, 1}});
  add(2, 3, 5, {{6, 3, 1, 1, 1, 1, 1, true}, {7, 4, 2, 1, 2, 1, 1, true}});
  add(1, 3, 5, {{4, 3, 1, 2, 2, 2, 1, true}, {5, 4, 1, 0, 2, 3, 1, true}});
  add(2, 6, 12, {{7, 3, 1, 1, 1}, {6, 3, 2, 1, 1}}, 3);
  add(2, 9, 9, {{7, 3, 1, 1, 1}, {20, 3, 1, 1, 1}}, 9);
  add(1, 35, 35, {{9, 3, 2, 1, 1}, {37, 5, 2, 2, 2}}, 35);
  add(1, 4, 4, {{9, 3, 1, 2, 2, 1, 2}, {12, 3, 3, -1, 2, 1, 2, true}}, 4);
  add(1, 4, 8, {{9, 3, 1, 1, 1}, {12, 3, 1, 1, 1}}, 4);
  add(6, 5, 9, {{7, 3, 1, 1, 1}, {6, 2, 2}}, 1, 3);
  add(4, 12, 8, {{3, 28, 1, 14, 13}, {9, 9, 1, 1, 1}});
  add(1, 2, 3, {{3, 9, 1, 2, 2}, {5, 2}});
  add(1, 20, 24, {{18, 3, 1, 1, 1}, {18, 3, 1, 1, 1}});
  add(1, 3, 9, {{7, 3, 2, 1, 1}, {75, 3, 2, 1, 1}});
  add(1, 4, 8, {{1, 1}, {133, 3, 2, 1, 1}});
  return list;
}

TEST(Convolution, ShapesAndLayouts) {
  for (auto [level, target] : llvm::enumerate(targets()))
    for (auto [number, shape] : llvm::enumerate(shapes()))
      for (size_t layout = 0; layout < std::size(kLayouts); ++layout)
        if (sampled({level, number, layout}, 5))
          check(inLayout(shape, layout), target);
}

TEST(Convolution, Types) {
  using Pair = std::pair<Type, Type>;
  const Pair types[] = {{Type::kBF16, Type::kBF16},
                        {Type::kF16, Type::kF16},
                        {Type::kI8, Type::kI32},
                        {Type::kI32, Type::kI32},
                        {Type::kUI8, Type::kUI8},
                        {Type::kF64, Type::kF64},
                        {Type::kI64, Type::kI64},
                        {Type::kComplexF32, Type::kComplexF32},
                        {Type::kComplexF64, Type::kComplexF64}};
  const size_t numbers[] = {1, 5, 10, 11, 12, 19, 20};
  const std::vector<Shape> list = shapes();
  for (auto [level, target] : llvm::enumerate(targets()))
    for (auto [type, pair] : llvm::enumerate(types))
      for (auto [place, number] : llvm::enumerate(numbers))
        for (size_t layout : {0, 1}) {
          Shape shape = inLayout(list[number], layout);
          std::tie(shape.in, shape.out) = pair;
          if (sampled({3 * level, type, place, 5 * layout}, 10))
            check(shape, target);
        }
}

// Parts of the result with as many taps share all code but for where they begin; an epilogue needs to know which it is.
TEST(Convolution, PartsShareTheirCode) {
  auto walks = [](int64_t kernel, bool withEpilogue) {
    Shape shape;
    shape.channels = 128, shape.features = 64;
    shape.spatial = {{16, kernel, 1, kernel / 2, kernel / 2, 2}, {16, kernel, 1, kernel / 2, kernel / 2, 2}};
    int64_t counts[3];
    ConvolutionSpec spec = specOf(inLayout(shape, 0), counts[0], counts[1], counts[2]);
    JitModule jit(targets().front());
    Epilogue epilogue;
    if (withEpilogue)
      epilogue = [](llvm::IRBuilderBase &, const EpilogueContext &, Element sum) { return sum; };
    StatusOr<ConvolutionPlan> plan = planConvolution(spec, targets().front(), "kernel", withEpilogue);
    emitConvolution(*plan, jit.module(), epilogue);
    EXPECT_EQ(plan->parts.size(), 4u);
    return llvm::count_if(jit.module(), [](const llvm::Function &function) {
      return !function.isDeclaration() && function.getName().starts_with("tenon.block");
    });
  };
  EXPECT_EQ(walks(4, false), 1);
  EXPECT_EQ(walks(4, true), 4);
  EXPECT_EQ(walks(3, false), 4) << "one, two and four taps, of rows of different lengths";
}

// Runs of three neighbours with gaps between them, in tiles whose last rows are repeated.
TEST(Convolution, RowsOfPackedTiles) {
  for (const MatmulTarget &target : targets())
    for (auto [in, out] : {std::pair(Type::kF16, Type::kF16), {Type::kI8, Type::kI32}})
      for (int64_t height = 4; height <= 9; ++height) {
        Shape shape;
        shape.batch = 3, shape.channels = 32, shape.features = 8;
        shape.spatial = {{height, 3, 1, 2, 0}, {5, 3, 1, 1, 2, 3, 3}};
        shape.in = in, shape.out = out;
        shape.lhs = "NC01", shape.rhs = "0I1O", shape.result = "NF01";
        check(shape, target);
      }
}

// Where there is AMX: windows of padded input, strides, windows of one element, in both orders of the dimensions.
TEST(Convolution, InTiles) {
  std::vector<Shape> list(3);
  for (Shape &shape : list)
    shape.batch = 2, shape.channels = 40, shape.features = 48;
  list[0].spatial = {{9, 3, 1, 1, 1}, {8, 3, 1, 1, 1}};
  list[1].spatial = {{11, 2, 2, 0, 1}, {12, 3, 2, 1, 1}};
  list[2].spatial = {{8, 1}, {8, 1}};
  list[2].channels = 64;
  const std::pair<Type, Type> types[] = {{Type::kBF16, Type::kF32}, {Type::kI8, Type::kI32}, {Type::kUI8, Type::kI32}};
  for (auto [level, target] : llvm::enumerate(testing::amxTargets()))
    for (auto [number, shape] : llvm::enumerate(list))
      for (auto [type, pair] : llvm::enumerate(types))
        for (size_t layout : {0, 1}) {
          if (!sampled({level, number, type, layout}, 3))
            continue;
          std::tie(shape.in, shape.out) = pair;
          int64_t counts[3];
          Shape laidOut = inLayout(shape, layout);
          auto plan = planConvolution(specOf(laidOut, counts[0], counts[1], counts[2]), target, "kernel", false);
          ASSERT_TRUE(plan.ok() && !plan->parts.empty());
          EXPECT_EQ(plan->parts[0].contraction.schedule.compute,
                    type == 0 ? MatmulPlan::Compute::kBf16Tiles : MatmulPlan::Compute::kInt8Tiles);
          check(laidOut, target);
          if (type == 0)
            check(laidOut, target, 3);
        }
}

// Blocks of few rows that meet the same windows in several passes have them packed once, before.
TEST(Convolution, RowsShareTheirWindows) {
  auto shares = [](const Shape &shape, const MatmulTarget &target) {
    int64_t counts[3];
    auto plan = planConvolution(specOf(shape, counts[0], counts[1], counts[2]), target, "kernel", false);
    return plan.ok() && plan->parts[0].contraction.schedule.sharesRhs;
  };
  MatmulTarget wide;
  wide.vectorBits = 512;
  wide.fma = true;
  std::vector<MatmulTarget> all = targets();
  all.push_back(wide);
  for (auto [level, target] : llvm::enumerate(all))
    for (int64_t stride : {1, 2})
      for (Type type : {Type::kF32, Type::kF64, Type::kComplexF32}) {
        target.l2Bytes = 64 << 10;
        Shape shape;
        shape.in = shape.out = type;
        shape.channels = 64, shape.features = 260;
        shape.spatial = {{7 * stride, 3, stride, 1, 1}, {7 * stride, 3, stride, 1, 1}};
        Shape planar = inLayout(shape, 1);
        EXPECT_TRUE(target.vectorBits < 512 || type != Type::kF32 || shares(planar, target));
        EXPECT_FALSE(shares(inLayout(shape, 0), target)) << "neighbouring weights are packed in long pieces";
        if (level + 1 < all.size() && sampled({level, size_t(stride), size_t(type)}, 4)) {
          check(planar, target);
          if (type == Type::kF32)
            check(planar, target, 3);
        }
        planar.channels = 8;
        EXPECT_FALSE(shares(planar, target)) << "one pass";
      }
}

TEST(Convolution, Epilogues) {
  for (auto [level, target] : llvm::enumerate(targets()))
    for (auto [number, shape] : llvm::enumerate(shapes()))
      for (size_t layout : {0, 1})
        for (int lanes : {0, 3})
          if (sampled({3 * level, number, layout, size_t(lanes)}, 8))
            check(inLayout(shape, layout), target, lanes);
}

TEST(Convolution, RandomShapes) {
  std::vector<MatmulTarget> levels = targets();
  const char *count = std::getenv("TENON_FUZZ"), *seed = std::getenv("TENON_FUZZ_SEED");
  std::mt19937 random(seed ? unsigned(std::atoi(seed)) : 3);
  auto pick = [&](std::initializer_list<int64_t> values) { return values.begin()[random() % values.size()]; };
  for (int i = 0, n = count ? std::atoi(count) : testsWhole() ? 60 : 30; i < n && !HasFailure(); ++i) {
    Shape shape;
    using Pair = std::pair<Type, Type>;
    const Pair types[] = {{Type::kF32, Type::kF32}, {Type::kF32, Type::kF32}, {Type::kBF16, Type::kBF16},
                          {Type::kI8, Type::kI32},  {Type::kI32, Type::kI32}, {Type::kComplexF32, Type::kComplexF32}};
    std::tie(shape.in, shape.out) = types[random() % std::size(types)];
    int64_t groups = pick({1, 1, 1, 2, 3, 16});
    bool batchGroups = random() % 3 == 0;
    int64_t perGroup = pick({1, 1, 2, 5}), channels = pick({1, 2, 3, 8, 17});
    shape.features = groups * (random() % 2 ? perGroup : pick({1, 4, 18}));
    shape.channels = batchGroups ? channels : groups * (random() % 2 ? 1 : channels);
    shape.batch = batchGroups ? groups * pick({1, 2}) : pick({1, 2, 3});
    (batchGroups ? shape.batchGroups : shape.featureGroups) = groups;
    unsigned rank = 1 + random() % 2;
    for (unsigned d = 0; d < rank; ++d) {
      Dim dim{pick({1, 3, 6, 13, 20}), pick({1, 2, 3, 5}),    pick({1, 1, 2, 3}), pick({-1, 0, 0, 1, 2, 4}),
              pick({-2, 0, 0, 1, 2}),  pick({1, 1, 1, 2, 3}), pick({1, 1, 2, 3}), random() % 4 == 0};
      shape.spatial.push_back(dim);
    }
    std::string digits = rank == 1 ? "0" : "01";
    shape.lhs = "NC" + digits, shape.rhs = "OI" + digits, shape.result = "NF" + digits;
    if (random() % 2)
      shape.lhs = "N" + digits + "C", shape.rhs = digits + "IO", shape.result = "N" + digits + "F";
    if (random() % 3 == 0)
      for (std::string *order : {&shape.lhs, &shape.rhs, &shape.result})
        std::shuffle(order->begin(), order->end(), random);
    SCOPED_TRACE("random convolution " + std::to_string(i));
    bool plain = shape.out == Type::kF32;
    check(shape, levels[random() % levels.size()], plain && random() % 2 ? int(random() % 4) : -1);
  }
}

TEST(Convolution, AnyRank) {
  for (const MatmulTarget &target : targets()) {
    Shape none{Type::kF32, Type::kF32, 5, 20, 30, 1, 1, {}, "NC", "IO", "NF"};
    check(none, target);
    Shape one{Type::kF32, Type::kF32, 2, 6, 10, 1, 1, {{40, 5, 2, 2, 2}}, "N0C", "0IO", "N0F"};
    check(one, target);
    one.featureGroups = 6, one.features = 6;
    check(one, target);
    one.lhs = "NC0", one.rhs = "OI0", one.result = "NF0";
    check(one, target);
    Shape three{Type::kF32, Type::kF32, 1,      8, 20, 1, 1, {{5, 3, 1, 1, 1}, {6, 3, 1, 1, 1}, {7, 3, 1, 1, 1}},
                "N012C",    "012IO",    "N012F"};
    check(three, target);
    three.lhs = "NC012", three.rhs = "OI012", three.result = "NF012";
    check(three, target);
    three.featureGroups = 8, three.features = 8;
    check(three, target);
    three.lhs = "N012C", three.rhs = "012IO", three.result = "N012F";
    check(three, target);
  }
}

// Errors in half units in the last place of f32, relative to the sum of absolute products. One product after the other
// makes n/8 with equal ones, trees at most some 900 (the longest pass of a product), and here far fewer.
void expectLongSums(const Shape &shape, const MatmulTarget &target) {
  constexpr double kLimit = 128;
  int64_t lhsCount, rhsCount, outCount;
  ConvolutionSpec spec = specOf(shape, lhsCount, rhsCount, outCount);
  Array lhs(spec.lhs, lhsCount), rhs(spec.rhs, rhsCount), out(spec.out, outCount);
  for (int64_t i = 0; i < lhsCount; ++i)
    lhs.set(i, 0.3);
  for (int64_t i = 0; i < rhsCount; ++i)
    rhs.set(i, 0.7);
  JitModule jit(target);
  StatusOr<ConvolutionPlan> plan = planConvolution(spec, target, "kernel");
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  emitConvolution(*plan, jit.module());
  jit.compile();
  runKernel(jit, plan->kernel, {lhs.bytes.data(), rhs.bytes.data(), out.bytes.data()}, 1);
  const Elements lhsElements(lhs), rhsElements(rhs);
  std::vector<int64_t> index(2 + spec.spatial.size(), 0); // of the first element, in the padding, and one inside
  for (int64_t step : {0, 1}) {
    int64_t at = 0;
    for (size_t d = 0; d < spec.spatial.size(); ++d) {
      index[d + 2] = step * spec.spatial[d].outputSize / 2;
      at += index[d + 2] * spec.spatial[d].outStride;
    }
    PlainSum taps = tapsAt(spec, lhsElements, rhsElements, index);
    EXPECT_LE(std::abs(out.get(at) - taps.sum) / taps.magnitude * 0x1p24, kLimit)
        << shape.lhs << "x" << shape.rhs << "->" << shape.result << " bits " << target.vectorBits;
  }
}

TEST(Convolution, LongWindows) {
  auto depthwise = [](int64_t channels, std::vector<Dim> spatial) {
    Shape shape;
    shape.channels = shape.features = shape.featureGroups = channels;
    shape.spatial = std::move(spatial);
    return shape;
  };
  for (auto [level, target] : llvm::enumerate(targets()))
    for (size_t layout : {0, 1}) {
      Shape one = depthwise(3, {{9007, 9000, 1, 2, 3}});
      one.lhs = layout ? "NC0" : "N0C", one.rhs = layout ? "OI0" : "0IO", one.result = layout ? "NF0" : "N0F";
      for (const Shape &shape : {one, inLayout(depthwise(17, {{130, 127, 1, 3, 2}, {70, 65, 1, 2, 1}}), layout),
                                 inLayout(depthwise(5, {{1302, 1300, 1, 1, 1}, {9, 7, 1, 2, 1}}), layout),
                                 inLayout(depthwise(4, {{9, 7, 1, 3, 2}, {1305, 1300, 1, 2, 1}}), layout)}) {
        expectLongSums(shape, target);
        if (level == 0 || testsWhole())
          check(shape, target);
      }
      one.features = 6, one.channels = 6; // several channels a group
      expectLongSums(one, target);
    }
}

// The gradient of a depthwise convolution with regard to its weights.
Shape depthwiseGradient(int64_t channels, int64_t images, std::vector<Dim> spatial) {
  std::string digits = std::string("012").substr(0, spatial.size());
  Shape shape;
  shape.batch = shape.features = shape.batchGroups = channels;
  shape.channels = images;
  shape.spatial = std::move(spatial);
  shape.lhs = "C" + digits + "N", shape.rhs = "I" + digits + "O", shape.result = digits + "NF";
  return shape;
}

bool isPlannedAsGradient(const Shape &shape, const MatmulTarget &target) {
  int64_t counts[3];
  StatusOr<ConvolutionPlan> plan = planConvolution(specOf(shape, counts[0], counts[1], counts[2]), target, "kernel");
  return plan.ok() && plan->gradient.has_value();
}

TEST(Convolution, DepthwiseGradients) {
  const std::vector<Shape> list = {
      depthwiseGradient(40, 3, {{9, 9, 1, 1, 1}, {11, 11, 1, 1, 1}}),
      depthwiseGradient(35, 2, {{9, 5, 1, 1, 1, 1, 2}, {12, 6, 1, 0, 1, 1, 2}}), // of strides
      depthwiseGradient(7, 2, {{9, 5, 2, 0, 0}, {12, 8, 2, 2, 2}}),              // of dilated weights
      depthwiseGradient(3, 1, {{8, 7, 1, -1, 2, 1, 1, true}, {9, 6, 1, 2, -2}}),
      depthwiseGradient(128, 1, {{6, 6, 1, 6, 6}, {7, 7, 1, 7, 7}}),       // results without products
      depthwiseGradient(130, 2, {{40, 40, 1, 8, 8}}),                      // two groups of results
      depthwiseGradient(513, 12, {{17, 17, 1, 1, 1}, {33, 33, 1, 1, 1}})}; // parts and slices of channels
  const std::pair<Type, Type> types[] = {{Type::kF32, Type::kF32}, {Type::kBF16, Type::kF32}, {Type::kF16, Type::kF16},
                                         {Type::kF64, Type::kF64}, {Type::kI8, Type::kI32},   {Type::kI64, Type::kI64}};
  for (auto [level, target] : llvm::enumerate(targets()))
    for (auto [number, shape] : llvm::enumerate(list))
      for (auto [type, pair] : llvm::enumerate(types)) {
        Shape typed = shape;
        std::tie(typed.in, typed.out) = pair;
        EXPECT_TRUE(isPlannedAsGradient(typed, target));
        if (sampled({3 * level, number, type}, 5))
          check(typed, target);
        if (type == 0 && sampled({level, number}, 3))
          check(typed, target, int(number % 4));
      }
}

TEST(Convolution, DepthwiseGradientsOfLongWindows) {
  for (const MatmulTarget &target : targets())
    expectLongSums(depthwiseGradient(3, 1, {{40002, 40000, 1, 1, 1}}), target);
}

TEST(Convolution, OtherConvolutionsAreNoDepthwiseGradients) {
  const MatmulTarget target = targets().front();
  Shape shape = depthwiseGradient(32, 2, {{9, 9, 1, 1, 1}, {9, 9, 1, 1, 1}});
  Shape planes = shape;
  planes.lhs = "CN01", planes.rhs = "IO01", planes.result = "NF01";
  EXPECT_FALSE(isPlannedAsGradient(planes, target)) << "rows of pixels lie next to each other";
  MatmulTarget threads = target;
  threads.costs.task = threads.costs.shortTask / 2; // hardware's threads have a form of their own
  EXPECT_FALSE(isPlannedAsGradient(shape, threads));
  shape.features = 64;
  EXPECT_FALSE(isPlannedAsGradient(shape, target)) << "two results a channel";
}

TEST(Convolution, EmptyWindowsAndInputs) {
  MatmulTarget target = hostTarget(128);
  Shape shape{Type::kF32, Type::kF32, 2, 0, 5, 1, 1, {{4, 3, 1, 1, 1}, {5, 3}}, "N01C", "01IO", "N01F"};
  check(shape, target); // no channels: zeros
  shape.channels = 3;
  shape.spatial = {{0, 2, 1, 3, 3}, {5, 3}};
  check(shape, target); // nothing but padding
  shape.spatial = {{4, 0, 1, 1, 1}, {5, 3}};
  check(shape, target); // no taps
  shape.spatial = {{2, 3}, {5, 3}};
  check(shape, target); // no windows
  shape.batch = 0;
  shape.spatial = {{4, 3}, {5, 3}};
  check(shape, target);
}

TEST(Convolution, RefusesGroupsThatDoNotDivide) {
  ConvolutionSpec spec;
  spec.inputFeatures = 5;
  spec.outputFeatures = 4;
  spec.featureGroups = 2;
  EXPECT_FALSE(planConvolution(spec, hostTarget(128), "kernel").ok());
}

} // namespace
} // namespace tenon::codegen::matmul
