// Compiling one program for several argument shapes.
#include "tenon/client/dynamic_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace tenon::client {
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

// Counts compilations.
class CountingBackend : public Backend {
public:
  StatusOr<std::shared_ptr<Executable>> compile(std::string_view module, const CompileOptions &options) override {
    ++count;
    return defaultBackend().compile(module, options);
  }
  std::string target() const override { return "a machine"; }
  StatusOr<std::shared_ptr<Executable>> deserialize(std::string_view bytes) override {
    return defaultBackend().deserialize(bytes);
  }
  std::atomic<int> count = 0;
};

TEST(DynamicProgram, CompilesOnceForEachSetOfShapes) {
  CountingBackend backend;
  DynamicProgram program(backend, kRowSums);
  for (int64_t rows : {2, 0, 1, 2, 1}) {
    auto executable = program.specialize({{rows, 3}, {}});
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
  EXPECT_EQ(backend.count, 3);
}

TEST(DynamicProgram, ThreadsShareACompilation) {
  CountingBackend backend;
  DynamicProgram program(backend, kRowSums);
  std::vector<std::shared_ptr<Executable>> executables(8);
  std::vector<std::thread> threads;
  for (auto &executable : executables)
    threads.emplace_back([&] { executable = *program.specialize({{5, 3}, {}}); });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(backend.count, 1);
  EXPECT_THAT(executables, testing::Each(executables.front()));
}

TEST(DynamicProgram, RefusesShapesThatTheTypesDoNotAllow) {
  DynamicProgram program(defaultBackend(), kRowSums);
  auto messageFor = [&](const Shapes &shapes) {
    auto executable = program.specialize(shapes);
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

TEST(DynamicProgram, StoredExecutablesShowTheirProgram) {
  DynamicProgram program(defaultBackend(), kRowSums);
  auto bytes = (*program.specialize({{4, 3}, {}}))->serialize();
  ASSERT_TRUE(bytes.ok());
  auto loaded = defaultBackend().deserialize(*bytes);
  ASSERT_TRUE(loaded.ok()) << loaded.status().message();
  auto text = (*loaded)->optimizedModule();
  ASSERT_TRUE(text.ok()) << text.status().message();
  EXPECT_THAT(*text, testing::HasSubstr("tensor<4x3xf32>"));
  EXPECT_THAT(*text, testing::Not(testing::HasSubstr("get_dimension_size")));
}

// Whoever still holds an executable that was let go can run it.
TEST(DynamicProgram, LetsGoOfWhatWasNotUsedForLongest) {
  CountingBackend backend;
  DynamicProgram program(backend, kRowSums, {}, {.executables = 2});
  auto use = [&](int64_t rows) {
    auto executable = program.specialize({{rows, 3}, {}});
    EXPECT_TRUE(executable.ok());
    return *executable;
  };
  auto one = use(1);
  use(2);
  use(1);
  use(3); // takes the place of 2
  EXPECT_EQ(backend.count, 3);
  EXPECT_EQ(use(1), one);
  EXPECT_EQ(backend.count, 3);
  use(2); // takes the place of 3
  EXPECT_EQ(backend.count, 4);
  use(1);
  EXPECT_EQ(backend.count, 4);
  use(3);
  EXPECT_EQ(backend.count, 5);
  std::vector<float> x{1, 2, 3}, y(1);
  float scale = 2;
  const void *arguments[] = {x.data(), &scale};
  void *results[] = {y.data()};
  ASSERT_TRUE(one->execute(arguments, results, {}).ok());
  EXPECT_EQ(y[0], 12);
}

TEST(DynamicProgram, KeepsTheLastOneWhateverItsSize) {
  CountingBackend backend;
  DynamicProgram program(backend, kRowSums, {}, {.bytes = 1});
  for (int64_t rows : {1, 1, 2, 2, 1})
    EXPECT_TRUE(program.specialize({{rows, 3}, {}}).ok());
  EXPECT_EQ(backend.count, 3);
}

} // namespace
} // namespace tenon::client
