// Collectives of roots that a run knows, of nothing, of many processes, of every type; compiled and interpreted.
#include "test/e2e/grid_testing.h"

#include <gmock/gmock.h>

#include <cmath>
#include <functional>
#include <random>

namespace tenon {
namespace {

using testing::ElementsAre;

// The arrays %x and %y of two processes each, the roots of which the processes have as numbers: in group [3, 1] place 1
// and 0, in group [0] the only one. Process 2 is in no group, and may have any root.
std::string rootedProgram(const std::string &op, const std::string &region) {
  return R"(func.func @main(%x: tensor<2xf32>, %y: tensor<1xf32>, %r: tensor<2xf32>) -> tensor<3xf32> {
    %roots = stablehlo.convert %r : (tensor<2xf32>) -> tensor<2xi32>
    %0:2 = "stablehlo.)" +
         op + R"("(%x, %y, %roots) )" + region +
         R"( {has_dynamic_root, replica_groups = dense<[[3, 1], [0, -1]]> : tensor<2x2xi64>}
      : (tensor<2xf32>, tensor<1xf32>, tensor<2xi32>) -> (tensor<2xf32>, tensor<1xf32>)
    %1 = stablehlo.concatenate %0#0, %0#1, dim = 0 : (tensor<2xf32>, tensor<1xf32>) -> tensor<3xf32>
    return %1 : tensor<3xf32>
  })";
}

const std::vector<std::vector<Array>> kRooted = {
    {{1, 2}, {3}, {0, 0}}, {{10, 20}, {30}, {1, 0}}, {{100, 200}, {300}, {7, -7}}, {{1000, 2000}, {3000}, {1, 0}}};

TEST(Collectives, DynamicRoots) {
  for (const char *target : kTargets) {
    EXPECT_THAT(
        runOn(target, {4, 1}, rootedProgram("collective_broadcast", ""), kRooted),
        ElementsAre(ElementsAre(1, 2, 3), ElementsAre(10, 20, 3000), ElementsAre(0, 0, 0), ElementsAre(10, 20, 3000)))
        << target;
    // 2 a + b in the order of the group, [3, 1].
    EXPECT_THAT(
        runOn(target, {4, 1}, rootedProgram("collective_reduce", kCombine), kRooted),
        ElementsAre(ElementsAre(1, 2, 3), ElementsAre(2010, 4020, 0), ElementsAre(0, 0, 0), ElementsAre(0, 0, 6030)))
        << target;
  }
}

TEST(Collectives, RootsOutsideOfTheGroup) {
  for (const char *target : kTargets)
    for (float root : {-1.0F, 2.0F}) {
      auto arguments = kRooted;
      arguments[3][2][1] = arguments[1][2][1] = root;
      Grid grid(target, {4, 1}, {rootedProgram("collective_broadcast", "")});
      grid.run(arguments);
      EXPECT_THAT(grid.status.message(),
                  testing::HasSubstr("a root must be in [0, 2), got " + std::to_string(static_cast<int>(root))))
          << target;
    }
}

// Reductions that differ only in the constants around them that they use are of different kernels.
TEST(Collectives, ConstantsAroundReductions) {
  auto reduction = [](const std::string &result, const std::string &bound) {
    return "    " + result + R"( = "stablehlo.all_reduce"(%x) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      %m = stablehlo.minimum %s, )" +
           bound + R"( : tensor<f32>
      stablehlo.return %m : tensor<f32>
    }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<1xf32>) -> tensor<1xf32>
)";
  };
  std::string program = R"(func.func @main(%x: tensor<1xf32>) -> tensor<2xf32> {
    %three = stablehlo.constant dense<3.0> : tensor<f32>
    %five = stablehlo.constant dense<5.0> : tensor<f32>
)" + reduction("%0", "%three") +
                        reduction("%1", "%five") + R"(
    %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>
    return %2 : tensor<2xf32>
  })";
  for (const char *target : kTargets)
    EXPECT_THAT(runOn(target, {2, 1}, program, {{{4}}, {{8}}}), ElementsAre(ElementsAre(3, 5), ElementsAre(3, 5)))
        << target;
}

