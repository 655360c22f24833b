// Collectives that go on while the program computes. OS processes are threads here, and a transport between them holds
// messages back until later computation has run: if a collective were waited for before that, nobody would go on.
#include "tenon/backend/registry.h"
#include "tenon/runtime/collectives/test/spread_grid_testing.h"
#include "tenon/runtime/core/thread_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstring>
#include <mutex>

namespace tenon {
namespace {

using runtime::RunOptions;
using runtime::Spread;
using runtime::SpreadGrid;
using testing::Each;
using testing::HasSubstr;

constexpr int64_t kElements = 8192;
using Numbers = std::vector<float>;

// What the programs' call of "test.compute" does: it adds one, and says that it has.
class Computing {
public:
  void happen() {
    std::lock_guard lock(mutex_);
    ++count_;
    changed_.notify_all();
  }
  // False where it takes so long that somebody must be waiting for the caller.
  bool await(int count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(20), [&] { return count_ >= count; });
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int count_ = 0;
};

Computing *computing = nullptr;

void registerCompute() {
  runtime::registerCustomCall("test.compute", [](const program::RuntimeCall &) {
    return StatusOr<std::unique_ptr<runtime::RuntimeCallInstance>>(
        runtime::makeRuntimeCall([](const runtime::CallBuffers &call) -> Status {
          const auto *from = static_cast<const float *>(call.operands[0]);
          for (int64_t i = 0; i < kElements; ++i)
            static_cast<float *>(call.results[0])[i] = from[i] + 1;
          if (computing)
            computing->happen();
          return {};
        }));
  });
}

const std::string kSum = R"({replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>,
    channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids} )";
const std::string kAdd = R"(({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %sum = stablehlo.add %l, %r : tensor<f32>
    stablehlo.return %sum : tensor<f32>
  }) )";
const std::string kType = "tensor<8192xf32>";

// A sum of an array and a number, and a sum of what is made of it, beside a computation.
const std::string kStep =
    "func.func @main(%x: " + kType + ", %y: " + kType + ", %n: tensor<f32>) -> (" + kType +
    ", tensor<f32>) {\n  %s:2 = \"stablehlo.all_reduce\"(%x, %n) " + kAdd + kSum + ": (" + kType +
    ", tensor<f32>) -> (" + kType + ", tensor<f32>)\n  %c = stablehlo.custom_call @test.compute(%y) : (" + kType +
    ") -> " + kType + "\n  %d = stablehlo.multiply %c, %s#0 : " + kType + "\n  %t = \"stablehlo.all_reduce\"(%d) " +
    kAdd + kSum + ": (" + kType + ") -> " + kType + "\n  %e = stablehlo.custom_call @test.compute(%c) : (" + kType +
    ") -> " + kType + "\n  %f = stablehlo.add %e, %t : " + kType +
    "\n  %two = stablehlo.add %s#1, %s#1 : tensor<f32>\n" + "  return %f, %two : " + kType + ", tensor<f32>\n}";

// The same in each turn of a loop, whose number is carried in a register.
const std::string kLoop =
    "func.func @main(%x: " + kType + ", %y: " + kType + ", %n: tensor<f32>) -> (" + kType +
    ", tensor<f32>) {\n"
    "  %limit = stablehlo.constant dense<3> : tensor<i32>\n  %one = stablehlo.constant dense<1> : tensor<i32>\n"
    "  %zero = stablehlo.constant dense<0> : tensor<i32>\n"
    "  %r:3 = stablehlo.while(%i = %zero, %v = %x, %m = %n) : tensor<i32>, " +
    kType +
    ", tensor<f32> cond {\n"
    "    %p = stablehlo.compare LT, %i, %limit : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
    "    stablehlo.return %p : tensor<i1>\n  } do {\n    %s:2 = \"stablehlo.all_reduce\"(%v, %m) " +
    kAdd + kSum + ": (" + kType + ", tensor<f32>) -> (" + kType +
    ", tensor<f32>)\n    %c = stablehlo.custom_call @test.compute(%v) : (" + kType + ") -> " + kType +
    "\n    %d = stablehlo.divide %s#0, %c : " + kType +
    "\n    %next = stablehlo.add %i, %one : tensor<i32>\n    %half = stablehlo.multiply %s#1, %s#1 : tensor<f32>\n"
    "    stablehlo.return %next, %d, %half : tensor<i32>, " +
    kType +
    ", tensor<f32>\n  }\n"
    "  return %r#1, %r#2 : " +
    kType + ", tensor<f32>\n}";

