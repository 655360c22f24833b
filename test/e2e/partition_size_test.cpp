// The program of one device is of the same size for 8 and for 1024 of them, if its arrays are: after each stage the
// same ops, and as compiled code as many kernels. What it says of groups must not list devices.
#include "tenon/compiler/compiler.h"

#include <gtest/gtest.h>

#include <cctype>
#include <map>
#include <set>

namespace tenon {
namespace {

constexpr int64_t kDevices[] = {8, 64, 1024};

// With the number of the devices in place of $n, multiples of it in place of $8n, and lists of devices in place of
// $pairs and $groups.
std::string forDevices(std::string text, int64_t devices) {
  auto replaceAll = [&](const std::string &what, const std::string &with) {
    for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
      text.replace(at, what.size(), with);
  };
  // Stages of a pipeline are four devices apart, in four groups.
  std::string pairs, groups;
  int64_t stages = devices / 4;
  for (int64_t device = 0; device < devices; ++device)
    pairs += (device ? ", [" : "[") + std::to_string(device) + ", " + std::to_string((device + 4) % devices) + "]";
  for (int64_t group = 0; group < 4; ++group) {
    groups += group ? "], [" : "[";
    for (int64_t stage = 0; stage < stages; ++stage)
      groups += (stage ? ", " : "") + std::to_string(group + 4 * stage);
  }
  replaceAll("$pairs", pairs);
  replaceAll("$groups", groups + "]");
  replaceAll("$stages", std::to_string(stages));
  for (int64_t factor : {8, 16, 4096})
    replaceAll("$" + std::to_string(factor) + "n", std::to_string(factor * devices));
  replaceAll("$n", std::to_string(devices));
  return text;
}

// Without the numbers in it.
std::string withoutNumbers(std::string_view text) {
  std::string result;
  for (char character : text)
    if (!std::isdigit(static_cast<unsigned char>(character)))
      result += character;
    else if (result.empty() || result.back() != '#')
      result += '#';
  return result;
}

struct Compiled {
  std::map<std::string, std::string> stages;
  size_t kernels = 0, calls = 0;
};

Compiled compiledFor(const std::string &text, int64_t devices) {
  Compiled compiled;
  compiler::CompileOptions options;
  options.partition = options.mustPartition = true;
  options.dumpAfter = {"all"};
  options.dump = [&](std::string_view stage, std::string_view dumped) {
    static const std::set<std::string_view> kApart = {"import", "import-shardings", "expand-custom-calls", // lists
                                                      "plan", "llvm"}; // schedules for arrays of their sizes
    if (!kApart.contains(stage))
      compiled.stages[std::string(stage)] = withoutNumbers(dumped);
  };
  std::string source = "module attributes {mhlo.num_partitions = $n : i32} {\n" + text + "}\n";
  auto program = compiler::compile(forDevices(source, devices), options);
  EXPECT_TRUE(program.ok()) << program.status().message();
  if (program.ok()) {
    compiled.kernels = program->kernelCalls.size();
    compiled.calls = program->runtimeCalls.size();
  }
  return compiled;
}

void expectOneSize(const std::string &text) {
  Compiled first = compiledFor(text, kDevices[0]);
  EXPECT_TRUE(first.stages.contains("partition") && first.stages.contains("fuse"));
  for (int64_t devices : kDevices) {
    Compiled other = compiledFor(text, devices);
    EXPECT_EQ(other.kernels, first.kernels);
    EXPECT_EQ(other.calls, first.calls);
    for (const auto &[stage, dumped] : first.stages)
      ASSERT_EQ(other.stages[stage], dumped) << "after " << stage << " for " << devices << " devices";
  }
}

// A layer's step on a batch that is cut: `weights` says how those lie, of which there are `columns`.
std::string step(const std::string &mesh, const std::string &weights, int columns) {
  std::string x = "tensor<$4096nx16xf32>", w = "tensor<16x" + std::to_string(columns) + "xf32>",
              y = "tensor<$4096nx" + std::to_string(columns) + "xf32>",
              sharding = " {sdy.sharding = #sdy.sharding<@mesh, " + weights + ">}";
  return "sdy.mesh @mesh = <" + mesh + R"(>
    func.func @main(%x: )" +
         x + R"( {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}, %w: )" + w + sharding + ") -> (" + w +
         sharding +
         R"() {
      %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : ()" +
         x + ", " + w + ") -> " + y + R"(
      %1 = stablehlo.tanh %0 : )" +
         y + R"(
      %2 = stablehlo.dot_general %x, %1, contracting_dims = [0] x [0] : ()" +
         x + ", " + y + ") -> " + w + R"(
      %3 = stablehlo.subtract %w, %2 : )" +
         w + R"(
      return %3 : )" +
         w + "\n    }\n";
}

