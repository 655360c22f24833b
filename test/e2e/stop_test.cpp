// Programs that would run for hours, within one kernel, and end at their deadline. And compiling that is ended.
//
// Nothing here is timed: a kernel that does not end keeps the test from ending.

#include "test/execution.h"

#include "tenon/compiler/compiler.h"
#include "tenon/runtime/core/thread_pool.h"
#include "tenon/support/compile_stop.h"

#include <gtest/gtest.h>

#include <ctime>
#include <thread>

using namespace tenon;

namespace {

struct Endless {
  const char *name;
  const char *program; // its arguments are zeros
  std::vector<size_t> argumentBytes, resultBytes;
};

const Endless kEndless[] = {
    {"Reduction",
     R"(func.func @main() -> tensor<i32> {
      %0 = stablehlo.iota dim = 0 : tensor<1099511627776xi32>
      %c = stablehlo.constant dense<0> : tensor<i32>
      %1 = stablehlo.reduce(%0 init: %c) applies stablehlo.add across dimensions = [0]
        : (tensor<1099511627776xi32>, tensor<i32>) -> tensor<i32>
      return %1 : tensor<i32>
    })",
     {},
     {4}},
    {"RowsOfAReduction",
     R"(func.func @main() -> tensor<8xi32> {
      %0 = stablehlo.iota dim = 1 : tensor<8x1099511627776xi32>
      %c = stablehlo.constant dense<0> : tensor<i32>
      %1 = stablehlo.reduce(%0 init: %c) applies stablehlo.add across dimensions = [1]
        : (tensor<8x1099511627776xi32>, tensor<i32>) -> tensor<8xi32>
      return %1 : tensor<8xi32>
    })",
     {},
     {32}},
    {"ColumnsOfAReduction",
     R"(func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
      %0 = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<64xf32>) -> tensor<1099511627776x64xf32>
      %i = stablehlo.iota dim = 0 : tensor<1099511627776x64xf32>
      %s = stablehlo.multiply %0, %i : tensor<1099511627776x64xf32>
      %c = stablehlo.constant dense<0.0> : tensor<f32>
      %1 = stablehlo.reduce(%s init: %c) applies stablehlo.add across dimensions = [0]
        : (tensor<1099511627776x64xf32>, tensor<f32>) -> tensor<64xf32>
      return %1 : tensor<64xf32>
    })",
     {256},
     {256}},
    {"ManyLongRows",
     R"(func.func @main(%x: tensor<1048576xf32>) -> tensor<1048576xf32> {
      %0 = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<1048576xf32>) -> tensor<1048576x1048576xf32>
      %i = stablehlo.iota dim = 1 : tensor<1048576x1048576xf32>
      %s = stablehlo.power %0, %i : tensor<1048576x1048576xf32>
      %c = stablehlo.constant dense<0.0> : tensor<f32>
      %1 = stablehlo.reduce(%s init: %c) applies stablehlo.add across dimensions = [1]
        : (tensor<1048576x1048576xf32>, tensor<f32>) -> tensor<1048576xf32>
      return %1 : tensor<1048576xf32>
    })",
     {4 << 20},
     {4 << 20}},
    {"TwoReductions",
     R"(func.func @main() -> (tensor<f32>, tensor<i32>) {
      %0 = stablehlo.iota dim = 0 : tensor<1099511627776xi32>
      %f = stablehlo.iota dim = 0 : tensor<1099511627776xf32>
      %g = stablehlo.sine %f : tensor<1099511627776xf32>
      %c = stablehlo.constant dense<0> : tensor<i32>
      %d = stablehlo.constant dense<0.0> : tensor<f32>
      %1:2 = stablehlo.reduce(%g init: %d), (%0 init: %c) across dimensions = [0]
        : (tensor<1099511627776xf32>, tensor<1099511627776xi32>, tensor<f32>, tensor<i32>)
          -> (tensor<f32>, tensor<i32>)
        reducer(%a: tensor<f32>, %b: tensor<f32>) (%p: tensor<i32>, %q: tensor<i32>) {
          %greater = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
          %v = stablehlo.select %greater, %a, %b : tensor<i1>, tensor<f32>
          %w = stablehlo.select %greater, %p, %q : tensor<i1>, tensor<i32>
          stablehlo.return %v, %w : tensor<f32>, tensor<i32>
        }
      return %1#0, %1#1 : tensor<f32>, tensor<i32>
    })",
     {},
     {4, 4}},
    {"Windows",
     R"(func.func @main(%x: tensor<1048576xf32>) -> tensor<1048576xf32> {
      %c = stablehlo.constant dense<1.0> : tensor<f32>
      %1 = "stablehlo.reduce_window"(%x, %c) <{window_dimensions = array<i64: 1048576>,
          padding = dense<[[524288, 524287]]> : tensor<1x2xi64>}> ({
        ^bb0(%a: tensor<f32>, %b: tensor<f32>):
          %s = stablehlo.power %a, %b : tensor<f32>
          stablehlo.return %s : tensor<f32>
      }) : (tensor<1048576xf32>, tensor<f32>) -> tensor<1048576xf32>
      return %1 : tensor<1048576xf32>
    })",
     {4 << 20},
     {4 << 20}},
    // A sort for each element, in a function that the kernel calls.
    {"InComputations",
     R"(func.func @main(%x: tensor<16777216xf32>) -> tensor<16777216xf32> {
      %1 = "stablehlo.map"(%x) <{dimensions = array<i64: 0>}> ({
        ^bb0(%a: tensor<f32>):
          %b = stablehlo.broadcast_in_dim %a, dims = [] : (tensor<f32>) -> tensor<32768xf32>
          %i = stablehlo.iota dim = 0 : tensor<32768xf32>
          %p = stablehlo.power %b, %i : tensor<32768xf32>
          %s = "stablehlo.sort"(%p) <{dimension = 0 : i64}> ({
            ^bb0(%l: tensor<f32>, %r: tensor<f32>):
              %less = stablehlo.compare LT, %l, %r : (tensor<f32>, tensor<f32>) -> tensor<i1>
              stablehlo.return %less : tensor<i1>
          }) : (tensor<32768xf32>) -> tensor<32768xf32>
          %last = stablehlo.slice %s [32767:32768] : (tensor<32768xf32>) -> tensor<1xf32>
          %scalar = stablehlo.reshape %last : (tensor<1xf32>) -> tensor<f32>
          stablehlo.return %scalar : tensor<f32>
      }) : (tensor<16777216xf32>) -> tensor<16777216xf32>
      return %1 : tensor<16777216xf32>
    })",
     {64 << 20},
     {64 << 20}},
};

