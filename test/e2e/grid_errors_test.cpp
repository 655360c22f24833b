// What is wrong with a grid, its programs or its processes is an error that names the process.
#include "test/e2e/grid_testing.h"

#include <gmock/gmock.h>

#include <chrono>

namespace tenon {
namespace {

using testing::HasSubstr;

constexpr const char *kSum = R"("stablehlo.all_reduce"(%x) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }))";

std::string program(const std::string &op, const std::string &type = "tensor<2xf32>") {
  return "func.func @main(%x: " + type + ") -> " + type + " {\n  %0 = " + op + " : (" + type + ") -> " + type +
         "\n  return %0 : " + type + "\n}";
}

std::string sumOver(const std::string &groups) { return program(kSum + (" {replica_groups = " + groups + "}")); }

const std::string kSumOfTwo = sumOver("dense<[[0, 1]]> : tensor<1x2xi64>");
const std::string kNegate = program("\"stablehlo.negate\"(%x)");

const std::string kChannel =
    "{channel_handle = #stablehlo.channel_handle<handle = 9, type = 1>, is_host_transfer = false} ";

std::string exchange(bool sends, bool receives) {
  std::string text = "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
                     "  %t = stablehlo.create_token : !stablehlo.token\n";
  if (sends)
    text +=
        "  %s = \"stablehlo.send\"(%x, %t) " + kChannel + ": (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token\n";
  if (receives)
    text += std::string("  %y, %u = \"stablehlo.recv\"(") + (sends ? "%s" : "%t") + ") " + kChannel +
            ": (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)\n";
  return text + "  return " + (receives ? "%y" : "%x") + " : tensor<2xf32>\n}";
}

const std::string kSend = exchange(true, false);
const std::string kReceive = exchange(false, true);
const std::string kSendAndReceive = exchange(true, true);

Status compileFor(GridShape shape, const std::string &source, const char *target = "cpu") {
  return Grid(target, shape, {source}).status;
}

TEST(GridErrors, GroupsThatTheGridDoesNotHave) {
  for (const char *target : {"cpu", "reference"}) {
    Status status = compileFor({3, 1}, kSumOfTwo, target);
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << target;
    EXPECT_THAT(status.message(), HasSubstr("replica_groups must have 3 ids in this module, got 2")) << target;
  }
  std::string broadcast =
      program("\"stablehlo.collective_broadcast\"(%x) {replica_groups = dense<[[0, 5]]> : tensor<1x2xi64>}");
  EXPECT_THAT(compileFor({2, 1}, broadcast).message(), HasSubstr("name 5, but the grid has only 2"));
  std::string split = "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n  %0 = \"stablehlo.all_to_all\"(%x) {"
                      "replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 4 : i64, split_dimension = 0 "
                      ": i64, concat_dimension = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>\n  return %0 : "
                      "tensor<4xf32>\n}";
  EXPECT_THAT(compileFor({2, 1}, split).message(),
              HasSubstr("replica_groups must be groups of split_count 4, got groups of 2"));
}

TEST(GridErrors, AnotherGridThanTheModules) {
  std::string module = "module attributes {mhlo.num_replicas = 4 : i32} {\n" + kNegate + "\n}";
  for (const char *target : {"cpu", "reference"}) {
    Status status = compileFor({2, 1}, module, target);
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
    EXPECT_THAT(status.message(), HasSubstr("for a grid with mhlo.num_replicas = 4, and not 2")) << target;
  }
}

TEST(GridErrors, WhatIsNotSupportedIsNamed) {
  std::string inComputation = R"(func.func @main(%x: tensor<2xf32>) -> tensor<f32> {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = "stablehlo.reduce"(%x, %zero) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = "stablehlo.collective_permute"(%a) {source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}
          : (tensor<f32>) -> tensor<f32>
      %2 = stablehlo.add %1, %b : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) {dimensions = array<i64: 0>} : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
    return %0 : tensor<f32>
  })";
  EXPECT_THAT(compileFor({2, 1}, inComputation).message(), HasSubstr("in a computation on single elements"));
  std::string gather = "func.func @main(%x: tensor<1xf32>) -> tensor<?xf32> {\n  %0 = \"stablehlo.all_gather\"(%x) {"
                       "all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1], [2, -1]]> : tensor<2x2xi64>} : "
                       "(tensor<1xf32>) -> tensor<?xf32>\n  return %0 : tensor<?xf32>\n}";
  EXPECT_FALSE(compileFor({3, 1}, gather).ok());
  backend::CompileOptions whole;
  whole.numPartitions = 2;
  whole.useSpmdPartitioning = true;
  std::string place =
      "func.func @main() -> tensor<ui32> {\n  %0 = stablehlo.partition_id : tensor<ui32>\n  return %0 : "
      "tensor<ui32>\n}";
  std::string module = "module attributes {mhlo.num_partitions = 2 : i32} {\n" + place + "\n}";
  EXPECT_THAT((*backend::backendOf("cpu"))->compile(module, whole).status().message(),
              HasSubstr("has no place in the grid"));
}