// What nobody gives is zero, of quantized types what stands for zero.
TEST(Collectives, QuantizedZeros) {
  std::string type = "tensor<1x!quant.uniform<i8:f32, 0.5:-3>>";
  std::string program = "func.func @main(%x: tensor<1xf32>) -> tensor<3xf32> {\n  %q = stablehlo.uniform_quantize %x : "
                        "(tensor<1xf32>) -> " +
                        type + R"(
    %0 = "stablehlo.collective_permute"(%q) {source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>} : ()" +
                        type + ") -> " + type + R"(
    %1 = "stablehlo.collective_broadcast"(%q) {replica_groups = dense<[[1]]> : tensor<1x1xi64>} : ()" +
                        type + ") -> " + type + R"(
    %2 = "stablehlo.collective_reduce"(%q) ({
    ^bb0(%a: tensor<!quant.uniform<i16:f32, 0.25:5>>, %b: tensor<!quant.uniform<i16:f32, 0.25:5>>):
      %s = stablehlo.add %a, %b : tensor<!quant.uniform<i16:f32, 0.25:5>>
      stablehlo.return %s : tensor<!quant.uniform<i16:f32, 0.25:5>>
    }) {replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>} : ()" +
                        type + R"() -> tensor<1x!quant.uniform<i16:f32, 0.25:5>>
    %3 = stablehlo.uniform_dequantize %0 : ()" +
                        type + R"() -> tensor<1xf32>
    %4 = stablehlo.uniform_dequantize %1 : ()" +
                        type + R"() -> tensor<1xf32>
    %5 = stablehlo.uniform_dequantize %2 : (tensor<1x!quant.uniform<i16:f32, 0.25:5>>) -> tensor<1xf32>
    %6 = stablehlo.concatenate %3, %4, %5, dim = 0 : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<3xf32>
    return %6 : tensor<3xf32>
  })";
  for (const char *target : kTargets)
    EXPECT_THAT(runOn(target, {2, 1}, program, {{{60}}, {{-40}}}),
                ElementsAre(ElementsAre(0, 0, 0), ElementsAre(60, -40, 20)))
        << target;
}

// An exponent alone has no zero: what nobody gives is what zero is converted to, NaN.
TEST(Collectives, WithoutZero) {
  const char *program = R"(func.func @main(%x: tensor<1xf32>) -> tensor<3xf32> {
    %e = stablehlo.convert %x : (tensor<1xf32>) -> tensor<1xf8E8M0FNU>
    %0 = "stablehlo.collective_permute"(%e) {source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}
        : (tensor<1xf8E8M0FNU>) -> tensor<1xf8E8M0FNU>
    %1 = "stablehlo.collective_broadcast"(%e) {replica_groups = dense<[[1]]> : tensor<1x1xi64>}
        : (tensor<1xf8E8M0FNU>) -> tensor<1xf8E8M0FNU>
    %2 = "stablehlo.concatenate"(%e, %0, %1) {dimension = 0 : i64}
        : (tensor<1xf8E8M0FNU>, tensor<1xf8E8M0FNU>, tensor<1xf8E8M0FNU>) -> tensor<3xf8E8M0FNU>
    %3 = stablehlo.convert %2 : (tensor<3xf8E8M0FNU>) -> tensor<3xf32>
    return %3 : tensor<3xf32>
  })";
  for (const char *target : kTargets)
    EXPECT_THAT(runOn(target, {2, 1}, program, {{{4}}, {{8}}}),
                ElementsAre(ElementsAre(4, testing::IsNan(), testing::IsNan()), ElementsAre(8, 4, 8)))
        << target;
}

TEST(Collectives, WithoutZeroAndSenders) {
  const char *program = R"(func.func @main(%x: tensor<1xf32>) -> tensor<1xf32> {
    %e = stablehlo.convert %x : (tensor<1xf32>) -> tensor<1xf8E8M0FNU>
    %0 = "stablehlo.collective_permute"(%e) {source_target_pairs = dense<> : tensor<0x2xi64>}
        : (tensor<1xf8E8M0FNU>) -> tensor<1xf8E8M0FNU>
    %1 = stablehlo.convert %0 : (tensor<1xf8E8M0FNU>) -> tensor<1xf32>
    return %1 : tensor<1xf32>
  })";
  for (const char *target : kTargets)
    EXPECT_THAT(runOn(target, {2, 1}, program, {{{4}}, {{8}}}), testing::Each(ElementsAre(testing::IsNan()))) << target;
}

