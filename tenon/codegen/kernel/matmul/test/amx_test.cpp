// Contractions that AMX computes, against plain loops. Where the processor has no AMX its instructions are emulated, so
// that it is the true machine code that runs.
#include "tenon/codegen/kernel/matmul/test/contraction_testing.h"

#include "llvm/ADT/STLExtras.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace tenon::codegen::matmul {
namespace {

using testing::amxTargets;
using testing::Array;
using testing::check;
using testing::JitModule;
using testing::plainSpec;
using testing::runKernel;
using testing::sampled;
using testing::scaleAndAdd;
using testing::Sizes;
using testing::Type;

using Compute = MatmulPlan::Compute;

Compute computeOf(const ContractionSpec &spec, const MatmulTarget &target) {
  auto plan = planContraction(spec, target, "kernel");
  EXPECT_TRUE(plan.ok());
  return plan.ok() ? plan->schedule.compute : Compute::kFloat;
}

// What is to be computed in tiles is.
void checkTiles(const ContractionSpec &spec, const MatmulTarget &target) {
  Compute wanted = spec.lhs.isBF16() ? Compute::kBf16Tiles : Compute::kInt8Tiles;
  EXPECT_EQ(computeOf(spec, target), wanted);
  check(spec, target);
}

struct Combination {
  Type lhs, rhs, out;
};
constexpr Combination kCombinations[] = {
    {Type::kBF16, Type::kBF16, Type::kF32}, {Type::kBF16, Type::kBF16, Type::kBF16},
    {Type::kI8, Type::kI8, Type::kI32},     {Type::kI8, Type::kUI8, Type::kI32},
    {Type::kUI8, Type::kI8, Type::kI32},    {Type::kUI8, Type::kUI8, Type::kUI32},
    {Type::kI8, Type::kI8, Type::kI8},      {Type::kI4, Type::kUI4, Type::kI32},
    {Type::kI1, Type::kI8, Type::kI32}};

// Rows and columns that end inside a register and at its end, one register and two, k that ends inside of units, inside
// a register's units, at its end.
TEST(Amx, EveryEdge) {
  constexpr Sizes kSizes[] = {{1, 32, 32, 64},  {1, 16, 16, 256}, {1, 17, 33, 131}, {1, 64, 96, 128}, {2, 48, 48, 70},
                              {1, 49, 16, 190}, {1, 33, 65, 97},  {3, 35, 31, 63},  {1, 70, 130, 33}, {1, 12, 200, 61}};
  for (auto [level, target] : llvm::enumerate(amxTargets()))
    for (auto [type, types] : llvm::enumerate(kCombinations))
      for (auto [number, sizes] : llvm::enumerate(kSizes))
        for (size_t transposed = 0; transposed < 4; ++transposed)
          if (sampled({level, type, number, transposed}, 12))
            checkTiles(plainSpec(types.lhs, types.rhs, types.out, sizes, transposed & 1, transposed & 2), target);
}

TEST(Amx, LongSumsTakeSeveralPasses) {
  for (auto [level, target] : llvm::enumerate(amxTargets()))
    for (auto [type, types] : llvm::enumerate(kCombinations))
      for (size_t transposed = 0; transposed < 4; ++transposed)
        if (sampled({level, type, transposed}, 6))
          checkTiles(plainSpec(types.lhs, types.rhs, types.out, {1, 20, 36, 4111}, transposed & 1, transposed & 2),
                     target);
}

// Rows of the lhs in place: contiguous along k, and with gaps between them or overlapping.
TEST(Amx, LhsInPlace) {
  constexpr Combination kTypes[] = {{Type::kBF16, Type::kBF16, Type::kF32}, {Type::kUI8, Type::kI8, Type::kI32}};
  for (auto [level, target] : llvm::enumerate(amxTargets()))
    for (auto [type, types] : llvm::enumerate(kTypes))
      for (int64_t rowStep : {0, 3, -64})
        for (int64_t k : {128, 2176}) {
          if (!sampled({level, type, size_t(k / 128)}, 2))
            continue;
          ContractionSpec spec = plainSpec(types.lhs, types.rhs, types.out, {2, 32, 40, k});
          spec.m[0].lhsStride += rowStep;
          spec.batch[0].lhsStride = 32 * spec.m[0].lhsStride;
          spec.lhsOffset = 5;
          EXPECT_FALSE(planContraction(spec, target, "kernel")->schedule.packLhs);
          checkTiles(spec, target);
        }
}

// The rhs packed once for all tasks: one pass and several, batches, columns that end inside of a panel, k inside of
// units.
TEST(Amx, SharedRhs) {
  constexpr Combination kTypes[] = {{Type::kBF16, Type::kBF16, Type::kF32}, {Type::kI8, Type::kUI8, Type::kI32}};
  constexpr Sizes kSizes[] = {{1, 320, 100, 650}, {2, 200, 70, 1111}};
  for (auto [level, target] : llvm::enumerate(amxTargets()))
    for (auto [type, types] : llvm::enumerate(kTypes))
      for (auto [number, sizes] : llvm::enumerate(kSizes))
        for (size_t transposed = 0; transposed < 4; ++transposed) {
          if (!sampled({level, type, number, transposed}, 8))
            continue;
          MatmulTarget many = target;
          many.cores = 4;
          many.l2Bytes = 256 << 10;
          ContractionSpec spec = plainSpec(types.lhs, types.rhs, types.out, sizes, transposed & 1, transposed & 2);
          auto plan = planContraction(spec, many, "kernel");
          EXPECT_TRUE(plan->schedule.sharesRhs && plan->kernel.phases.size() == 2) << plan->schedule.toString();
          checkTiles(spec, many);
        }
}

// With an epilogue, and an output of swapped roles.
TEST(Amx, Epilogues) {
  auto after = [](double sum, int64_t offset) { return sum * 2 + double(offset % 13); };
  for (auto [level, target] : llvm::enumerate(amxTargets()))
    for (size_t lanes = 0; lanes < 4; ++lanes)
      for (size_t swapped : {0, 1}) {
        if (!sampled({level, lanes, swapped}, 2))
          continue;
        ContractionSpec spec = plainSpec(Type::kBF16, Type::kBF16, Type::kF32, {2, 37, 83, 75}, lanes & 1, false);
        if (swapped) {
          spec.m[0].outStride = 1;
          spec.n[0].outStride = 37;
        }
        spec.extraOperands = 1;
        spec.epilogueLanesAlongM = lanes & 1;
        spec.epilogueLanesMayWrap = lanes & 2;
        EXPECT_EQ(computeOf(spec, target), Compute::kBf16Tiles);
        check(spec, target, scaleAndAdd(spec, 2), after);
      }
}

// A contraction of one matrix by another with every product the same.
Array productOfConstants(const MatmulTarget &target, uint16_t lhsBits, uint16_t rhsBits, int64_t k) {
  ContractionSpec spec = plainSpec(Type::kBF16, Type::kBF16, Type::kF32, {1, 32, 32, k});
  Array lhs(Type::kBF16, 32 * k), rhs(Type::kBF16, k * 32), out(Type::kF32, 32 * 32);
  for (auto [array, bits] : {std::pair(&lhs, lhsBits), std::pair(&rhs, rhsBits)})
    for (int64_t i = 0; i < array->count(); ++i)
      std::memcpy(array->bytes.data() + 2 * i, &bits, 2);
  JitModule jit(target);
  auto plan = planContraction(spec, target, "kernel");
  EXPECT_TRUE(plan.ok() && plan->schedule.compute == Compute::kBf16Tiles);
  emitContraction(*plan, jit.module());
  jit.compile();
  runKernel(jit, plan->kernel, {lhs.bytes.data(), rhs.bytes.data(), out.bytes.data()});
  return out;
}

TEST(Amx, SpecialValues) {
  constexpr uint16_t kOne = 0x3F80, kInfinity = 0x7F80, kNan = 0x7FC0, kZero = 0, kSubnormal = 0x0001, kLeast = 0x0080;
  for (const MatmulTarget &target : amxTargets()) {
    EXPECT_EQ(productOfConstants(target, kOne, kOne, 70).get(1023).real(), 70) << "zeros behind the sum's end";
    EXPECT_EQ(productOfConstants(target, kInfinity, kOne, 70).get(5).real(), std::numeric_limits<double>::infinity());
    EXPECT_TRUE(std::isnan(productOfConstants(target, kInfinity, kZero, 70).get(5).real()));
    EXPECT_TRUE(std::isnan(productOfConstants(target, kOne, kNan, 70).get(5).real()));
    EXPECT_EQ(productOfConstants(target, kOne, kSubnormal, 70).get(5).real(), 0) << "subnormal operands are zero";
    EXPECT_EQ(productOfConstants(target, kOne, kLeast, 64).get(5).real(), std::ldexp(1.0, -120));
  }
}

TEST(Amx, OnlyWhereItPays) {
  MatmulTarget target;
  target.vectorBits = 512;
  target.fma = target.avx512Bf16 = target.slowBf16Pairs = target.avx512Vnni = true;
  auto bf16 = [&](Sizes sizes) { return computeOf(plainSpec(Type::kBF16, Type::kBF16, Type::kF32, sizes), target); };
  auto i8 = [&](Sizes sizes) { return computeOf(plainSpec(Type::kI8, Type::kI8, Type::kI32, sizes), target); };
  EXPECT_EQ(bf16({1, 256, 256, 256}), Compute::kFloat);
  EXPECT_EQ(i8({1, 256, 256, 256}), Compute::kInt8Quads);
  target.amxBf16 = true;
  EXPECT_EQ(bf16({1, 256, 256, 256}), Compute::kBf16Tiles);
  EXPECT_EQ(i8({1, 256, 256, 256}), Compute::kInt8Quads);
  target.amxInt8 = true;
  EXPECT_EQ(i8({1, 256, 256, 256}), Compute::kInt8Tiles);
  for (Sizes small : {Sizes{1, 16, 16, 16}, Sizes{1, 1, 1024, 1024}, Sizes{1, 2, 2, 4096}, Sizes{64, 8, 8, 8}}) {
    EXPECT_NE(bf16(small), Compute::kBf16Tiles);
    EXPECT_NE(i8(small), Compute::kInt8Tiles);
  }
  EXPECT_EQ(computeOf(plainSpec(Type::kF32, Type::kF32, Type::kF32, {1, 256, 256, 256}), target), Compute::kFloat);
  EXPECT_EQ(computeOf(plainSpec(Type::kI8, Type::kI16, Type::kI32, {1, 256, 256, 256}), target), Compute::kInt16Pairs);
  EXPECT_EQ(computeOf(plainSpec(Type::kI8, Type::kI8, Type::kI64, {1, 256, 256, 256}), target), Compute::kInt64);
}

} // namespace
} // namespace tenon::codegen::matmul
