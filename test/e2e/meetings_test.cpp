// Collectives of devices of one OS process that meet once for several of them.
#include "tenon/backend/grid.h"
#include "tenon/backend/registry.h"
#include "tenon/program/attributes.h"
#include "tenon/program/meetings.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tenon {
namespace {

constexpr int64_t kSize = 256; // elements of a device

std::string groupsOf(int64_t devices) {
  std::string ids;
  for (int64_t i = 0; i < devices; ++i)
    ids += (i ? ", " : "") + std::to_string(i);
  return "replica_groups = dense<[[" + ids + "]]> : tensor<1x" + std::to_string(devices) +
         "xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>";
}

// What each device shows in a sum, an exchange and a gather is overwritten by what it computes from them; then all of
// that is gathered, and begins anew, `rounds` times. Nobody reads a maximum that is asked for first; a sorted array is
// made before they meet, and read after it.
std::string program(int64_t devices, int rounds) {
  const std::string part = "tensor<" + std::to_string(kSize) + "xi32>",
                    whole = "tensor<" + std::to_string(kSize * devices) + "xi32>",
                    groups = groupsOf(devices) + ", use_global_device_ids}";
  std::string body, x = "%x";
  for (int round = 0; round < rounds; ++round) {
    std::string r = std::to_string(round);
    auto name = [&](const char *text) { return "%" + (text + r); };
    body += "  " + name("v") + " = stablehlo.slice " + x + " [0:8] : (" + part + ") -> tensor<8xi32>\n";
    body += "  " + name("u") + " = \"stablehlo.all_reduce\"(" + name("v") + R"() ({
    ^bb0(%l: tensor<i32>, %h: tensor<i32>):
      %most = stablehlo.maximum %l, %h : tensor<i32>
      stablehlo.return %most : tensor<i32>
    }) {)" + groups +
            " : (tensor<8xi32>) -> tensor<8xi32>\n";
    body += "  " + name("a") + " = stablehlo.multiply " + x + ", " + x + " : " + part + "\n";
    body += "  " + name("s") + " = \"stablehlo.all_reduce\"(" + name("a") + R"() ({
    ^bb0(%l: tensor<i32>, %h: tensor<i32>):
      %sum = stablehlo.add %l, %h : tensor<i32>
      stablehlo.return %sum : tensor<i32>
    }) {)" + groups +
            " : (" + part + ") -> " + part + "\n";
    body += "  " + name("w") + " = \"stablehlo.sort\"(" + x + R"() ({
    ^bb0(%l: tensor<i32>, %h: tensor<i32>):
      %less = stablehlo.compare LT, %l, %h : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %less : tensor<i1>
    }) {dimension = 0 : i64} : ()" +
            part + ") -> " + part + "\n";
    body += "  " + name("b") + " = stablehlo.negate " + x + " : " + part + "\n";
    body += "  " + name("e") + " = \"stablehlo.all_to_all\"(" + name("b") +
            ") {split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = " + std::to_string(devices) +
            " : i64, " + groupsOf(devices) + "} : (" + part + ") -> " + part + "\n";
    body += "  " + name("g") + " = \"stablehlo.all_gather\"(" + x + ") {all_gather_dim = 0 : i64, " + groups + " : (" +
            part + ") -> " + whole + "\n";
    body += "  " + name("h") + " = stablehlo.slice " + name("g") + " [" + std::to_string(kSize / 2) + ":" +
            std::to_string(kSize / 2 * 3) + "] : (" + whole + ") -> " + part + "\n";
    body += "  " + name("t") + " = stablehlo.subtract " + name("s") + ", " + name("e") + " : " + part + "\n";
    body += "  " + name("z") + " = stablehlo.add " + name("t") + ", " + name("h") + " : " + part + "\n";
    body += "  " + name("y") + " = stablehlo.add " + name("z") + ", " + name("w") + " : " + part + "\n";
    x = name("y");
  }
  return "func.func @main(%x: " + part + ") -> " + part + " {\n" + body + "  return " + x + " : " + part + "\n}";
}

