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