// The size of a group of all is that of the grid, also in a branch, and where the operand's size is open.
TEST(Collectives, OpenSizesInBranches) {
  const char *program = R"(func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %four = stablehlo.constant dense<4> : tensor<1xi32>
    %open = stablehlo.dynamic_reshape %x, %four : (tensor<4xf32>, tensor<1xi32>) -> tensor<?xf32>
    %true = stablehlo.constant dense<true> : tensor<i1>
    %0 = "stablehlo.if"(%true) ({
      %1 = "stablehlo.reduce_scatter"(%open) ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %2 = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %2 : tensor<f32>
      }) {scatter_dimension = 0 : i64, replica_groups = dense<> : tensor<0x0xi64>} : (tensor<?xf32>) -> tensor<2xf32>
      %3 = "stablehlo.all_gather"(%1) {all_gather_dim = 0 : i64, replica_groups = dense<> : tensor<0x0xi64>}
          : (tensor<2xf32>) -> tensor<4xf32>
      stablehlo.return %3 : tensor<4xf32>
    }, {
      stablehlo.return %x : tensor<4xf32>
    }) : (tensor<i1>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  })";
  for (const char *target : kTargets)
    EXPECT_THAT(runOn(target, {2, 1}, program, {{{1, 2, 3, 4}}, {{10, 20, 30, 40}}}),
                testing::Each(ElementsAre(11, 22, 33, 44)))
        << target;
}

// Sums in a wider type than the arrays': 200 + 100 does not fit ui8.
TEST(Collectives, PromotedReductions) {
  auto programOf = [](const std::string &op, const std::string &attributes) {
    return R"(func.func @main(%x: tensor<2xf32>) -> tensor<?xf32> {
      %0 = stablehlo.convert %x : (tensor<2xf32>) -> tensor<2xui8>
      %1 = "stablehlo.)" +
           op + R"("(%0) ({
      ^bb0(%a: tensor<i32>, %b: tensor<i32>):
        %2 = stablehlo.add %a, %b : tensor<i32>
        stablehlo.return %2 : tensor<i32>
      }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>)" +
           attributes + R"(} : (tensor<2xui8>) -> tensor<?xi32>
      %3 = stablehlo.convert %1 : (tensor<?xi32>) -> tensor<?xf32>
      return %3 : tensor<?xf32>
    })";
  };
  for (const char *target : kTargets) {
    auto run = [&](std::string program, const std::string &size) {
      for (size_t at = 0; (at = program.find('?', at)) != std::string::npos;)
        program.replace(at, 1, size);
      return runOn(target, {2, 1}, program, {{{200, 1}}, {{100, 2}}});
    };
    EXPECT_THAT(run(programOf("all_reduce", ""), "2"), testing::Each(ElementsAre(300, 3))) << target;
    EXPECT_THAT(run(programOf("reduce_scatter", ", scatter_dimension = 0 : i64"), "1"),
                ElementsAre(ElementsAre(300), ElementsAre(3)))
        << target;
    EXPECT_THAT(run(programOf("collective_reduce", ""), "2"), ElementsAre(ElementsAre(300, 3), ElementsAre(0, 0)))
        << target;
  }
}

