// Runs that are started and not waited for, on the GPU that the host plays: its stream does its work when somebody
// waits.

#include "test/e2e/emulated_gpu_testing.h"

#include "tenon/runtime/cuda/run_in_flight.h"
#include "test/e2e/program_texts.h"

#include <gmock/gmock.h>

using namespace tenon;
using namespace tenon::testing;

namespace {

constexpr const char *kProgram = R"(func.func @main(%a: tensor<8xi32>) -> tensor<8xi32> {
  %0 = stablehlo.add %a, %a : tensor<8xi32>
  %1 = stablehlo.reverse %0, dims = [0] : tensor<8xi32>
  return %1 : tensor<8xi32> })";
constexpr size_t kCount = 8, kBytes = kCount * sizeof(int32_t);
constexpr int32_t kUnwritten = -1; // what the emulation's memory begins as

class EmulatedRuns : public EmulatedGpu {
protected:
  void SetUp() override {
    EmulatedGpu::SetUp();
    executable = load(kProgram, program);
    ASSERT_TRUE(executable) << failure;
  }
  void TearDown() override {
    executable.reset();
    for (DeviceAddress memory : memories)
      check(d.memFree(memory));
    EmulatedGpu::TearDown();
  }

  struct Started {
    std::shared_ptr<runtime::DeviceWork> work;
    const int32_t *result = nullptr; // which the host can see, here
  };

  Started start(int32_t first) {
    std::vector<int32_t> numbers(kCount, first);
    DeviceAddress argument = allocate(kBytes, numbers.data()), result = allocate(kBytes);
    check(d.streamSynchronize(stream)); // the numbers are the host's; runs that are in the stream end, too
    return startOn(argument, result);
  }
  Started startOn(DeviceAddress argument, DeviceAddress result) {
    memories.insert(memories.end(), {argument, result});
    const DeviceAddress arguments[] = {argument}, results[] = {result};
    auto work = executable->start({arguments, results, {}});
    EXPECT_TRUE(work.ok()) << work.status().message();
    return {work.ok() ? *work : nullptr, reinterpret_cast<const int32_t *>(result)};
  }

  program::Program program;
  std::unique_ptr<DeviceExecutable> executable;
  std::vector<DeviceAddress> memories;
};

// Each is done when it is waited for, and not before; one takes another's result. The memory of two is made first, for
// which the host waits.
TEST_F(EmulatedRuns, GoOnWithoutWaiting) {
  for (const Started &run : {start(1), start(2)})
    EXPECT_TRUE(run.work->wait().ok());
  Started first = start(3);
  ASSERT_TRUE(first.work);
  DeviceAddress result = allocate(kBytes);
  Started second = startOn(memories.back(), result);
  ASSERT_TRUE(second.work);
  memories.erase(memories.end() - 2); // it is the first one's result
  EXPECT_EQ(*first.result, kUnwritten);
  EXPECT_TRUE(first.work->wait().ok());
  EXPECT_EQ(*first.result, 6);
  EXPECT_EQ(*second.result, kUnwritten);
  EXPECT_TRUE(second.work->wait().ok());
  EXPECT_TRUE(second.work->wait().ok()) << "more than once";
  EXPECT_EQ(*second.result, 12);
}

TEST_F(EmulatedRuns, AreTwoAtATime) {
  std::vector<int32_t> numbers(kCount, 5);
  DeviceAddress argument = allocate(kBytes, numbers.data());
  check(d.streamSynchronize(stream));
  std::vector<Started> started;
  for (int i = 0; i < 3; ++i)
    started.push_back(startOn(argument, allocate(kBytes)));
  EXPECT_EQ(*started[0].result, 10) << "it has made room for the third";
  EXPECT_EQ(*started[1].result, kUnwritten);
  for (const Started &run : started) {
    EXPECT_TRUE(run.work->wait().ok());
    EXPECT_EQ(*run.result, 10);
  }
  std::erase(memories, argument);
  memories.push_back(argument);
}

// The node that binds arrays has them already: only others change it, and the run works on those.
TEST_F(EmulatedRuns, ChangeNoNodeOnTheSameArrays) {
  std::vector<int32_t> numbers(kCount, 5);
  DeviceAddress argument = allocate(kBytes, numbers.data()), result = allocate(kBytes), other = allocate(kBytes);
  check(d.streamSynchronize(stream));
  auto changes = [&](DeviceAddress to) {
    const DeviceAddress arguments[] = {argument}, results[] = {to};
    const auto before = runtime::emulator::graphCounts().nodeUpdates;
    check(d.memsetD8Async(to, 0, kBytes, stream));
    Status status = executable->run({arguments, results, {}});
    EXPECT_TRUE(status.ok()) << status.message();
    EXPECT_EQ(*reinterpret_cast<const int32_t *>(to), 10);
    return runtime::emulator::graphCounts().nodeUpdates - before;
  };
  EXPECT_EQ(changes(result), 1);
  EXPECT_EQ(changes(result), 0);
  EXPECT_EQ(changes(other), 1);
  EXPECT_EQ(changes(result), 1);
  memories = {argument, result, other};
}

TEST_F(EmulatedRuns, MayBeForgotten) {
  Started run = start(4);
  run.work.reset();
  executable.reset(); // which waits
  EXPECT_EQ(*run.result, 8);
}

// As one kernel and as nodes; as a loop that is endless, and one of loops that are not: what they have seen, those
// around them see, too.
TEST_F(EmulatedRuns, EndAtTheirDeadline) {
  const std::string nested = R"(func.func @main(%a: tensor<i32>) -> tensor<i32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %0 = stablehlo.while(%i = %a) : tensor<i32>
      cond {
        %c = stablehlo.compare GE, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
      } do {
        %1 = stablehlo.while(%j = %i) : tensor<i32>
          cond {
            %c = stablehlo.compare GT, %j, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
            stablehlo.return %c : tensor<i1>
          } do {
            %k = stablehlo.subtract %j, %one : tensor<i32>
            stablehlo.return %k : tensor<i32>
          }
        %2 = stablehlo.add %1, %one : tensor<i32>
        stablehlo.return %2 : tensor<i32>
      }
    return %0 : tensor<i32> })";
  for (const std::string &source : {std::string(kEndless), nested})
    for (bool isKernel : {true, false}) {
      codegen::GpuTargetOptions form;
      form.loops = isKernel ? "" : "nodes";
      program::Program endless;
      auto loop = load(source, endless, form);
      ASSERT_TRUE(loop) << failure;
      int32_t begin = 1;
      const DeviceAddress arguments[] = {allocate(sizeof(begin), &begin)}, results[] = {allocate(sizeof(begin))};
      memories.insert(memories.end(), {arguments[0], results[0]});
      check(d.streamSynchronize(stream));
      runtime::RunOptions options;
      StatusOr<std::shared_ptr<runtime::DeviceWork>> work = Status(StatusCode::kDeadlineExceeded, "");
      // On a busy machine the time is over before the run has begun.
      for (int time = 20; work.status().code() == StatusCode::kDeadlineExceeded && time < 20'000; time *= 2) {
        options.wait.deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(time);
        work = loop->start({arguments, results, options});
      }
      ASSERT_TRUE(work.ok()) << work.status().message();
      EXPECT_EQ((*work)->wait().code(), StatusCode::kDeadlineExceeded);
      EXPECT_EQ((*work)->wait().code(), StatusCode::kDeadlineExceeded);
    }
}

} // namespace
