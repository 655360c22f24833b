// What makes programs wait for their host and for each other, and what ends it.
#include "test/e2e/effects_testing.h"
#include "test/endless_loop.h"

#include "tenon/runtime/core/thread_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

using namespace tenon;
using namespace std::chrono_literals;
using tenon::testing::expand;
using tenon::testing::World;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace {

std::unique_ptr<runtime::LoadedProgram> load(const std::string &source) {
  auto program = tenon::testing::compileAndLoad(expand(source), {});
  if (!program.ok()) {
    ADD_FAILURE() << program.status().message();
    return nullptr;
  }
  return std::move(*program);
}

// Sums `count` items of 1000 elements.
const char *kSumItems = R"(
func.func @main(%count: tensor<i32>) -> tensor<1000xf32> {
  %t0 = stablehlo.create_token : $t
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %nothing = stablehlo.constant dense<0.0> : tensor<1000xf32>
  %r:3 = stablehlo.while(%i = %zero, %sum = %nothing, %t = %t0) : tensor<i32>, tensor<1000xf32>, $t cond {
    %p = stablehlo.compare LT, %i, %count : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %a:2 = "stablehlo.infeed"(%t) : ($t) -> (tensor<1000xf32>, $t)
    %next = stablehlo.add %sum, %a#0 : tensor<1000xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %next, %a#1 : tensor<i32>, tensor<1000xf32>, $t
  }
  return %r#1 : tensor<1000xf32>
})";

void awaitWaiting(const runtime::StreamQueue &queue) {
  while (queue.waiting() == 0)
    std::this_thread::yield();
}

Status runSum(runtime::LoadedProgram &program, int32_t count, std::vector<float> &sum,
              const runtime::RunOptions &options) {
  const void *arguments[] = {&count};
  sum.assign(1000, -1);
  void *results[] = {sum.data()};
  return program.run(arguments, results, options);
}

TEST(Waiting, ALoopConsumesWhatIsFedMeanwhile) {
  auto program = load(kSumItems);
  ASSERT_TRUE(program);
  // The queue holds two items, so that either side must wait for the other.
  runtime::DeviceStreams streams(0, /*capacityBytes=*/8000);
  std::thread feeder([&] {
    for (int i = 0; i < 500; ++i) {
      std::vector<float> item(1000, float(i));
      runtime::StreamItem moved;
      moved.arrays.push_back(*runtime::StreamArray::copyOf({{program::ElementType::kF32, {1000}}, {}}, item.data()));
      ASSERT_TRUE(streams.infeed.push(std::move(moved)).ok());
    }
  });
  runtime::RunOptions options;
  options.streams = &streams;
  std::vector<float> sum;
  Status status = runSum(*program, 500, sum, options);
  feeder.join();
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_THAT(sum, ::testing::Each(499.0f * 250));
}

TEST(Waiting, EndsWhenTheRunIsCancelled) {
  auto program = load(kSumItems);
  ASSERT_TRUE(program);
  World world(0);
  std::stop_source source;
  world.options.wait.stop = source.get_token();
  std::thread canceller([&] {
    awaitWaiting(world.streams.infeed);
    source.request_stop();
  });
  std::vector<float> sum;
  Status status = runSum(*program, 1, sum, world.options);
  canceller.join();
  EXPECT_EQ(status.code(), StatusCode::kCancelled);
  EXPECT_THAT(status.message(), HasSubstr("infeed: cancelled while waiting for the infeed of device 0 (at "));
  // The program is as good as new.
  world.options.wait = {};
  world.feed(std::vector<float>(1000, 2), {1000});
  status = runSum(*program, 1, sum, world.options);
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_THAT(sum, ::testing::Each(2));
}

TEST(Waiting, EndsAtTheDeadline) {
  auto program = load(kSumItems);
  ASSERT_TRUE(program);
  World world(0);
  world.options.wait.deadline = std::chrono::steady_clock::now() + 10ms;
  std::vector<float> sum;
  EXPECT_EQ(runSum(*program, 1, sum, world.options).code(), StatusCode::kDeadlineExceeded);
}