TEST(GridErrors, PairsOfMessagesThatTheGridDoesNotHave) {
  auto program = [](const std::string &pairs) {
    return "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n  %t = stablehlo.create_token : !stablehlo.token\n"
           "  %s = \"stablehlo.send\"(%x, %t) {channel_handle = #stablehlo.channel_handle<handle = 9, type = 1>, "
           "source_target_pairs = dense<" +
           pairs + ">} : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token\n  return %x : tensor<2xf32>\n}";
  };
  auto message = [&](const std::string &pairs) { return compileFor({2, 1}, program(pairs)).message(); };
  EXPECT_THAT(message("[[0, 2]]> : tensor<1x2xi64"), HasSubstr("name 2, but the grid has only 2 of these"));
  EXPECT_THAT(message("[[-1, 1]]> : tensor<1x2xi64"), HasSubstr("name -1, but the grid has only 2 of these"));
  EXPECT_THAT(message("[[0, 1], [1, 1]]> : tensor<2x2xi64"), HasSubstr("name the target 1 twice"));
  EXPECT_THAT(message("[[0, 1, 1]]> : tensor<1x3xi64"), HasSubstr("must be pairs"));
  EXPECT_EQ(message("[[1, 0], [1, 1]]> : tensor<2x2xi64"), "");
  backend::CompileOptions whole;
  whole.numPartitions = 2;
  whole.useSpmdPartitioning = true;
  EXPECT_THAT((*backend::backendOf("cpu"))->compile(program("[[0, 1]]> : tensor<1x2xi64"), whole).status().message(),
              HasSubstr("is no device that sends to others"));
}

TEST(GridErrors, NumbersThatDoNotFit) {
  Grid grid("cpu", {2, 1}, {kSumOfTwo});
  ASSERT_TRUE(grid.status.ok()) << grid.status.message();
  Array x(2), y(2);
  const void *argument = x.data();
  void *result = y.data();
  backend::GridProcess good{grid.executables[0].get(), {&argument, 1}, {&result, 1}}, bad = good;
  auto message = [](int32_t replicas, int32_t partitions, std::vector<backend::GridProcess> processes) {
    Status status = backend::executeGrid(replicas, partitions, processes);
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
    return status.message();
  };
  EXPECT_THAT(message(0, 1, {}), HasSubstr("at least one replica and one partition, got 0 x 1"));
  EXPECT_THAT(message(2, 1, {good}), HasSubstr("a grid of 2 x 1 has 2 processes, 1 were given"));
  EXPECT_THAT(message(1, 2, {good, good}), HasSubstr("process (0, 0) was compiled for a grid of 2 x 1, not 1 x 2"));
  bad.executable = nullptr;
  EXPECT_THAT(message(2, 1, {good, bad}), HasSubstr("process (1, 0) has no program"));
  bad = good;
  bad.arguments = {};
  EXPECT_THAT(message(2, 1, {good, bad}),
              HasSubstr("process (1, 0) has 1 arguments and 1 results, 0 and 1 were given"));
}

TEST(GridErrors, AProgramOfAGridDoesNotRunAlone) {
  for (const char *target : {"cpu", "reference"}) {
    Grid grid(target, {2, 1}, {kSumOfTwo});
    Array x(2), y(2);
    const void *argument = x.data();
    void *result = y.data();
    Status status = grid.executables[0]->execute({&argument, 1}, {&result, 1}, {});
    EXPECT_EQ(status.code(), StatusCode::kFailedPrecondition);
    EXPECT_THAT(status.message(), HasSubstr("as one alone")) << target;
  }
}

TEST(GridErrors, AProcessThatEndsIsNotWaitedFor) {
  for (const char *target : {"cpu", "reference"}) {
    Grid grid(target, {2, 1}, {kSumOfTwo, kNegate});
    grid.run({{{1, 2}}, {{3, 4}}});
    EXPECT_EQ(grid.status.code(), StatusCode::kFailedPrecondition);
    EXPECT_THAT(grid.status.message(), HasSubstr("process (0, 0): ")) << target;
    EXPECT_THAT(grid.status.message(), HasSubstr("process (1, 0) has ended")) << target;
  }
}

TEST(GridErrors, ProcessesThatDoDifferentThings) {
  std::string permute =
      program("\"stablehlo.collective_permute\"(%x) {source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}");
  for (const char *target : {"cpu", "reference"}) {
    Grid grid(target, {2, 1}, {kSumOfTwo, permute});
    grid.run({{{1, 2}}, {{3, 4}}});
    EXPECT_EQ(grid.status.code(), StatusCode::kInvalidArgument);
    EXPECT_THAT(grid.status.message(), HasSubstr("processes of a group do different things")) << target;
  }
}

