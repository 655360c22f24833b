#include "tenon/codegen/common/plan/test/plan_testing.h"

using namespace tenon::codegen;

namespace {

FoldOrder anyOrder(mlir::Operation *) { return FoldOrder::kTree; }

// Folding the lanes of a row of pairs takes longer than reading a short row in each lane.
TEST_F(Plan, ShortRowsOfPairsAreReadAcross) {
  auto isAlong = [&](const std::string &length) {
    std::string t = "tensor<1000x" + length + "x";
    KernelSource source = parse("func.func @main(%x: " + t + "f32>, %i: " + t + R"(i32>, %a: tensor<f32>,
        %b: tensor<i32>) -> (tensor<1000xf32>, tensor<1000xi32>) {
      %r:2 = stablehlo.reduce(%x init: %a), (%i init: %b) across dimensions = [1] :
        ()" + t + "f32>, " + t + R"(i32>, tensor<f32>, tensor<i32>) -> (tensor<1000xf32>, tensor<1000xi32>)
      reducer(%p: tensor<f32>, %q: tensor<f32>) (%s: tensor<i32>, %t: tensor<i32>) {
        %1 = stablehlo.maximum %p, %q : tensor<f32>
        %2 = stablehlo.minimum %s, %t : tensor<i32>
        stablehlo.return %1, %2 : tensor<f32>, tensor<i32>
      }
      return %r#0, %r#1 : tensor<1000xf32>, tensor<1000xi32>
    })");
    return planRowReduction(source, kTarget, anyOrder)->vectorAlongRow;
  };
  EXPECT_FALSE(isAlong("10"));
  EXPECT_FALSE(isAlong("12"));
  EXPECT_TRUE(isAlong("13"));
  EXPECT_TRUE(isAlong("100"));
}

// Sums over channels take whole cache lines; short functions hide what additions wait for by several vectors, and long
// chains what their own operations wait for.
TEST_F(Plan, SumsAcrossRowsTakeCacheLines) {
  auto lanesOf = [&](const std::string &op, const std::string &columns, const PlanTarget &target = kHalf) {
    std::string in = "tensor<21x" + columns + "xf32>", out = "tensor<" + columns + "xf32>";
    KernelSource source =
        parse("func.func @main(%x: " + in + ") -> " + out + " {\n%r = tenon.fusion reduce(%a = %x) : (" + in + ") -> " +
              out + " {\n%e = " + op + " %a : " + in + (op.starts_with("chlo") ? " -> " + in : "") +
              "\n%z = stablehlo.constant dense<0.0> : tensor<f32>\n"
              "%s = stablehlo.reduce(%e init: %z) applies stablehlo.add across dimensions = [0] : (" +
              in + ", tensor<f32>) -> " + out + "\ntenon.yield %s : " + out + "\n}\nreturn %r : " + out + "\n}");
    return planRowReduction(source, target, anyOrder)->lanes;
  };
  EXPECT_EQ(lanesOf("stablehlo.exponential", "4096"), 32U);
  EXPECT_EQ(lanesOf("stablehlo.exponential", "4096", kTarget), 64U);
  EXPECT_EQ(lanesOf("stablehlo.exponential", "12"), 8U) << "there are no more";
  EXPECT_EQ(lanesOf("stablehlo.negate", "4096"), 32U) << "several hide what an addition waits for";
  EXPECT_EQ(lanesOf("chlo.erf_inv", "4096"), 8U) << "a long function";
  PlanTarget threads = withoutCores(kHalf);
  EXPECT_EQ(lanesOf("stablehlo.exponential", "4096", threads), 8U) << "threads have others beside them";
}

