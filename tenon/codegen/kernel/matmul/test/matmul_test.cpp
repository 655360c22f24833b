// Contractions against plain loops: element types, layouts, sizes, epilogues, vector widths, partitions.
#include "tenon/codegen/kernel/matmul/test/contraction_testing.h"
#include "tenon/codegen/kernel/matmul/tiled.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstdlib>
#include <cstring>
#include <random>

namespace tenon::codegen::matmul {
namespace {

using testing::Array;
using testing::check;
using testing::checkPlanned;
using testing::floatSemantics;
using testing::hostSupports;
using testing::hostTarget;
using testing::JitModule;
using testing::mlirType;
using testing::plainSpec;
using testing::runKernel;
using testing::sampled;
using testing::scaleAndAdd;
using testing::Sizes;
using testing::targets;
using testing::testsWhole;
using testing::Type;
using testing::ulpOf;

const Sizes kSizes[] = {{1, 2, 3, 4},   {1, 1, 1, 1},     {2, 5, 7, 3},    {1, 16, 16, 16}, {1, 33, 65, 17},
                        {3, 7, 100, 9}, {1, 40, 130, 64}, {1, 13, 64, 70}, {1, 1, 50, 90},  {1, 90, 1, 50},
                        {1, 1, 1, 300}, {2, 20, 4, 40},   {1, 6, 48, 1},   {1, 9, 200, 2}};

class Types : public ::testing::TestWithParam<std::tuple<Type, Type, Type>> {};

TEST_P(Types, MatchesPlainLoops) {
  auto [lhs, rhs, out] = GetParam();
  struct Case {
    Sizes sizes;
    int transposed;
  };
  const Case cases[] = {{{1, 3, 2, 5}, 0},    {{2, 13, 70, 45}, 0}, {{1, 2, 131, 67}, 0}, {{2, 13, 70, 45}, 1},
                        {{2, 13, 70, 45}, 2}, {{1, 3, 2, 5}, 3},    {{2, 13, 70, 45}, 3}, {{1, 2, 131, 67}, 3}};
  for (auto [level, target] : llvm::enumerate(targets()))
    for (auto [number, one] : llvm::enumerate(cases))
      if (sampled({size_t(lhs), size_t(out), 3 * level, number}, std::size(cases)))
        check(plainSpec(lhs, rhs, out, one.sizes, one.transposed & 1, one.transposed & 2), target);
}

using Combination = std::tuple<Type, Type, Type>;

std::string nameOf(const ::testing::TestParamInfo<Combination> &info) {
  std::string name;
  for (Type type : {std::get<0>(info.param), std::get<1>(info.param), std::get<2>(info.param)})
    for (const char *c = elementTypeName(type); *c; ++c)
      if (std::isalnum(*c))
        name += *c;
  return name;
}

INSTANTIATE_TEST_SUITE_P(
    All, Types,
    ::testing::Values(
        Combination{Type::kF32, Type::kF32, Type::kF32}, Combination{Type::kF64, Type::kF64, Type::kF64},
        Combination{Type::kF32, Type::kF32, Type::kF64}, Combination{Type::kBF16, Type::kBF16, Type::kBF16},
        Combination{Type::kBF16, Type::kBF16, Type::kF32}, Combination{Type::kF16, Type::kF16, Type::kF16},
        Combination{Type::kF16, Type::kF16, Type::kF32}, Combination{Type::kF8E4M3FN, Type::kF8E4M3FN, Type::kF32},
        Combination{Type::kF8E4M3FN, Type::kF8E5M2, Type::kBF16},
        Combination{Type::kF8E5M2, Type::kF8E5M2, Type::kF8E5M2},
        Combination{Type::kF8E4M3FN, Type::kF8E4M3FN, Type::kF8E4M3FN},
        Combination{Type::kF8E4M3FNUZ, Type::kF8E4M3FNUZ, Type::kF8E4M3FNUZ},
        Combination{Type::kF8E3M4, Type::kF8E3M4, Type::kF8E3M4},
        Combination{Type::kF4E2M1FN, Type::kF4E2M1FN, Type::kF4E2M1FN},
        Combination{Type::kF6E2M3FN, Type::kF6E3M2FN, Type::kF32}, Combination{Type::kI8, Type::kI8, Type::kI32},
        Combination{Type::kUI8, Type::kI8, Type::kI32}, Combination{Type::kI8, Type::kUI8, Type::kI32},
        Combination{Type::kUI8, Type::kUI8, Type::kUI32}, Combination{Type::kI8, Type::kI8, Type::kI8},
        Combination{Type::kI4, Type::kI4, Type::kI4}, Combination{Type::kUI2, Type::kUI2, Type::kUI2},
        Combination{Type::kI4, Type::kI4, Type::kI32}, Combination{Type::kI16, Type::kI16, Type::kI16},
        Combination{Type::kI16, Type::kI16, Type::kI32}, Combination{Type::kUI16, Type::kUI16, Type::kUI32},
        Combination{Type::kI32, Type::kI32, Type::kI32}, Combination{Type::kUI32, Type::kUI32, Type::kUI32},
        Combination{Type::kI64, Type::kI64, Type::kI64}, Combination{Type::kUI64, Type::kUI64, Type::kUI64},
        Combination{Type::kI8, Type::kI8, Type::kI64}, Combination{Type::kI1, Type::kI1, Type::kI1},
        Combination{Type::kI1, Type::kI8, Type::kI32}, Combination{Type::kUI8, Type::kI1, Type::kI32},
        Combination{Type::kComplexF32, Type::kComplexF32, Type::kComplexF32},
        Combination{Type::kComplexF64, Type::kComplexF64, Type::kComplexF64},
        Combination{Type::kF32, Type::kComplexF32, Type::kComplexF32}),
    nameOf);

TEST(Contraction, Sizes) {
  for (auto [level, target] : llvm::enumerate(targets()))
    for (auto [number, sizes] : llvm::enumerate(kSizes))
      for (size_t transposed = 0; transposed < 4; ++transposed)
        if (sampled({level, number, transposed}, 4))
          check(plainSpec(Type::kF32, Type::kF32, Type::kF32, sizes, transposed & 1, transposed & 2), target);
}

TEST(Contraction, LongSumsTakeSeveralPasses) {
  MatmulTarget target = hostTarget(hostSupports(512) ? 512 : 128);
  const Type types[] = {Type::kF32, Type::kBF16, Type::kI8, Type::kF64, Type::kF16};
  for (auto [number, type] : llvm::enumerate(types))
    for (size_t transposed = 0; transposed < 4; ++transposed)
      for (size_t round : {0, 1}) {
        Type out = type == Type::kI8 ? Type::kI32 : type;
        int64_t k = round ? 4096 : 2051;
        if (sampled({number, transposed, 2 * round}, 4))
          check(plainSpec(type, type, out, {1, 17, 90, k}, transposed & 1, transposed & 2), target);
      }
}

// Groups of rows that meet all columns one after the other, the last of them smaller: with sums of one pass and of
// several, tiles that are stored at once and that are finished apart, and tiles so short that they are a part of the
// kernel.
TEST(Contraction, RowsInGroups) {
  for (MatmulTarget target : targets()) {
    target.l2Bytes = 1 << 16;
    for (Type type : {Type::kF32, Type::kComplexF32})
      for (Sizes sizes : {Sizes{1, 32, 144, 20}, Sizes{1, 31, 75, 150}, Sizes{1, 45, 5, 9}}) {
        ContractionSpec spec = plainSpec(type, type, type, sizes);
        auto plan = planContraction(spec, target, "kernel");
        ASSERT_TRUE(plan.ok());
        plan->schedule.tilesTogether = 2;
        checkPlanned(*plan, spec, target);
      }
  }
}

// An lhs whose rows are neighbours in memory and whose steps of k are far apart is packed into panels: of one or many
// of them, with rows left over, for sums of one pass and of several, and of whole groups of k or not.
TEST(Contraction, FarStepsOfTheLhs) {
  const Type types[] = {Type::kF32, Type::kBF16, Type::kI8, Type::kF64};
  const int64_t rows[] = {5, 48, 61};
  for (auto [level, target] : llvm::enumerate(targets()))
    for (auto [number, type] : llvm::enumerate(types))
      for (auto [row, m] : llvm::enumerate(rows))
        for (size_t round : {0, 1}) {
          if (!sampled({level, number, row, round}, 8))
            continue;
          int64_t k = round ? 2051 : 515, n = 20, gap = 1100;
          ContractionSpec spec;
          spec.lhs = spec.rhs = mlirType(type);
          spec.out = mlirType(type == Type::kI8 ? Type::kI32 : type);
          spec.m = {{m, 1, 0, n}};
          spec.n = {{n, 0, 1, 1}};
          spec.k = {{k, gap, n, 0}};
          auto plan = planContraction(spec, target, "kernel");
          ASSERT_TRUE(plan.ok());
          EXPECT_TRUE(plan->schedule.packLhs) << plan->schedule.toString();
          check(spec, target);
        }
}

// What is multiplied where the last panel of the rhs has no columns, and whatever was left in scratch memory there:
// zeros, since subnormal numbers would take a hundred times as long.
TEST(Contraction, UnusedColumnsAreZero) {
  for (const MatmulTarget &target : targets())
    for (Type type : {Type::kF32, Type::kBF16, Type::kF64, Type::kComplexF32})
      for (bool transposed : {false, true}) {
        auto plan = planContraction(plainSpec(type, type, type, {1, 40, 35, 20}, false, transposed), target, "kernel");
        ASSERT_TRUE(plan.ok() && plan->schedule.packRhs);
        JitModule jit(target);
        emitContraction(*plan, jit.module());
        jit.compile();
        std::vector<uint8_t> scratch(size_t(plan->schedule.scratchBytes), 0xab), array(40 * 35 * 16);
        std::vector<uint8_t> out(array.size());
        void *buffers[] = {array.data(), array.data(), out.data()};
        jit.lookup("kernel")(buffers, 0, plan->schedule.tasks, scratch.data());
        TiledLayout layout(plan->problem, plan->schedule);
        int64_t unitBytes = plan->problem.arithmetic.unitBytes, lanes = plan->schedule.lanes;
        for (int64_t column = 0; column < int64_t(llvm::alignTo(35, uint64_t(lanes))); column += lanes) {
          int64_t unit = column / layout.panelColumns * layout.rhsPanelUnits + column % layout.panelColumns;
          const uint8_t *first = scratch.data() + layout.rhsBlock + unit * unitBytes;
          EXPECT_TRUE(std::all_of(first, first + lanes * unitBytes, [](uint8_t byte) { return byte == 0; }))
              << plan->schedule.toString() << " at column " << column;
        }
      }
}

// Passes of parts of long runs of k, and of several short ones: lhs [runs, m, length] or [runs, length, m], rhs
// [runs, n, length] or [runs, length, n].
TEST(Contraction, RunsTakeSeveralPasses) {
  const Type types[] = {Type::kF32, Type::kBF16, Type::kI8, Type::kI16, Type::kF16, Type::kF64, Type::kComplexF32};
  const std::pair<int64_t, int64_t> sizes[] = {{3, 1000}, {2, 3301}, {2, 6500}, {151, 33}, {900, 3}, {5, 1537}};
  for (auto [level, target] : llvm::enumerate(targets()))
    for (auto [number, type] : llvm::enumerate(types))
      for (auto [row, size] : llvm::enumerate(sizes))
        for (size_t transposed = 0; transposed < 4; ++transposed) {
          if (!sampled({level, number, row, transposed}, 8))
            continue;
          auto [runs, length] = size;
          int64_t m = 9 + 4 * int64_t(transposed), n = 33 - 5 * int64_t(row);
          bool lhsT = transposed & 1, rhsT = transposed & 2;
          ContractionSpec spec;
          spec.lhs = spec.rhs = mlirType(type);
          spec.out = mlirType(type == Type::kI8 || type == Type::kI16 ? Type::kI32 : type);
          spec.m = {{m, lhsT ? 1 : length, 0, n}};
          spec.n = {{n, 0, rhsT ? length : 1, 1}};
          spec.k = {{runs, m * length, n * length, 0}, {length, lhsT ? m : 1, rhsT ? 1 : n, 0}};
          check(spec, target);
        }
}

TEST(Contraction, EmptySums) {
  for (const MatmulTarget &target : targets())
    for (Type type : {Type::kF32, Type::kI8, Type::kComplexF32, Type::kBF16})
      check(plainSpec(type, type, type, {2, 3, 37, 0}), target);
}

TEST(Contraction, EmptyResults) {
  MatmulTarget target = hostTarget(128);
  for (Sizes sizes : {Sizes{0, 3, 4, 5}, Sizes{2, 0, 4, 5}, Sizes{2, 3, 0, 5}}) {
    auto plan = planContraction(plainSpec(Type::kF32, Type::kF32, Type::kF32, sizes), target, "kernel");
    ASSERT_TRUE(plan.ok());
    EXPECT_EQ(plan->kernel.phases[0].extent, 0);
    JitModule jit(target);
    emitContraction(*plan, jit.module());
    jit.compile();
  }
}

TEST(Contraction, EinsumLayouts) {
  const Type types[] = {Type::kF32, Type::kBF16, Type::kI8};
  for (auto [level, target] : llvm::enumerate(targets()))
    for (auto [number, type] : llvm::enumerate(types)) {
      if (!sampled({level, number}, 2))
        continue;
      Type out = type == Type::kI8 ? Type::kI32 : type;
      const int64_t B = 2, H = 3, Q = 37, K = 45, D = 24;
      ContractionSpec scores; // bqhd,bkhd->bhqk
      scores.lhs = scores.rhs = mlirType(type), scores.out = mlirType(out);
      scores.batch = {{B, Q * H * D, K * H * D, H * Q * K}, {H, D, D, Q * K}};
      scores.m = {{Q, H * D, 0, K}};
      scores.n = {{K, 0, H * D, 1}};
      scores.k = {{D, 1, 1, 0}};
      check(scores, target);
      ContractionSpec values; // bhqk,bkhd->bqhd
      values.lhs = values.rhs = mlirType(type), values.out = mlirType(out);
      values.batch = {{B, H * Q * K, K * H * D, Q * H * D}, {H, Q * K, D, D}};
      values.m = {{Q, K, 0, H * D}};
      values.n = {{D, 0, 1, 1}};
      values.k = {{K, 1, H * D, 0}};
      check(values, target);
    }
}

TEST(Contraction, ManyDimensionsOfEachRole) {
  // lhs [k0 6, m0 5, k1 20, m1 7], rhs [n0 3, k1 20, n1 19, k0 6], out [m0, m1, n0, n1].
  const Type types[] = {Type::kF32, Type::kBF16, Type::kI8, Type::kComplexF32, Type::kF64};
  for (auto [level, target] : llvm::enumerate(targets()))
    for (auto [number, type] : llvm::enumerate(types)) {
      if (!sampled({level, number}, 2))
        continue;
      ContractionSpec spec;
      spec.lhs = spec.rhs = mlirType(type), spec.out = mlirType(type == Type::kI8 ? Type::kI32 : type);
      spec.m = {{5, 140, 0, 7 * 57}, {7, 1, 0, 57}};
      spec.n = {{3, 0, 20 * 19 * 6, 19}, {19, 0, 6, 1}};
      spec.k = {{6, 700, 1, 0}, {20, 7, 19 * 6, 0}};
      check(spec, target);
    }
}

TEST(Contraction, WindowsOverlapAndStridesMayBeNegative) {
  // A one-dimensional convolution: lhs [40, 8] windows of 3, reversed kernel [3, 8, 70].
  for (const MatmulTarget &target : targets())
    for (Type type : {Type::kF32, Type::kBF16, Type::kI8}) {
      ContractionSpec spec;
      spec.lhs = spec.rhs = mlirType(type), spec.out = mlirType(type == Type::kI8 ? Type::kI32 : type);
      spec.m = {{19, 16, 0, 70}};
      spec.n = {{70, 0, 1, 1}};
      spec.k = {{3, 8, -8 * 70, 0}, {8, 1, 70, 0}};
      spec.rhsOffset = 2 * 8 * 70;
      spec.lhsOffset = 3;
      spec.outOffset = 5;
      check(spec, target);
    }
}

TEST(Contraction, StridedOutput) {
  // n-major output exchanges the roles; an output with holes is stored element by element.
  for (const MatmulTarget &target : targets())
    for (int64_t step : {1, 3}) {
      ContractionSpec spec = plainSpec(Type::kF32, Type::kF32, Type::kF32, {2, 21, 50, 30});
      spec.batch[0].outStride = 21 * 50 * step;
      spec.m[0].outStride = step;
      spec.n[0].outStride = 21 * step;
      check(spec, target);
    }
}

TEST(Contraction, Epilogues) {
  auto after = [](double sum, int64_t offset) { return sum * 2 + double(offset % 13); };
  for (auto [level, target] : llvm::enumerate(targets()))
    for (auto [number, sizes] : llvm::enumerate(kSizes))
      for (size_t lanes = 0; lanes < 4; ++lanes) {
        if (!sampled({level, number, lanes}, 4))
          continue;
        ContractionSpec spec = plainSpec(Type::kF32, Type::kF32, Type::kF32, sizes, lanes & 1, false);
        spec.extraOperands = 1;
        spec.epilogueLanesAlongM = lanes & 1;
        spec.epilogueLanesMayWrap = lanes & 2;
        check(spec, target, scaleAndAdd(spec, 2), after);
      }
}

TEST(Contraction, EpilogueLanesStayInTheInnerDimension) {
  auto after = [](double sum, int64_t offset) { return sum * 2 + double(offset % 13); };
  const int64_t innerSizes[] = {1, 5, 16, 24};
  for (auto [level, target] : llvm::enumerate(targets()))
    for (auto [number, inner] : llvm::enumerate(innerSizes)) {
      if (!sampled({level, number}, 2))
        continue;
      ContractionSpec spec;
      spec.lhs = spec.rhs = spec.out = mlirType(Type::kF32);
      spec.m = {{3, 60, 0, 20 * 6 * inner}, {20, 3, 0, 6 * inner}};
      spec.n = {{6, 0, inner, inner}, {inner, 0, 1, 1}};
      spec.k = {{3, 1, 6 * inner, 0}};
      spec.extraOperands = 1;
      check(spec, target, scaleAndAdd(spec, 2), after);
    }
}

TEST(Contraction, NarrowFloatsRoundToNearestEvenAndKeepSpecials) {
  // K = 1 with rhs 1: the result is the converted lhs.
  for (const MatmulTarget &target : targets())
    for (Type out :
         {Type::kF16, Type::kBF16, Type::kF8E5M2, Type::kF8E4M3FN, Type::kF8E4M3, Type::kF8E4M3FNUZ,
          Type::kF8E4M3B11FNUZ, Type::kF8E5M2FNUZ, Type::kF8E3M4, Type::kF4E2M1FN, Type::kF6E2M3FN, Type::kF6E3M2FN}) {
      std::vector<float> inputs = {
          0.0f,       -0.0f,        1.0f,          -1.0f,          INFINITY, -INFINITY, NAN,      1e-45f,
          3e38f,      -3e38f,       65504.0f,      65519.9f,       65520.0f, 448.0f,    464.0f,   465.0f,
          57344.0f,   61440.0f,     240.0f,        248.0f,         6e-8f,    2.98e-8f,  2.99e-8f, 5.96e-8f,
          0.0078125f, 0.001953125f, 0.0009765625f, 0.00097656256f, 6.0f,     5.0f,      7.5f,     28.0f,
          30.0f,      0.0625f,      0.25f,         0.2500001f,     15.5f,    15.75f};
      std::mt19937 random(3);
      while (inputs.size() < 600) {
        uint32_t raw = uint32_t(random());
        float value;
        std::memcpy(&value, &raw, 4);
        inputs.push_back(inputs.size() % 2 ? value
                                           : std::ldexp(float(int(random() % 4001) - 2000), -int(random() % 30)));
      }
      int64_t count = int64_t(inputs.size());
      ContractionSpec spec = plainSpec(Type::kF32, Type::kF32, out, {1, 1, count, 1});
      JitModule jit(target);
      auto plan = planContraction(spec, target, "kernel");
      ASSERT_TRUE(plan.ok());
      emitContraction(*plan, jit.module());
      jit.compile();
      float one = 1.0f;
      Array got(out, count), want(out, count);
      runKernel(jit, plan->kernel, {&one, inputs.data(), got.bytes.data()});
      for (int64_t i = 0; i < count; ++i) {
        llvm::APFloat value(inputs[size_t(i)] + 0.0f * one);
        bool loses;
        value.convert(*floatSemantics(out), llvm::APFloat::rmNearestTiesToEven, &loses);
        const llvm::fltSemantics &semantics = *floatSemantics(out);
        if (std::isnan(inputs[size_t(i)]) && !llvm::APFloat::semanticsHasNaN(semantics))
          continue; // no such value
        if (std::isinf(inputs[size_t(i)]) && !llvm::APFloat::semanticsHasInf(semantics) &&
            !llvm::APFloat::semanticsHasNaN(semantics))
          value = llvm::APFloat::getLargest(semantics, inputs[size_t(i)] < 0);
        double expected = value.convertToDouble();
        double actual = got.get(i).real();
        if (std::isnan(expected))
          EXPECT_TRUE(std::isnan(actual)) << elementTypeName(out) << " of " << inputs[size_t(i)];
        else
          EXPECT_EQ(actual, expected) << elementTypeName(out) << " of " << inputs[size_t(i)];
      }
    }
}

// A sum of doubles just above the middle between two numbers of a narrow type, which float takes for the middle.
TEST(Contraction, SumsOfDoublesRoundOnce) {
  for (const MatmulTarget &target : targets())
    for (Type out : {Type::kBF16, Type::kF16, Type::kF8E5M2}) {
      JitModule jit(target);
      auto plan = planContraction(plainSpec(Type::kF64, Type::kF64, out, {1, 1, 17, 1}), target, "kernel");
      ASSERT_TRUE(plan.ok());
      emitContraction(*plan, jit.module());
      jit.compile();
      double one = 1;
      std::vector<double> middle(17, 1 + ulpOf(out) / 2 + 0x1p-40);
      Array got(out, 17);
      runKernel(jit, plan->kernel, {&one, middle.data(), got.bytes.data()});
      for (int64_t i = 0; i < 17; ++i)
        EXPECT_EQ(got.get(i).real(), 1 + ulpOf(out)) << elementTypeName(out);
    }
}

// Up to three dimensions a role, each array with its own random order of dimensions, gaps and offsets.
ContractionSpec randomSpec(std::mt19937 &random) {
  using Combination = std::tuple<Type, Type, Type>;
  const Combination types[] = {{Type::kF32, Type::kF32, Type::kF32},
                               {Type::kF32, Type::kF32, Type::kF32},
                               {Type::kBF16, Type::kBF16, Type::kBF16},
                               {Type::kI8, Type::kI8, Type::kI32},
                               {Type::kUI8, Type::kUI8, Type::kI32},
                               {Type::kF64, Type::kF64, Type::kF64},
                               {Type::kF16, Type::kF16, Type::kF32},
                               {Type::kI16, Type::kI16, Type::kI32},
                               {Type::kComplexF32, Type::kComplexF32, Type::kComplexF32}};
  auto [lhs, rhs, out] = types[random() % std::size(types)];
  ContractionSpec spec;
  spec.lhs = mlirType(lhs), spec.rhs = mlirType(rhs), spec.out = mlirType(out);
  auto fill = [&](llvm::SmallVector<ContractionDim, 2> &dims, unsigned most, int64_t limit) {
    unsigned count = random() % (most + 1);
    for (unsigned i = 0; i < count; ++i) {
      int64_t sizes[] = {1, 2, 3, 5, 7, 8, 16, 17, 30, 33, 64, 70};
      int64_t size = std::min<int64_t>(sizes[random() % std::size(sizes)], limit);
      limit = std::max<int64_t>(1, limit / size);
      dims.push_back({size, 0, 0, 0});
    }
  };
  fill(spec.batch, 2, 4), fill(spec.m, 3, 70), fill(spec.n, 3, 150), fill(spec.k, 3, 200);
  auto layOut = [&](std::vector<std::pair<ContractionDim *, int64_t ContractionDim::*>> dims) {
    if (random() % 3 == 0)
      std::shuffle(dims.begin(), dims.end(), random);
    int64_t stride = random() % 8 == 0 ? 2 : 1;
    for (size_t i = dims.size(); i-- > 0;) {
      dims[i].first->*dims[i].second = stride;
      stride *= dims[i].first->size;
      if (random() % 6 == 0)
        stride += random() % 5; // rows with a gap between them
    }
  };
  auto list = [&](std::initializer_list<llvm::SmallVector<ContractionDim, 2> *> roles,
                  int64_t ContractionDim::*stride) {
    std::vector<std::pair<ContractionDim *, int64_t ContractionDim::*>> dims;
    for (auto *role : roles)
      for (ContractionDim &dim : *role)
        dims.emplace_back(&dim, stride);
    layOut(dims);
  };
  list({&spec.batch, &spec.m, &spec.k}, &ContractionDim::lhsStride);
  if (random() % 2)
    list({&spec.batch, &spec.k, &spec.n}, &ContractionDim::rhsStride);
  else
    list({&spec.batch, &spec.n, &spec.k}, &ContractionDim::rhsStride);
  list({&spec.batch, &spec.m, &spec.n}, &ContractionDim::outStride);
  spec.lhsOffset = random() % 3, spec.rhsOffset = random() % 3, spec.outOffset = random() % 3;
  return spec;
}

TEST(Contraction, RandomLayouts) {
  std::vector<MatmulTarget> levels = targets();
  const char *count = std::getenv("TENON_FUZZ"), *seed = std::getenv("TENON_FUZZ_SEED");
  std::mt19937 random(seed ? unsigned(std::atoi(seed)) : 5);
  for (int i = 0, n = count ? std::atoi(count) : testsWhole() ? 60 : 20; i < n && !HasFailure(); ++i) {
    ContractionSpec spec = randomSpec(random);
    SCOPED_TRACE("random contraction " + std::to_string(i));
    const MatmulTarget &target = levels[random() % levels.size()];
    if (spec.out.isF32() && spec.lhs.isF32() && random() % 2) {
      spec.extraOperands = 1;
      spec.epilogueLanesAlongM = random() % 2;
      spec.epilogueLanesMayWrap = random() % 2;
      check(spec, target, scaleAndAdd(spec, 2),
            [](double sum, int64_t offset) { return sum * 2 + double(offset % 13); });
      continue;
    }
    check(spec, target);
  }
}

TEST(Contraction, TasksFollowCosts) {
  MatmulTarget target = hostTarget(128);
  target.cores = 2;
  target.l2Bytes = 8 << 20; // else it is the caches that divide the product
  auto plan = [&](Sizes sizes) {
    return planContraction(plainSpec(Type::kF32, Type::kF32, Type::kF32, sizes), target, "kernel")->schedule;
  };
  Sizes large{1, 512, 512, 512}, small{1, 10, 10, 10};
  EXPECT_GT(plan(large).tasks, 1);
  EXPECT_EQ(plan(small).kind, MatmulPlan::Kind::kSimple);
  target.costs.tiledTask = 1e12;
  EXPECT_EQ(plan(large).tasks, 1);
  target.costs.plainProduct = 100;
  EXPECT_NE(plan(small).kind, MatmulPlan::Kind::kSimple);
}

TEST(Contraction, RefusesMixedKinds) {
  MatmulTarget target = hostTarget(128);
  auto plan = planContraction(plainSpec(Type::kF32, Type::kI32, Type::kF32, {1, 2, 2, 2}), target, "kernel");
  ASSERT_FALSE(plan.ok());
  EXPECT_NE(plan.status().message().find("f32"), std::string::npos);
  EXPECT_FALSE(planContraction(plainSpec(Type::kI8, Type::kF32, Type::kI8, {1, 2, 2, 2}), target, "integer").ok());
}

TEST(Packing, FetchesAheadWherePiecesLieApart) {
  MatmulTarget target = hostTarget(128);
  auto fetches = [&](const char *routine, Type type, Sizes sizes, bool lhsT, bool rhsT) {
    auto plan = planContraction(plainSpec(type, type, type, sizes, lhsT, rhsT), target, "kernel");
    JitModule jit(target);
    emitContraction(*plan, jit.module());
    const llvm::Function *function = jit.module().getFunction(routine);
    if (!function)
      return int64_t(-1);
    return int64_t(llvm::count_if(llvm::instructions(*function), [](const llvm::Instruction &instruction) {
      auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
      return call && call->getIntrinsicID() == llvm::Intrinsic::prefetch;
    }));
  };
  Sizes large{1, 512, 512, 512}, narrow{1, 2048, 16, 2048};
  EXPECT_EQ(fetches("kernel.pack_lhs", Type::kF32, narrow, true, false), 1);
  EXPECT_EQ(fetches("kernel.pack_rhs", Type::kF32, large, false, false), 1) << "a line for the panel of 8 columns";
  // Along k the processor foresees what comes next.
  EXPECT_EQ(fetches("kernel.pack_lhs", Type::kF16, large, false, false), 0);
  EXPECT_EQ(fetches("kernel.pack_rhs", Type::kF32, large, false, true), 0);
}

TEST(Plan, UsesTheInstructionsThereAre) {
  MatmulTarget target;
  target.vectorBits = 512;
  target.fma = target.avx512Bf16 = target.avx512Vnni = true;
  auto compute = [&](Type in, Type out) {
    return planContraction(plainSpec(in, in, out, {1, 256, 256, 256}), target, "kernel")->schedule.compute;
  };
  EXPECT_EQ(compute(Type::kBF16, Type::kBF16), MatmulPlan::Compute::kBf16Pairs);
  EXPECT_EQ(compute(Type::kI8, Type::kI32), MatmulPlan::Compute::kInt8Quads);
  target.slowBf16Pairs = true;
  EXPECT_EQ(compute(Type::kBF16, Type::kBF16), MatmulPlan::Compute::kFloat);
  for (int64_t rows : {1, 8}) {
    auto few = planContraction(plainSpec(Type::kBF16, Type::kBF16, Type::kBF16, {1, rows, rows, 4096}), target, "few");
    EXPECT_EQ(few->schedule.compute, MatmulPlan::Compute::kBf16Pairs) << "bound by memory";
  }
  target.avx512Bf16 = target.avx512Vnni = false;
  EXPECT_EQ(compute(Type::kBF16, Type::kBF16), MatmulPlan::Compute::kFloat);
  EXPECT_EQ(compute(Type::kI8, Type::kI32), MatmulPlan::Compute::kInt16Pairs);
}

TEST(Plan, TileFillsTheRegisters) {
  MatmulTarget target;
  target.vectorBits = 512;
  target.fma = true;
  MatmulPlan plan =
      planContraction(plainSpec(Type::kF32, Type::kF32, Type::kF32, {1, 1024, 1024, 1024}), target, "kernel")->schedule;
  EXPECT_EQ(plan.mr, 6);
  EXPECT_EQ(plan.nv, 4);
  EXPECT_FALSE(plan.packLhs);
  EXPECT_TRUE(plan.packRhs);
}

TEST(Plan, RowsStayInL2) {
  MatmulTarget target;
  target.vectorBits = 256;
  target.fma = true;
  auto plan = [&](Type type, Sizes sizes, bool lhsT) {
    return planContraction(plainSpec(type, type, type, sizes, lhsT), target, "kernel")->schedule;
  };
  MatmulPlan large = plan(Type::kF64, {1, 2048, 2048, 2048}, false);
  EXPECT_GT(large.tilesTogether, 0);
  EXPECT_LE(large.tilesTogether * large.mr * large.kc * 8, target.l2Bytes / 4);
  EXPECT_EQ(plan(Type::kF32, {1, 256, 256, 256}, false).tilesTogether, 0) << "all of them do";
  EXPECT_EQ(plan(Type::kF32, {1, 2048, 16, 2048}, false).tilesTogether, 0) << "they are read once";
  EXPECT_EQ(plan(Type::kF32, {1, 2048, 2048, 2048}, true).tilesTogether, 0) << "those that are packed are few";
}

TEST(Plan, PacksAnLhsWhoseLinesLeaveTheCache) {
  MatmulTarget target;
  target.vectorBits = 512;
  target.fma = true;
  auto packs = [&](int64_t m, int64_t n, int64_t k) {
    ContractionSpec spec = plainSpec(Type::kF32, Type::kF32, Type::kF32, {1, m, n, k}, true, false);
    return planContraction(spec, target, "kernel")->schedule.packLhs;
  };
  EXPECT_TRUE(packs(2048, 64, 2048));
  EXPECT_TRUE(packs(1000, 32, 1000));
  EXPECT_FALSE(packs(2048, 64, 128)) << "the lines of all k stay in L1";
  EXPECT_FALSE(packs(512, 64, 4096)) << "the next lines are foreseen";
  EXPECT_FALSE(packs(256, 256, 256)) << "the next lines are near";
  EXPECT_TRUE(packs(512, 256, 256)) << "each line is read by many panels";
}

} // namespace
} // namespace tenon::codegen::matmul
