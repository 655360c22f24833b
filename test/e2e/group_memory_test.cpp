// What collectives give to all of a group, and devices of one OS process have in one memory while they read it.
#include "tenon/backend/grid.h"
#include "tenon/backend/registry.h"
#include "tenon/program/attributes.h"
#include "tenon/program/group_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tenon {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;
using Numbers = std::vector<int64_t>;

constexpr int64_t kPart = 8192, kWhole = 2 * kPart; // elements

// A function of %x, a part on each of two devices.
std::string functionOf(const std::string &body, const std::string &results = "tensor<8192xi32>") {
  return "func.func @main(%x: tensor<8192xi32>, %y: tensor<16384xi32>) -> (" + results + ") {\n" + body + "\n}";
}

std::string gather(const std::string &result, const std::string &part) {
  return "  " + result + R"( = "stablehlo.all_gather"()" + part +
         R"() {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>,
    channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids} : (tensor<8192xi32>) -> tensor<16384xi32>
)";
}

// %result, of both halves of %whole: 5 times the one and the other.
std::string halvesOf(const std::string &result, const std::string &whole) {
  const std::string half = " : (tensor<16384xi32>) -> tensor<8192xi32>\n", binary = " : tensor<8192xi32>\n";
  return "  " + result + "l = stablehlo.slice " + whole + " [0:8192]" + half + "  " + result + "h = stablehlo.slice " +
         whole + " [8192:16384]" + half + "  " + result + "5 = stablehlo.constant dense<5>" + binary + "  " + result +
         "m = stablehlo.multiply " + result + "l, " + result + "5" + binary + "  " + result + " = stablehlo.add " +
         result + "m, " + result + "h" + binary;
}

std::shared_ptr<backend::Executable> compile(const std::string &text, bool hasGroupMemory = true) {
  backend::CompileOptions options;
  options.numPartitions = 2;
  if (!hasGroupMemory)
    options.overrides.emplace_back("group_memory", false);
  auto executable = (*backend::backendOf("cpu"))->compile(text, options);
  EXPECT_TRUE(executable.ok()) << executable.status().message() << text;
  return *executable;
}

// The places in the group's memory, by call.
std::vector<Numbers> placesIn(const backend::Executable &executable) {
  std::vector<Numbers> places;
  for (const program::RuntimeCall &call : executable.program().runtimeCalls) {
    auto numbers = program::integerArrayAttribute(call.attributes, program::kGroupMemory);
    places.push_back(numbers.ok() ? *numbers : Numbers());
  }
  return places;
}
std::vector<Numbers> placesIn(const std::string &text) { return placesIn(*compile(text)); }

// Runs the program on both devices, on numbers of their own.
struct Outcome {
  std::vector<uint32_t> parts[2], results[2];
};
Outcome run(backend::Executable &executable) {
  Outcome outcome;
  std::vector<uint32_t> unused(kWhole);
  std::vector<const void *> arguments[2];
  std::vector<void *> results[2];
  std::vector<backend::GridProcess> processes;
  for (size_t device = 0; device < 2; ++device) {
    for (int64_t i = 0; i < kPart; ++i)
      outcome.parts[device].push_back(static_cast<uint32_t>(i * 7 + 3 + static_cast<int64_t>(device) * 1000003));
    outcome.results[device].resize(kPart);
    arguments[device] = {outcome.parts[device].data(), unused.data()};
    results[device] = {outcome.results[device].data()};
    processes.push_back({.executable = &executable, .arguments = arguments[device], .results = results[device]});
  }
  Status status = backend::executeGrid(1, 2, processes);
  EXPECT_TRUE(status.ok()) << status.message();
  return outcome;
}