// Sums of forces on points, few channels each: vectors run over the points. They do not where the channels fill a
// vector, where there are no more points than a vector or two has lanes, and where points lie far from each other.
TEST_F(Plan, SumsOfFewChannelsRunOverPoints) {
  struct Rows {
    int64_t lanes, extent;
    bool operator==(const Rows &) const = default;
  };
  auto rowsOf = [&](const std::string &points, const std::string &channels, const std::string &reduced,
                    const PlanTarget &target = kHalf) {
    std::string last = points + "x" + channels,
                in = "tensor<" + (reduced == "0" ? "50x" + last : points + "x50x" + channels) + "xf32>";
    std::string weights = "tensor<" + (reduced == "0" ? "50x" + points : points + "x50") + "xf32>",
                out = "tensor<" + last + "xf32>";
    KernelSource source = parse("func.func @main(%w: " + weights + ", %x: " + in + ") -> " + out +
                                " {\n%r = tenon.fusion reduce(%v = %w, %a = %x) : (" + weights + ", " + in + ") -> " +
                                out + " {\n%b = stablehlo.broadcast_in_dim %v, dims = [0, 1] : (" + weights + ") -> " +
                                in + "\n%p = stablehlo.multiply %a, %b : " + in +
                                "\n%z = stablehlo.constant dense<0.0> : tensor<f32>\n"
                                "%s = stablehlo.reduce(%p init: %z) applies stablehlo.add across dimensions = [" +
                                reduced + "] : (" + in + ", tensor<f32>) -> " + out + "\ntenon.yield %s : " + out +
                                "\n}\nreturn %r : " + out + "\n}");
    std::optional<RowReductionPlan> plan = planRowReduction(source, target, anyOrder);
    return Rows{plan->lanes, plan->vectorAlongRow ? 0 : plan->dims[plan->vectorDim].extent};
  };
  EXPECT_EQ(rowsOf("256", "2", "0"), (Rows{8, 256}));
  EXPECT_EQ(rowsOf("256", "3", "0"), (Rows{8, 256}));
  EXPECT_EQ(rowsOf("256", "4", "0"), (Rows{8, 256}));
  EXPECT_EQ(rowsOf("256", "5", "0").extent, 5);
  EXPECT_EQ(rowsOf("12", "3", "0").extent, 3);
  EXPECT_NE(rowsOf("256", "4", "1").extent, 256);
  EXPECT_EQ(rowsOf("256", "3", "0", withoutCores(kHalf)).extent, 3);
}

const char *kSoftmax = R"(func.func @main(%x: tensor<64x128xf32>) -> tensor<64x128xf32> {
  %r = tenon.fusion rows(%a = %x) : (tensor<64x128xf32>) -> (tensor<64x128xf32>) {
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.reduce(%a init: %z) applies stablehlo.maximum across dimensions = [1] :
      (tensor<64x128xf32>, tensor<f32>) -> tensor<64xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<64xf32>) -> tensor<64x128xf32>
    %2 = stablehlo.subtract %a, %1 : tensor<64x128xf32>
    %3 = stablehlo.exponential %2 : tensor<64x128xf32>
    %4 = stablehlo.reduce(%3 init: %z) applies stablehlo.add across dimensions = [1] :
      (tensor<64x128xf32>, tensor<f32>) -> tensor<64xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<64xf32>) -> tensor<64x128xf32>
    %6 = stablehlo.divide %3, %5 : tensor<64x128xf32>
    tenon.yield %6 : tensor<64x128xf32>
  }
  return %r : tensor<64x128xf32>
})";

// The variance of each row, which takes two passes.
std::string varianceText(const std::string &rows, const std::string &columns) {
  std::string full = "tensor<" + rows + "x" + columns + "xf32>", kept = "tensor<" + rows + "xf32>";
  std::string reduce =
      " init: %z) applies stablehlo.add across dimensions = [1] : (" + full + ", tensor<f32>) -> " + kept;
  return "func.func @main(%x: " + full + ") -> " + kept + " {\n%r = tenon.fusion rows(%a = %x) : (" + full + ") -> (" +
         kept + ") {\n%z = stablehlo.constant dense<0.0> : tensor<f32>\n%0 = stablehlo.reduce(%a" + reduce +
         "\n%1 = stablehlo.broadcast_in_dim %0, dims = [0] : (" + kept + ") -> " + full +
         "\n%2 = stablehlo.subtract %a, %1 : " + full + "\n%3 = stablehlo.multiply %2, %2 : " + full +
         "\n%4 = stablehlo.reduce(%3" + reduce + "\ntenon.yield %4 : " + kept + "\n}\nreturn %r : " + kept + "\n}";
}