// Element by element, on all workers.
TEST(Waiting, EndsLoopsInComputations) {
  auto program = load(R"(func.func @main(%x: tensor<4096xi32>) -> tensor<4096xi32> {
    %r = "stablehlo.map"(%x) <{dimensions = array<i64: 0>}> ({
    ^bb0(%a: tensor<i32>):
      )" + tenon::testing::endlessLoop("%a") +
                      R"(      stablehlo.return %endless : tensor<i32>
    }) : (tensor<4096xi32>) -> tensor<4096xi32>
    return %r : tensor<4096xi32>
  })");
  ASSERT_TRUE(program);
  std::vector<int32_t> x(4096, 1), y(4096);
  const void *arguments[] = {x.data()};
  void *results[] = {y.data()};
  runtime::RunOptions options;
  options.wait.deadline = std::chrono::steady_clock::now() + 20ms;
  EXPECT_EQ(program->run(arguments, results, options).code(), StatusCode::kDeadlineExceeded);
  // The next run is its own.
  std::ranges::fill(x, -1);
  EXPECT_TRUE(program->run(arguments, results, {}).ok());
  EXPECT_THAT(y, ::testing::Each(-1));
}

TEST(Waiting, WrongDataIsAnError) {
  auto program = load(kSumItems);
  ASSERT_TRUE(program);
  World world(1); // a scalar
  std::vector<float> sum;
  Status status = runSum(*program, 1, sum, world.options);
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("the infeed of device 0 holds f32[] where f32[1000] is expected (at "));
}

TEST(Waiting, AFullOutfeedHoldsTheProgramBack) {
  auto program = load(R"(
func.func @main(%x: tensor<1000xf32>) {
  %t = stablehlo.create_token : $t
  %0 = "stablehlo.outfeed"(%x, %t) : (tensor<1000xf32>, $t) -> $t
  %1 = "stablehlo.outfeed"(%x, %0) : (tensor<1000xf32>, $t) -> $t
  %2 = "stablehlo.outfeed"(%x, %1) : (tensor<1000xf32>, $t) -> $t
  return
})");
  ASSERT_TRUE(program);
  runtime::DeviceStreams streams(0, /*capacityBytes=*/4000);
  runtime::RunOptions options;
  options.streams = &streams;
  std::stop_source source;
  options.wait.stop = source.get_token();
  std::thread canceller([&] {
    awaitWaiting(streams.outfeed);
    source.request_stop();
  });
  std::vector<float> x(1000);
  const void *arguments[] = {x.data()};
  Status status = program->run(arguments, {}, options);
  canceller.join();
  EXPECT_EQ(status.code(), StatusCode::kCancelled);
  EXPECT_THAT(status.message(), HasSubstr("the outfeed of device 0 to have room"));
  EXPECT_EQ(streams.outfeed.itemCount(), 1);
}

// Two programs in the same pool, of which one waits for what the other makes in parallel loops: who waits holds no
// worker.
TEST(Waiting, LeavesTheWorkersToOthers) {
  auto consumer = load(kSumItems);
  auto producer = load(R"(
func.func @main(%x: tensor<512x512xf32>) {
  %t = stablehlo.create_token : $t
  %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  %1 = stablehlo.slice %0 [0:2, 0:500] : (tensor<512x512xf32>) -> tensor<2x500xf32>
  %2 = stablehlo.reshape %1 : (tensor<2x500xf32>) -> tensor<1000xf32>
  %3 = "stablehlo.outfeed"(%2, %t) : (tensor<1000xf32>, $t) -> $t
  return
})");
  ASSERT_TRUE(consumer && producer);
  for (int workers : {1, 2}) {
    runtime::ThreadPool pool(workers);
    runtime::DeviceStreams consuming(0), producing(1);
    runtime::RunOptions options;
    options.pool = &pool;
    options.streams = &consuming;
    std::vector<float> sum;
    Status status;
    std::thread waiting([&] { status = runSum(*consumer, 4, sum, options); });
    runtime::RunOptions other = options;
    other.streams = &producing;
    std::vector<float> x(512 * 512, 1);
    const void *arguments[] = {x.data()};
    for (int i = 0; i < 4; ++i) {
      awaitWaiting(consuming.infeed);
      ASSERT_TRUE(producer->run(arguments, {}, other).ok());
      ASSERT_TRUE(consuming.infeed.push(*producing.outfeed.pop()).ok());
    }
    waiting.join();
    ASSERT_TRUE(status.ok()) << status.message();
    EXPECT_THAT(sum, ::testing::Each(4 * 512));
  }
}

