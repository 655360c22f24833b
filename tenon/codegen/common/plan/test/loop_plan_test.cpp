#include "tenon/codegen/common/plan/joined_lanes.h"
#include "tenon/codegen/common/plan/test/plan_testing.h"
#include "test/counted_loop.h"

using namespace tenon::codegen;

namespace {

TEST_F(Plan, ElementwiseIsOneDimension) {
  KernelSource source = parse("func.func @main(%x: tensor<4x1x6xf32>) -> tensor<4x1x6xf32> {\n"
                              "%r = stablehlo.negate %x : tensor<4x1x6xf32>\nreturn %r : tensor<4x1x6xf32>\n}");
  LoopPlan plan = planMap(source, kTarget);
  EXPECT_EQ(extents(plan), Extents{24});
  EXPECT_EQ(plan.vectorDim, 0);
  EXPECT_EQ(plan.lanes, 16u);
  std::string text;
  llvm::raw_string_ostream stream(text);
  plan.print(stream);
  EXPECT_NE(text.find("dims 24v lanes 16 tasks 1"), std::string::npos) << text;
}

// Ops that wait for each other are computed for several vectors at once: as many as are in the registers of either
// size.
TEST_F(Plan, ChainsTakeSeveralVectors) {
  auto planOf = [&](const std::string &op, const std::string &shape, const PlanTarget &target) {
    std::string type = "tensor<" + shape + ">",
                text = "func.func @main(%x: " + type + ") -> " + type + " {\n%r = " + op;
    return planMap(parse(text + " %x : " + type + "\nreturn %r : " + type + "\n}"), target);
  };
  auto lanesOf = [&](const std::string &op, const std::string &shape, const PlanTarget &target = kTarget) {
    return planOf(op, shape, target).lanes;
  };
  EXPECT_EQ(lanesOf("stablehlo.exponential", "65536xf32"), 32u);
  EXPECT_EQ(lanesOf("stablehlo.exponential", "65536xf32", kHalf), 32u);
  EXPECT_EQ(lanesOf("stablehlo.exponential", "64xf64"), 16u) << "whole vectors";
  EXPECT_EQ(lanesOf("stablehlo.exponential", "65536xbf16"), 64u);
  EXPECT_EQ(lanesOf("stablehlo.exponential", "100xf32"), 16u) << "most of the last vectors would not be there";
  EXPECT_EQ(lanesOf("stablehlo.negate", "65536xf32"), 16u) << "memory takes longer";
  EXPECT_EQ(lanesOf("stablehlo.sine", "65536xf32"), 32u) << "with constants in memory";
  PlanTarget threads = withoutCores(kTarget);
  EXPECT_EQ(lanesOf("stablehlo.exponential", "65536xf32", threads), 16u) << "threads have others beside them";

  auto readsBackwards = planMap(parse(R"(func.func @main(%x: tensor<65536xf32>) -> tensor<65536xf32> {
    %r = tenon.fusion loop(%a = %x) : (tensor<65536xf32>) -> (tensor<65536xf32>) {
      %0 = stablehlo.reverse %a, dims = [0] : tensor<65536xf32>
      %1 = stablehlo.exponential %0 : tensor<65536xf32>
      tenon.yield %1 : tensor<65536xf32>
    }
    return %r : tensor<65536xf32>
  })"),
                                kTarget);
  EXPECT_EQ(readsBackwards.lanes, 16u) << "vectors are put together";
}

// Arithmetic that there is an instruction for on vectors of bytes fills registers with them.
TEST_F(Plan, BytesFillRegisters) {
  auto lanesOf = [&](const std::string &body, const PlanTarget &target) {
    const std::string type = "tensor<200x200xui8>";
    return planMap(parse("func.func @main(%x: " + type + ") -> " + type + " {\n%r = tenon.fusion loop(%a = %x) : (" +
                         type + ") -> (" + type + ") {\n" + body + "tenon.yield %1 : " + type +
                         "\n}\nreturn %r : " + type + "\n}"),
                   target)
        .lanes;
  };
  const std::string t = " : tensor<200x200xui8>\n",
                    row = "%0 = stablehlo.slice %a [0:1, 0:200] : (tensor<200x200xui8>) -> "
                          "tensor<1x200xui8>\n%b = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<1x200xui8>) "
                          "-> tensor<200x200xui8>\n";
  EXPECT_EQ(lanesOf(row + "%1 = stablehlo.add %a, %b" + t, kTarget), 64u);
  EXPECT_EQ(lanesOf(row + "%1 = stablehlo.multiply %a, %b" + t, kTarget), 32u) << "there are no products of bytes";
  EXPECT_EQ(lanesOf(row + "%1 = stablehlo.add %a, %b" + t, withoutCores(kTarget)), 32u) << "of threads";
  const std::string reversed = "%0 = stablehlo.reverse %a, dims = [1]" + t + "%1 = stablehlo.add %a, %0" + t;
  EXPECT_EQ(lanesOf(reversed, kTarget), 32u) << "lanes are shuffled";
}