TEST_F(Plan, TheSecondPassOverARowFetchesTheNext) {
  auto fetched = [&](const std::string &text) {
    auto plan = planRowReduction(parse(text), kTarget, anyOrder);
    fetchNextRows(*plan, kTarget.costs);
    EXPECT_TRUE(plan->stages[0].fetched.empty());
    return plan->stages.size() < 2 ? size_t(0) : plan->stages[1].fetched.size();
  };
  EXPECT_EQ(fetched(varianceText("4096", "4096")), 1u);
  EXPECT_EQ(fetched(varianceText("512", "2048")), 0u) << "a cache holds it";
  EXPECT_EQ(fetched(varianceText("131072", "64")), 0u) << "the processor foresees short rows";
  EXPECT_EQ(fetched(varianceText("1024", "16384")), 0u) << "two rows do not fit in L1";
}

// Pixels of images, of which each channel is reduced alone.
TEST_F(Plan, RowsOfLargeArraysAdvanceTogether) {
  auto planOf = [&](const std::string &images, const std::string &pixels, const std::string &channels,
                    const PlanTarget &target = kTarget) {
    std::string from = "tensor<" + images + "x" + pixels + "x" + channels + "xf32>";
    std::string to = "tensor<" + images + "x" + channels + "xf32>";
    auto plan = planRowReduction(parse("func.func @main(%x: " + from + ", %z: tensor<f32>) -> " + to +
                                       " {\n%r = stablehlo.reduce(%x init: %z) applies stablehlo.add across "
                                       "dimensions = [1] : (" +
                                       from + ", tensor<f32>) -> " + to + "\nreturn %r : " + to + "\n}"),
                                 target, anyOrder);
    streamRows(*plan, target.costs);
    return *plan;
  };
  RowReductionPlan plan = planOf("32", "196", "512");
  EXPECT_EQ(plan.streamStep, 8);
  EXPECT_EQ(plan.taskDim, 0u) << "whole pixels: there are images enough";
  EXPECT_EQ(plan.taskChunk, 1);
  EXPECT_EQ(plan.tasks, 32);
  EXPECT_EQ(planOf("2", "196", "512").streamStep, 0) << "a core's caches hold it";
  EXPECT_EQ(planOf("512", "196", "64").streamStep, 0) << "a block of vectors takes whole pixels";
  EXPECT_EQ(planOf("512", "9", "512").streamStep, 0) << "few pixels";
  EXPECT_EQ(planOf("32", "8192", "512").streamStep, 0) << "sums of many blocks";
  EXPECT_EQ(planOf("512", "512", "1").streamStep, 0) << "vectors along the rows";
  PlanTarget chip = withoutCores(kTarget);
  EXPECT_EQ(planOf("32", "196", "512", chip).streamStep, 0) << "a thread for each row";
}

TEST_F(Plan, ShortRowsAreGrouped) {
  auto rows = [&](const std::string &text, const PlanTarget &target = kTarget) {
    auto plan = planRowReduction(parse(text), target, anyOrder);
    groupRows(*plan, target);
    EXPECT_EQ(plan->groupedRows % plan->groupLanes, 0);
    return plan->groupedRows;
  };
  int64_t lanes = kTarget.vectorBytes / 4;
  EXPECT_EQ(rows(varianceText("4096", "16")), lanes * 8);
  EXPECT_EQ(rows(varianceText("4096", "128")), 8192 / 128 / 4);
  EXPECT_EQ(rows(varianceText("4096", "4096")), 0) << "folding the lanes takes no time beside the row";
  EXPECT_EQ(rows(varianceText("3", "16")), 0) << "no vector across rows";
  PlanTarget chip = withoutCores(kTarget);
  EXPECT_EQ(rows(varianceText("4096", "16"), chip), 0) << "a thread for each row";
  EXPECT_GT(rows("func.func @main(%x: tensor<0x8x7xf32>, %z: tensor<f32>) -> tensor<0x8xf32> {\n"
                 "%r = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [2] : "
                 "(tensor<0x8x7xf32>, tensor<f32>) -> tensor<0x8xf32>\nreturn %r : tensor<0x8xf32>\n}",
                 {16, false, {}}),
            0)
      << "no rows";
  // The exponentials of all rows are kept until the last stage.
  auto plan = planRowReduction(parse(kSoftmax), kTarget, anyOrder);
  int64_t scratch = plan->scratchBytes;
  groupRows(*plan, kTarget);
  EXPECT_EQ(plan->scratchBytes, scratch * plan->groupedRows);
  EXPECT_TRUE(plan->stages[0].rowValues.empty());
  EXPECT_EQ(plan->stages[1].rowValues.size(), 1u);
  EXPECT_EQ(plan->stages[2].rowValues.size(), 1u);
}