// Several operands, the deprecated sum, and what is begun and finished later.
TEST(Collectives, OtherForms) {
  const char *program = R"(func.func @main(%x: tensor<2xf32>, %y: tensor<1xf32>) -> tensor<6xf32> {
    %0:2 = "stablehlo.all_gather"(%x, %y) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}
        : (tensor<2xf32>, tensor<1xf32>) -> (tensor<4xf32>, tensor<2xf32>)
    %1 = "stablehlo.cross-replica-sum"(%0#1) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}
        : (tensor<2xf32>) -> tensor<2xf32>
    %2 = "stablehlo.async_start"(%0#0) ({
    ^bb0(%a: tensor<4xf32>):
      %4 = "stablehlo.all_reduce"(%a) ({
      ^bb0(%b: tensor<f32>, %c: tensor<f32>):
        %5 = stablehlo.maximum %b, %c : tensor<f32>
        stablehlo.return %5 : tensor<f32>
      }) {replica_groups = dense<> : tensor<0x0xi64>} : (tensor<4xf32>) -> tensor<4xf32>
      stablehlo.return %4 : tensor<4xf32>
    }) : (tensor<4xf32>) -> !stablehlo.future<tensor<4xf32>>
    %3 = "stablehlo.async_done"(%2) : (!stablehlo.future<tensor<4xf32>>) -> tensor<4xf32>
    %6 = stablehlo.concatenate %3, %1, dim = 0 : (tensor<4xf32>, tensor<2xf32>) -> tensor<6xf32>
    return %6 : tensor<6xf32>
  })";
  for (const char *target : kTargets)
    EXPECT_THAT(runOn(target, {2, 1}, program, {{{1, 2}, {3}}, {{4, 5}, {6}}}),
                testing::Each(ElementsAre(1, 2, 4, 5, 6, 12)))
        << target;
}

// Futures may know other things of a tensor's dimensions than what is begun, and what waits for them than they do.
TEST(Collectives, FuturesOfOpenSizes) {
  const char *program = R"(func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    %0 = "stablehlo.async_start"(%x) ({
    ^bb0(%a: tensor<2xf32>):
      %2 = "stablehlo.all_reduce"(%a) ({
      ^bb0(%b: tensor<f32>, %c: tensor<f32>):
        %3 = stablehlo.add %b, %c : tensor<f32>
        stablehlo.return %3 : tensor<f32>
      }) {replica_groups = dense<> : tensor<0x0xi64>} : (tensor<2xf32>) -> tensor<?xf32>
      stablehlo.return %2 : tensor<?xf32>
    }) : (tensor<2xf32>) -> !stablehlo.future<tensor<?xf32>>
    %1 = "stablehlo.async_done"(%0) : (!stablehlo.future<tensor<?xf32>>) -> tensor<2xf32>
    return %1 : tensor<2xf32>
  })";
  for (const char *target : kTargets)
    EXPECT_THAT(runOn(target, {2, 1}, program, {{{1, 2}}, {{4, 5}}}), testing::Each(ElementsAre(5, 7))) << target;
}

//===- Reductions ------------------------------------------------------------------------------------------------===//

// Small arrays are reduced whole, large ones in pieces, of which the last may be smaller: in the order of the
// processes, to the bit.
TEST(Collectives, SumsKeepTheirOrderWhateverTheirSize) {
  std::mt19937 random(1);
  for (int64_t elements : {0, 1, 1000, 140'001, 200'000}) {
    std::vector<std::vector<Array>> arguments;
    for (int process = 0; process < 4; ++process) {
      Array array(elements);
      for (float &element : array)
        element = std::ldexp(static_cast<float>(random()) - 0x1p31f, static_cast<int>(random() % 20) - 40);
      arguments.push_back({array});
    }
    Array expected(elements);
    for (int64_t i = 0; i < elements; ++i)
      expected[i] = (arguments[2][0][i] + arguments[0][0][i]) + (arguments[3][0][i] + arguments[1][0][i]);
    for (const char *target : kTargets) {
      auto results = runOn(target, {4, 1}, sumOf(elements, "dense<[[2, 0, 3, 1]]> : tensor<1x4xi64>"), arguments);
      ASSERT_EQ(results.size(), 4u);
      for (const Array &result : results)
        EXPECT_TRUE(result == expected) << target << ", " << elements << " elements";
    }
  }
}

TEST(Collectives, GroupsOfDifferentSizes) {
  for (const char *target : kTargets)
    EXPECT_THAT(runOn(target, {4, 1}, sumOf(2, "dense<[[0, 1, 3], [2, -1, -1]]> : tensor<2x3xi64>"),
                      {{{1, 10}}, {{2, 20}}, {{3, 30}}, {{4, 40}}}),
                ElementsAre(ElementsAre(7, 70), ElementsAre(7, 70), ElementsAre(3, 30), ElementsAre(7, 70)))
        << target;
}

