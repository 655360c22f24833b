// Forms that products of few rows, small ones and those of large results take, and that these compute them.
#include "tenon/codegen/kernel/matmul/test/contraction_testing.h"

#include "llvm/ADT/STLExtras.h"

#include <gtest/gtest.h>

namespace tenon::codegen::matmul {
namespace {

using testing::check;
using testing::checkPlanned;
using testing::plainSpec;
using testing::sampled;
using testing::scaleAndAdd;
using testing::Sizes;
using testing::targets;
using testing::Type;

// The columns of one row are summed four vectors at a time, what is left of them a vector, then a column at a time; of
// two rows, or of complex ones, a vector at a time. Sums are short, with rows of the rhs left over, and of a tree.
TEST(Contraction, ColumnsOfFewRows) {
  const Type types[] = {Type::kF32, Type::kF64, Type::kBF16, Type::kI8, Type::kComplexF32};
  const int64_t manyColumns[] = {4, 32, 64, 71, 128, 297}, lengths[] = {11, 131, 1100};
  for (auto [level, target] : llvm::enumerate(targets()))
    for (auto [number, type] : llvm::enumerate(types))
      for (auto [columns, n] : llvm::enumerate(manyColumns))
        for (auto [length, k] : llvm::enumerate(lengths))
          for (int64_t m : {1, 2}) {
            if (!sampled({level, number, columns, length}, 16))
              continue;
            ContractionSpec spec = plainSpec(type, type, type == Type::kI8 ? Type::kI32 : type, {1, m, n, k});
            auto plan = planContraction(spec, target, "kernel");
            ASSERT_TRUE(plan.ok());
            checkPlanned(*plan, spec, target);
          }
}

// Products of a few thousand multiplications in plain loops: columns that are apart are copied side by side, from four
// rows on, batch by batch; those that no whole vector takes go to shorter ones.
TEST(Contraction, PlainLoops) {
  const Type types[] = {Type::kF32, Type::kF64, Type::kBF16, Type::kI8, Type::kComplexF32};
  const Sizes sizes[] = {{1, 12, 12, 12}, {3, 4, 7, 9},  {5, 3, 6, 6},  {1, 9, 15, 2}, {40, 5, 2, 3},
                         {2, 4, 3, 1},    {7, 1, 1, 64}, {3, 2, 1, 67}, {3, 1, 1, 131}};
  for (auto [level, target] : llvm::enumerate(targets()))
    for (auto [number, type] : llvm::enumerate(types))
      for (auto [size, each] : llvm::enumerate(sizes))
        for (bool transposed : {false, true}) {
          if (!sampled({level, number, size, transposed}, 4))
            continue;
          Type out = type == Type::kI8 ? Type::kI32 : type;
          ContractionSpec spec = plainSpec(type, type, out, each, false, transposed);
          auto plan = planContraction(spec, target, "kernel");
          ASSERT_TRUE(plan.ok());
          EXPECT_EQ(plan->schedule.kind, MatmulPlan::Kind::kSimple);
          bool isCopied = transposed && each.m >= 4 && type != Type::kComplexF32 && each.n * each.k > each.n;
          EXPECT_EQ(plan->schedule.packRhs, isCopied) << plan->schedule.toString();
          checkPlanned(*plan, spec, target);
        }
}

// Where the result, and an array that is added to it, are not in L2, a tile's places in them are fetched before it is
// computed; tiles of short sums go along the rows of the result.
TEST(Contraction, PlacesOfLargeResultsAreFetched) {
  auto after = [](double sum, int64_t offset) { return sum * 2 + double(offset % 13); };
  for (auto [level, target] : llvm::enumerate(targets()))
    for (int64_t k : {3, 20, 150})
      for (bool isLarge : {false, true}) {
        ContractionSpec spec = plainSpec(Type::kF32, Type::kF32, Type::kF32, {2, 61, 77, k});
        spec.extraOperands = 1;
        spec.fullOperands = {{2, spec.out}};
        target.l2Bytes = isLarge ? 1 << 14 : 1 << 20;
        auto plan = planContraction(spec, target, "kernel", /*hasEpilogue=*/true);
        ASSERT_TRUE(plan.ok());
        EXPECT_EQ(plan->schedule.fetchesResults, isLarge) << plan->schedule.toString();
        EXPECT_EQ(plan->schedule.tilesTogether == 2, isLarge && k <= 64) << plan->schedule.toString();
        EXPECT_FALSE(planContraction(spec, target, "kernel")->schedule.fetchesResults) << "tiles are stored directly";
        check(spec, target, scaleAndAdd(spec, 2), after);
      }
}

} // namespace
} // namespace tenon::codegen::matmul
