// Programs built with tenon/ops.h, run, or looked at as text.
#include "tenon/client.h"
#include "tenon/ops.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace tenon {
namespace {

using ::testing::HasSubstr;
using Sizes = std::vector<std::int64_t>;

class ProgramBuilderTest : public ::testing::Test {
protected:
  // What the program gives, of an argument if it has one.
  xla::Literal run(const Values &results, const xla::Literal *argument = nullptr) {
    auto computation = b_.build(results);
    EXPECT_TRUE(computation.ok()) << computation.status().ToString();
    if (!computation.ok())
      return {};
    xla::Client *client = xla::ClientLibrary::ClientLibraryOrDie();
    std::unique_ptr<xla::GlobalData> data;
    std::vector<xla::GlobalData *> given;
    if (argument) {
      data = client->TransferToServer(*argument).ConsumeValueOrDie();
      given.push_back(data.get());
    }
    return std::move(*client->ExecuteAndTransfer(*computation, given).ConsumeValueOrDie());
  }
  template <typename T> std::vector<T> elements(const Value &result, const xla::Literal *argument = nullptr) {
    xla::Literal literal = run(result, argument);
    auto data = literal.data<T>();
    return std::vector<T>(data.begin(), data.end());
  }
  // The first error, which has these parts.
  void expectError(const std::string &part, int line) {
    EXPECT_THAT(b_.status().message(), HasSubstr(part));
    EXPECT_THAT(b_.status().message(), HasSubstr("program_builder_test.cpp:" + std::to_string(line) + ": "));
  }

