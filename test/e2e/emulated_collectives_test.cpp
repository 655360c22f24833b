// Reductions over several GPUs that the host plays: the bits of as many devices of the CPU.
#include "tenon/runtime/collectives/grid_run.h"
#include "tenon/runtime/core/device.h"
#include "tenon/runtime/emulator/driver.h"
#include "test/e2e/grid_testing.h"

#include <cstdlib>
#include <cstring>
#include <random>
#include <tuple>

namespace tenon {
namespace {

constexpr int kDevices = 40;

// Before anybody asks for the GPUs.
const int kChosen = setenv("TENON_GPU", ("emulated:" + std::to_string(kDevices)).c_str(), 1);

using Bytes = std::vector<char>;

// Random ones, and those of infinities, NaNs, subnormals and extreme integers.
Bytes someBytes(size_t size, uint32_t seed) {
  constexpr unsigned char kEdges[] = {0x00, 0x00, 0xff, 0x7f, 0x80, 0x01};
  std::mt19937 random(seed);
  Bytes bytes(size);
  for (char &byte : bytes) {
    uint32_t choice = random() % 12;
    byte = static_cast<char>(choice < std::size(kEdges) ? kEdges[choice] : random());
  }
  return bytes;
}

// All results of each process, for arguments of its own.
std::vector<std::vector<Bytes>> bytesOn(const std::string &target, GridShape shape, const std::string &source) {
  Grid grid(target, shape, {source});
  if (!grid.status.ok())
    return ADD_FAILURE() << target << ": " << grid.status.message() << "\n"
                         << source,
           std::vector<std::vector<Bytes>>();
  const program::Program &program = grid.executables[0]->program();
  std::vector<std::vector<Bytes>> arguments, results;
  std::vector<std::vector<const void *>> from;
  std::vector<std::vector<void *>> to;
  for (int64_t process = 0; process < shape.size(); ++process) {
    arguments.emplace_back(), results.emplace_back(), from.emplace_back(), to.emplace_back();
    for (const program::Argument &argument : program.arguments) {
      auto seed = static_cast<uint32_t>(process * 100 + from.back().size());
      arguments.back().push_back(someBytes(size_t(argument.shape.byteSize()), seed));
      from.back().push_back(arguments.back().back().data());
    }
    for (const program::Result &result : program.results) {
      results.back().emplace_back(size_t(result.shape.byteSize()));
      to.back().push_back(results.back().back().data());
    }
  }
  std::vector<backend::GridProcess> processes;
  for (int64_t process = 0; process < shape.size(); ++process)
    processes.push_back({grid.executables[0].get(), from[process], to[process]});
  Status status = backend::executeGrid(shape.replicas, shape.partitions, processes);
  EXPECT_TRUE(status.ok()) << target << ": " << status.message() << "\n" << source;
  return results;
}

void expectBitsOfCpu(GridShape shape, const std::string &source) {
  EXPECT_EQ(bytesOn("emulated", shape, source), bytesOn("cpu", shape, source)) << source;
}

std::string joined(const std::vector<std::string> &words) {
  std::string text;
  for (const std::string &word : words)
    text += (text.empty() ? "" : ", ") + word;
  return text;
}

// A collective that reduces: `(%a, %b) => %r` is its computation.
std::string reduction(const std::string &op, const std::vector<std::string> &operands,
                      const std::vector<std::string> &types, const std::vector<std::string> &resultTypes,
                      const std::string &element, const std::string &computation, const std::string &attributes) {
  return "\"stablehlo." + op + "\"(" + joined(operands) + ") ({\n  ^bb0(%a: tensor<" + element + ">, %b: tensor<" +
         element + ">):\n    " + computation + "\n    stablehlo.return %r : tensor<" + element + ">\n  }) {" +
         attributes + "} : (" + joined(types) + ") -> (" + joined(resultTypes) + ")\n";
}

std::string elementwise(const std::string &op, const std::string &element) {
  return "%r = stablehlo." + op + " %a, %b : tensor<" + element + ">";
}

//===- Types -----------------------------------------------------------------------------------------------------===//

struct ElementCase {
  std::string element, source; // what it is made of: as many bits, or a wider type that is converted
  bool isFloat = false;
};

const ElementCase kElements[] = {{"i1", "i8"},          {"i4", "i8"},           {"ui2", "ui8"},
                                 {"i8", "i8"},          {"ui16", "ui16"},       {"i32", "i32"},
                                 {"ui64", "ui64"},      {"f8E5M2", "i8", true}, {"f8E4M3FN", "i8", true},
                                 {"bf16", "i16", true}, {"f16", "i16", true},   {"f32", "i32", true},
                                 {"f64", "i64", true}};

// Every reduction of one type over three processes, of which one result each says where it is NaN.
std::string programOf(const ElementCase &element) {
  std::string e = element.element, tensor = "tensor<6x5x" + e + ">", part = "tensor<2x5x" + e + ">";
  bool isCast = e != "i1" && e != "i4" && e != "ui2";
  std::string body = "  %x = stablehlo." + std::string(isCast ? "bitcast_convert" : "convert") +
                     " %given : (tensor<6x5x" + element.source + ">) -> " + tensor + "\n";
  std::vector<std::string> names, types, ops = {"add", "multiply", "minimum", "maximum"};
  if (!element.isFloat)
    ops.insert(ops.end(), {"and", "or", "xor"});
  std::string groups = "replica_groups = dense<[[2, 0, 1]]> : tensor<1x3xi64>";
  auto give = [&](const std::string &text, const std::string &type) {
    std::string name = "%r" + std::to_string(names.size()), shape = type.substr(0, type.rfind('x') + 1);
    body += "  " + name + "_raw = " + text;
    if (element.isFloat) {
      std::string flags = shape + "i1>";
      body += "  " + name + "_nan = stablehlo.compare NE, " + name + "_raw, " + name + "_raw : (" + type + ", " + type +
              ") -> " + flags + "\n  " + name + "_one = stablehlo.constant dense<1.0> : " + type + "\n  " + name +
              " = stablehlo.select " + name + "_nan, " + name + "_one, " + name + "_raw : " + flags + ", " + type +
              "\n";
      names.push_back(name + "_nan");
      types.push_back(flags);
    }
    names.push_back(element.isFloat ? name : name + "_raw");
    types.push_back(type);
  };
  for (const std::string &op : ops) {
    give(reduction("all_reduce", {"%x"}, {tensor}, {tensor}, e, elementwise(op, e), groups), tensor);
    give(reduction("reduce_scatter", {"%x"}, {tensor}, {part}, e, elementwise(op, e),
                   groups + ", scatter_dimension = 0 : i64"),
         part);
  }
  return "func.func @main(%given: tensor<6x5x" + element.source + ">) -> (" + joined(types) + ") {\n" + body +
         "  return " + joined(names) + " : " + joined(types) + "\n}";
}

TEST(EmulatedCollectives, ReductionsOfEveryType) {
  for (const ElementCase &element : kElements)
    expectBitsOfCpu({3, 1}, programOf(element));
}

TEST(EmulatedCollectives, ReductionsOfComplexNumbers) {
  for (std::string part : {"f32", "f64"}) {
    std::string complex = "complex<" + part + ">", tensor = "tensor<7x" + complex + ">",
                real = "tensor<7x" + part + ">";
    std::string integers = "tensor<7xi16>", groups = "replica_groups = dense<> : tensor<0x0xi64>";
    expectBitsOfCpu(
        {5, 1},
        "func.func @main(%p: " + integers + ", %q: " + integers + ") -> (" + tensor + ", " + tensor +
            ") {\n  %re = stablehlo.convert %p : (" + integers + ") -> " + real + "\n  %im = stablehlo.convert %q : (" +
            integers + ") -> " + real + "\n  %x = stablehlo.complex %re, %im : " + tensor + "\n  %0 = " +
            reduction("all_reduce", {"%x"}, {tensor}, {tensor}, complex, elementwise("add", complex), groups) +
            "  %1 = " +
            reduction("all_reduce", {"%x"}, {tensor}, {tensor}, complex, elementwise("multiply", complex), groups) +
            "  return %0, %1 : " + tensor + ", " + tensor + "\n}");
  }
}

//===- Forms -----------------------------------------------------------------------------------------------------===//

// A program of one all_reduce of i32 arrays; order and association show.
std::string reducing(const std::vector<std::string> &types, const std::string &attributes) {
  std::vector<std::string> names, arguments, results;
  for (const std::string &type : types) {
    names.push_back("%x" + std::to_string(names.size()));
    arguments.push_back(names.back() + ": " + type);
    results.push_back("%0#" + std::to_string(results.size()));
  }
  std::string three =
      "%t = stablehlo.multiply %a, %three : tensor<i32>\n    %r = stablehlo.subtract %t, %b : tensor<i32>";
  return "func.func @main(" + joined(arguments) + ") -> (" + joined(types) +
         ") {\n  %three = stablehlo.constant dense<3> : tensor<i32>\n  %0:" + std::to_string(types.size()) + " = " +
         reduction("all_reduce", names, types, types, "i32", three, attributes) + "  return " + joined(results) +
         " : " + joined(types) + "\n}";
}

const char *const kAll = "replica_groups = dense<> : tensor<0x0xi64>";

TEST(EmulatedCollectives, ArraysOfAnySize) {
  const std::vector<std::string> types = {"tensor<i32>", "tensor<0x3xi32>", "tensor<1xi32>", "tensor<70001xi32>",
                                          "tensor<3x5x2xi32>"};
  for (int32_t processes : {2, 4, 7, 8})
    expectBitsOfCpu({processes, 1}, reducing(types, kAll));
}

// More than have a slice each in the code.
TEST(EmulatedCollectives, ManyDevices) {
  for (int32_t processes : {35, kDevices})
    expectBitsOfCpu({processes, 1}, reducing({"tensor<2xi32>"}, kAll));
}

TEST(EmulatedCollectives, GroupsOfEveryKind) {
  const char *channel = "channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>";
  const std::vector<std::string> types = {"tensor<3xi32>"};
  expectBitsOfCpu({4, 1}, reducing(types, "replica_groups = dense<[[3, 0], [1, 2]]> : tensor<2x2xi64>"));
  expectBitsOfCpu({4, 1}, reducing(types, "replica_groups = dense<[[0], [1], [3], [2]]> : tensor<4x1xi64>"));
  expectBitsOfCpu({6, 1},
                  reducing(types, "replica_groups = dense<[[5, 1, 0], [2, 4, -1], [3, -1, -1]]> : tensor<3x3xi64>"));
  expectBitsOfCpu({2, 2},
                  reducing(types, std::string("replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>, ") + channel));
  expectBitsOfCpu({2, 2}, reducing(types, std::string("replica_groups = dense<[[3, 0, 2, 1]]> : tensor<1x4xi64>, ") +
                                              channel + ", use_global_device_ids"));
}

// What becomes reductions before they are expanded; and one that is made again and again.
TEST(EmulatedCollectives, OtherReductions) {
  const std::string t = "tensor<2xi32>";
  expectBitsOfCpu(
      {3, 1},
      "func.func @main(%x: " + t + ", %y: " + t + ") -> (" + t + ", " + t + ", " + t + ") {\n  %0 = " +
          reduction("collective_reduce", {"%x"}, {t}, {t}, "i32", elementwise("subtract", "i32"),
                    "replica_groups = dense<[[2, 1]]> : tensor<1x2xi64>") +
          R"(  %1 = "stablehlo.cross-replica-sum"(%y) {replica_groups = dense<[[0, 2, 1]]> : tensor<1x3xi64>} : (tensor<2xi32>) -> tensor<2xi32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %four = stablehlo.constant dense<4> : tensor<i32>
  %2:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<2xi32>
   cond {
    %c = stablehlo.compare LT, %i, %four : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %n = stablehlo.add %i, %one : tensor<i32>
    %w = )" +
          reduction("all_reduce", {"%v"}, {t}, {t}, "i32", elementwise("subtract", "i32"), kAll) +
          R"(    %z = stablehlo.add %w, %y : tensor<2xi32>
    stablehlo.return %n, %z : tensor<i32>, tensor<2xi32>
  }
  return %0, %1, %2#1 : tensor<2xi32>, tensor<2xi32>, tensor<2xi32>
})");
}