// A sum over many processes is a balanced tree, which a smaller group has as if it were alone: what every process adds
// is rounded as often as there are levels.
TEST(Collectives, SumsOfManyProcessesAreTrees) {
  constexpr int kProcesses = 83, kFirst = 56;
  std::string first, second, padding;
  std::vector<std::vector<Array>> arguments;
  std::vector<float> values[2];
  for (int process = 0; process < kProcesses; ++process) {
    auto value = static_cast<float>(process % 7 + 0.1);
    arguments.push_back({{value}});
    values[process < kFirst ? 0 : 1].push_back(value);
    (process < kFirst ? first : second) += (process == 0 || process == kFirst ? "" : ", ") + std::to_string(process);
  }
  for (int i = kProcesses - kFirst; i < kFirst; ++i)
    padding += ", -1";
  std::string program =
      sumOf(1, "dense<[[" + first + "], [" + second + padding + "]]> : tensor<2x" + std::to_string(kFirst) + "xi64>");
  for (const char *target : kTargets) {
    auto results = runOn(target, {kProcesses, 1}, program, arguments);
    ASSERT_EQ(results.size(), size_t(kProcesses));
    for (int process = 0; process < kProcesses; ++process)
      EXPECT_EQ(results[process][0], asTree(values[process < kFirst ? 0 : 1], std::plus<float>())) << target;
  }
}

// Process (r, 0) gives r + 1 of each element type, and the sum of three is converted back.
TEST(Collectives, EveryElementType) {
  for (const char *type : {"i2",           "i4",
                           "i8",           "i16",
                           "i32",          "i64",
                           "ui2",          "ui4",
                           "ui8",          "ui16",
                           "ui32",         "ui64",
                           "f8E5M2",       "f8E4M3FN",
                           "f4E2M1FN",     "bf16",
                           "f16",          "f32",
                           "f64",          "complex<f32>",
                           "complex<f64>", "!quant.uniform<i8:f32, 0.5:3>"}) {
    std::string t = type, tensor = "tensor<3x" + t + ">", scalar = "tensor<" + t + ">";
    bool isQuantized = t[0] == '!', isComplex = t[0] == 'c';
    auto conversion = [&](const char *from, const char *to, const std::string &value, const std::string &result) {
      std::string op = isQuantized ? (to == tensor ? "uniform_quantize" : "uniform_dequantize") : "convert";
      if (isComplex && to != tensor) // its real part first
        return "    " + result + "_re = stablehlo.real " + value + " : (" + from + ") -> tensor<3x" + t.substr(8, 3) +
               ">\n    " + result + " = stablehlo.convert " + result + "_re : (tensor<3x" + t.substr(8, 3) + ">) -> " +
               to + "\n";
      return "    " + result + " = stablehlo." + op + " " + value + " : (" + from + ") -> " + to + "\n";
    };
    std::string program =
        "func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {\n" +
        conversion("tensor<3xf32>", tensor.c_str(), "%x", "%0") + R"(    %1 = "stablehlo.all_reduce"(%0) ({
    ^bb0(%a: )" +
        scalar + ", %b: " + scalar + "):\n      %2 = stablehlo." + (t == "i2" || t == "ui2" ? "or" : "add") +
        " %a, %b : " + scalar + "\n      stablehlo.return %2 : " + scalar +
        "\n    }) {replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>} : (" + tensor + ") -> " + tensor + "\n" +
        conversion(tensor.c_str(), "tensor<3xf32>", "%1", "%back") + "    return %back : tensor<3xf32>\n}";
    std::vector<Array> expected = runOn("reference", {3, 1}, program, {{{1, 0, 1}}, {{0, 1, 1}}, {{0, 0, 1}}});
    float third = t == "i2" || t == "ui2" ? 1 : 3;
    EXPECT_THAT(expected, testing::Each(ElementsAre(1, 1, third))) << type;
    EXPECT_EQ(runOn("cpu", {3, 1}, program, {{{1, 0, 1}}, {{0, 1, 1}}, {{0, 0, 1}}}), expected) << type;
  }
}

} // namespace
} // namespace tenon