std::vector<std::vector<uint32_t>> expected(std::vector<std::vector<uint32_t>> x, int rounds) {
  const size_t devices = x.size(), piece = kSize / devices;
  for (int round = 0; round < rounds; ++round) {
    std::vector<std::vector<uint32_t>> y(devices, std::vector<uint32_t>(kSize));
    for (size_t device = 0; device < devices; ++device) {
      std::vector<int32_t> sorted(x[device].begin(), x[device].end());
      std::ranges::sort(sorted);
      for (size_t i = 0; i < kSize; ++i) {
        uint32_t sum = 0;
        for (const std::vector<uint32_t> &other : x)
          sum += other[i] * other[i];
        uint32_t exchanged = -x[i / piece][device * piece + i % piece];
        size_t gathered = i + kSize / 2;
        y[device][i] = sum - exchanged + x[gathered / kSize][gathered % kSize] + static_cast<uint32_t>(sorted[i]);
      }
    }
    x = y;
  }
  return x;
}

std::shared_ptr<backend::Executable> compile(const std::string &text, int64_t devices, bool meetsOnce) {
  backend::CompileOptions options;
  options.numPartitions = static_cast<int32_t>(devices);
  if (!meetsOnce)
    options.overrides.emplace_back("group_memory", false);
  auto executable = (*backend::backendOf("cpu"))->compile(text, options);
  EXPECT_TRUE(executable.ok()) << executable.status().message() << text;
  return *executable;
}

int64_t countOf(const backend::Executable &executable, std::string_view attribute) {
  return std::ranges::count_if(executable.program().runtimeCalls, [&](const program::RuntimeCall &call) {
    return program::findAttribute(call.attributes, attribute) != nullptr;
  });
}

std::vector<std::vector<uint32_t>> run(backend::Executable &executable, std::vector<std::vector<uint32_t>> x) {
  const size_t devices = x.size();
  std::vector<std::vector<uint32_t>> results(devices, std::vector<uint32_t>(kSize));
  std::vector<const void *> arguments;
  std::vector<void *> pointers;
  for (size_t device = 0; device < devices; ++device) {
    arguments.push_back(x[device].data());
    pointers.push_back(results[device].data());
  }
  std::vector<backend::GridProcess> processes;
  for (size_t device = 0; device < devices; ++device)
    processes.push_back({.executable = &executable,
                         .arguments = std::span(arguments).subspan(device, 1),
                         .results = std::span(pointers).subspan(device, 1)});
  Status status = backend::executeGrid(1, static_cast<int32_t>(devices), processes);
  EXPECT_TRUE(status.ok()) << status.message();
  return results;
}

class Meetings : public testing::TestWithParam<int64_t> {};

TEST_P(Meetings, AreOneForCollectivesThatFollowEachOther) {
  const int64_t devices = GetParam();
  constexpr int kRounds = 12;
  const std::string text = program(devices, kRounds);
  auto together = compile(text, devices, true), apart = compile(text, devices, false);
  EXPECT_EQ(countOf(*together, program::kMeetsWithNext), 3 * kRounds);
  EXPECT_EQ(countOf(*together, program::kOperandsStay), kRounds - 1);
  EXPECT_EQ(countOf(*apart, program::kMeetsWithNext), 0);
  EXPECT_EQ(countOf(*apart, program::kOperandsStay), 0);
  std::vector<std::vector<uint32_t>> x(static_cast<size_t>(devices));
  for (size_t device = 0; device < x.size(); ++device)
    for (size_t i = 0; i < kSize; ++i)
      x[device].push_back(static_cast<uint32_t>(i * 2654435761U + device * 40503U));
  const auto right = expected(x, kRounds);
  EXPECT_EQ(run(*apart, x), right);
  for (int round = 0; round < 30; ++round)
    ASSERT_EQ(run(*together, x), right);
}

INSTANTIATE_TEST_SUITE_P(Devices, Meetings, testing::Values(2, 4, 8));

} // namespace
} // namespace tenon
