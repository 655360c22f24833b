// How much memory programs take for values between their operations (requirement inventory SYS-07, SYS-08).
#include "tenon/compiler/compiler.h"

#include <gtest/gtest.h>

namespace tenon {
namespace {

constexpr int kLength = 100;

// A hundred operations, each on the result of the one before ($), in turns. The first one's argument is %0.
std::string chainOf(const std::string &type, const std::vector<std::string> &operations) {
  std::string text = "func.func @main(%0: " + type + ") -> " + type + " {\n";
  for (int i = 0; i < kLength; ++i) {
    std::string operation = operations[static_cast<size_t>(i) % operations.size()];
    for (size_t at = operation.find('$'); at != std::string::npos; at = operation.find('$'))
      operation.replace(at, 1, "%" + std::to_string(i));
    text += "  %" + std::to_string(i + 1) + " = stablehlo." + operation + "\n";
  }
  return text + "  return %" + std::to_string(kLength) + " : " + type + "\n}\n";
}

int64_t temporaryBytes(const std::string &source, bool optimize) {
  compiler::CompileOptions options;
  options.optimize = optimize;
  auto program = compiler::compile(source, options);
  EXPECT_TRUE(program.ok()) << program.status().message();
  return program.ok() ? program->arenaBytes : -1;
}

TEST(Memory, ElementwiseChainsTakeNone) {
  const std::string kType = "tensor<1000x1000xf32>";
  std::string chain =
      chainOf(kType, {"sine $ : " + kType, "add $, %0 : " + kType, "negate $ : " + kType, "multiply $, $ : " + kType});
  EXPECT_LT(temporaryBytes(chain, /*optimize=*/true), 4096);
  // Every operation a kernel: two arrays take turns, where a hundred would be naive.
  constexpr int64_t kArray = 4000000;
  int64_t bytes = temporaryBytes(chain, /*optimize=*/false);
  EXPECT_GT(bytes, 0);
  EXPECT_LE(bytes, 2 * kArray + 4096);
}

// Products are kernels of their own, and what comes in between is fused into them.
TEST(Memory, ChainsOfKernelsTakeTwoArrays) {
  const std::string kType = "tensor<256x256xf32>";
  std::string chain =
      chainOf(kType, {"dot_general $, %0, contracting_dims = [1] x [0] : (" + kType + ", " + kType + ") -> " + kType,
                      "tanh $ : " + kType});
  constexpr int64_t kArray = 256 * 256 * 4;
  for (bool optimize : {true, false}) {
    int64_t bytes = temporaryBytes(chain, optimize);
    EXPECT_GT(bytes, 0);
    EXPECT_LE(bytes, 3 * kArray) << optimize;
  }
}

// Arrays of 1 MiB each.
constexpr int64_t kLarge = 512 * 512 * 4;

// Replaces names, and then T512 by the type of such an array.
std::string large(std::string text, const std::vector<std::pair<std::string, std::string>> &names = {}) {
  auto replace = [&](const std::string &from, const std::string &to) {
    for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
      text.replace(at, from.size(), to);
  };
  for (const auto &[from, to] : names)
    replace(from, to);
  replace("T512", "tensor<512x512xf32>");
  return text;
}

constexpr int kSteps = 25;

// The results of 25 steps on %x, all made before the first is added to a sum.
std::string unrolled(const std::string &step) {
  std::string text = "func.func @main(%x: T512, %y: T512) -> T512 {\n";
  auto name = [](const char *kind, int i) { return kind + std::to_string(i); };
  for (int i = 0; i < kSteps; ++i) {
    text += "  %c" + std::to_string(i) + " = stablehlo.constant dense<" + std::to_string(i + 1) + ".0> : T512\n";
    text += large("  %mI = stablehlo.multiply %x, %cI : T512\n", {{"I", std::to_string(i)}});
    text += large(step, {{"@R", name("%r", i)}, {"@X", name("%m", i)}});
  }
  text += "  %s0 = stablehlo.tanh %r0 : T512\n";
  for (int i = 1; i < kSteps; ++i)
    text += large("  @T = stablehlo.tanh @R : T512\n  @S = stablehlo.add @B, @T : T512\n",
                  {{"@T", name("%t", i)}, {"@R", name("%r", i)}, {"@S", name("%s", i)}, {"@B", name("%s", i - 1)}});
  return large(text + "  return %s24 : T512\n}\n");
}

TEST(Memory, UnrolledStepsTakeAFewArrays) {
  int64_t products = temporaryBytes(
      unrolled("  @R = stablehlo.dot_general @X, %y, contracting_dims = [1] x [0] : (T512, T512) -> T512\n"), true);
  EXPECT_GE(products, kLarge);
  EXPECT_LE(products, 4 * kLarge);
  int64_t sorted = temporaryBytes(unrolled(R"(  @R = "stablehlo.sort"(@X) <{dimension = 1 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %p = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }) : (T512) -> T512
)"),
                                  true);
  EXPECT_GE(sorted, kLarge);
  EXPECT_LE(sorted, 10 * kLarge);
}

// Layers of products and tanh, their derivatives, and then all new weights, for which both are needed. Every `segment`
// layers the activations are kept; in between they are computed again behind a barrier.
std::string training(int layers, int segment) {
  std::string text = "func.func @main(%h0: T512", results, types;
  auto number = [](int i) { return std::to_string(i); };
  for (int i = 1; i <= layers; ++i)
    text += ", %w" + number(i) + ": T512";
  text += ") -> (TYPES) {\n";
  auto layer = [&](const std::string &from, const std::string &to, int i) {
    return large("  @TOd = stablehlo.dot_general @FROM, %wI, contracting_dims = [1] x [0] : (T512, T512) -> T512\n"
                 "  @TO = stablehlo.tanh @TOd : T512\n",
                 {{"@TO", to}, {"@FROM", from}, {"I", number(i)}});
  };
  for (int i = 1; i <= layers; ++i)
    text += layer("%h" + number(i - 1), "%h" + number(i), i);
  std::string gradient = "%h" + number(layers);
  for (int end = layers; end > 0; end -= segment) {
    int begin = end - segment;
    text += large("  %kB, %qB = stablehlo.optimization_barrier %hB, @G : T512, T512\n",
                  {{"B", number(begin)}, {"@G", gradient}});
    for (int i = begin + 1; i <= end; ++i)
      text += layer("%k" + number(i - 1), "%k" + number(i) + (i == end ? "e" : ""), i);
    gradient = "%q" + number(begin);
    for (int i = end; i > begin; --i) {
      text += large("  %uI = stablehlo.multiply @G, @K : T512\n"
                    "  %gI = stablehlo.dot_general %uI, %wI, contracting_dims = [1] x [1] : (T512, T512) -> T512\n",
                    {{"I", number(i)}, {"@G", gradient}, {"@K", "%k" + number(i) + (i == end ? "e" : "")}});
      gradient = "%g" + number(i);
    }
  }
  for (int i = 1; i <= layers; ++i) {
    text += large("  %pI = stablehlo.dot_general %kJ, %uI, contracting_dims = [0] x [0] : (T512, T512) -> T512\n"
                  "  %nI = stablehlo.subtract %wI, %pI : T512\n",
                  {{"I", number(i)}, {"J", number(i - 1)}});
    results += (i == 1 ? "%n" : ", %n") + number(i);
    types += i == 1 ? "T512" : ", T512";
  }
  return large(text + "  return " + results + " : " + types + "\n}\n", {{"TYPES", types}});
}

// Though the new weights are computed last, neither activations nor derivatives are kept until then; and what is
// computed again takes memory only then.
TEST(Memory, TrainingTakesTheActivations) {
  constexpr int kLayers = 24;
  EXPECT_LE(temporaryBytes(training(kLayers, kLayers), true), (kLayers + 6) * kLarge);
  EXPECT_LE(temporaryBytes(training(kLayers, 4), true), (kLayers / 4 + 4 + 6) * kLarge);
}

// Each activation is needed until the new weights of its layer are there: it lies where those of an earlier layer will
// be.
TEST(Memory, ActivationsLieWhereResultsWillBe) {
  constexpr int kLayers = 24;
  EXPECT_LE(temporaryBytes(training(kLayers, kLayers), true), 6 * kLarge);
  // Where results take over the memory of weights, which are read until then, there is no room.
  std::string donated = training(kLayers, kLayers);
  for (int i = 1; i <= kLayers; ++i) {
    std::string argument = "%w" + std::to_string(i) + ": tensor<512x512xf32>";
    donated.insert(donated.find(argument) + argument.size(),
                   " {tf.aliasing_output = " + std::to_string(i - 1) + " : i32}");
  }
  EXPECT_GE(temporaryBytes(donated, true), kLayers * kLarge);
}

// How many arrays of a megabyte or more are copied by the program's own control flow: calls of the routine for it.
int copiesOf(const std::string &source) {
  compiler::CompileOptions options;
  int copies = 0;
  options.dumpAfter = {"llvm"};
  options.dump = [&](std::string_view, std::string_view text) {
    constexpr std::string_view kCall = "call void @tenon_copy(";
    for (size_t at = text.find(kCall); at != std::string_view::npos; at = text.find(kCall, at + 1))
      ++copies;
  };
  auto program = compiler::compile(source, options);
  EXPECT_TRUE(program.ok()) << program.status().message();
  return copies;
}

// A loop over %i and two arrays, %a and %b, whose next values are %r#0 and %r#1 of `body`.
std::string loopOf(const std::string &body) {
  return R"(
func.func @main(%n: tensor<i32>, %x: tensor<1000000xf32>, %y: tensor<1000000xf32>)
    -> (tensor<1000000xf32>, tensor<1000000xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %value = stablehlo.constant dense<1.0> : tensor<1xf32>
  %l:3 = stablehlo.while(%i = %zero, %a = %x, %b = %y)
      : tensor<i32>, tensor<1000000xf32>, tensor<1000000xf32>
  cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %even = stablehlo.and %i, %one : tensor<i32>
    %q = stablehlo.compare EQ, %even, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
)" + body +
         R"(
    %next = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %next, %r#0, %r#1 : tensor<i32>, tensor<1000000xf32>, tensor<1000000xf32>
  }
  return %l#1, %l#2 : tensor<1000000xf32>, tensor<1000000xf32>
}
)";
}