// The greatest common divisor: how many steps it takes depends on the elements.
TEST(EmulatedCollectives, ComputationsWithLoops) {
  const std::string t = "tensor<9xui16>", groups = "replica_groups = dense<[[0, 1, 2], [3, 4, -1]]> : tensor<2x3xi64>";
  expectBitsOfCpu({5, 1}, "func.func @main(%x: " + t + ") -> " + t + " {\n  %0 = " +
                              reduction("all_reduce", {"%x"}, {t}, {t}, "ui16",
                                        R"(%zero = stablehlo.constant dense<0> : tensor<ui16>
    %l:2 = stablehlo.while(%p = %a, %q = %b) : tensor<ui16>, tensor<ui16>
     cond {
      %c = stablehlo.compare NE, %q, %zero : (tensor<ui16>, tensor<ui16>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %m = stablehlo.remainder %p, %q : tensor<ui16>
      stablehlo.return %q, %m : tensor<ui16>, tensor<ui16>
    }
    %r = stablehlo.add %l#0, %zero : tensor<ui16>)",
                                        groups) +
                              "  return %0 : " + t + "\n}");
}

// Each GPU has its part of what is reduced, along any dimension.
TEST(EmulatedCollectives, ScattersAlongAnyDimension) {
  const std::string integers = "tensor<4x8x8xi16>", from = "tensor<4x8x8xf32>";
  for (auto [dimension, to] :
       {std::pair("0", "tensor<1x8x8xf32>"), std::pair("1", "tensor<4x2x8xf32>"), std::pair("2", "tensor<4x8x2xf32>")})
    expectBitsOfCpu(
        {4, 1}, "func.func @main(%p: " + integers + ") -> " + to + " {\n  %x = stablehlo.convert %p : (" + integers +
                    ") -> " + from + "\n  %0 = " +
                    reduction("reduce_scatter", {"%x"}, {from}, {to}, "f32",
                              "%t = stablehlo.add %a, %a : tensor<f32>\n    %r = stablehlo.add %t, %b : tensor<f32>",
                              std::string(kAll) + ", scatter_dimension = " + dimension + " : i64") +
                    "  return %0 : " + to + "\n}");
}

//===- The host --------------------------------------------------------------------------------------------------===//

// Moves of every kind, of which each needs what the one before gives, and a reduction.
constexpr const char *kMoves = R"(func.func @main(%x: tensor<2x3xi32>) -> tensor<2x6xi32> {
  %one = stablehlo.constant dense<1> : tensor<2x3xi32>
  %0 = stablehlo.add %x, %one : tensor<2x3xi32>
  %1 = "stablehlo.collective_permute"(%0) {source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>} : (tensor<2x3xi32>) -> tensor<2x3xi32>
  %2 = stablehlo.multiply %1, %1 : tensor<2x3xi32>
  %3 = "stablehlo.all_gather"(%2) {all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2x3xi32>) -> tensor<2x6xi32>
  %4 = "stablehlo.all_to_all"(%3) {concat_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>,
    split_count = 2 : i64, split_dimension = 0 : i64} : (tensor<2x6xi32>) -> tensor<2x6xi32>
  %5 = "stablehlo.all_reduce"(%4) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %r = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %r : tensor<i32>
  }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2x6xi32>) -> tensor<2x6xi32>
  return %5 : tensor<2x6xi32>
})";