  ProgramBuilder b_{"test"};
};

TEST_F(ProgramBuilderTest, ResultTypesAreInferred) {
  Value x = b_.parameter("2x3xf32", "x"), y = b_.parameter("tensor<4x3xbf16>", "y");
  EXPECT_EQ(x.type(), "tensor<2x3xf32>");
  EXPECT_EQ(x.sizes(), (Sizes{2, 3}));
  Value z = ops::convert(x, "bf16");
  EXPECT_EQ(z.type(), "tensor<2x3xbf16>");
  ops::DotDimensionNumbers rows;
  rows.lhs_contracting_dimensions = rows.rhs_contracting_dimensions = {1};
  EXPECT_EQ(ops::dot_general(z, y, rows).type(), "tensor<2x4xbf16>");
  EXPECT_EQ(ops::dot_general(z, y, rows, "f32").type(), "tensor<2x4xf32>");
  EXPECT_EQ(ops::transpose(x, {1, 0}).type(), "tensor<3x2xf32>");
  EXPECT_EQ(ops::iota(b_, 0, Type("ui8", {5})).type(), "tensor<5xui8>");
  EXPECT_EQ((x < 1).type(), "tensor<2x3xi1>");
  auto [values, indices] = ops::top_k(x, 2);
  EXPECT_EQ(values.type(), "tensor<2x2xf32>");
  EXPECT_EQ(indices.type(), "tensor<2x2xi32>");
  EXPECT_EQ(Value(ops::all_gather(x, 0, {{0, 1, 2, 3}})).type(), "tensor<8x3xf32>");
  EXPECT_EQ(ops::reduce_scatter(y, 0, {{0, 1}}, [](Value a, Value b) { return a + b; }).type(), "tensor<2x3xbf16>");
  EXPECT_TRUE(b_.status().ok()) << b_.status().ToString();
}

TEST_F(ProgramBuilderTest, Convolutions) {
  Value image = b_.parameter("1x8x8x3xf32"), kernel = b_.parameter("3x3x3x16xf32");
  ops::ConvDimensionNumbers numbers;
  numbers.input_feature_dimension = numbers.output_feature_dimension = 3;
  numbers.input_spatial_dimensions = numbers.output_spatial_dimensions = {1, 2};
  numbers.kernel_spatial_dimensions = {0, 1};
  numbers.kernel_input_feature_dimension = 2;
  numbers.kernel_output_feature_dimension = 3;
  ops::ConvolutionOptions options;
  options.window_strides = {2, 2};
  options.padding = {{1, 1}, {1, 1}};
  EXPECT_EQ(ops::convolution(image, kernel, numbers, 1, 1, "", options).type(), "tensor<1x4x4x16xf32>");
  EXPECT_EQ(ops::convolution(image, kernel, numbers, 1, 1).type(), "tensor<1x6x6x16xf32>");
  EXPECT_TRUE(b_.status().ok()) << b_.status().ToString();
}

TEST_F(ProgramBuilderTest, OperatorsBroadcast) {
  Value row = b_.constant<float>({1, 2, 3}, {3}), column = b_.constant<float>({10, 20}, {2, 1});
  EXPECT_EQ(elements<float>(row + column), (std::vector<float>{11, 12, 13, 21, 22, 23}));
  EXPECT_EQ(elements<float>(2 * row - 1), (std::vector<float>{1, 3, 5}));
  EXPECT_EQ(elements<float>(-row / 2), (std::vector<float>{-0.5f, -1, -1.5f}));
  EXPECT_EQ(elements<bool>(row >= 2), (std::vector<bool>{false, true, true}));
}

TEST_F(ProgramBuilderTest, ConstantsKeepTheirBits) {
  float values[] = {std::numeric_limits<float>::quiet_NaN(), -0.0f, std::numeric_limits<float>::infinity(),
                    std::numeric_limits<float>::denorm_min()};
  xla::Literal result = run(b_.constant(std::vector<float>(values, values + 4), {2, 2}));
  EXPECT_EQ(std::memcmp(result.untyped_data(), static_cast<const void *>(values), sizeof values), 0);
  EXPECT_EQ(elements<float>(b_.constant<float>({7}, {3})), (std::vector<float>{7, 7, 7}));
  EXPECT_EQ(b_.constant(std::numeric_limits<xla::int64>::min()).type(), "tensor<i64>");
  EXPECT_EQ(b_.constant<float>({}, {0, 4}).type(), "tensor<0x4xf32>");
}

TEST_F(ProgramBuilderTest, ReducesByACallable) {
  Value x = b_.parameter("2x3xf32");
  Value sum = ops::reduce(x, b_.constant(0.0f), {1}, [](Value a, Value b) { return a + b; });
  xla::Literal matrix = xla::LiteralUtil::CreateR2<float>({{1, 2, 3}, {4, 5, 6}});
  EXPECT_EQ(elements<float>(sum, &matrix), (std::vector<float>{6, 15}));
}

TEST_F(ProgramBuilderTest, ReducesSeveralArrays) {
  Value x = b_.constant<float>({3, 9, 4}, {3}), i = ops::iota(b_, 0, "3xi32");
  Values init = {b_.constant(-INFINITY), b_.constant(0)};
  Values best = ops::reduce({x, i}, init, {0}, [](Value a, Value ia, Value b, Value ib) {
    Value first = a >= b;
    return Values{ops::select(first, a, b), ops::select(first, ia, ib)};
  });
  EXPECT_EQ(elements<float>(best[0]), std::vector<float>{9});
  EXPECT_EQ(elements<xla::int32>(best[1]), std::vector<xla::int32>{1});
}

TEST_F(ProgramBuilderTest, LoopsBranchesSortsAndScatters) {
  Value limit = b_.constant(10);
  Values loop = ops::while_(
      {b_.constant(0), b_.constant(1)}, [&](Value i, Value) { return i < limit; },
      [](Value i, Value product) { return Values{i + 1, product * 2}; });
  EXPECT_EQ(elements<xla::int32>(loop[1]), std::vector<xla::int32>{1024});
  Value branch = ops::if_(loop[0] > 5, [&] { return loop[1]; }, [&] { return loop[0]; });
  EXPECT_EQ(elements<xla::int32>(branch), std::vector<xla::int32>{1024});
  Value chosen = ops::case_(b_.constant(1), {[&] { return limit; }, [&] { return limit * 3; }});
  EXPECT_EQ(elements<xla::int32>(chosen), std::vector<xla::int32>{30});
  Value x = b_.constant<float>({3, 1, 2}, {3});
  EXPECT_EQ(elements<float>(ops::sort(x, [](Value a, Value b) { return a > b; }, 0)), (std::vector<float>{3, 2, 1}));
  ops::ScatterDimensionNumbers numbers;
  numbers.inserted_window_dims = numbers.scatter_dims_to_operand_dims = {0};
  numbers.index_vector_dim = 1;
  Value added = ops::scatter(x, b_.constant<xla::int32>({2, 2}, {2, 1}), b_.constant<float>({10, 20}, {2}), numbers,
                             [](Value a, Value b) { return a + b; });
  EXPECT_EQ(elements<float>(added), (std::vector<float>{3, 1, 32}));
}

TEST_F(ProgramBuilderTest, FunctionsAreCalled) {
  b_.function("twice", {"3xf32"}, [](Value x) { return x + x; });
  Value x = b_.constant<float>({1, 2, 3}, {3});
  EXPECT_EQ(elements<float>(b_.call("twice", b_.call("twice", x))), (std::vector<float>{4, 8, 12}));
  b_.call("twice", b_.constant(1.0f));
  expectError("'twice' takes other types: it is a (tensor<3xf32>) -> tensor<3xf32>", __LINE__ - 1);
}

TEST_F(ProgramBuilderTest, TextHasWhatAComputationHasNot) {
  Value x = b_.parameter("?x!quant.uniform<i8:f32, 0.5>", "x");
  Value y = ops::uniform_dequantize(x), token = ops::create_token(b_);
  EXPECT_EQ(y.sizes(), Sizes{-1});
  auto text = b_.text({y, token});
  ASSERT_TRUE(text.ok()) << text.status().ToString();
  EXPECT_THAT(*text, HasSubstr("-> (tensor<?xf32>, !stablehlo.token)"));
  auto computation = b_.build(y);
  ASSERT_FALSE(computation.ok());
  EXPECT_THAT(computation.status().message(), HasSubstr("argument 0 of main: "));
  EXPECT_TRUE(b_.status().ok());
}

TEST_F(ProgramBuilderTest, ParametersAndNamesReachTheComputation) {
  Value x = b_.parameter("f32", "scale");
  b_.parameter("3xi8", "other");
  auto computation = b_.build(x);
  ASSERT_TRUE(computation.ok()) << computation.status().ToString();
  EXPECT_EQ(computation->name(), "test");
  EXPECT_EQ(computation->program_shape().parameter_names(1), "other");
  EXPECT_EQ(xla::ShapeUtil::HumanString(computation->program_shape().parameters(1)), "s8[3]");
}

//===- Errors ----------------------------------------------------------------------------------------------------===//

TEST_F(ProgramBuilderTest, ErrorsNameOperationRuleAndLine) {
  Value x = b_.parameter("3xf32"), y = b_.parameter("4xf32");
  Value z = ops::add(x, y);
  expectError("test: add at ", __LINE__ - 1);
  expectError("add_c1", __LINE__ - 2);
  EXPECT_FALSE(z);
  ops::multiply(x, b_.parameter("3xf64")); // has no effect
  EXPECT_THAT(b_.build(x).status().message(), HasSubstr("test: add at "));
}

TEST_F(ProgramBuilderTest, ErrorsNameOperands) {
  Value x = b_.parameter("3xf32"), n = b_.parameter("3xi32");
  ops::atan2(x, n);
  expectError("atan2", __LINE__ - 1);
  ProgramBuilder other("other");
  Value pred = other.parameter("3xf32"), y = other.parameter("3xf32");
  ops::select(pred, y, y);
  EXPECT_THAT(other.status().message(), HasSubstr("pred must be select_i1"));
}

TEST_F(ProgramBuilderTest, InvalidDimensionsAreErrorsBeforeShapesAreMade) {
  Value x = b_.parameter("2x3xf32");
  ops::DotDimensionNumbers numbers;
  numbers.lhs_contracting_dimensions = {7};
  numbers.rhs_contracting_dimensions = {-1};
  ops::dot_general(x, x, numbers);
  expectError("dot_general_c", __LINE__ - 1);
}

TEST_F(ProgramBuilderTest, OperatorsNameTheirLine) {
  Value x = b_.parameter("3xf32"), y = b_.parameter("4xf32");
  x *y;
  expectError("multiply at", __LINE__ - 1);
  expectError("tensor<3xf32> and tensor<4xf32> do not fit", __LINE__ - 2);
}

TEST_F(ProgramBuilderTest, ValuesBelongToTheirBuilderAndComputation) {
  Value x = b_.parameter("f32"), inner;
  ProgramBuilder other("other");
  ops::add(other.parameter("f32"), x);
  EXPECT_THAT(other.status().message(), HasSubstr("rhs is a value of another builder"));
  ops::if_(b_.parameter("i1"), [&] { return inner = x + 1; }, [&] { return x; });
  ops::negate(inner);
  expectError("operand belongs to a computation that is not being built here", __LINE__ - 1);
}

TEST_F(ProgramBuilderTest, ComputationsOfTheWrongNumberOfValues) {
  Value x = b_.parameter("3xf32");
  ops::reduce(x, x.like(0), {0}, [](Value a) { return a; });
  expectError("the computation is called with 2 values, which it does not take", __LINE__ - 1);
}

TEST_F(ProgramBuilderTest, TypesAndAttributesThatAreNone) {
  b_.parameter("3xf33");
  expectError("'3xf33' is not a type", __LINE__ - 1);
  ProgramBuilder other("other");
  other.parameter(std::string(100000, '<'));
  EXPECT_THAT(other.status().message(), HasSubstr("is not a type"));
  ProgramBuilder third("third");
  ops::exponential(third.parameter("f32"), "#stablehlo.nothing<>");
  EXPECT_THAT(third.status().message(), HasSubstr("result_accuracy: '#stablehlo.nothing<>' is not an attribute"));
}

TEST_F(ProgramBuilderTest, SeveralValuesAreNotOne) {
  Value x = b_.parameter("f32"), pred = b_.parameter("i1");
  Value one = ops::if_(pred, [&] { return Values{x, x}; }, [&] { return Values{x, x}; });
  EXPECT_FALSE(one);
  EXPECT_THAT(b_.status().message(), HasSubstr("2 values are used as one"));
}

} // namespace
} // namespace tenon