std::string updateOf(const std::string &result, const std::string &array) {
  return result + " = stablehlo.dynamic_update_slice " + array +
         ", %value, %i : (tensor<1000000xf32>, tensor<1xf32>, tensor<i32>) -> tensor<1000000xf32>\n";
}

const std::string kPair = "tensor<1000000xf32>, tensor<1000000xf32>";

std::string returnOf(const std::string &first, const std::string &second) {
  return "stablehlo.return " + first + ", " + second + " : " + kPair + "\n";
}

std::string branchOf(const std::string &op, const std::string &result, const std::string &selector,
                     const std::string &type, const std::vector<std::string> &branches) {
  std::string text = result + ":2 = \"stablehlo." + op + "\"(" + selector + ") ({\n";
  for (size_t i = 0; i < branches.size(); ++i)
    text += (i ? "}, {\n" : "") + branches[i];
  return text + "}) : (" + type + ") -> (" + kPair + ")\n";
}

// The arguments, which are the caller's, are copied when the loop begins; the loop itself copies nothing.
TEST(Copies, BranchesUpdateCarriedArraysInPlace) {
  std::string pass = returnOf("%a", "%b");
  EXPECT_EQ(
      copiesOf(loopOf(branchOf("if", "%r", "%q", "tensor<i1>", {updateOf("%u", "%a") + returnOf("%u", "%b"), pass}))),
      2);
  std::string both = updateOf("%v", "%a") + updateOf("%w", "%b") + returnOf("%v", "%w");
  EXPECT_EQ(
      copiesOf(loopOf(branchOf("if", "%r", "%q", "tensor<i1>", {updateOf("%u", "%b") + returnOf("%a", "%u"), both}))),
      2);
  EXPECT_EQ(copiesOf(loopOf(branchOf("case", "%r", "%i", "tensor<i32>",
                                     {pass, updateOf("%u", "%b") + returnOf("%a", "%u"), both}))),
            2);
}

