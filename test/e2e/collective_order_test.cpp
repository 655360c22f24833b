// The order in which collectives reduce, and what of a program grows with its groups: nothing.
#include "tenon/compiler/compiler.h"
#include "tenon/program/serialization.h"
#include "test/e2e/grid_testing.h"

#include "mlir/IR/BuiltinOps.h"

#include <gmock/gmock.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <random>

namespace tenon {
namespace {

//===- Order -----------------------------------------------------------------------------------------------------===//

// One list of the processes 0 to n - 1, and those of two groups, the even and the odd ones.
std::string listOfAll(int64_t n) {
  std::string ids;
  for (int64_t i = 0; i < n; ++i)
    ids += (i ? ", " : "") + std::to_string(i);
  return "dense<[[" + ids + "]]> : tensor<1x" + std::to_string(n) + "xi64>";
}

struct ReducedType {
  std::string name;
  int bits; // of an element
  bool isFloat;
  const char *op; // which of the type's is not associative, or at least tells operands apart
};

const std::vector<ReducedType> kTypes = {
    {"f32", 32, true, "add"},     {"f64", 64, true, "add"},         {"f16", 16, true, "add"},
    {"bf16", 16, true, "add"},    {"f8E5M2", 8, true, "add"},       {"f8E4M3FN", 8, true, "add"},
    {"f32", 32, true, "maximum"}, {"f32", 32, true, "multiply"},    {"bf16", 16, true, "minimum"},
    {"i8", 8, false, "subtract"}, {"ui16", 16, false, "subtract"},  {"i32", 32, false, "subtract"},
    {"i64", 64, false, "divide"}, {"ui32", 32, false, "remainder"}, {"complex<f32>", 64, false, "add"},
};

constexpr int64_t kWords = 12; // 32-bit ones that each process gives for a type

// One instruction.
std::string line(const std::string &result, const std::string &op, const std::string &from, const std::string &to) {
  return "  " + result + " = stablehlo." + op + " : (" + from + ") -> " + to + "\n";
}

std::string tensor(int64_t elements, const std::string &type) {
  return "tensor<" + std::to_string(elements) + "x" + type + ">";
}

// %s, the reduction of %a. NaNs, whose bits are nobody's promise, become one in %c.
std::string reductionOf(const ReducedType &type, const std::string &array, int64_t processes) {
  std::string scalar = "tensor<" + type.name + ">";
  return "  %s = \"stablehlo.all_reduce\"(%a) ({\n  ^bb0(%l: " + scalar + ", %h: " + scalar +
         "):\n    %o = stablehlo." + type.op + " %l, %h : " + scalar + "\n    stablehlo.return %o : " + scalar +
         "\n  }) {replica_groups = " + listOfAll(processes) + "} : (" + array + ") -> " + array + "\n";
}
std::string withOneNan(const std::string &value, const std::string &array, const std::string &bools) {
  return line("%n", "compare NE, " + value + ", " + value, array + ", " + array, bools) +
         "  %q = stablehlo.constant dense<1.0> : " + array + "\n  %c = stablehlo.select %n, %q, " + value + " : " +
         bools + ", " + array + "\n";
}

// Reduces the bits of `kWords` words as elements of the type.
std::string programOf(const ReducedType &type, int64_t processes) {
  int64_t elements = kWords * 32 / type.bits;
  std::string words = tensor(kWords, "f32"), array = tensor(elements, type.name), pieces;
  std::string text = "func.func @main(%x: " + words + ") -> " + words + " {\n";
  std::string value = type.isFloat ? "%c" : "%s", end = "  return %y : " + words + "\n}";
  std::string reduction = reductionOf(type, array, processes);
  if (type.isFloat)
    reduction += withOneNan("%s", array, tensor(elements, "i1"));
  if (type.bits == 32)
    return text + line("%a", "bitcast_convert %x", words, array) + reduction +
           line("%y", "bitcast_convert " + value, array, words) + end;
  if (type.bits == 64) {
    pieces = "tensor<" + std::to_string(elements) + "x2xf32>";
    return text + line("%p", "reshape %x", words, pieces) + line("%a", "bitcast_convert %p", pieces, array) +
           reduction + line("%b", "bitcast_convert " + value, array, pieces) + line("%y", "reshape %b", pieces, words) +
           end;
  }
  pieces = "tensor<" + std::to_string(kWords) + "x" + std::to_string(32 / type.bits) + "x" + type.name + ">";
  return text + line("%p", "bitcast_convert %x", words, pieces) + line("%a", "reshape %p", pieces, array) + reduction +
         line("%b", "reshape " + value, array, pieces) + line("%y", "bitcast_convert %b", pieces, words) + end;
}

// The same of complex numbers, half of the words being their real parts.
std::string programOfComplex(const ReducedType &type, int64_t processes) {
  std::string words = tensor(kWords, "f32"), part = tensor(kWords / 2, "f32"), array = tensor(kWords / 2, type.name);
  std::string half = std::to_string(kWords / 2), all = std::to_string(kWords);
  return "func.func @main(%x: " + words + ") -> " + words + " {\n" +
         line("%re", "slice %x [0:" + half + "]", words, part) +
         line("%im", "slice %x [" + half + ":" + all + "]", words, part) +
         "  %a = stablehlo.complex %re, %im : " + array + "\n" + reductionOf(type, array, processes) +
         line("%r", "real %s", array, part) + line("%i", "imag %s", array, part) +
         line("%u", "concatenate %r, %i, dim = 0", part + ", " + part, words) +
         withOneNan("%u", words, tensor(kWords, "i1")) + "  return %c : " + words + "\n}";
}

// Words whose halves and quarters are zeros of both signs, infinities, NaNs, subnormal and ordinary numbers.
std::vector<std::vector<Array>> edgeWords(int64_t processes, std::mt19937 &random) {
  const uint32_t edges[] = {0x80000000, 0x00000000, 0x7f800000, 0xff800000, 0x7fc00000, 0x00000001, 0x80000001,
                            0x7f7fffff, 0x3f800000, 0x80008000, 0x7c007c00, 0xfc00fc00, 0x00010001, 0x7f80ff80,
                            0x80808080, 0x7c7c7c7c, 0x01010101, 0x3c003c00, 0xffffffff};
  std::vector<std::vector<Array>> arguments;
  for (int64_t process = 0; process < processes; ++process) {
    Array words(kWords);
    for (float &word : words) {
      uint32_t bits = random() % 3 ? static_cast<uint32_t>(random()) : edges[random() % std::size(edges)];
      std::memcpy(&word, &bits, sizeof bits);
    }
    arguments.push_back({words});
  }
  return arguments;
}

bool areEqualBits(const Array &a, const Array &b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

TEST(CollectiveOrder, CompiledAndInterpretedReductionsHaveTheSameBits) {
  std::mt19937 random(7);
  for (const ReducedType &type : kTypes)
    for (int32_t processes : {1, 2, 3, 5, 6, 7, 8, 13, 17}) {
      auto arguments = edgeWords(processes, random);
      std::string program = type.name[0] == 'c' ? programOfComplex(type, processes) : programOf(type, processes);
      auto compiled = runOn("cpu", {processes, 1}, program, arguments);
      auto interpreted = runOn("reference", {processes, 1}, program, arguments);
      ASSERT_EQ(compiled.size(), size_t(processes));
      ASSERT_EQ(interpreted.size(), size_t(processes));
      for (int64_t process = 0; process < processes; ++process) {
        EXPECT_TRUE(areEqualBits(compiled[process], interpreted[process]))
            << type.op << " of " << type.name << ", " << processes << " processes\n"
            << program;
        EXPECT_TRUE(areEqualBits(compiled[process], compiled[0]));
      }
    }
}

// The left part is the largest power of two below the number of processes, by the definition itself.
float byDefinition(const std::vector<float> &values, size_t begin, size_t end) {
  if (end - begin == 1)
    return values[begin];
  size_t left = 1;
  while (2 * left < end - begin)
    left *= 2;
  return byDefinition(values, begin, begin + left) + byDefinition(values, begin + left, end);
}

TEST(CollectiveOrder, IsABalancedTreeOfAnySize) {
  std::mt19937 random(3);
  const float edges[] = {-0.0F,
                         0.0F,
                         std::numeric_limits<float>::infinity(),
                         std::numeric_limits<float>::denorm_min(),
                         -std::numeric_limits<float>::max(),
                         1e-38F};
  for (int32_t processes : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 33, 100}) {
    constexpr int64_t kElements = 40;
    std::vector<std::vector<Array>> arguments;
    for (int64_t process = 0; process < processes; ++process) {
      Array array(kElements);
      for (int64_t i = 0; i < kElements; ++i)
        array[i] = i < 6 ? (process % 3 ? edges[i] : -0.0F)
                         : std::ldexp(static_cast<float>(random()) - 0x1p31f, static_cast<int>(random() % 30) - 40);
      arguments.push_back({array});
    }
    Array expected(kElements);
    for (int64_t i = 0; i < kElements; ++i) {
      std::vector<float> values;
      for (const auto &argument : arguments)
        values.push_back(argument[0][i]);
      expected[i] = byDefinition(values, 0, values.size());
    }
    for (const char *target : kTargets)
      for (const Array &result : runOn(target, {processes, 1}, sumOf(kElements, listOfAll(processes)), arguments))
        EXPECT_TRUE(areEqualBits(result, expected)) << target << ", " << processes << " processes";
  }
}

//===- Sizes of arrays -------------------------------------------------------------------------------------------===//

// Arrays of one op are reduced in one meeting, whether each process computes all of them or a part of each.
TEST(Reductions, OfSeveralArrays) {
  for (int64_t elements : {5, 100'003}) {
    std::string large = tensor(elements, "f32"), all = tensor(elements + 1, "f32");
    std::string program =
        "func.func @main(%x: " + large + ", %y: tensor<1xf32>, %z: tensor<0xf32>) -> " + all +
        " {\n  %0:3 = \"stablehlo.all_reduce\"(%x, %y, %z) " + kCombine +
        " {replica_groups = dense<[[2, 0, 1]]> : tensor<1x3xi64>} : (" + large +
        ", tensor<1xf32>, tensor<0xf32>) -> (" + large + ", tensor<1xf32>, tensor<0xf32>)\n" +
        line("%1", "concatenate %0#0, %0#1, %0#2, dim = 0", large + ", tensor<1xf32>, tensor<0xf32>", all) +
        "  return %1 : " + all + "\n}";
    std::vector<std::vector<Array>> arguments;
    for (int process = 0; process < 3; ++process) {
      Array array(elements);
      for (int64_t i = 0; i < elements; ++i)
        array[i] = static_cast<float>((process + 1) * (i % 1000));
      arguments.push_back({array, {static_cast<float>(process + 10)}, {}});
    }
    auto combined = [](float a, float b, float c) { return 2 * (2 * a + b) + c; };
    Array expected;
    for (int64_t i = 0; i < elements; ++i)
      expected.push_back(combined(arguments[2][0][i], arguments[0][0][i], arguments[1][0][i]));
    expected.push_back(combined(12, 10, 11));
    for (const char *target : kTargets)
      for (const Array &result : runOn(target, {3, 1}, program, arguments))
        EXPECT_TRUE(result == expected) << target << ", " << elements << " elements";
  }
}

// Results that are larger than caches are written past these.
TEST(Reductions, OfArraysLargerThanCaches) {
  constexpr int64_t kElements = (4 << 20) + 4097;
  std::vector<std::vector<Array>> arguments(2, {Array(kElements)});
  Array expected(kElements);
  for (int64_t i = 0; i < kElements; ++i) {
    arguments[0][0][i] = static_cast<float>(i % 4001);
    arguments[1][0][i] = static_cast<float>(i % 17) / 4;
    expected[i] = arguments[0][0][i] + arguments[1][0][i];
  }
  for (const Array &result : runOn("cpu", {2, 1}, sumOf(kElements, listOfAll(2)), arguments))
    EXPECT_TRUE(result == expected);
}

//===- Groups by axes of a mesh ----------------------------------------------------------------------------------===//

std::string meshGroups(const std::string &mesh, const std::string &axes) {
  return "#stablehlo.replica_group_mesh_axes<mesh = " + mesh + ", axes = [" + axes + "]>";
}

// Processes are at (x, y, z) of 2 x 4 x 2: x * 8 + y * 2 + z. Each case says which processes one of them sums.
TEST(MeshAxes, AreGroups) {
  const std::string mesh = "#stablehlo.mesh<axes=[<name = \"x\", size = 2>, <name = \"y\", size = 4>, <name = \"z\", "
                           "size = 2>]>";
  auto axis = [](const char *name, const char *part = "") {
    return std::string("#stablehlo.axis_ref<name = \"") + name + "\"" +
           (*part ? std::string(", sub_axis_info = ") + part : "") + ">";
  };
  std::vector<std::pair<std::string, std::vector<int64_t>>> cases = {
      {axis("x"), {5, 13}},
      {axis("y"), {1, 3, 5, 7}},
      {axis("z") + ", " + axis("x"), {4, 12, 5, 13}},
      {axis("x") + ", " + axis("z"), {4, 5, 12, 13}},
      {axis("y", "(1)2"), {1, 5}},
      {axis("y", "(2)2"), {5, 7}},
      {axis("y", "(2)2") + ", " + axis("y", "(1)2"), {1, 5, 3, 7}},
      {"", {5}}};
  std::vector<std::vector<Array>> arguments;
  for (int process = 0; process < 16; ++process)
    arguments.push_back({{std::ldexp(1.0F, process)}});
  for (const auto &[axes, members] : cases) {
    std::string groups = meshGroups(mesh, axes);
    float sum = 0;
    for (int64_t member : members)
      sum += std::ldexp(1.0F, static_cast<int>(member));
    std::string gather =
        "func.func @main(%x: tensor<1xf32>) -> tensor<" + std::to_string(members.size()) +
        "xf32> {\n  %0 = \"stablehlo.all_gather\"(%x) {all_gather_dim = 0 : i64, replica_groups = " + groups +
        "} : (tensor<1xf32>) -> tensor<" + std::to_string(members.size()) + "xf32>\n  return %0 : tensor<" +
        std::to_string(members.size()) + "xf32>\n}";
    Array gathered;
    for (int64_t member : members)
      gathered.push_back(std::ldexp(1.0F, static_cast<int>(member)));
    for (const char *target : kTargets) {
      EXPECT_THAT(runOn(target, {16, 1}, sumOf(1, groups), arguments)[5], testing::ElementsAre(sum)) << axes;
      EXPECT_EQ(runOn(target, {16, 1}, gather, arguments)[5], gathered) << target << ", " << axes;
    }
  }
}

TEST(MeshAxes, MayBeOfANamedMeshWithDevicesInAnOrderOfTheirOwn) {
  std::string program = "sdy.mesh @mesh = <[\"x\"=2, \"y\"=2], device_ids=[3, 1, 0, 2]>\n" +
                        sumOf(1, meshGroups("@mesh", "#stablehlo.axis_ref<name = \"y\">"));
  for (const char *target : kTargets)
    EXPECT_THAT(runOn(target, {4, 1}, program, {{{1}}, {{2}}, {{4}}, {{8}}}),
                testing::ElementsAre(Array{5}, Array{10}, Array{5}, Array{10}))
        << target;
}

TEST(MeshAxes, ThatAreNone) {
  auto message = [](const std::string &mesh, const std::string &axes, int32_t processes) {
    Grid grid("cpu", {processes, 1}, {sumOf(1, meshGroups(mesh, axes))});
    return std::string(grid.status.message());
  };
  std::string two = "#stablehlo.mesh<axes=[<name = \"x\", size = 2>]>", x = "#stablehlo.axis_ref<name = \"x\">";
  EXPECT_THAT(message(two, x + ", " + x, 2), testing::HasSubstr("overlap"));
  EXPECT_THAT(message(two, x, 4), testing::HasSubstr("replica_groups must have 4 ids in this module, got 2"));
  EXPECT_THAT(message(two, "#stablehlo.axis_ref<name = \"x\", sub_axis_info = (1)3>", 2),
              testing::HasSubstr("has no part (1)3"));
}

//===- Size ------------------------------------------------------------------------------------------------------===//

// What a compiled program consists of, stage by stage: ops, letters but for digits and blanks, kernels.
std::map<std::string, std::pair<int64_t, int64_t>> sizesOf(const std::string &program, int64_t processes,
                                                           std::vector<std::string> &kernels) {
  std::map<std::string, std::pair<int64_t, int64_t>> sizes;
  compiler::CompileOptions options;
  options.numReplicas = 1;
  options.numPartitions = processes;
  options.inspect = [&](std::string_view stage, mlir::ModuleOp module) {
    int64_t ops = 0, letters = 0;
    module.walk([&](mlir::Operation *) { ++ops; });
    std::string text;
    llvm::raw_string_ostream stream(text);
    module.print(stream);
    for (char letter : text)
      letters += !std::isdigit(static_cast<unsigned char>(letter));
    if (stage != "import") // as it was given
      sizes[std::string(stage)] = {ops, letters};
  };
  StatusOr<program::Program> compiled = compiler::compile(program, options);
  EXPECT_TRUE(compiled.ok()) << compiled.status().message();
  if (compiled.ok())
    for (const program::ReportEntry &entry : compiled->report.kernels)
      kernels.push_back(entry.kernel);
  return sizes;
}

// Three reductions and a gather of a mesh of 2 x n / 2, whose groups are lists.
std::string programOfGroups(int64_t processes) {
  std::string rows, columns;
  for (int64_t i = 0; i < processes; ++i) {
    rows += (i == 0 ? "[" : i == processes / 2 ? "], [" : ", ") + std::to_string(i);
    columns += (i == 0 ? "[" : i % 2 == 0 ? "], [" : ", ") + std::to_string(i / 2 + i % 2 * (processes / 2));
  }
  std::string halves = "dense<[" + rows + "]]> : tensor<2x" + std::to_string(processes / 2) + "xi64>";
  std::string pairs = "dense<[" + columns + "]]> : tensor<" + std::to_string(processes / 2) + "x2xi64>";
  std::string global = ", channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids} : ";
  std::string sum = R"( ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) {)";
  std::string wide = "tensor<" + std::to_string(1024 * processes / 2) + "xf32>";
  return "func.func @main(%x: tensor<4096xf32>, %w: " + wide + ") -> (tensor<4096xf32>, tensor<1024xf32>, " + wide +
         ") {\n  %0 = \"stablehlo.all_reduce\"(%x)" + sum + "replica_groups = " + halves + global +
         "(tensor<4096xf32>) -> tensor<4096xf32>\n  %1 = \"stablehlo.all_reduce\"(%0)" + sum +
         "replica_groups = " + pairs + global +
         "(tensor<4096xf32>) -> tensor<4096xf32>\n  %2 = \"stablehlo.reduce_scatter\"(%w)" + sum +
         "scatter_dimension = 0 : i64, replica_groups = " + halves + global + "(" + wide +
         ") -> tensor<1024xf32>\n  %3 = \"stablehlo.all_gather\"(%2) {all_gather_dim = 0 : i64, replica_groups = " +
         halves + global + "(tensor<1024xf32>) -> " + wide + "\n  return %1, %2, %3 : tensor<4096xf32>, " +
         "tensor<1024xf32>, " + wide + "\n}";
}

TEST(CollectiveSize, OfAProgramDoesNotGrowWithItsGroups) {
  std::vector<std::string> kernels, same;
  auto sizes = sizesOf(programOfGroups(8), 8, kernels);
  EXPECT_FALSE(sizes.empty());
  for (int64_t processes : {64, 1024}) {
    same.clear();
    auto others = sizesOf(programOfGroups(processes), processes, same);
    EXPECT_EQ(same, kernels);
    // Lists become axes with the collectives' other rewrites.
    bool isLater = false;
    for (const std::string &stage : compiler::stageNames()) {
      isLater = isLater || stage == "decompose";
      if (isLater && sizes.contains(stage))
        EXPECT_EQ(others[stage], sizes[stage]) << stage << ", " << processes << " processes";
    }
    EXPECT_TRUE(isLater);
  }
}

// Reductions one after the other, over two groups that are no product of axes.
std::string programOfLists(int64_t processes, int reductions) {
  std::string ids, text = "func.func @main(%r0: tensor<4096xf32>) -> tensor<4096xf32> {\n";
  for (int64_t i = 0; i < processes; ++i)
    ids += (i == 0 ? "[" : i == processes / 2 ? "], [" : ", ") + std::to_string(i < 3 ? (i + 1) % 3 : i);
  std::string list = "dense<[" + ids + "]]> : tensor<2x" + std::to_string(processes / 2) + "xi64>";
  for (int i = 0; i < reductions; ++i)
    text += "  %r" + std::to_string(i + 1) + " = \"stablehlo.all_reduce\"(%r" + std::to_string(i) + R"() ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids, replica_groups = )" +
            list + "} : (tensor<4096xf32>) -> tensor<4096xf32>\n";
  return text + "  return %r" + std::to_string(reductions) + " : tensor<4096xf32>\n}";
}

TEST(CollectiveSize, AListIsThereOnceForAllThatHaveIt) {
  struct Growth {
    std::map<std::string, int64_t> letters;
    int64_t bytes;
  };
  auto growthFor = [](int64_t processes) {
    constexpr int kFew = 2, kMany = 12;
    std::vector<std::string> kernels;
    auto few = sizesOf(programOfLists(processes, kFew), processes, kernels),
         many = sizesOf(programOfLists(processes, kMany), processes, kernels);
    Growth growth;
    for (const auto &[stage, size] : few)
      growth.letters[stage] = many[stage].second - size.second;
    auto bytesOf = [&](int reductions) {
      compiler::CompileOptions options;
      options.numReplicas = 1;
      options.numPartitions = processes;
      auto compiled = compiler::compile(programOfLists(processes, reductions), options);
      EXPECT_TRUE(compiled.ok()) << compiled.status().message();
      return compiled.ok() ? static_cast<int64_t>(program::serialize(*compiled).size()) : 0;
    };
    growth.bytes = bytesOf(kMany) - bytesOf(kFew);
    return growth;
  };
  Growth few = growthFor(64), many = growthFor(1024);
  EXPECT_FALSE(few.letters.empty());
  EXPECT_EQ(many.letters, few.letters);
  EXPECT_EQ(many.bytes, few.bytes);
}

} // namespace
} // namespace tenon
