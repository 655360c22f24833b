// Elementwise operations and implicit broadcasting (requirement inventory API-028..033, 043..049, 055..065, 069, 082;
// BC-1..9).
#include "tenon/api/testing/builder_fixture.h"

#include <bit>
#include <cmath>
#include <limits>

namespace tenon::xla_2017 {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
const float kNan = std::numeric_limits<float>::quiet_NaN();

using Elementwise = BuilderTest;

struct BinaryCase {
  const char *name;
  ComputationDataHandle (ComputationBuilder::*method)(const ComputationDataHandle &, const ComputationDataHandle &,
                                                      gtl::ArraySlice<int64>, SourceLocation);
  std::vector<float> expected; // of {7.5, -7, 0, 3} and {2, 2, 5, -4}
};

TEST_F(Elementwise, Arithmetic) {
  const std::vector<float> x{7.5, -7, 0, 3}, y{2, 2, 5, -4};
  for (const BinaryCase &c : std::vector<BinaryCase>{{"Add", &ComputationBuilder::Add, {9.5, -5, 5, -1}},
                                                     {"Sub", &ComputationBuilder::Sub, {5.5, -9, -5, 7}},
                                                     {"Mul", &ComputationBuilder::Mul, {15, -14, 0, -12}},
                                                     {"Div", &ComputationBuilder::Div, {3.75, -3.5, 0, -0.75}},
                                                     {"Rem", &ComputationBuilder::Rem, {1.5, -1, 0, 3}},
                                                     {"Max", &ComputationBuilder::Max, {7.5, 2, 5, 3}},
                                                     {"Min", &ComputationBuilder::Min, {2, -7, 0, -4}}}) {
    ComputationBuilder builder(client_, c.name);
    (builder.*c.method)(builder.ConstantR1<float>(x), builder.ConstantR1<float>(y), {}, SourceLocation::current());
    EXPECT_EQ(Run(builder), LiteralUtil::CreateR1<float>(c.expected)) << c.name;
  }
}

struct ComparisonCase {
  const char *name;
  decltype(BinaryCase::method) method;
  bool less, equal, greater, unordered;
};

TEST_F(Elementwise, ComparisonsAreThoseOfIeee) {
  for (const ComparisonCase &c :
       std::vector<ComparisonCase>{{"Eq", &ComputationBuilder::Eq, false, true, false, false},
                                   {"Ne", &ComputationBuilder::Ne, true, false, true, true},
                                   {"Ge", &ComputationBuilder::Ge, false, true, true, false},
                                   {"Gt", &ComputationBuilder::Gt, false, false, true, false},
                                   {"Lt", &ComputationBuilder::Lt, true, false, false, false},
                                   {"Le", &ComputationBuilder::Le, true, true, false, false}}) {
    ComputationBuilder builder(client_, c.name);
    auto lhs = builder.ConstantR1<float>({1, 2, 3, kNan, -0.f});
    auto rhs = builder.ConstantR1<float>({2, 2, 2, 2, 0.f});
    auto result = (builder.*c.method)(lhs, rhs, {}, SourceLocation::current());
    EXPECT_EQ(ShapeUtil::HumanString(*builder.GetShape(result).ConsumeValueOrDie()), "pred[5]");
    EXPECT_EQ(Run(builder), LiteralUtil::CreateR1<bool>({c.less, c.equal, c.greater, c.unordered, c.equal})) << c.name;
  }
}

TEST_F(Elementwise, IntegerArithmeticWraps) {
  auto x = b_.ConstantR1<int32>({std::numeric_limits<int32>::max(), -7, 7, 5});
  auto y = b_.ConstantR1<int32>({1, 2, -2, 0});
  b_.Tuple({b_.Add(x, y), b_.Div(x, y), b_.Rem(x, y), b_.Neg(x)});
  Literal result = Run();
  EXPECT_EQ(result.tuple_literal(0), LiteralUtil::CreateR1<int32>({std::numeric_limits<int32>::min(), -5, 5, 5}));
  EXPECT_EQ(result.tuple_literal(1), LiteralUtil::CreateR1<int32>({std::numeric_limits<int32>::max(), -3, -3, -1}));
  EXPECT_EQ(result.tuple_literal(2), LiteralUtil::CreateR1<int32>({0, -1, 1, 5}));
  EXPECT_EQ(result.tuple_literal(3), LiteralUtil::CreateR1<int32>({-std::numeric_limits<int32>::max(), 7, -7, -5}));
}

TEST_F(Elementwise, Unary) {
  auto x = b_.ConstantR1<float>({1, 4, 0.25, 2.5});
  b_.Tuple({b_.Exp(x), b_.Log(x), b_.Tanh(x), b_.Floor(x), b_.Ceil(x), b_.SqrtF32(x), b_.SquareF32(x),
            b_.ReciprocalF32(x), b_.Neg(x)});
  Literal result = Run();
  float (*const expected[])(float) = {
      [](float v) { return std::exp(v); },   [](float v) { return std::log(v); },  [](float v) { return std::tanh(v); },
      [](float v) { return std::floor(v); }, [](float v) { return std::ceil(v); }, [](float v) { return std::sqrt(v); },
      [](float v) { return v * v; },         [](float v) { return 1 / v; },        [](float v) { return -v; }};
  const float values[] = {1, 4, 0.25, 2.5};
  for (int64 f = 0; f < 9; ++f)
    for (int64 i = 0; i < 4; ++i)
      EXPECT_FLOAT_EQ(result.tuple_literal(f).Get<float>({i}), expected[f](values[i])) << f;
}

TEST_F(Elementwise, SquareRootOfMinusZero) {
  b_.SqrtF32(b_.ConstantR1<float>({-0.f, -kInf}));
  Literal result = Run();
  EXPECT_TRUE(std::signbit(result.Get<float>({0})));
  EXPECT_TRUE(std::isnan(result.Get<float>({1})));
}

TEST_F(Elementwise, Reciprocal) {
  b_.ReciprocalF32(b_.ConstantR1<float>({2, 0, -0.f, kInf}));
  EXPECT_EQ(Run(), LiteralUtil::CreateR1<float>({0.5, kInf, -kInf, 0}));
}

TEST_F(Elementwise, OnlyF32WhereTheNameSaysSo) {
  b_.SqrtF32(b_.ConstantR0<double>(2));
  EXPECT_TRUE(FailsWith(b_, "SqrtF32", "operand must be of F32, and is f64[]"));
}

TEST_F(Elementwise, PowerBroadcastsScalars) {
  b_.Pow(b_.ConstantR1<float>({1, 2, 3}), b_.ConstantR0<float>(2));
  EXPECT_EQ(Run(), LiteralUtil::CreateR1<float>({1, 4, 9}));
}

TEST_F(Elementwise, ClampByScalarsAndArrays) {
  auto x = b_.ConstantR1<float>({-5, 0.5, 5});
  auto byScalars = b_.Clamp(b_.ConstantR0<float>(-1), x, b_.ConstantR0<float>(1));
  auto byArrays = b_.Clamp(b_.ConstantR1<float>({0, 1, 2}), x, b_.ConstantR1<float>({1, 2, 3}));
  b_.Tuple({byScalars, byArrays});
  Literal result = Run();
  EXPECT_EQ(result.tuple_literal(0), LiteralUtil::CreateR1<float>({-1, 0.5, 1}));
  EXPECT_EQ(result.tuple_literal(1), LiteralUtil::CreateR1<float>({0, 1, 3}));
}

TEST_F(Elementwise, ClampRejectsOtherSizes) {
  b_.Clamp(b_.ConstantR1<float>({0, 1}), b_.ConstantR1<float>({0, 1, 2}), b_.ConstantR0<float>(1));
  EXPECT_TRUE(FailsWith(b_, "Clamp", "min and max must be scalars"));
}

TEST_F(Elementwise, ConvertElementType) { // E0-12, X-28
  auto integers = b_.ConvertElementType(b_.ConstantR1<int32>({0, 1, 2}), F32);
  auto floats = b_.ConvertElementType(b_.ConstantR1<float>({2.7f, -2.7f, 3e9f, kNan}), S32);
  auto bools = b_.ConvertElementType(b_.ConstantR1<float>({0.5f, kNan, -0.f}), PRED); // DV-17
  b_.Tuple({integers, floats, bools});
  Literal result = Run();
  EXPECT_EQ(result.tuple_literal(0), LiteralUtil::CreateR1<float>({0, 1, 2}));
  EXPECT_EQ(result.tuple_literal(1), LiteralUtil::CreateR1<int32>({2, -2, std::numeric_limits<int32>::max(), 0}));
  EXPECT_EQ(result.tuple_literal(2), LiteralUtil::CreateR1<bool>({true, true, false}));
}

TEST_F(Elementwise, ConvertRejectsTuples) {
  b_.ConvertElementType(b_.Tuple({b_.ConstantR0<float>(1)}), S32);
  EXPECT_TRUE(FailsWith(b_, "ConvertElementType", "operand must be an array, and is (f32[])"));
}

TEST_F(Elementwise, ReducePrecision) { // X-22, DV-8
  b_.ReducePrecision(b_.ConstantR1<float>({65520.f, 65519.996f, 6e-8f, -6e-8f}), /*exponent_bits=*/5,
                     /*mantissa_bits=*/10);
  Literal result = Run();
  EXPECT_EQ(result.Get<float>({0}), kInf);
  EXPECT_EQ(result.Get<float>({1}), 65504.f);
  EXPECT_EQ(result.Get<float>({2}), 0.f);
  EXPECT_TRUE(std::signbit(result.Get<float>({3})));
}

// What conversion to a smaller float and back makes of a number. Below its normal numbers a type of a smaller exponent
// has subnormal ones, which this operation has not; with F32's exponent they are F32's.
TEST_F(Elementwise, ReducePrecisionIsAsSmallFloatsRound) { // SYS-54
  std::vector<float> values;
  for (uint32 high = 0; high < 1u << 16; ++high)
    for (uint32 low : {0x0000u, 0x0001u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu})
      values.push_back(std::bit_cast<float>(high << 16 | low));
  struct Format {
    PrimitiveType type;
    int exponentBits, mantissaBits;
  };
  auto x = b_.Parameter(0, F32Shape({static_cast<int64>(values.size())}), "x");
  std::vector<ComputationDataHandle> results;
  const std::vector<Format> formats{{F16, 5, 10}, {BF16, 8, 7}, {F8E5M2, 5, 2}, {F8E4M3, 4, 3}};
  for (const Format &format : formats) {
    results.push_back(b_.ReducePrecision(x, format.exponentBits, format.mantissaBits));
    results.push_back(b_.ConvertElementType(b_.ConvertElementType(x, format.type), F32));
  }
  b_.Tuple(results);
  Literal argument = LiteralUtil::CreateR1<float>(values), result = Run({&argument});
  for (size_t f = 0; f < formats.size(); ++f) {
    auto reduced = result.tuple_literal(static_cast<int64>(2 * f)).data<float>();
    auto converted = result.tuple_literal(static_cast<int64>(2 * f + 1)).data<float>();
    float smallest = std::ldexp(1.f, 2 - (1 << (formats[f].exponentBits - 1)));
    for (size_t i = 0; i < values.size(); ++i)
      if (std::isnan(values[i]))
        ASSERT_TRUE(std::isnan(reduced[i]) && std::isnan(converted[i])) << f;
      else if (formats[f].exponentBits == 8 || (std::abs(converted[i]) >= smallest && std::abs(values[i]) >= smallest))
        ASSERT_EQ(std::bit_cast<uint32>(reduced[i]), std::bit_cast<uint32>(converted[i])) << f << " " << values[i];
      else
        ASSERT_TRUE(std::abs(reduced[i]) == 0 || std::abs(reduced[i]) == smallest) << f << " " << values[i];
  }
}

TEST_F(Elementwise, ReducePrecisionNeedsAnExponent) {
  b_.ReducePrecision(b_.ConstantR0<float>(1), 0, 3);
  EXPECT_TRUE(FailsWith(b_, "ReducePrecision", "exponent_bits"));
}

TEST_F(Elementwise, TypesThatAnOperationHasNot) {
  ComputationBuilder exp(client_, "exp"), neg(client_, "neg"), sub(client_, "sub"), lt(client_, "lt"),
      rev(client_, "p");
  exp.Exp(exp.ConstantR0<int32>(1));
  EXPECT_TRUE(FailsWith(exp, "Exp", "exponential"));
  EXPECT_TRUE(FailsWith(exp, "Exp", "operand must be")); // by the name that the function of tenon/ops.h has for it
  neg.Neg(neg.ConstantR0<bool>(true));
  EXPECT_TRUE(FailsWith(neg, "Neg", "negate"));
  sub.Sub(sub.ConstantR0<bool>(true), sub.ConstantR0<bool>(true));
  EXPECT_TRUE(FailsWith(sub, "Sub", "subtract"));
  lt.Lt(lt.ConstantR0<complex64>(1.f), lt.ConstantR0<complex64>(1.f));
  EXPECT_TRUE(FailsWith(lt, "Lt", "complex numbers have no order"));
  rev.ReducePrecision(rev.ConstantR0<int32>(1), 5, 5);
  EXPECT_TRUE(FailsWith(rev, "ReducePrecision", "reduce_precision"));
}

// Broadcasting: BC-1..9 by shapes, then by values.

struct ShapeCase {
  std::vector<int64> lhs, rhs, dimensions, result;
};

TEST_F(Elementwise, BroadcastShapes) {
  int64 parameter = 0;
  for (const ShapeCase &c : std::vector<ShapeCase>{
           {{}, {2, 3}, {}, {2, 3}},                     // BC-1
           {{2, 3}, {}, {}, {2, 3}},                     //
           {{2, 3}, {3}, {1}, {2, 3}},                   // BC-2
           {{3}, {2, 3}, {1}, {2, 3}},                   // either side
           {{3, 3}, {3}, {0}, {3, 3}},                   // BC-6
           {{3, 3}, {3}, {1}, {3, 3}},                   //
           {{2, 3, 4}, {3, 4}, {1, 2}, {2, 3, 4}},       //
           {{2, 5, 3}, {2, 5, 3}, {0, 1, 2}, {2, 5, 3}}, // identity of equal ranks
           {{2, 1}, {2, 3}, {}, {2, 3}},                 // BC-7
           {{2, 1}, {1, 3}, {}, {2, 3}},                 // outer
           {{1, 2, 5}, {7, 2, 5}, {}, {7, 2, 5}},        //
           {{7, 2, 5}, {7, 1, 5}, {}, {7, 2, 5}},        //
           {{4}, {1, 2}, {0}, {4, 2}},                   // BC-8
           {{1, 2}, {4, 3, 1}, {1, 2}, {4, 3, 2}},       //
           {{0, 3}, {1, 3}, {}, {0, 3}},                 // nothing
       }) {
    auto lhs = b_.Parameter(parameter++, F32Shape(c.lhs), "lhs"),
         rhs = b_.Parameter(parameter++, F32Shape(c.rhs), "rhs");
    auto sum = b_.Add(lhs, rhs, c.dimensions);
    EXPECT_EQ(ShapeOf(sum), ShapeUtil::HumanString(F32Shape(c.result)));
  }
}

struct BadShapeCase {
  std::vector<int64> lhs, rhs, dimensions;
  const char *message;
};

TEST_F(Elementwise, BroadcastErrors) {
  for (const BadShapeCase &c : std::vector<BadShapeCase>{
           {{2, 3}, {3}, {}, "the ranks of f32[3] and f32[2,3] differ"},                  // BC-5
           {{2, 3}, {3}, {0}, "sizes 3 and 2 meet in dimension 0"},                       //
           {{2, 3, 4}, {3, 4}, {2, 1}, "in strictly increasing order"},                   // BC-3
           {{2, 3, 4}, {3, 3}, {1, 1}, "in strictly increasing order"},                   //
           {{2, 3, 4}, {3, 4}, {1}, "must have an entry for each dimension of f32[3,4]"}, //
           {{2, 3}, {3}, {2}, "must be dimensions of f32[2,3]"},                          //
           {{2, 3}, {3}, {-1}, "must be dimensions of f32[2,3]"},                         //
           {{7, 2, 5}, {7, 2, 6}, {}, "do not fit: sizes 5 and 6 meet in dimension 2"},   // BC-7
           {{2, 3}, {2, 3}, {1, 0}, "operands of equal rank take none"},                  // A4
       }) {
    ComputationBuilder builder(client_, "bad");
    builder.Add(builder.Parameter(0, F32Shape(c.lhs), "lhs"), builder.Parameter(1, F32Shape(c.rhs), "rhs"),
                c.dimensions);
    EXPECT_TRUE(FailsWith(builder, "Add", c.message));
  }
}

TEST_F(Elementwise, ElementTypesMustAgree) {
  b_.Add(b_.ConstantR0<float>(1), b_.ConstantR0<int32>(1));
  EXPECT_TRUE(FailsWith(b_, "Add", "the element types of f32[] and s32[] differ"));
}

TEST_F(Elementwise, BroadcastValues) {
  Array2D<float> matrix({{0, 1, 2}, {3, 4, 5}});
  auto m = b_.ConstantR2FromArray2D(matrix);
  b_.Tuple({b_.Add(m, b_.ConstantR1<float>({10, 20, 30}), {1}), b_.Add(m, b_.ConstantR1<float>({10, 20}), {0}),
            // BC-8: [4] and [1, 2], dims (0)
            b_.Add(b_.ConstantR1<float>({1, 2, 3, 4}), b_.ConstantR2<float>({{5, 6}}), {0}),
            b_.Ge(m, b_.ConstantR2<float>({{1}, {4}}))}); // BC-9
  Literal result = Run();
  EXPECT_EQ(result.tuple_literal(0), LiteralUtil::CreateR2<float>({{10, 21, 32}, {13, 24, 35}}));
  EXPECT_EQ(result.tuple_literal(1), LiteralUtil::CreateR2<float>({{10, 11, 12}, {23, 24, 25}}));
  EXPECT_EQ(result.tuple_literal(2), LiteralUtil::CreateR2<float>({{6, 7}, {7, 8}, {8, 9}, {9, 10}}));
  EXPECT_EQ(result.tuple_literal(3), LiteralUtil::CreateR2<bool>({{false, true, true}, {false, true, true}}));
}

} // namespace
} // namespace tenon::xla_2017