TEST(PartitionSize, OfDataParallelStepsDoesNotDependOnTheDevices) {
  expectOneSize(step(R"(["data"=$n])", "[{}, {}]", 64));
}

TEST(PartitionSize, OfTensorParallelStepsDoesNotDependOnTheDevices) {
  expectOneSize(step(R"(["data"=$stages, "model"=4])", R"([{}, {"model"}])", 64));
}

TEST(PartitionSize, OfFullyShardedStepsDoesNotDependOnTheDevices) {
  expectOneSize(step(R"(["data"=$n])", R"([{}, {"data"}])", 1024));
}

TEST(PartitionSize, OfHalosDoesNotDependOnTheDevices) {
  expectOneSize(R"(
    sdy.mesh @mesh = <["x"=$n]>
    func.func @main(%x: tensor<1x$8nx4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}, {}]>}, %w: tensor<3x4x4xf32>)
        -> tensor<1x$8nx4xf32> {
      %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x$8nx4xf32>, tensor<3x4x4xf32>) -> tensor<1x$8nx4xf32>
      %1 = stablehlo.reverse %0, dims = [1] : tensor<1x$8nx4xf32>
      return %1 : tensor<1x$8nx4xf32>
    }
)");
}

TEST(PartitionSize, OfRedistributionsDoesNotDependOnTheDevices) {
  expectOneSize(R"(
    sdy.mesh @mesh = <["x"=$stages, "y"=4]>
    func.func @main(%x: tensor<$16nx$16nxf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y"}, {}]>})
        -> (tensor<$16nx$16nxf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y", "x"}]>}) {
      %0 = sdy.sharding_constraint %x <@mesh, [{"y", "x"}, {}]> : tensor<$16nx$16nxf32>
      %1 = stablehlo.sine %0 : tensor<$16nx$16nxf32>
      return %1 : tensor<$16nx$16nxf32>
    }
)");
}

TEST(PartitionSize, OfPipelinesDoesNotDependOnTheDevices) {
  expectOneSize(R"(
    sdy.mesh @mesh = <["stage"=$stages, "data"=4]>
    func.func @main(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}) -> tensor<8x4xf32> {
      %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"data"}, {}]>] out_shardings=[<@mesh, [{"data"}, {}]>] manual_axes={"stage", "data"} (%a: tensor<2x4xf32>) {
        %zero = stablehlo.constant dense<0> : tensor<i32>
        %one = stablehlo.constant dense<1> : tensor<i32>
        %steps = stablehlo.constant dense<7> : tensor<i32>
        %1:2 = stablehlo.while(%i = %zero, %v = %a) : tensor<i32>, tensor<2x4xf32>
          cond {
            %2 = stablehlo.compare LT, %i, %steps : (tensor<i32>, tensor<i32>) -> tensor<i1>
            stablehlo.return %2 : tensor<i1>
          } do {
            %2 = stablehlo.add %i, %one : tensor<i32>
            %3 = stablehlo.tanh %v : tensor<2x4xf32>
            %4 = "stablehlo.collective_permute"(%3) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[$pairs]> : tensor<$nx2xi64>}> : (tensor<2x4xf32>) -> tensor<2x4xf32>
            stablehlo.return %2, %4 : tensor<i32>, tensor<2x4xf32>
          }
        %5 = "stablehlo.all_reduce"(%1#1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[$groups]> : tensor<4x$stagesxi64>, use_global_device_ids}> ({
        ^bb0(%c: tensor<f32>, %d: tensor<f32>):
          %6 = stablehlo.add %c, %d : tensor<f32>
          stablehlo.return %6 : tensor<f32>
        }) : (tensor<2x4xf32>) -> tensor<2x4xf32>
        sdy.return %5 : tensor<2x4xf32>
      } : (tensor<8x4xf32>) -> tensor<8x4xf32>
      return %0 : tensor<8x4xf32>
    }
)");
}

} // namespace
} // namespace tenon