// Functions that look their coefficients up take more vectors than others in chains as long.
TEST_F(Plan, LookupsTakeSeveralVectors) {
  auto lanesOfSpecial = [&](const std::string &op) {
    const std::string type = "tensor<65536xf32>";
    return planMap(parse("func.func @main(%x: " + type + ") -> " + type + " {\n%r = chlo." + op + " %x : " + type +
                         " -> " + type + "\nreturn %r : " + type + "\n}"),
                   kTarget)
        .lanes;
  };
  EXPECT_EQ(lanesOfSpecial("erf"), 32u);
  EXPECT_EQ(lanesOfSpecial("digamma"), 16u) << "a function that is called";

  // Some 0.6 ns with AVX2, of which four registers are at hand.
  auto lanesBehind = [&](const std::string &function, const std::string &type) {
    std::string text = "func.func @main(%x: " + type + ") -> " + type + " {\n%r = tenon.fusion loop(%a = %x) : (" +
                       type + ") -> (" + type + ") {\n%v0 = stablehlo." + function + " %a : " + type + "\n";
    for (int i = 0; i < 20; ++i)
      text += "%v" + std::to_string(i + 1) + " = stablehlo.subtract %v" + std::to_string(i) + ", %a : " + type + "\n";
    return planMap(parse(text + "tenon.yield %v20 : " + type + "\n}\nreturn %r : " + type + "\n}"), kHalf).lanes;
  };
  EXPECT_EQ(lanesBehind("tanh", "tensor<65536xf32>"), 32u);
  EXPECT_EQ(lanesBehind("divide %a,", "tensor<65536xbf16>"), 64u);
  EXPECT_EQ(lanesBehind("remainder %a,", "tensor<65536xbf16>"), 32u) << "a loop of wide floats";
  EXPECT_EQ(lanesBehind("exponential", "tensor<65536xf32>"), 16u) << "no coefficients to look up";
  EXPECT_EQ(lanesBehind("tanh", "tensor<65536xf64>"), 8u) << "no coefficients to look up";
}

TEST_F(Plan, BroadcastKeepsDimensionsApart) {
  KernelSource source = parse(R"(func.func @main(%x: tensor<8x6xf32>, %y: tensor<6xf32>) -> tensor<8x6xf32> {
    %r = tenon.fusion loop(%a = %x, %b = %y) : (tensor<8x6xf32>, tensor<6xf32>) -> (tensor<8x6xf32>) {
      %0 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<6xf32>) -> tensor<8x6xf32>
      %1 = stablehlo.add %a, %0 : tensor<8x6xf32>
      tenon.yield %1 : tensor<8x6xf32>
    }
    return %r : tensor<8x6xf32>
  })");
  EXPECT_EQ(extents(planMap(source, kTarget)), (Extents{8, 6}));
}

TEST_F(Plan, ReshapeSplitsDimensions) {
  KernelSource source = parse(R"(func.func @main(%x: tensor<4x6xf32>) -> tensor<6x4xf32> {
    %r = tenon.fusion loop(%a = %x) : (tensor<4x6xf32>) -> (tensor<24xf32>) {
      %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<4x6xf32>) -> tensor<6x4xf32>
      %1 = stablehlo.reshape %0 : (tensor<6x4xf32>) -> tensor<24xf32>
      tenon.yield %1 : tensor<24xf32>
    }
    %s = stablehlo.reshape %r : (tensor<24xf32>) -> tensor<6x4xf32>
    return %s : tensor<6x4xf32>
  })");
  EXPECT_EQ(extents(planMap(source, kTarget)), (Extents{6, 4}));
}

// Rows of one element repeated: as one dimension with the rows outside, they would be quotients of it.
TEST_F(Plan, MergingNeedsNoQuotients) {
  KernelSource source = parse(R"(func.func @main(%x: tensor<50x30xf32>) -> tensor<50x120xf32> {
    %r = tenon.fusion loop(%a = %x) : (tensor<50x30xf32>) -> (tensor<50x120xf32>) {
      %0 = stablehlo.broadcast_in_dim %a, dims = [0, 1] : (tensor<50x30xf32>) -> tensor<50x30x4xf32>
      %1 = stablehlo.reshape %0 : (tensor<50x30x4xf32>) -> tensor<50x120xf32>
      tenon.yield %1 : tensor<50x120xf32>
    }
    return %r : tensor<50x120xf32>
  })");
  LoopPlan plan = planMap(source, kTarget);
  EXPECT_EQ(extents(plan), (Extents{50, 30, 4}));
  EXPECT_TRUE(plan.joined);
}

