// Compiling a program for the shapes of its arguments, and for the sizes among them.
#include "tenon/backend/backend.h"
#include "tenon/program/serialization.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tenon::backend {
namespace {

using Shapes = std::vector<std::vector<int64_t>>;

constexpr const char *kRowSums = R"(
func.func @main(%x: tensor<?x3xf32>, %scale: tensor<f32>) -> tensor<?xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %sums = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<?x3xf32>, tensor<f32>) -> tensor<?xf32>
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x3xf32>) -> tensor<i32>
  %shape = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %scales = stablehlo.dynamic_broadcast_in_dim %scale, %shape, dims = [] : (tensor<f32>, tensor<1xi32>) -> tensor<?xf32>
  %y = stablehlo.multiply %sums, %scales : tensor<?xf32>
  return %y : tensor<?xf32>
})";

StatusOr<std::shared_ptr<Executable>> compileFor(const char *module, Shapes shapes,
                                                 std::vector<program::ArgumentValue> values = {}) {
  CompileOptions options;
  options.argumentShapes = std::move(shapes);
  options.argumentValues = std::move(values);
  return defaultBackend().compile(module, options);
}

TEST(ArgumentShapes, AreThoseOfTheExecutable) {
  for (int64_t rows : {2, 0, 1}) {
    auto executable = compileFor(kRowSums, {{rows, 3}, {}});
    ASSERT_TRUE(executable.ok()) << executable.status().message();
    EXPECT_EQ((*executable)->program().arguments[0].shape.dims, (std::vector<int64_t>{rows, 3}));
    EXPECT_EQ((*executable)->program().arguments[0].declaredType, "tensor<?x3xf32>");
    std::vector<float> x(rows * 3), y(rows, -1.0f), expected;
    float scale = 2;
    for (int64_t i = 0; i < rows; ++i) {
      std::fill_n(x.begin() + 3 * i, 3, static_cast<float>(i + 1));
      expected.push_back(6.0f * static_cast<float>(i + 1));
    }
    const void *arguments[] = {x.data(), &scale};
    void *results[] = {y.data()};
    ASSERT_TRUE((*executable)->execute(arguments, results, {}).ok());
    EXPECT_EQ(y, expected);
  }
}

TEST(ArgumentShapes, RefusesShapesThatTheTypesDoNotAllow) {
  auto messageFor = [](const Shapes &shapes) {
    auto executable = compileFor(kRowSums, shapes);
    return executable.ok() ? "" : executable.status().message();
  };
  using testing::HasSubstr;
  EXPECT_THAT(messageFor({{2, 4}, {}}), HasSubstr("argument 0 has type 'tensor<?x3xf32>', but is given with size 4 in "
                                                  "dimension 1"));
  EXPECT_THAT(messageFor({{2}, {}}), HasSubstr("of rank 2, but is given with rank 1"));
  EXPECT_THAT(messageFor({{2, 3}}), HasSubstr("takes 2 arguments, shapes are given for 1"));
  EXPECT_THAT(messageFor({{-2, 3}, {}}), HasSubstr("given with size -2 in dimension 0"));
  EXPECT_THAT(messageFor({}), HasSubstr("its shape must be given"));
}

TEST(ArgumentShapes, StoredExecutablesShowTheirProgram) {
  auto executable = *compileFor(kRowSums, {{4, 3}, {}});
  auto bytes = executable->serialize();
  ASSERT_TRUE(bytes.ok());
  auto loaded = defaultBackend().deserialize(*bytes);
  ASSERT_TRUE(loaded.ok()) << loaded.status().message();
  auto text = (*loaded)->optimizedModule();
  ASSERT_TRUE(text.ok()) << text.status().message();
  EXPECT_THAT(*text, testing::HasSubstr("tensor<4x3xf32>"));
  EXPECT_THAT(*text, testing::Not(testing::HasSubstr("get_dimension_size")));
  auto sourceless = defaultBackend().deserialize(program::serialize(executable->program()));
  ASSERT_TRUE(sourceless.ok()) << sourceless.status().message();
  EXPECT_EQ((*sourceless)->program().arguments[0].shape.dims, (std::vector<int64_t>{4, 3}));
  EXPECT_THAT((*sourceless)->optimizedModule().status().message(), testing::HasSubstr("without its source"));
}

// %rows is a size, %first is not: it is added, and may be another in each run of one executable.
constexpr const char *kRowsAsArgument = R"(
func.func @main(%rows: tensor<i64>, %first: tensor<i32>, %sizes: tensor<2xi32>) -> tensor<?x?xi32> {
  %columns = stablehlo.slice %sizes [1:2] : (tensor<2xi32>) -> tensor<1xi32>
  %narrow = stablehlo.convert %rows : (tensor<i64>) -> tensor<i32>
  %row = stablehlo.reshape %narrow : (tensor<i32>) -> tensor<1xi32>
  %shape = stablehlo.concatenate %row, %columns, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %numbers = stablehlo.dynamic_iota %shape, dim = 0 : (tensor<2xi32>) -> tensor<?x?xi32>
  %added = stablehlo.dynamic_broadcast_in_dim %first, %shape, dims = [] : (tensor<i32>, tensor<2xi32>) -> tensor<?x?xi32>
  %sum = stablehlo.add %numbers, %added : tensor<?x?xi32>
  return %sum : tensor<?x?xi32>
})";

TEST(ArgumentShapes, SizesMayBeArguments) {
  auto executable = compileFor(kRowsAsArgument, {{}, {}, {2}}, {{0, {2}, false}, {1, {10}, false}, {2, {7, 2}, false}});
  ASSERT_TRUE(executable.ok()) << executable.status().message();
  for (int32_t first : {10, -5}) { // which is no size
    int64_t rows = 2;
    std::vector<int32_t> sum(4, -1), sizes{7, 2};
    const void *arguments[] = {&rows, &first, sizes.data()};
    void *results[] = {sum.data()};
    ASSERT_TRUE((*executable)->execute(arguments, results, {}).ok());
    EXPECT_EQ(sum, (std::vector<int32_t>{first, first, first + 1, first + 1}));
  }
}

TEST(ArgumentShapes, RefusesToRunWithAnotherSize) {
  auto executable = compileFor(kRowsAsArgument, {{}, {}, {2}}, {{0, {2}, false}, {2, {7, 1}, false}});
  ASSERT_TRUE(executable.ok()) << executable.status().message();
  EXPECT_EQ((*executable)->program().arguments[0].value, std::vector<int64_t>{2});
  EXPECT_TRUE((*executable)->program().arguments[1].value.empty());
  int64_t rows = 3;
  int32_t first = 0;
  std::vector<int32_t> sum(2), sizes{7, 1};
  const void *arguments[] = {&rows, &first, sizes.data()};
  void *results[] = {sum.data()};
  Status status = (*executable)->execute(arguments, results, {});
  EXPECT_THAT(status.message(), testing::HasSubstr("argument 0 must be 2, for which the program was compiled, got 3"));
  rows = 2;
  sizes[0] = 8;
  status = (*executable)->execute(arguments, results, {});
  EXPECT_THAT(status.message(), testing::HasSubstr("element 0 of argument 2 must be 7"));
  auto unknown = compileFor(kRowsAsArgument, {{}, {}, {2}});
  ASSERT_FALSE(unknown.ok());
  EXPECT_THAT(unknown.status().message(), testing::HasSubstr("depends on data"));
}

} // namespace
} // namespace tenon::backend
