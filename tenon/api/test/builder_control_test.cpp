// Computations as arguments, windows, products, random numbers, control flow, effects (requirement inventory
// API-034..054, 070..074; SYS-40..44, 50..53).
#include "tenon/api/testing/builder_fixture.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <thread>

namespace tenon::xla_2017 {
namespace {

using Control = BuilderTest;

TEST_F(Control, DotShapes) { // E0-15, X-01..04, DV-18
  struct Case {
    std::vector<int64> lhs, rhs;
    const char *result;
  };
  int64 parameter = 0;
  for (const Case &c : std::vector<Case>{{{}, {}, "f32[]"},
                                         {{3}, {3}, "f32[]"},
                                         {{2, 3}, {3}, "f32[2]"},
                                         {{2, 3}, {3, 4}, "f32[2,4]"},
                                         {{3}, {3, 4}, "f32[4]"},
                                         {{2, 3, 4}, {5, 4, 6}, "f32[2,3,5,6]"}}) {
    auto lhs = b_.Parameter(parameter++, F32Shape(c.lhs), "lhs");
    auto rhs = b_.Parameter(parameter++, F32Shape(c.rhs), "rhs");
    EXPECT_EQ(ShapeOf(b_.Dot(lhs, rhs)), c.result);
  }
}

TEST_F(Control, DotValues) {
  auto m = b_.ConstantR2<float>({{1, 2}, {3, 4}});
  b_.Tuple({b_.Dot(m, b_.ConstantR1<float>({5, 6})), b_.Dot(m, b_.ConstantR2<float>({{0, 1}, {1, 0}})),
            b_.Dot(b_.ConstantR1<float>({1, 2}), b_.ConstantR1<float>({3, 4}))});
  Literal result = Run();
  EXPECT_EQ(result.tuple_literal(0), LiteralUtil::CreateR1<float>({17, 39}));
  EXPECT_EQ(result.tuple_literal(1), LiteralUtil::CreateR2<float>({{2, 1}, {4, 3}}));
  EXPECT_EQ(result.tuple_literal(2), LiteralUtil::CreateR0<float>(11));
}

TEST_F(Control, DotErrors) {
  ComputationBuilder sizes(client_, "sizes"), scalar(client_, "scalar");
  sizes.Dot(sizes.ConstantR1<float>({1, 2}), sizes.ConstantR1<float>({1, 2, 3}));
  EXPECT_TRUE(FailsWith(sizes, "Dot", "the contracted dimensions, 0 of lhs and 0 of rhs, differ in size"));
  scalar.Dot(scalar.ConstantR0<float>(1), scalar.ConstantR1<float>({1}));
  EXPECT_TRUE(FailsWith(scalar, "Dot", "a scalar has no dimension to contract"));
}

TEST_F(Control, Reduce) { // E0-22..24, E1-03..05, X-06
  auto v = b_.ConstantLiteral(LiteralUtil::FromDense<float>(
      {4, 2, 3}, {1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6}));
  auto zero = b_.ConstantR0<float>(0);
  auto add = Adder();
  b_.Tuple({b_.Reduce(v, zero, *add, {0}), b_.Reduce(v, zero, *add, {2}), b_.Reduce(v, zero, *add, {0, 1}),
            b_.Reduce(v, zero, *add, {1, 0}), b_.Reduce(v, zero, *add, {0, 1, 2}), b_.Reduce(v, zero, *add, {})});
  Literal result = Run();
  EXPECT_EQ(result.tuple_literal(0), LiteralUtil::CreateR2<float>({{4, 8, 12}, {16, 20, 24}}));
  EXPECT_EQ(result.tuple_literal(1), LiteralUtil::CreateR2<float>({{6, 15}, {6, 15}, {6, 15}, {6, 15}}));
  EXPECT_EQ(result.tuple_literal(2), LiteralUtil::CreateR1<float>({20, 28, 36}));
  EXPECT_EQ(result.tuple_literal(3), result.tuple_literal(2));
  EXPECT_EQ(result.tuple_literal(4), LiteralUtil::CreateR0<float>(84));
  EXPECT_EQ(ShapeUtil::HumanString(result.tuple_literal(5).shape()), "f32[4,2,3]");
}

// The documents' loops, with the sizes of the reduced dimensions, and from init_value (inventory X-07).
TEST_F(Control, ReduceIsTheDocumentsLoop) { // E0-20, E1-02
  Array3D<float> operand(4, 2, 3);
  for (int64 i = 0; i < operand.num_elements(); ++i)
    operand.data()[i] = static_cast<float>(i * 7 % 11);
  b_.Reduce(b_.ConstantR3FromArray3D(operand), b_.ConstantR0<float>(100), *Adder(), {0, 2});
  Literal result = Run();
  for (int64 r0 = 0; r0 < 2; ++r0) {
    float expected = 100;
    for (int64 d0 = 0; d0 < 4; ++d0)
      for (int64 d1 = 0; d1 < 3; ++d1)
        expected += operand(d0, r0, d1);
    EXPECT_EQ(result.Get<float>({r0}), expected);
  }
}

// Every tree that is used has the elements in their order: the last one that is not zero, whose neutral element is
// zero.
TEST_F(Control, ReduceKeepsTheOrder) { // E0-19, E1-01, X-18
  auto last =
      Binary(F32, [](ComputationBuilder &b, Handle x, Handle y) { b.Select(b.Eq(y, b.ConstantR0<float>(0)), x, y); });
  Array2D<float> values(1000, 3, 0);
  for (int64 row : {10, 11, 12, 13, 500, 977})
    for (int64 column = 0; column < 2; ++column)
      values(row, column) = static_cast<float>(row + column);
  auto x = b_.ConstantR2FromArray2D(values), zero = b_.ConstantR0<float>(0);
  b_.Tuple({b_.Reduce(x, zero, *last, {0}), b_.Reduce(x, zero, *last, {0, 1}),
            b_.Reduce(b_.ConstantR1<float>({10, 11, 12, 13}), zero, *last, {0})});
  Literal result = Run();
  EXPECT_EQ(result.tuple_literal(0), LiteralUtil::CreateR1<float>({977, 978, 0}));
  EXPECT_EQ(result.tuple_literal(1), LiteralUtil::CreateR0<float>(978));
  EXPECT_EQ(result.tuple_literal(2), LiteralUtil::CreateR0<float>(13));
}

TEST_F(Control, ReduceErrors) {
  auto add = Adder();
  ComputationBuilder type(client_, "type"), twice(client_, "twice"), init(client_, "init");
  type.Reduce(type.ConstantR1<int32>({1}), type.ConstantR0<int32>(0), *add, {0});
  EXPECT_TRUE(FailsWith(type, "Reduce",
                        "computation 'binary' must be of (s32[], s32[]) -> s32[], and is of (f32[], f32[]) -> f32[]"));
  twice.Reduce(twice.ConstantR1<float>({1}), twice.ConstantR0<float>(0), *add, {0, 0});
  EXPECT_TRUE(FailsWith(twice, "Reduce", "dimension 0 is there twice"));
  init.Reduce(init.ConstantR1<float>({1}), init.ConstantR1<float>({0}), *add, {0});
  EXPECT_TRUE(FailsWith(init, "Reduce", "init_value must be a scalar, and is f32[1]"));
}

TEST_F(Control, ReduceWindowPadding) { // DV-5, X-32
  auto x = b_.ConstantR1<float>({1, 2, 3, 4});
  auto zero = b_.ConstantR0<float>(0);
  auto add = Adder();
  b_.Tuple({b_.ReduceWindow(x, zero, *add, {3}, {2}, Padding::kSame),
            b_.ReduceWindow(x, zero, *add, {3}, {1}, Padding::kValid),
            b_.ReduceWindowWithGeneralPadding(x, zero, *add, {2}, {1}, {{1, 1}})});
  Literal result = Run();
  EXPECT_EQ(result.tuple_literal(0), LiteralUtil::CreateR1<float>({6, 7}));
  EXPECT_EQ(result.tuple_literal(1), LiteralUtil::CreateR1<float>({6, 9}));
  EXPECT_EQ(result.tuple_literal(2), LiteralUtil::CreateR1<float>({1, 3, 5, 7, 4}));
}

TEST_F(Control, SelectAndScatter) { // E0-29, E1-13, DV-12
  auto select =
      Binary(F32, [](ComputationBuilder &b, ComputationDataHandle x, ComputationDataHandle y) { b.Ge(x, y); });
  auto operand = b_.ConstantR2<float>({{7, 2, 5, 3, 8}, {3, 8, 9, 3, 4}, {1, 5, 7, 5, 6}, {0, 6, 2, 10, 2}});
  auto source = b_.ConstantR2<float>({{2, 6}, {3, 1}});
  auto sums =
      b_.SelectAndScatter(operand, *select, {2, 3}, {2, 2}, Padding::kValid, source, b_.ConstantR0<float>(0), *Adder());
  auto negative =
      b_.SelectAndScatterWithGeneralPadding(b_.ConstantR1<float>({-1, -2}), *select, {2}, {1}, {{1, 1}},
                                            b_.ConstantR1<float>({1, 10, 100}), b_.ConstantR0<float>(0), *Adder());
  b_.Tuple({sums, negative});
  Literal result = Run();
  EXPECT_EQ(result.tuple_literal(0),
            LiteralUtil::CreateR2<float>({{0, 0, 0, 0, 0}, {0, 0, 8, 0, 0}, {0, 0, 3, 0, 0}, {0, 0, 0, 1, 0}}));
  EXPECT_EQ(result.tuple_literal(1), LiteralUtil::CreateR1<float>({11, 100}));
}

TEST_F(Control, Convolution) { // E0-13, E0-14, SYS-53
  Array4D<float> input(1, 2, 5, 4), kernel(3, 2, 3, 2);
  for (int64 i = 0; i < input.num_elements(); ++i)
    input.data()[i] = static_cast<float>(i % 7) - 3;
  for (int64 i = 0; i < kernel.num_elements(); ++i)
    kernel.data()[i] = static_cast<float>(i % 5) - 2;
  const int64 strideY = 3, strideX = 1, lowY = 1, lowX = 2;
  b_.ConvWithGeneralPadding(b_.ConstantR4FromArray4D(input), b_.ConstantR4FromArray4D(kernel), {strideY, strideX},
                            {{lowY, 1}, {lowX, 3}});
  Literal result = Run();
  ASSERT_EQ(ShapeUtil::HumanString(result.shape()), "f32[1,3,2,8]");
  for (int64 oz = 0; oz < 3; ++oz)
    for (int64 oy = 0; oy < 2; ++oy)
      for (int64 ox = 0; ox < 8; ++ox) {
        float sum = 0;
        for (int64 iz = 0; iz < 2; ++iz)
          for (int64 ky = 0; ky < 3; ++ky)
            for (int64 kx = 0; kx < 2; ++kx) {
              int64 iy = oy * strideY + ky - lowY, ix = ox * strideX + kx - lowX;
              if (iy >= 0 && iy < 5 && ix >= 0 && ix < 4)
                sum += input(0, iz, iy, ix) * kernel(oz, iz, ky, kx);
            }
        EXPECT_EQ(result.Get<float>({0, oz, oy, ox}), sum) << oz << oy << ox;
      }
}

TEST_F(Control, ConvolutionForms) {
  auto numbers = ComputationBuilder::CreateConvDimensionNumbers(0, 3, 1, 2, 3, 2, 0, 1).ConsumeValueOrDie();
  auto nhwc = b_.Parameter(0, F32Shape({2, 8, 9, 4}), "nhwc"), hwio = b_.Parameter(1, F32Shape({3, 3, 4, 5}), "hwio");
  EXPECT_EQ(ShapeOf(b_.ConvWithGeneralDimensions(nhwc, hwio, {2, 2}, Padding::kSame, numbers)), "f32[2,4,5,5]");
  EXPECT_EQ(ShapeOf(b_.ConvGeneral(nhwc, hwio, {1, 1}, {{0, 0}, {1, 2}}, numbers)), "f32[2,6,10,5]");
  auto nchw = b_.Parameter(2, F32Shape({2, 4, 8, 9}), "nchw"), oihw = b_.Parameter(3, F32Shape({5, 4, 3, 3}), "oihw");
  EXPECT_EQ(ShapeOf(b_.Conv(nchw, oihw, {1, 1}, Padding::kValid)), "f32[2,5,6,7]");
  EXPECT_EQ(ShapeOf(b_.Conv(nchw, oihw, {3, 3}, Padding::kSame)), "f32[2,5,3,3]");
  EXPECT_FALSE(ComputationBuilder::CreateConvDimensionNumbers(0, 0, 2, 3, 0, 1, 2, 3).ok()); // API-036
  EXPECT_FALSE(ComputationBuilder::CreateConvDimensionNumbers(0, 1, 2, 3, 0, 1, 2, 2).ok());
  const int64 *odrUse = &ComputationBuilder::kConvKernelSecondSpatialDimension; // API-K8
  EXPECT_EQ(*odrUse, 3);
  b_.Conv(nchw, b_.ConstantR1<float>({1}), {1, 1}, Padding::kValid);
  EXPECT_TRUE(FailsWith(b_, "Conv", "f32[2,4,8,9] and f32[1]: both operands must have rank 4"));
}

TEST_F(Control, Map) { // E0-18, X-29
  ComputationBuilder f(client_, "f");
  auto sum = f.Add(f.Parameter(0, F32Shape({}), "a"), f.Parameter(1, F32Shape({}), "b"));
  auto table = f.Parameter(2, F32Shape({2}), "table");
  f.Add(sum, f.Reshape(f.Slice(table, {1}, {2}), {}));
  auto computation = f.Build().ConsumeValueOrDie();
  b_.Map({b_.ConstantR1<float>({1, 2, 3}), b_.ConstantR1<float>({10, 20, 30})}, *computation,
         {b_.ConstantR1<float>({0, 100})});
  EXPECT_EQ(Run(), LiteralUtil::CreateR1<float>({111, 122, 133}));
}

TEST_F(Control, MapErrors) {
  b_.Map({b_.ConstantR1<float>({1, 2}), b_.ConstantR1<float>({1})}, *Adder());
  EXPECT_TRUE(FailsWith(b_, "Map", "the operands must have the same sizes: f32[2] and f32[1]"));
}

TEST_F(Control, RandomNumbers) { // SYS-50
  constexpr int64 kCount = 20000;
  auto normal = b_.RngNormal(b_.ConstantR0<float>(3), b_.ConstantR0<float>(2), F32Shape({kCount}));
  auto uniform = b_.RngUniform(b_.ConstantR0<int32>(-2), b_.ConstantR0<int32>(5), ShapeUtil::MakeShape(S32, {kCount}));
  auto bernoulli = b_.RngBernoulli(b_.ConstantR0<float>(0.25), ShapeUtil::MakeShape(U32, {kCount}));
  b_.Tuple({normal, uniform, bernoulli});
  Literal result = Run();
  double sum = 0, squares = 0, ones = 0;
  for (float value : result.tuple_literal(0).data<float>()) {
    sum += value;
    squares += (value - 3.0) * (value - 3.0);
  }
  EXPECT_NEAR(sum / kCount, 3, 0.1);
  EXPECT_NEAR(squares / kCount, 4, 0.3);
  std::vector<int64> histogram(7);
  for (int32 value : result.tuple_literal(1).data<int32>()) {
    ASSERT_TRUE(value >= -2 && value < 5);
    ++histogram[static_cast<size_t>(value + 2)];
  }
  for (int64 count : histogram)
    EXPECT_NEAR(static_cast<double>(count), kCount / 7.0, 300);
  for (uint32 value : result.tuple_literal(2).data<uint32>()) {
    ASSERT_LE(value, 1u);
    ones += value;
  }
  EXPECT_NEAR(ones / kCount, 0.25, 0.02);
}

// Kolmogorov and Smirnov's test: the largest distance between the numbers' distribution and the one that they shall
// have. Beyond 1.95 / sqrt(n) it is by chance once in 1000 times; the seed is fixed.
TEST_F(Control, RandomNumbersHaveTheirDistribution) { // SYS-50
  constexpr int64 kCount = 100000;
  b_.Tuple({b_.RngNormal(b_.ConstantR0<float>(-1), b_.ConstantR0<float>(3), F32Shape({kCount})),
            b_.RngUniform(b_.ConstantR0<float>(-2), b_.ConstantR0<float>(6), F32Shape({kCount}))});
  ExecutionOptions options;
  options.seed = 1;
  auto result = client_->ExecuteAndTransfer(*b_.Build().ConsumeValueOrDie(), {}, &options).ConsumeValueOrDie();
  double (*const distributions[])(double) = {[](double x) { return std::erfc((-1 - x) / 3 / std::sqrt(2.0)) / 2; },
                                             [](double x) { return (x + 2) / 8; }};
  for (int64 which : {0, 1}) {
    std::vector<float> values = result->tuple_literal(which).data<float>().toVector();
    std::sort(values.begin(), values.end());
    double distance = 0;
    for (size_t i = 0; i < values.size(); ++i) {
      double expected = distributions[which](values[i]);
      distance = std::max({distance, std::abs(expected - static_cast<double>(i) / kCount),
                           std::abs(static_cast<double>(i + 1) / kCount - expected)});
    }
    EXPECT_LT(distance, 1.95 / std::sqrt(static_cast<double>(kCount))) << which;
  }
  for (float value : result->tuple_literal(1).data<float>())
    ASSERT_TRUE(value >= -2 && value < 6);
}

TEST_F(Control, RandomNumbersDifferByExecution) { // SYS-50
  auto s32 = ShapeUtil::MakeShape(S32, {});
  auto pair = ShapeUtil::MakeTupleShape({s32, F32Shape({10})});
  // Also where a loop draws: the numbers of its last turn.
  ComputationBuilder condition(client_, "condition"), body(client_, "body");
  condition.Lt(condition.GetTupleElement(condition.Parameter(0, pair, "state"), 0), condition.ConstantR0<int32>(3));
  auto state = body.Parameter(0, pair, "state");
  body.Tuple({body.Add(body.GetTupleElement(state, 0), body.ConstantR0<int32>(1)),
              body.RngUniform(body.ConstantR0<float>(0), body.ConstantR0<float>(1), F32Shape({10}))});
  auto normal = b_.RngNormal(b_.ConstantR0<float>(0), b_.ConstantR0<float>(1), F32Shape({10}));
  auto loop = b_.While(*condition.Build().ConsumeValueOrDie(), *body.Build().ConsumeValueOrDie(),
                       b_.Tuple({b_.ConstantR0<int32>(0), normal}));
  b_.Tuple({normal, b_.GetTupleElement(loop, 1)});
  auto computation = b_.Build().ConsumeValueOrDie();
  auto run = [&](std::optional<uint64> seed) {
    ExecutionOptions options;
    options.seed = seed;
    return std::move(*client_->ExecuteAndTransfer(*computation, {}, &options).ConsumeValueOrDie());
  };
  Literal one = run(1), free = run(std::nullopt), other = run(std::nullopt);
  EXPECT_EQ(run(1), one);
  for (int64 part : {0, 1}) {
    EXPECT_NE(run(2).tuple_literal(part), one.tuple_literal(part));
    EXPECT_NE(free.tuple_literal(part), other.tuple_literal(part));
  }
}

TEST_F(Control, RandomTypes) {
  ComputationBuilder normal(client_, "normal"), uniform(client_, "uniform"), bernoulli(client_, "bernoulli");
  normal.RngNormal(normal.ConstantR0<double>(0), normal.ConstantR0<double>(1), ShapeUtil::MakeShape(F64, {1}));
  EXPECT_TRUE(FailsWith(normal, "RngNormal", "there are no random numbers of f64[1] here"));
  uniform.RngUniform(uniform.ConstantR0<float>(0), uniform.ConstantR0<int32>(1), F32Shape({1}));
  EXPECT_TRUE(FailsWith(uniform, "RngUniform", "a and b must be of the element type of f32[1]"));
  bernoulli.RngBernoulli(bernoulli.ConstantR0<float>(0), F32Shape({1}));
  EXPECT_TRUE(FailsWith(bernoulli, "RngBernoulli", "mean must be of F32 and shape of U32"));
}

TEST_F(Control, WhilesNest) {
  auto s32 = ShapeUtil::MakeShape(S32, {});
  auto below = [&](int32 limit) {
    ComputationBuilder condition(client_, "below");
    condition.Lt(condition.Parameter(0, s32, "x"), condition.ConstantR0<int32>(limit));
    return condition.Build().ConsumeValueOrDie();
  };
  ComputationBuilder inner(client_, "inner");
  inner.Add(inner.Parameter(0, s32, "x"), inner.ConstantR0<int32>(3));
  auto innerBody = inner.Build().ConsumeValueOrDie();
  ComputationBuilder outer(client_, "outer");
  auto x = outer.Parameter(0, s32, "x");
  outer.Add(outer.While(*below(10), *innerBody, x), outer.ConstantR0<int32>(1));
  auto outerBody = outer.Build().ConsumeValueOrDie();
  b_.While(*below(20), *outerBody, b_.ConstantR0<int32>(0));
  EXPECT_EQ(Run(), LiteralUtil::CreateR0<int32>(20)); // 12 + 1, then 1 each time
}

TEST_F(Control, WhileSignatures) {
  auto s32 = ShapeUtil::MakeShape(S32, {});
  ComputationBuilder body(client_, "body");
  body.Add(body.Parameter(0, s32, "x"), body.ConstantR0<int32>(1));
  auto add = body.Build().ConsumeValueOrDie();
  b_.While(*add, *add, b_.ConstantR0<int32>(0));
  EXPECT_TRUE(FailsWith(b_, "While", "condition 'body' must be of (s32[]) -> pred[], and is of (s32[]) -> s32[]"));
}

class Feeding : public Control {
protected:
  // Adds `count` items of the infeed to an s32 state.
  std::unique_ptr<Computation> Body() {
    ComputationBuilder body(client_, "body");
    auto state = body.Parameter(0, State(), "state");
    auto item = body.Infeed(ShapeUtil::MakeShape(S32, {2}));
    auto sum = body.Add(body.GetTupleElement(state, 1), item);
    body.Tuple({body.Add(body.GetTupleElement(state, 0), body.ConstantR0<int32>(1)), sum});
    return body.Build().ConsumeValueOrDie();
  }
  std::unique_ptr<Computation> Condition(int32 limit) {
    ComputationBuilder condition(client_, "condition");
    auto state = condition.Parameter(0, State(), "state");
    condition.Lt(condition.GetTupleElement(state, 0), condition.ConstantR0<int32>(limit));
    return condition.Build().ConsumeValueOrDie();
  }
  Shape State() { return ShapeUtil::MakeTupleShape({ShapeUtil::MakeShape(S32, {}), ShapeUtil::MakeShape(S32, {2})}); }
};

TEST_F(Feeding, LoopsInAChain) { // E0-17, SYS-40, SYS-41
  auto init = b_.Tuple({b_.ConstantR0<int32>(0), b_.ConstantR1<int32>({0, 0})});
  auto first = b_.While(*Condition(3), *Body(), init);
  b_.While(*Condition(5), *Body(), first);
  auto computation = b_.Build().ConsumeValueOrDie();
  std::thread feeder([&] {
    for (int32 i = 1; i <= 5; ++i)
      EXPECT_TRUE(client_->TransferToInfeed(LiteralUtil::CreateR1<int32>({i, 10 * i})).ok());
  });
  auto result = client_->ExecuteAndTransfer(*computation, {}).ConsumeValueOrDie();
  feeder.join();
  EXPECT_EQ(result->tuple_literal(1), LiteralUtil::CreateR1<int32>({15, 150}));
}

TEST_F(Feeding, LoopsWithoutOrder) {
  auto init = b_.Tuple({b_.ConstantR0<int32>(0), b_.ConstantR1<int32>({0, 0})});
  auto first = b_.While(*Condition(3), *Body(), init);
  auto second = b_.While(*Condition(5), *Body(), init);
  b_.Tuple({first, second});
  auto computation = b_.Build();
  ASSERT_FALSE(computation.ok());
  EXPECT_THAT(computation.status().message(),
              ::testing::MatchesRegex(".*: While at .*:[0-9]+: two operations read the infeed, and neither depends on "
                                      "the other: this one and While at .*:[0-9]+"));
}

TEST_F(Feeding, TuplesAndNothing) {
  auto item = b_.Infeed(ShapeUtil::MakeTupleShape({ShapeUtil::MakeShape(F32, {2}), ShapeUtil::MakeShape(S8, {})}));
  b_.Tuple({item, b_.Infeed(ShapeUtil::MakeNil())});
  std::vector<Literal> parts;
  parts.push_back(LiteralUtil::CreateR1<float>({1, 2}));
  parts.push_back(LiteralUtil::CreateR0<int8>(3));
  Literal tuple = LiteralUtil::MakeTuple(std::move(parts));
  ASSERT_TRUE(client_->TransferToInfeed(tuple).ok());
  ASSERT_TRUE(client_->TransferToInfeed(Literal()).ok());
  EXPECT_EQ(Run().tuple_literal(0), tuple);
}

TEST_F(Feeding, ItemsOfAnotherShapeAreDiagnosed) {
  b_.Infeed(ShapeUtil::MakeShape(F32, {2}));
  auto computation = b_.Build().ConsumeValueOrDie();
  ASSERT_TRUE(client_->TransferToInfeed(LiteralUtil::CreateR1<float>({1, 2, 3})).ok());
  auto result = client_->Execute(*computation, {});
  ASSERT_FALSE(result.ok());
  EXPECT_THAT(result.status().message(),
              ::testing::AllOf(::testing::HasSubstr("f32[3]"), ::testing::HasSubstr("f32[2]")));
}

// "The layout field of the shape must be set to match the layout of the data sent to the device".
TEST_F(Feeding, ItemsHaveTheLayoutOfTheShape) { // SYS-40
  Literal rows = LiteralUtil::CreateR2<float>({{1, 2, 3}, {4, 5, 6}});
  Literal columns = rows.Relayout(LayoutUtil::MakeLayout({0, 1}));
  for (const Literal *wanted : {&rows, &columns})
    for (const Literal *fed : {&rows, &columns}) {
      ComputationBuilder builder(client_, "fed");
      auto item = builder.Infeed(ShapeUtil::MakeTupleShape({wanted->shape(), ShapeUtil::MakeShape(S32, {})}));
      builder.GetTupleElement(item, 0);
      auto computation = builder.Build().ConsumeValueOrDie();
      std::vector<Literal> parts;
      parts.push_back(fed->Clone());
      parts.push_back(LiteralUtil::CreateR0<int32>(1));
      ASSERT_TRUE(client_->TransferToInfeed(LiteralUtil::MakeTuple(std::move(parts))).ok());
      auto result = client_->ExecuteAndTransfer(*computation, {});
      if (wanted == fed)
        EXPECT_EQ(*result.ConsumeValueOrDie(), rows);
      else
        EXPECT_THAT(result.status().message(), ::testing::HasSubstr("f32[2,3]{0,1}"));
    }
}

TEST_F(Feeding, NestedTuplesAreAnError) {
  b_.Infeed(ShapeUtil::MakeTupleShape({State()}));
  EXPECT_TRUE(FailsWith(b_, "Infeed", "nested tuples are not read"));
}

TEST_F(Feeding, WaitingEndsAtTheDeadline) {
  b_.Infeed(ShapeUtil::MakeShape(F32, {}));
  auto computation = b_.Build().ConsumeValueOrDie();
  ExecutionOptions options;
  for (std::chrono::nanoseconds none : {std::chrono::nanoseconds(0), std::chrono::nanoseconds(-5)}) {
    options.timeout = none;
    EXPECT_EQ(client_->Execute(*computation, {}, &options).status().code(), StatusCode::kDeadlineExceeded);
  }
  options.timeout = std::chrono::milliseconds(20);
  EXPECT_EQ(client_->Execute(*computation, {}, &options).status().code(), StatusCode::kDeadlineExceeded);
}

} // namespace
} // namespace tenon::xla_2017