TEST(EmulatedCollectives, MovesOfEveryKind) { expectBitsOfCpu({2, 1}, kMoves); }

// Programs of several devices that are started, and not waited for.
class StartedGrid {
public:
  explicit StartedGrid(const Grid &grid) : executable_(*grid.executables[0]) {
    auto devices = (*backend::backendOf("emulated"))->devices();
    for (int64_t process = 0; process < grid.shape.size(); ++process)
      devices_.push_back(devices[size_t(process)]);
  }
  ~StartedGrid() {
    for (size_t i = 0; i < devices_.size(); ++i)
      for (auto [memory, bytes] : memories_[i])
        devices_[i]->free(memory, bytes);
  }

  // Each on arrays of its own number.
  void start() {
    memories_.resize(devices_.size());
    std::vector<void *> arguments(devices_.size()), results(devices_.size());
    for (size_t i = 0; i < devices_.size(); ++i) {
      std::vector<int32_t> numbers(6, int32_t(i + 1));
      arguments[i] = *devices_[i]->allocateCopy(numbers.data(), kArgumentBytes);
      results[i] = *devices_[i]->allocate(kResultBytes);
      memories_[i].insert(memories_[i].end(), {{arguments[i], kArgumentBytes}, {results[i], kResultBytes}});
    }
    works_.assign(devices_.size(), nullptr);
    Status status = runtime::runGrid(2, 1, {}, [&](const runtime::RunOptions &options) -> Status {
      const auto place = size_t(options.process());
      const void *from[] = {arguments[place]};
      void *to[] = {results[place]};
      TENON_ASSIGN_OR_RETURN(works_[place], executable_.startOnDevice(from, to, options));
      return {};
    });
    EXPECT_TRUE(status.ok()) << status.message();
    results_ = results;
  }