// Until the process has computed for a while on any of its threads, which it does in the kernel.
void awaitComputing() {
  std::clock_t begin = std::clock();
  while (std::clock() - begin < CLOCKS_PER_SEC / 50)
    std::this_thread::sleep_for(std::chrono::microseconds(200));
}

class Stop : public ::testing::TestWithParam<Endless> {};

TEST_P(Stop, WithinAKernel) {
  const Endless &endless = GetParam();
  auto program = tenon::testing::compileAndLoad(endless.program, {});
  ASSERT_TRUE(program.ok()) << program.status().message();
  std::vector<std::vector<char>> memory;
  std::vector<const void *> arguments;
  std::vector<void *> results;
  memory.reserve(endless.argumentBytes.size() + endless.resultBytes.size());
  for (size_t bytes : endless.argumentBytes)
    arguments.push_back(memory.emplace_back(bytes).data());
  for (size_t bytes : endless.resultBytes)
    results.push_back(memory.emplace_back(bytes).data());
  for (int threads : {1, 3}) {
    runtime::ThreadPool pool(threads);
    runtime::RunOptions options;
    options.pool = &pool;
    options.wait.deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(30);
    EXPECT_EQ((*program)->run(arguments, results, options).code(), StatusCode::kDeadlineExceeded);
    options.wait = {};
    std::stop_source stop;
    options.wait.stop = stop.get_token();
    std::thread canceller([&] {
      awaitComputing();
      stop.request_stop();
    });
    EXPECT_EQ((*program)->run(arguments, results, options).code(), StatusCode::kCancelled);
    canceller.join();
  }
}

constexpr const char *kShort = "func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {"
                               "  %0 = stablehlo.tanh %x : tensor<8xf32> return %0 : tensor<8xf32> }";

TEST(StopOfCompiling, EndsBeforeTheNextStage) {
  std::stop_source stop;
  std::vector<std::string> stages;
  compiler::CompileOptions options;
  options.inspect = [&](std::string_view stage, mlir::ModuleOp) {
    stages.emplace_back(stage);
    if (stages.size() == 3)
      stop.request_stop();
  };
  {
    CompileStop scope(stop.get_token());
    EXPECT_EQ(compiler::compile(kShort, options).status().code(), StatusCode::kCancelled);
  }
  EXPECT_EQ(stages.size(), 3U);
  EXPECT_TRUE(compiler::compile(kShort).ok()) << "what is compiled for others goes on";
}

TEST(StopOfCompiling, EndsBeforeTheNextKernel) {
  std::stop_source stop;
  CompileStop scope(stop.get_token());
  compiler::CompileOptions options;
  options.dumpAfter = {"plan", "llvm"};
  bool isEmitted = false;
  options.dump = [&](std::string_view stage, std::string_view) {
    isEmitted |= stage == "llvm";
    if (stage == "plan")
      stop.request_stop();
  };
  EXPECT_EQ(compiler::compile(kShort, options).status().code(), StatusCode::kCancelled);
  EXPECT_FALSE(isEmitted);
}

INSTANTIATE_TEST_SUITE_P(All, Stop, ::testing::ValuesIn(kEndless),
                         [](const auto &info) { return std::string(info.param.name); });

} // namespace
