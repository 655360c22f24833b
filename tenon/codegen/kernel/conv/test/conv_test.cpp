// Convolutions against the plain definition: layouts, strides, padding, dilations, groups, types, epilogues.
#include "tenon/codegen/kernel/conv/test/conv_testing.h"

#include "llvm/ADT/STLExtras.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace tenon::codegen::matmul {
namespace {

using namespace testing;

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
  add(2, 24, 1, {{9, 3, 1, 1, 1}, {21, 3, 1, 1, 1}});
  add(1, 40, 3, {{7, 3, 2, 1, 1}, {33, 5, 1, 2, 2, 2}});
  add(3, 9, 2, {{8, 5, 1, 2, 2}, {11, 5, 2, 2, 2}});
  add(2, 20, 5, {{6, 3, 1, 2, 2, 1, 2, true}, {10, 3, 1, 1, 1, 1, 1, true}});
  add(1, 33, 1, {{4, 2}, {40, 7, 1, 3, 3, 3, 2}});
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

// Windows of channels for few features are read where they lie; more features, or fewer channels than fill vectors, are
// register tiles of packed ones.
TEST(Convolution, FewFeaturesMeetWindowsInPlace) {
  auto kind = [](int64_t channels, int64_t features, size_t layout = 0) {
    Shape shape;
    shape.channels = channels, shape.features = features;
    shape.spatial = {{16, 3, 1, 1, 1}, {16, 3, 1, 1, 1}};
    int64_t counts[3];
    MatmulTarget target;
    target.vectorBits = 256, target.fma = true;
    ConvolutionSpec spec = specOf(inLayout(shape, layout), counts[0], counts[1], counts[2]);
    return planConvolution(spec, target, "kernel")->parts.front().contraction.schedule.kind;
  };
  using Kind = MatmulPlan::Kind;
  for (int64_t features : {1, 2, 3, 6})
    EXPECT_EQ(kind(16, features), Kind::kRuns) << features;
  EXPECT_EQ(kind(16, 8), Kind::kTiled) << "more sums than registers";
  EXPECT_EQ(kind(16, 1, 1), Kind::kTiled) << "channels do not lie side by side";
  EXPECT_EQ(kind(2, 3), Kind::kTiled) << "rows of windows fill no vectors";
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