  // What device `place` has after its work is done.
  std::vector<int32_t> numbersOf(size_t place) {
    std::vector<int32_t> numbers(kResultBytes / sizeof(int32_t));
    EXPECT_TRUE(works_[place]) << "the host has done it";
    if (works_[place])
      EXPECT_TRUE(works_[place]->wait().ok());
    EXPECT_TRUE(devices_[place]->copyToHost(numbers.data(), results_[place], kResultBytes).ok());
    return numbers;
  }

private:
  static constexpr int64_t kArgumentBytes = 24, kResultBytes = 48;

  const backend::Executable &executable_;
  std::vector<runtime::Device *> devices_;
  std::vector<std::vector<std::pair<void *, int64_t>>> memories_;
  std::vector<std::shared_ptr<runtime::DeviceWork>> works_;
  std::vector<void *> results_;
};

// No kernel has begun when all of it is enqueued, on either device; whichever is asked first has what it needs of the
// other.
TEST(EmulatedCollectives, NobodyWaitsForTheDevices) {
  Grid grid("emulated", {2, 1}, {kMoves});
  ASSERT_TRUE(grid.status.ok()) << grid.status.message();
  StartedGrid started(grid);
  started.start(); // makes the memory between kernels, for which the host waits
  std::vector<int32_t> expected[] = {started.numbersOf(0), started.numbersOf(1)};
  for (size_t first : {0, 1}) {
    int64_t kernels = runtime::emulator::graphCounts().kernels;
    started.start();
    EXPECT_EQ(runtime::emulator::graphCounts().kernels, kernels);
    for (size_t place : {first, 1 - first})
      EXPECT_EQ(started.numbersOf(place), expected[place]);
  }
  // The squares of 2 + 1 and 1 + 1, side by side in both rows, on both devices.
  EXPECT_EQ(expected[0], std::vector<int32_t>({18, 18, 18, 8, 8, 8, 18, 18, 18, 8, 8, 8}));
  EXPECT_EQ(expected[1], expected[0]);
}

} // namespace
} // namespace tenon
