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