// A norm of rows of 8 writes what lies apart across rows; of rows of 2, most of a vector along a row is empty.
TEST_F(Plan, ShortRowsAreReadAlongWhereLessIsApart) {
  auto isAlong = [&](const std::string &columns, const PlanTarget &target) {
    std::string full = "tensor<4096x" + columns + "xf32>", kept = "tensor<4096xf32>";
    auto plan = planRowReduction(
        parse("func.func @main(%x: " + full + ") -> " + full + " {\n%r = tenon.fusion rows(%a = %x) : (" + full +
              ") -> (" + full + ") {\n%z = stablehlo.constant dense<0.0> : tensor<f32>\n" +
              "%0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [1] : (" + full +
              ", tensor<f32>) -> " + kept + "\n%1 = stablehlo.broadcast_in_dim %0, dims = [0] : (" + kept + ") -> " +
              full + "\n%2 = stablehlo.divide %a, %1 : " + full + "\ntenon.yield %2 : " + full +
              "\n}\nreturn %r : " + full + "\n}"),
        target, anyOrder);
    return plan->vectorAlongRow;
  };
  for (const PlanTarget &target : {kTarget, PlanTarget{32, false, {}}}) {
    EXPECT_TRUE(isAlong("8", target));
    EXPECT_FALSE(isAlong("2", target));
  }
}

// Lanes are registers to one of hardware's threads, which may add them up one after the other.
TEST_F(Plan, ShortSumsOfAThreadAreInOrder) {
  auto isInOrder = [&](const std::string &shape, const std::string &dims, const PlanTarget &target, FoldOrder order) {
    auto plan = planRowReduction(
        parse("func.func @main(%x: tensor<6x" + shape + "xf32>, %z: tensor<f32>) -> tensor<6xf32> {\n" +
              "%r = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [" + dims +
              "] : (tensor<6x" + shape + "xf32>, tensor<f32>) -> tensor<6xf32>\nreturn %r : tensor<6xf32>\n}"),
        target, [=](mlir::Operation *) { return order; });
    return plan->stages[0].foldsInOrder;
  };
  PlanTarget thread = withoutCores({16, false, {}});
  for (const char *shape : {"7", "8", "15"}) {
    EXPECT_TRUE(isInOrder(shape, "1", thread, FoldOrder::kTree)) << shape;
    EXPECT_FALSE(isInOrder(shape, "1", thread, FoldOrder::kFree)) << shape << ": any order gives the same";
    EXPECT_FALSE(isInOrder(shape, "1", PlanTarget{16, false, {}}, FoldOrder::kTree)) << shape << ": of a core";
  }
  EXPECT_FALSE(isInOrder("100", "1", thread, FoldOrder::kTree)) << "several elements a lane";
}

TEST_F(Plan, SoftmaxKeepsItsExponentials) {
  auto plan = planRowReduction(parse(kSoftmax), kTarget, anyOrder);
  ASSERT_TRUE(plan);
  EXPECT_EQ(extents(*plan), (Extents{64, 128}));
  EXPECT_TRUE(plan->vectorAlongRow);
  ASSERT_EQ(plan->stages.size(), 3u);
  EXPECT_EQ(plan->stages[1].saved.size(), 1u);
  EXPECT_EQ(plan->stages[2].loaded.size(), 1u);
  EXPECT_EQ(plan->stages[2].outputs.size(), 1u);
}