TEST(Copies, AtAnyDepth) {
  std::string pass = returnOf("%a", "%b");
  std::string inner = branchOf("case", "%s", "%i", "tensor<i32>", {pass, updateOf("%u", "%a") + returnOf("%u", "%b")});
  EXPECT_EQ(copiesOf(loopOf(branchOf("if", "%r", "%q", "tensor<i1>", {pass, inner + returnOf("%s#0", "%s#1")}))), 2);
  std::string loop = R"(
    %m:2 = stablehlo.while(%j = %zero, %c = %a) : tensor<i32>, tensor<1000000xf32>
    cond {
      %jp = stablehlo.compare LT, %j, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %jp : tensor<i1>
    } do {
      %jn = stablehlo.add %j, %one : tensor<i32>
      %cn = stablehlo.dynamic_update_slice %c, %value, %j : (tensor<1000000xf32>, tensor<1xf32>, tensor<i32>) -> tensor<1000000xf32>
      stablehlo.return %jn, %cn : tensor<i32>, tensor<1000000xf32>
    }
)";
  EXPECT_EQ(copiesOf(loopOf(branchOf("if", "%r", "%q", "tensor<i1>", {pass, loop + returnOf("%m#1", "%b")}))), 2);
}

// Where the array from before the update is read afterwards, there have to be two.
TEST(Copies, ButWhatIsReadLaterIsKept) {
  std::string update =
      branchOf("if", "%s", "%q", "tensor<i1>", {updateOf("%u", "%a") + returnOf("%u", "%b"), returnOf("%a", "%b")});
  std::string sum = "%t = stablehlo.add %s#1, %a : tensor<1000000xf32>\n";
  std::string tuple = branchOf("if", "%r", "%q", "tensor<i1>", {returnOf("%s#0", "%t"), returnOf("%s#0", "%t")});
  EXPECT_GT(copiesOf(loopOf(update + sum + tuple)), 2);
}