TEST_F(Plan, TransposeIsTiled) {
  KernelSource source =
      parse("func.func @main(%x: tensor<100x90xf32>) -> tensor<90x100xf32> {\n"
            "%r = stablehlo.transpose %x, dims = [1, 0] : (tensor<100x90xf32>) -> tensor<90x100xf32>\n"
            "return %r : tensor<90x100xf32>\n}");
  LoopPlan plan = planMap(source, kTarget);
  EXPECT_EQ(plan.transposedDim, 0);
  EXPECT_EQ(plan.vectorDim, 1);
}

// A loop of nine iterations that computes `next` of %h and the row %x.
std::string scan(const std::string &elements, const std::string &next) {
  std::string t = "tensor<" + elements + "xf32>", rows = "tensor<9x" + elements + "xf32>";
  std::string row = "tensor<1x" + elements + "xf32>";
  return "func.func @main(%rows: " + rows + ", %first: " + t + ") -> " + t +
         " {\n%r = tenon.fusion loop(%a = %rows, %b = %first) : (" + rows + ", " + t + ") -> (" + t + R"() {
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %l:2 = stablehlo.while(%i = %zero, %h = %b) : tensor<i32>, )" +
         t + "\n" + tenon::testing::countedTo(9) + R"(
        %start = stablehlo.constant dense<0> : tensor<i32>
        %one = stablehlo.constant dense<1> : tensor<i32>
        %row = stablehlo.dynamic_slice %a, %i, %start, sizes = [1, )" +
         elements + "] : (" + rows + ", tensor<i32>, tensor<i32>) -> " + row + "\n%x = stablehlo.reshape %row : (" +
         row + ") -> " + t + "\n%next = stablehlo." + next + " : " + t +
         "\n%j = stablehlo.add %i, %one : tensor<i32>\nstablehlo.return %j, %next : tensor<i32>, " + t +
         "\n}\ntenon.yield %l#1 : " + t + "\n}\nreturn %r : " + t + "\n}";
}

// Eight vectors of one value that few ops change, four where there are more ops.
TEST_F(Plan, VectorsOfShortIterationsStandSideBySide) {
  const std::string step = "%next = stablehlo.multiply %h, %h : tensor<65536xf32>\n";
  std::string few = scan("65536", "multiply %h, %h"), many = few,
              longer = "%n0 = stablehlo.add %h, %h : tensor<65536xf32>\n";
  for (int i = 1; i < 30; ++i)
    longer += "%n" + std::to_string(i) + " = stablehlo.add %n" + std::to_string(i - 1) + ", %h : tensor<65536xf32>\n";
  longer += "%next = stablehlo.multiply %n29, %h : tensor<65536xf32>\n";
  ASSERT_NE(many.find(step), std::string::npos);
  many.replace(many.find(step), step.size(), longer);
  EXPECT_EQ(planMap(parse(few), kHalf).lanes, 64U);
  EXPECT_EQ(planMap(parse(few), kTarget).lanes, 128U);
  EXPECT_EQ(planMap(parse(many), kHalf).lanes, 32U);
  EXPECT_EQ(planMap(parse(scan("65536", "power %h, %h")), kHalf).lanes, 32U);
}

// Not of few elements, of arrays that iterations take no part of, or on threads that read side by side.
TEST_F(Plan, IteratesOverLongRows) {
  auto iterates = [&](const std::string &elements, const std::string &next, const PlanTarget &target = kTarget) {
    return planMap(parse(scan(elements, next)), target).iteratesOverRows;
  };
  EXPECT_TRUE(iterates("257", "add %h, %x"));
  EXPECT_FALSE(iterates("256", "add %h, %x"));
  EXPECT_TRUE(iterates("65", "power %h, %x"));
  EXPECT_FALSE(iterates("64", "power %h, %x"));
  EXPECT_FALSE(iterates("1000", "add %h, %h"));
  PlanTarget threads = withoutCores(kTarget);
  EXPECT_FALSE(iterates("1000", "add %h, %x", threads));
}