// The same arrays of the same group, but not the same op.
TEST(GridErrors, ProcessesThatTakeEachOtherForAnother) {
  std::string gather = "func.func @main(%x: tensor<2xf32>) -> tensor<4xf32> {\n  %0 = \"stablehlo.all_gather\"(%x) {"
                       "all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : "
                       "(tensor<2xf32>) -> tensor<4xf32>\n  return %0 : tensor<4xf32>\n}";
  for (const char *target : {"cpu", "reference"}) {
    Grid grid(target, {2, 1}, {kSumOfTwo, gather});
    grid.run({{{1, 2}}, {{3, 4}}});
    EXPECT_EQ(grid.status.code(), StatusCode::kInvalidArgument);
    EXPECT_THAT(grid.status.message(), HasSubstr("all_gather of ")) << target;
  }
}

// The check of process (1, 0) fails; the others, which wait for it or for data, do not wait for ever.
TEST(GridErrors, TheFirstFailureIsTold) {
  std::string failing = R"(func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    %one = stablehlo.constant dense<1.0> : tensor<2xf32>
    stablehlo.custom_call @check.expect_eq(%x, %one) {has_side_effect = true} : (tensor<2xf32>, tensor<2xf32>) -> ()
    return %x : tensor<2xf32>
  })";
  std::string sumOfThree = sumOver("dense<[[0, 1, 2]]> : tensor<1x3xi64>");
  for (const char *target : {"cpu", "reference"}) {
    Grid grid(target, {3, 1}, {sumOfThree, failing, kReceive});
    grid.run({{{1, 2}}, {{3, 4}}, {{5, 6}}});
    EXPECT_THAT(grid.status.message(), HasSubstr("process (1, 0): ")) << target;
    EXPECT_THAT(grid.status.message(), HasSubstr("check.expect_eq")) << target;
  }
}

TEST(GridErrors, AMessageThatNobodySends) {
  for (const char *target : {"cpu", "reference"}) {
    Grid grid(target, {2, 1}, {kNegate, kReceive});
    grid.run({{{1, 2}}, {{3, 4}}});
    EXPECT_EQ(grid.status.code(), StatusCode::kFailedPrecondition) << target;
    EXPECT_THAT(grid.status.message(), HasSubstr("all processes that have not ended wait:")) << target;
    EXPECT_THAT(grid.status.message(), HasSubstr("process (1, 0): receives from channel 9")) << target;
  }
}

// One for a message, the others for it.
TEST(GridErrors, ProcessesThatWaitInDifferentWays) {
  std::string sumOfTwo = sumOver("dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>");
  for (const char *target : {"cpu", "reference"}) {
    Grid grid(target, {4, 1}, {sumOfTwo, kReceive, kReceive, kNegate});
    grid.run({{{1, 2}}, {{3, 4}}, {{5, 6}}, {{7, 8}}});
    EXPECT_EQ(grid.status.code(), StatusCode::kFailedPrecondition) << target;
    for (const char *wait : {"process (0, 0): ", "process (1, 0): receives from", "process (2, 0): receives from"})
      EXPECT_THAT(grid.status.message(), HasSubstr(wait)) << target;
  }
}

// Process 1 runs the program, which gives back its argument, beside another that soon ends.
void givesItsArgument(const std::string &program) {
  for (const char *target : {"cpu", "reference"}) {
    Grid grid(target, {2, 1}, {kNegate, program});
    auto results = grid.run({{{1, 2}}, {{3, 4}}});
    ASSERT_TRUE(grid.status.ok()) << target << ": " << grid.status.message();
    EXPECT_EQ(results[1], (Array{3, 4})) << target;
  }
}

TEST(GridErrors, AMessageThatNobodyReceivesIsNoError) { givesItsArgument(kSend); }

TEST(GridErrors, AMessageThatAProcessSendsItself) { givesItsArgument(kSendAndReceive); }

TEST(GridErrors, RunsAreStopped) {
  std::string waiting = R"(func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    %t = stablehlo.create_token : !stablehlo.token
    %y, %u = "stablehlo.infeed"(%t) : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
    return %y : tensor<2xf32>
  })";
  Grid grid("cpu", {2, 1}, {kSumOfTwo, waiting});
  ASSERT_TRUE(grid.status.ok()) << grid.status.message();
  runtime::RunOptions options;
  options.wait.deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(30);
  grid.run({{{1, 2}}, {{3, 4}}}, options);
  EXPECT_EQ(grid.status.code(), StatusCode::kDeadlineExceeded);
  std::stop_source stop;
  options = {};
  options.wait.stop = stop.get_token();
  stop.request_stop();
  grid.status = {};
  grid.run({{{1, 2}}, {{3, 4}}}, options);
  EXPECT_EQ(grid.status.code(), StatusCode::kCancelled);
}

} // namespace
} // namespace tenon