TEST(GroupMemory, HasWhatOnlyKernelsRead) {
  EXPECT_THAT(placesIn(functionOf(gather("%g", "%x") + halvesOf("%r", "%g") + "  return %r : tensor<8192xi32>")),
              ElementsAre(Numbers{0, 0}));
  EXPECT_THAT(placesIn(functionOf(R"(
  %s = "stablehlo.all_reduce"(%y) ({
  ^bb0(%l: tensor<i32>, %h: tensor<i32>):
    %sum = stablehlo.add %l, %h : tensor<i32>
    stablehlo.return %sum : tensor<i32>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>,
    channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids} : (tensor<16384xi32>) -> tensor<16384xi32>
)" + halvesOf("%r", "%s") + "  return %r : tensor<8192xi32>")),
              ElementsAre(Numbers{0, 0}));
}

// Each is written as soon as a device comes: while others may still read the one before, but not that before it.
const std::string kChain = gather("%g", "%x") + halvesOf("%r", "%g") + gather("%f", "%r") + halvesOf("%q", "%f") +
                           gather("%e", "%q") + halvesOf("%p", "%e") + gather("%d", "%p") + halvesOf("%o", "%d");

TEST(GroupMemory, HasArraysOneAfterTheOther) {
  auto executable = compile(functionOf(kChain + "  return %o : tensor<8192xi32>"));
  EXPECT_THAT(placesIn(*executable),
              ElementsAre(Numbers{0, 0}, Numbers{1, kWhole * 4}, Numbers{2, 0}, Numbers{3, kWhole * 4}));
  for (const program::RuntimeCall &call : executable->program().runtimeCalls)
    EXPECT_TRUE(program::findAttribute(call.attributes, program::kWritesEarly));
}

// What is returned is the caller's; what is small is copied faster than shared; what a loop carries is overwritten.
TEST(GroupMemory, HasNothingThatIsReturnedOrSmallOrCarried) {
  EXPECT_THAT(placesIn(functionOf(gather("%g", "%x") + "  return %g : tensor<16384xi32>", "tensor<16384xi32>")),
              Each(IsEmpty()));
  EXPECT_THAT(placesIn(functionOf(R"(
  %z = stablehlo.slice %x [0:64] : (tensor<8192xi32>) -> tensor<64xi32>
  %g = "stablehlo.all_gather"(%z) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>,
    channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids} : (tensor<64xi32>) -> tensor<128xi32>
  %s = stablehlo.add %g, %g : tensor<128xi32>
  return %s : tensor<128xi32>)",
                                  "tensor<128xi32>")),
              Each(IsEmpty()));
  EXPECT_THAT(placesIn(functionOf(gather("%g", "%x") + R"(
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %n = stablehlo.slice %x [0:1] : (tensor<8192xi32>) -> tensor<1xi32>
  %turns = stablehlo.reshape %n : (tensor<1xi32>) -> tensor<i32>
  %w:2 = stablehlo.while(%i = %zero, %c = %g) : tensor<i32>, tensor<16384xi32>
   cond {
    %goes = stablehlo.compare LT, %i, %turns : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %goes : tensor<i1>
  } do {
    %next = stablehlo.add %i, %one : tensor<i32>
    %d = stablehlo.add %c, %y : tensor<16384xi32>
    stablehlo.return %next, %d : tensor<i32>, tensor<16384xi32>
  }
  return %w#1 : tensor<16384xi32>)",
                                  "tensor<16384xi32>")),
              Each(IsEmpty()));
}

// A device that is alone in its OS process has one plan for all its arrays, so that they share memory.
TEST(GroupMemory, IsLeftOutWhereDevicesAreApart) {
  const std::string text = functionOf(kChain + "  return %o : tensor<8192xi32>");
  auto apart = compile(text, /*hasGroupMemory=*/false), together = compile(text);
  EXPECT_THAT(placesIn(*apart), Each(IsEmpty()));
  EXPECT_LT(program::temporaryBytes(apart->program()), program::temporaryBytes(together->program()));
  EXPECT_EQ(run(*apart).results[1], run(*together).results[1]);
}

TEST(GroupMemory, IsWrittenEarlyOnlyWhereNobodyReads) {
  auto executable = compile(functionOf(kChain + "  return %o : tensor<8192xi32>"));
  for (int round = 0; round < 50; ++round) {
    Outcome outcome = run(*executable);
    for (int64_t i = 0; i < kPart; ++i) {
      uint32_t r = 5 * outcome.parts[0][i] + outcome.parts[1][i];
      for (int turn = 0; turn < 3; ++turn) // both devices have the same by now
        r *= 6;
      ASSERT_EQ(outcome.results[0][i], r) << i;
      ASSERT_EQ(outcome.results[1][i], r) << i;
    }
  }
}

// Two arrays on the same bytes, again and again, by devices that go on as soon as they may.
TEST(GroupMemory, IsNotOverwrittenWhileOthersRead) {
  constexpr int kTurns = 200;
  auto executable = compile(functionOf(R"(
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %turns = stablehlo.constant dense<200> : tensor<i32>
  %w:2 = stablehlo.while(%i = %zero, %c = %x) : tensor<i32>, tensor<8192xi32>
   cond {
    %goes = stablehlo.compare LT, %i, %turns : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %goes : tensor<i1>
  } do {
)" + gather("%g", "%c") + halvesOf("%r", "%g") +
                                       "  %d = stablehlo.add %r, %c : tensor<8192xi32>\n" + gather("%f", "%d") +
                                       halvesOf("%q", "%f") + R"(
    %e = stablehlo.subtract %q, %c : tensor<8192xi32>
    %next = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %next, %e : tensor<i32>, tensor<8192xi32>
  }
  return %w#1 : tensor<8192xi32>)"));
  EXPECT_THAT(placesIn(*executable), ElementsAre(Numbers{0, 0}, Numbers{1, 0}));
  for (const program::RuntimeCall &call : executable->program().runtimeCalls)
    EXPECT_FALSE(program::findAttribute(call.attributes, program::kWritesEarly));

  Outcome outcome = run(*executable);
  for (int64_t i = 0; i < kPart; ++i) {
    uint32_t a = outcome.parts[0][i], b = outcome.parts[1][i];
    for (int turn = 0; turn < kTurns; ++turn) {
      uint32_t r = 5 * a + b, q = 5 * (r + a) + (r + b);
      a = q - a;
      b = q - b;
    }
    ASSERT_EQ(outcome.results[0][i], a) << i;
    ASSERT_EQ(outcome.results[1][i], b) << i;
  }
}

} // namespace
} // namespace tenon