// A loop that adds a row to each row of an array.
std::string addRow(const std::string &outer, const std::string &inner, const std::string &type = "f32") {
  std::string t = "tensor<" + outer + "x" + inner + "x" + type + ">", row = "tensor<" + inner + "x" + type + ">";
  return "func.func @main(%x: " + t + ", %y: " + row + ") -> " + t +
         " {\n%r = tenon.fusion loop(%a = %x, %b = %y) : (" + t + ", " + row + ") -> (" + t +
         ") {\n%0 = stablehlo.broadcast_in_dim %b, dims = [1] : (" + row + ") -> " + t +
         "\n%1 = stablehlo.add %a, %0 : " + t + "\ntenon.yield %1 : " + t + "\n}\nreturn %r : " + t + "\n}";
}

TEST_F(Plan, ShortRowsAreJoined) {
  for (auto [inner, vectors, rows] : {std::tuple{"3", 3, 16}, {"4", 1, 4}, {"6", 3, 8}, {"7", 7, 16}}) {
    LoopPlan plan = planMap(parse(addRow("1000", inner)), kTarget);
    ASSERT_TRUE(plan.joined) << inner;
    EXPECT_EQ(outermostJoined(plan), 0u);
    EXPECT_EQ(plan.joined->lanes, 16u);
    EXPECT_EQ(plan.joined->vectors, vectors);
    EXPECT_EQ(plan.joined->rows, rows);
    EXPECT_EQ(plan.taskChunk == 1000 || plan.taskChunk % rows == 0, true);
  }
}

TEST_F(Plan, OtherRowsAreNotJoined) {
  EXPECT_FALSE(planMap(parse(addRow("1000", "9")), kTarget).joined);
  EXPECT_FALSE(planMap(parse(addRow("20", "3")), kTarget).joined);
  EXPECT_FALSE(planMap(parse(addRow("1000", "3", "complex<f32>")), kTarget).joined);
  PlanTarget threads = withoutCores(kTarget);
  EXPECT_FALSE(planMap(parse(addRow("1000", "3")), threads).joined);
}

// Without masks, rows that are longer than half of a vector are, too: what is left of each would be short vectors.
TEST_F(Plan, WithoutMasksLongerRowsAreJoined) {
  PlanTarget target = kTarget;
  target.vectorBytes = 32;
  target.masks = false;
  for (auto [inner, vectors, rows] : {std::tuple{"6", 3, 4}, {"12", 3, 2}, {"28", 7, 2}}) {
    LoopPlan plan = planMap(parse(addRow("1000", inner)), target);
    ASSERT_TRUE(plan.joined) << inner;
    EXPECT_EQ(plan.joined->vectors, vectors);
    EXPECT_EQ(plan.joined->rows, rows);
  }
  EXPECT_FALSE(planMap(parse(addRow("1000", "8")), target).joined);
  EXPECT_FALSE(planMap(parse(addRow("1000", "9")), target).joined); // nine vectors
}

// Columns that are computed one by one, in whole vectors and more of them, too.
TEST_F(Plan, StackedColumnsAreJoined) {
  PlanTarget narrow = kTarget;
  narrow.vectorBytes = 32;
  narrow.masks = false;
  auto plan = [&](int64_t rows, int64_t columns, const PlanTarget &target, int64_t width = 1,
                  const std::string &element = "f32") {
    std::string outer = std::to_string(rows) + "x",
                in = "tensor<" + outer + std::to_string(width) + "x" + element + ">";
    std::string result = "tensor<" + outer + std::to_string(columns) + "x" + element + ">", body, names, types;
    for (int64_t i = 0; i < columns / width; ++i) {
      std::string name = "%c" + std::to_string(i), before = i ? "%c" + std::to_string(i - 1) : "%a";
      body += name + " = stablehlo.add " + before + ", %a : " + in + "\n";
      names += (i ? ", " : "") + name;
      types += (i ? ", " : "") + in;
    }
    return planMap(parse("func.func @main(%x: " + in + ") -> " + result + " {\n%r = tenon.fusion loop(%a = %x) : (" +
                         in + ") -> (" + result + ") {\n" + body + "%s = stablehlo.concatenate " + names +
                         ", dim = 1 : (" + types + ") -> " + result + "\ntenon.yield %s : " + result +
                         "\n}\nreturn %r : " + result + "\n}"),
                   target);
  };
  for (const PlanTarget &target : {narrow, kTarget})
    for (int64_t columns : {2, 4, 6, 8, 9, 12}) {
      LoopPlan columnsPlan = plan(1000, columns, target);
      ASSERT_TRUE(columnsPlan.joined) << columns;
      EXPECT_TRUE(columnsPlan.joined->byColumns) << columns;
      EXPECT_EQ(columnsPlan.joined->vectors, columns);
    }
  auto isByColumns = [](const LoopPlan &plan) { return plan.joined && plan.joined->byColumns; };
  EXPECT_FALSE(isByColumns(plan(1000, 13, narrow))) << "too many to interleave";
  EXPECT_FALSE(isByColumns(plan(100, 8, narrow))) << "few rows";
  EXPECT_FALSE(isByColumns(plan(1000, 12, narrow, /*width=*/4))) << "pieces of rows";
  EXPECT_FALSE(isByColumns(plan(1000, 6, narrow, /*width=*/1, "complex<f32>")));
}

