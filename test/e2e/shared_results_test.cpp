// Results that devices of one OS process may have in one memory: what a collective alone writes.
#include "tenon/backend/grid.h"
#include "tenon/backend/registry.h"
#include "tenon/program/attributes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

namespace tenon {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;
using Numbers = std::vector<int64_t>;

constexpr int64_t kPart = 8192; // elements

std::shared_ptr<backend::Executable> compile(const std::string &body, const std::string &results) {
  const std::string text =
      R"(func.func @main(%x: tensor<8192xf32>, %y: tensor<16384xf32>) -> ()" + results + ") {\n" + body + "\n}";
  backend::CompileOptions options;
  options.numPartitions = 2;
  auto executable = (*backend::backendOf("cpu"))->compile(text, options);
  EXPECT_TRUE(executable.ok()) << executable.status().message() << text;
  return *executable;
}

// What collectives are said to write alone, by call and result of it.
std::vector<Numbers> sharedBy(const std::string &body, const std::string &results) {
  auto executable = compile(body, results);
  std::vector<Numbers> shared;
  for (const program::RuntimeCall &call : executable->program().runtimeCalls) {
    auto numbers = program::integerArrayAttribute(call.attributes, program::kProgramResults);
    shared.push_back(numbers.ok() ? *numbers : Numbers());
  }
  return shared;
}

const std::string kGroups = R"(replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>,
    channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids)";
const std::string kGather = R"(
  %g = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, )" +
                            kGroups + R"(} : (tensor<8192xf32>) -> tensor<16384xf32>)";
const std::string kAdd = R"(({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %sum = stablehlo.add %l, %r : tensor<f32>
    stablehlo.return %sum : tensor<f32>
  }) )";

TEST(SharedResults, AreWrittenByACollectiveAlone) {
  EXPECT_THAT(sharedBy(kGather + "\n  return %g : tensor<16384xf32>", "tensor<16384xf32>"), ElementsAre(Numbers{0}));
  EXPECT_THAT(sharedBy(kGather + R"(
  %r = stablehlo.reshape %g : (tensor<16384xf32>) -> tensor<2x8192xf32>
  %s = stablehlo.add %g, %y : tensor<16384xf32>
  return %s, %r : tensor<16384xf32>, tensor<2x8192xf32>)",
                       "tensor<16384xf32>, tensor<2x8192xf32>"),
              ElementsAre(Numbers{1}));
  EXPECT_THAT(
      sharedBy("\n  %n = stablehlo.constant dense<1.0> : tensor<f32>\n  %s:2 = \"stablehlo.all_reduce\"(%n, %y) " +
                   kAdd + "{" + kGroups + R"(} : (tensor<f32>, tensor<16384xf32>) -> (tensor<f32>, tensor<16384xf32>)
  return %s#1, %s#0 : tensor<16384xf32>, tensor<f32>)",
               "tensor<16384xf32>, tensor<f32>"),
      ElementsAre(Numbers{-1, 0}));
}

TEST(SharedResults, AreNoneThatAreSmallOrComputedOrOfOnesOwn) {
  EXPECT_THAT(sharedBy(R"(
  %z = stablehlo.slice %x [0:64] : (tensor<8192xf32>) -> tensor<64xf32>
  %g = "stablehlo.all_gather"(%z) {all_gather_dim = 0 : i64, )" +
                           kGroups + R"(} : (tensor<64xf32>) -> tensor<128xf32>
  return %g : tensor<128xf32>)",
                       "tensor<128xf32>"),
              Each(IsEmpty()));
  EXPECT_THAT(sharedBy(kGather + R"(
  %s = stablehlo.add %g, %y : tensor<16384xf32>
  return %s : tensor<16384xf32>)",
                       "tensor<16384xf32>"),
              Each(IsEmpty()));
  // The update is made in the gathered array's memory, by each device at a time of its own.
  EXPECT_THAT(sharedBy(kGather + R"(
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %s = stablehlo.dynamic_update_slice %g, %x, %zero : (tensor<16384xf32>, tensor<8192xf32>, tensor<i32>) -> tensor<16384xf32>
  return %s : tensor<16384xf32>)",
                       "tensor<16384xf32>"),
              Each(IsEmpty()));
  EXPECT_THAT(sharedBy(R"(
  %s = "stablehlo.reduce_scatter"(%y) )" +
                           kAdd + "{scatter_dimension = 0 : i64, " + kGroups +
                           R"(} : (tensor<16384xf32>) -> tensor<8192xf32>
  return %s : tensor<8192xf32>)",
                       "tensor<8192xf32>"),
              Each(IsEmpty()));
}

TEST(SharedResults, AreRightInOneMemory) {
  auto executable = compile(kGather + "\n  return %g : tensor<16384xf32>", "tensor<16384xf32>");
  std::vector<float> parts[2], whole(2 * kPart), expected(2 * kPart), result(2 * kPart, -1);
  std::iota(expected.begin(), expected.end(), 0.0f);
  std::vector<const void *> arguments[2];
  std::vector<void *> results{result.data()};
  std::vector<backend::GridProcess> processes;
  for (size_t i = 0; i < 2; ++i) {
    parts[i].assign(expected.begin() + static_cast<int64_t>(i) * kPart,
                    expected.begin() + static_cast<int64_t>(i + 1) * kPart);
    arguments[i] = {parts[i].data(), whole.data()};
    processes.push_back({.executable = executable.get(), .arguments = arguments[i], .results = results});
  }
  Status status = backend::executeGrid(1, 2, processes);
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(result, expected);
}

} // namespace
} // namespace tenon