// --- Between devices ---

// Each process gives its number to the next and gets that of the one before, `rounds` times.
TEST(Messages, GoRound) {
  auto program = load(R"(
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %t0 = stablehlo.create_token : $t
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %rounds = stablehlo.constant dense<7> : tensor<i32>
  %r:3 = stablehlo.while(%i = %zero, %v = %x, %t = %t0) : tensor<i32>, tensor<2xf32>, $t cond {
    %p = stablehlo.compare LT, %i, %rounds : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %s = "stablehlo.send"(%v, %t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 0]]> : tensor<3x2xi64>} : (tensor<2xf32>, $t) -> $t
    %a:2 = "stablehlo.recv"(%s) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 0]]> : tensor<3x2xi64>} : ($t) -> (tensor<2xf32>, $t)
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %a#0, %a#1 : tensor<i32>, tensor<2xf32>, $t
  }
  return %r#1 : tensor<2xf32>
})");
  ASSERT_TRUE(program);
  runtime::Channels channels;
  std::vector<std::vector<float>> received(3, std::vector<float>(2));
  std::vector<std::thread> devices;
  for (int32_t device = 0; device < 3; ++device)
    devices.emplace_back([&, device] {
      runtime::RunOptions options;
      options.channels = &channels;
      options.replicaId = device;
      options.deviceOrdinal = device;
      std::vector<float> x{float(device), float(10 * device)};
      const void *arguments[] = {x.data()};
      void *results[] = {received[size_t(device)].data()};
      Status status = program->run(arguments, results, options);
      EXPECT_TRUE(status.ok()) << status.message();
    });
  for (std::thread &device : devices)
    device.join();
  EXPECT_THAT(received, ElementsAre(ElementsAre(2, 20), ElementsAre(0, 0), ElementsAre(1, 10)));
}

// Two programs, each written for its device, that know each other by channel only.
TEST(Messages, MatchByChannelBetweenPrograms) {
  auto ping = load(R"(
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %t = stablehlo.create_token : $t
  %s = "stablehlo.send"(%x, %t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>} : (tensor<3xf32>, $t) -> $t
  %a:2 = "stablehlo.recv"(%s) {channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>} : ($t) -> (tensor<3xf32>, $t)
  return %a#0 : tensor<3xf32>
})");
  auto pong = load(R"(
func.func @main() {
  %t = stablehlo.create_token : $t
  %a:2 = "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>} : ($t) -> (tensor<3xf32>, $t)
  %double = stablehlo.add %a#0, %a#0 : tensor<3xf32>
  %s = "stablehlo.send"(%double, %a#1) {channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>} : (tensor<3xf32>, $t) -> $t
  return
})");
  ASSERT_TRUE(ping && pong);
  runtime::Channels channels;
  runtime::RunOptions options;
  options.channels = &channels;
  std::thread other([&] { EXPECT_TRUE(pong->run({}, {}, options).ok()); });
  std::vector<float> x{1, 2, 3}, result(3);
  const void *arguments[] = {x.data()};
  void *results[] = {result.data()};
  Status status = ping->run(arguments, results, options);
  other.join();
  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_THAT(result, ElementsAre(2, 4, 6));
}

TEST(Messages, OfAnotherTypeAreAnError) {
  const char *program = R"(
func.func @main() -> tensor<2xi32> {
  %t = stablehlo.create_token : $t
  %x = stablehlo.constant dense<1.0> : tensor<3xf32>
  %s = "stablehlo.send"(%x, %t) {channel_handle = #stablehlo.channel_handle<handle = 6, type = 1>} : (tensor<3xf32>, $t) -> $t
  %a:2 = "stablehlo.recv"(%s) {channel_handle = #stablehlo.channel_handle<handle = 6, type = 1>} : ($t) -> (tensor<2xi32>, $t)
  return %a#0 : tensor<2xi32>
})";
  for (const Status &status : {tenon::testing::runCompiled(expand(program), true).status(),
                               tenon::testing::runInterpreted(expand(program)).status()}) {
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
    EXPECT_THAT(status.message(), HasSubstr("channel 6 holds f32[3] where i32[2] is expected"));
  }
}

} // namespace