// The channels of each of two pixels, of which there are few, too.
TEST_F(Plan, ThreeShortDimensionsAreJoined) {
  auto exchange = [&](const std::string &outer) {
    std::string in = "tensor<" + outer + "x3x2xf32>", out = "tensor<" + outer + "x2x3xf32>";
    return planMap(parse("func.func @main(%x: " + in + ") -> " + out +
                         " {\n%r = stablehlo.transpose %x, dims = [0, 2, 1] : (" + in + ") -> " + out +
                         "\nreturn %r : " + out + "\n}"),
                   kTarget);
  };
  LoopPlan plan = exchange("64");
  ASSERT_TRUE(plan.joined);
  EXPECT_EQ(plan.joined->vectors, 3);
  EXPECT_EQ(plan.joined->rows, 8);
  EXPECT_EQ(outermostJoined(plan), 0u);
  EXPECT_FALSE(exchange("12").joined); // less than two blocks
}

// Rows of a table at places that only a run knows do not lie at multiples of anything.
TEST_F(Plan, GatheredRowsAreNotJoined) {
  KernelSource source = parse(R"(func.func @main(%x: tensor<50x4xf32>, %i: tensor<1000x1xi32>) -> tensor<1000x4xf32> {
    %r = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1],
      collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> :
      (tensor<50x4xf32>, tensor<1000x1xi32>) -> tensor<1000x4xf32>
    return %r : tensor<1000x4xf32>
  })");
  EXPECT_FALSE(planMap(source, kTarget).joined);
}

TEST_F(Plan, PaddingCutsDimensions) {
  KernelSource source =
      parse("func.func @main(%x: tensor<10x20xf32>, %z: tensor<f32>) -> tensor<13x22xf32> {\n"
            "%r = stablehlo.pad %x, %z, low = [1, 2], high = [2, 0], interior = [0, 0] : "
            "(tensor<10x20xf32>, tensor<f32>) -> tensor<13x22xf32>\nreturn %r : tensor<13x22xf32>\n}");
  auto cuts = [&](const PlanTarget &target, size_t dimension) {
    LoopPlan plan = planMap(source, target);
    EXPECT_EQ(plan.peels.size(), 2u);
    return Extents(plan.peels[dimension].begin(), plan.peels[dimension].end());
  };
  EXPECT_EQ(cuts(withoutCores(kTarget), 0), (Extents{1, 11}));
  EXPECT_EQ(cuts(withoutCores(kTarget), 1), (Extents{2}));
  EXPECT_EQ(cuts(kTarget, 0), (Extents{1, 11}));
  EXPECT_EQ(cuts(kTarget, 1), (Extents{16})) << "at a whole vector, the first of which is read by mask";
}

TEST(IndexSpace, ReshapesVanish) {
  mlir::MLIRContext context;
  IndexSpace space(&context);
  mlir::AffineExpr i = space.addDim(6), j = space.addDim(4);
  mlir::AffineExpr flat = space.linearize({i, j}, {6, 4});
  auto back = space.delinearize(flat, {6, 4});
  EXPECT_EQ(back[0], i);
  EXPECT_EQ(back[1], j);
  auto other = space.delinearize(flat, {8, 3});
  EXPECT_EQ(space.linearize(other, {8, 3}), flat);
  EXPECT_EQ(space.range(flat).max, 23);
  EXPECT_FALSE(space.splitRequests().empty() && space.floorDiv(i, 3) == i);
}

TEST(IndexSpace, NegativeIndicesRoundDown) {
  mlir::MLIRContext context;
  IndexSpace space(&context);
  mlir::AffineExpr i = space.addDim(10);
  EXPECT_EQ(space.range(space.floorDiv(space.addConstant(i, -3), 2)).min, -2);
  EXPECT_EQ(space.mod(space.scale(i, 4), 2), space.constant(0));
}

} // namespace