struct Compiled {
  std::shared_ptr<backend::Executable> executable;
  int64_t awaits = 0;
};

Compiled compile(const std::string &text, bool overlaps) {
  registerCompute();
  backend::CompileOptions options;
  options.numPartitions = 2;
  options.overrides.emplace_back("overlap", overlaps);
  auto executable = (*backend::backendOf("cpu"))->compile(text, options);
  EXPECT_TRUE(executable.ok()) << executable.status().message();
  Compiled compiled{*executable, 0};
  for (const program::RuntimeCall &call : compiled.executable->program().runtimeCalls)
    compiled.awaits += call.target == "await";
  return compiled;
}

struct Results {
  std::vector<std::string> messages;
  std::vector<Numbers> arrays; // of each process, both results
};

Results run(SpreadGrid &grid, const backend::Executable &executable, const RunOptions &given = {}) {
  Results results;
  results.arrays.resize(2, Numbers(kElements + 1));
  auto outcomes = grid.run([&](const RunOptions &place) -> Status {
    RunOptions options = place;
    options.wait = given.wait;
    auto number = static_cast<float>(options.partitionId);
    Numbers x(kElements), y(kElements);
    for (size_t i = 0; i < x.size(); ++i) {
      x[i] = std::sin(static_cast<float>(i) + number) * 100;
      y[i] = std::cos(static_cast<float>(i) * (number + 1));
    }
    x[7] = -0.0F;
    x[8] = INFINITY;
    const void *arguments[] = {x.data(), y.data(), &number};
    Numbers &own = results.arrays[static_cast<size_t>(options.partitionId)];
    void *pointers[] = {own.data(), own.data() + kElements};
    return executable.execute(arguments, pointers, options);
  });
  results.messages = runtime::messagesOf(outcomes);
  return results;
}

bool haveSameBits(const std::vector<Numbers> &a, const std::vector<Numbers> &b) {
  for (size_t i = 0; i < a.size(); ++i)
    if (std::memcmp(a[i].data(), b[i].data(), a[i].size() * sizeof(float)) != 0)
      return false;
  return true;
}

TEST(CollectivesThatGoOn, DoNotHoldUpWhatIsComputedMeanwhile) {
  for (const std::string &text : {kStep, kLoop}) {
    Compiled apart = compile(text, false), together = compile(text, true);
    EXPECT_EQ(apart.awaits, 0);
    EXPECT_EQ(together.awaits, text == kStep ? 2 : 1);
    SpreadGrid first({0, 1});
    Results expected = run(first, *apart.executable);
    EXPECT_THAT(expected.messages, Each(""));
    // The n-th message leaves a process when both have computed n times.
    SpreadGrid grid({0, 1});
    Computing computes;
    computing = &computes;
    std::atomic<bool> hasOverlapped = true;
    std::array<std::atomic<int>, 2> sent{};
    grid.onPost = [&](runtime::Peer peer) {
      if (!computes.await(2 * ++sent[static_cast<size_t>(peer)]))
        hasOverlapped = false;
    };
    Results results = run(grid, *together.executable);
    computing = nullptr;
    EXPECT_THAT(results.messages, Each(""));
    EXPECT_TRUE(hasOverlapped) << "a collective was waited for before what does not need it";
    EXPECT_TRUE(haveSameBits(results.arrays, expected.arrays));
    for (const Spread &spread : {Spread{0, 0}, Spread{0, 1}}) {
      SpreadGrid again(spread);
      EXPECT_TRUE(haveSameBits(run(again, *together.executable).arrays, expected.arrays));
    }
  }
}

TEST(CollectivesThatGoOn, AreEndedWithTheRun) {
  Compiled program = compile(kStep, true);
  SpreadGrid grid({0, 1});
  std::stop_source stop;
  grid.onPost = [&](runtime::Peer) { stop.request_stop(); };
  RunOptions options;
  options.wait.stop = stop.get_token();
  EXPECT_THAT(run(grid, *program.executable, options).messages, Each(testing::Not("")));
}

TEST(CollectivesThatGoOn, TakeTheirErrorToWhoWaits) {
  Compiled program = compile(kStep, true), other = compile(kLoop, true);
  SpreadGrid grid({0, 1}, {" of program 'a'", " of program 'b'"});
  EXPECT_THAT(run(grid, *program.executable).messages,
              Each(AllOf(HasSubstr("'a'"), HasSubstr("'b'"), HasSubstr("all_reduce"))));
}

} // namespace
} // namespace tenon