TEST_F(Plan, ReductionsAcrossRowsUseTheKeptDimension) {
  auto text = [](const std::string &from, const std::string &dims, const std::string &to) {
    return "func.func @main(%x: tensor<" + from + "xf32>, %z: tensor<f32>) -> tensor<" + to +
           "f32> {\n%r = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [" + dims +
           "] : (tensor<" + from + "xf32>, tensor<f32>) -> tensor<" + to + "f32>\nreturn %r : tensor<" + to + "f32>\n}";
  };
  auto columns = planRowReduction(parse(text("40x100", "0", "100x")), kTarget, anyOrder);
  EXPECT_FALSE(columns->vectorAlongRow);
  EXPECT_EQ(columns->splitSize, 0);
  EXPECT_EQ(columns->lanes, 64u);
  PlanTarget threads = withoutCores(kTarget);
  EXPECT_EQ(planRowReduction(parse(text("40x100", "0", "100x")), threads, anyOrder)->lanes, 16u)
      << "which have others beside them";
  auto all = planRowReduction(parse(text("4096x4096", "0, 1", "")), kTarget, anyOrder);
  EXPECT_TRUE(all->vectorAlongRow);
  EXPECT_GT(all->splitSize, 0);
  EXPECT_EQ(extents(*all), Extents{int64_t(4096) * 4096});
}

TEST_F(Plan, PartsOfRowsThatAreReadAcrossAreLong) {
  auto splitSize = [this](int64_t length, int64_t rows) {
    std::string from = "tensor<" + std::to_string(length) + "x" + std::to_string(rows) + "xf32>";
    std::string to = "tensor<" + std::to_string(rows) + "xf32>";
    return planRowReduction(parse("func.func @main(%x: " + from + ", %z: tensor<f32>) -> " + to +
                                  " {\n%r = stablehlo.reduce(%x init: %z) applies stablehlo.add across "
                                  "dimensions = [0] : (" +
                                  from + ", tensor<f32>) -> " + to + "\nreturn %r : " + to + "\n}"),
                            kTarget, anyOrder)
        ->splitSize;
  };
  EXPECT_EQ(splitSize(1024, 1024), 32) << "64 parts of 16 would be written and read again";
  EXPECT_EQ(splitSize(64, 1024), 16) << "the results of 4 parts stay in a cache";
  EXPECT_EQ(splitSize(4096, 256), 64) << "as many parts as there may be";
  EXPECT_EQ(splitSize(64, 16384), 0) << "too short for four parts";
  EXPECT_EQ(splitSize(127, 4096), 0);
  EXPECT_EQ(splitSize(128, 4096), 32);
  EXPECT_GT(splitSize(100000, 4), 1000) << "few rows are cut for the sake of the work";
}

// What a sum is of, as a result, too: `of` is %1, or %3, which needs the sum.
std::string sumAndTermsText(const std::string &of) {
  return "func.func @main(%x: tensor<14400x40xf32>) -> (tensor<40xf32>, tensor<14400x40xf32>) {\n"
         "%r:2 = tenon.fusion reduce(%a = %x) : (tensor<14400x40xf32>) -> (tensor<40xf32>, tensor<14400x40xf32>) {\n"
         "%z = stablehlo.constant dense<0.0> : tensor<f32>\n%1 = stablehlo.multiply %a, %a : tensor<14400x40xf32>\n"
         "%s = stablehlo.reduce(%1 init: %z) applies stablehlo.add across dimensions = [0] : (tensor<14400x40xf32>, "
         "tensor<f32>) -> tensor<40xf32>\n"
         "%2 = stablehlo.broadcast_in_dim %s, dims = [1] : (tensor<40xf32>) -> tensor<14400x40xf32>\n"
         "%3 = stablehlo.divide %1, %2 : tensor<14400x40xf32>\ntenon.yield %s, " +
         of + " : tensor<40xf32>, tensor<14400x40xf32>\n}\nreturn %r#0, %r#1 : tensor<40xf32>, tensor<14400x40xf32>\n}";
}

TEST_F(Plan, ThePassThatSumsWritesWhatNeedsNoSum) {
  auto terms = planRowReduction(parse(sumAndTermsText("%1")), kTarget, anyOrder);
  ASSERT_EQ(terms->stages.size(), 1u);
  EXPECT_EQ(terms->stages[0].outputs.size(), 1u);
  EXPECT_GT(terms->splitSize, 0);
  auto shares = planRowReduction(parse(sumAndTermsText("%3")), kTarget, anyOrder);
  EXPECT_EQ(shares->stages.size(), 2u);
  EXPECT_EQ(shares->splitSize, 0);
}

} // namespace
