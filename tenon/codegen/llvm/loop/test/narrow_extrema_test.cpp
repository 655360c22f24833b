// Extrema of rows of bf16 and f16 that are folded in groups.
#include "tenon/codegen/llvm/loop/test/loop_testing.h"
#include "tenon/codegen/llvm/loop/test/sum_testing.h"

#include "llvm/ADT/StringRef.h"
#include "gtest/gtest.h"

namespace tenon::codegen::testing {
namespace {

// The code of the extremum of 96 rows of so many numbers.
std::string codeOf(const std::string &type, int64_t length) {
  setenv("TENON_TEST_DUMP", "1", 1); // for LoopKernel::ir
  std::string from = "tensor<96x" + std::to_string(length) + "x" + type + ">";
  std::string scalar = "tensor<" + type + ">", to = "tensor<96x" + type + ">";
  LoopKernel kernel("func.func @main(%x: " + from + ", %z: " + scalar + ") -> " + to +
                        " {\n%r = stablehlo.reduce(%x init: %z) applies stablehlo.maximum across dimensions = [1] : (" +
                        from + ", " + scalar + ") -> " + to + "\nreturn %r : " + to + "\n}",
                    *sumTargets().back());
  EXPECT_TRUE(kernel.ok()) << kernel.error;
  return kernel.ir;
}

// Three extrema of bits become one float before it is folded across rows, where rows are long enough to pay for it;
// shorter rows have one key from the start.
TEST(NarrowExtrema, AreSettledBeforeTheyAreFoldedAcrossRows) {
  auto merges = [](const std::string &code) { return llvm::StringRef(code).count("@llvm.umin."); };
  auto mergesOfKeys = [](const std::string &code) { return llvm::StringRef(code).count("@llvm.smax.v"); };
  EXPECT_LT(merges(codeOf("bf16", 64)), 8U);
  EXPECT_LT(merges(codeOf("f16", 64)), 8U);
  EXPECT_GT(merges(codeOf("f32", 64)), 4U);
  for (const char *type : {"bf16", "f16", "f32"}) {
    EXPECT_EQ(merges(codeOf(type, 32)), 0U) << type;
    EXPECT_GT(mergesOfKeys(codeOf(type, 32)), 4U) << type;
  }
  EXPECT_EQ(mergesOfKeys(codeOf("f64", 32)), 0U);
}

} // namespace
} // namespace tenon::codegen::testing