// What is read of the array as it was, and does not need the update, is read before it.
TEST(Copies, WhatCanBeReadBeforeAnUpdateIs) {
  const std::string kRead =
      "%c = stablehlo.slice %a [5:6] : (tensor<1000000xf32>) -> tensor<1xf32>\n"
      "%r1 = stablehlo.dynamic_update_slice %b, %c, %i : (tensor<1000000xf32>, tensor<1xf32>, tensor<i32>) -> "
      "tensor<1000000xf32>\n";
  std::string result = branchOf("if", "%r", "%q", "tensor<i1>", {returnOf("%u", "%r1"), returnOf("%u", "%r1")});
  EXPECT_EQ(copiesOf(loopOf(updateOf("%u", "%a") + kRead + result)), 2);
}

// What a thousand executions would be called for is a few loops: fusions have a limit.
TEST(Dispatch, AThousandTinyOperationsAreAFewKernels) {
  std::string type = "tensor<8xf32>", text = "func.func @main(%0: " + type + ") -> " + type + " {\n";
  for (int i = 0; i < 1000; ++i)
    text += "  %" + std::to_string(i + 1) + " = stablehlo." + (i % 2 ? "add" : "multiply") + " %" + std::to_string(i) +
            ", %0 : " + type + "\n";
  auto program = compiler::compile(text + "  return %1000 : " + type + "\n}\n");
  ASSERT_TRUE(program.ok()) << program.status().message();
  EXPECT_LE(program->report.kernels.size(), 4u);
  EXPECT_LE(program->kernelCalls.size(), 4u);
}

} // namespace
} // namespace tenon
