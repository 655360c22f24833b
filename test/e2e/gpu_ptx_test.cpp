// What kernels' PTX has, and has not, whatever an assembler makes of it.

#include "test/e2e/gpu_code_testing.h"

#include <gtest/gtest.h>

using namespace tenon;
using namespace tenon::testing;

namespace {

// A division is a branch and a call for what is out of range; by a constant it is two operations on doubles.
TEST(GpuPtx, DividesByConstantsWithoutBranches) {
  auto divided = [](const std::string &divisor) {
    auto modules = compileFor("sm_90a", R"(
      func.func @main(%a: tensor<4096xf32>, %b: tensor<4096xf32>) -> tensor<4096xf32> {
        %c = stablehlo.constant dense<21.0> : tensor<4096xf32>
        %0 = stablehlo.divide %a, )" + divisor +
                                            R"( : tensor<4096xf32>
        return %0 : tensor<4096xf32>
      })");
    EXPECT_TRUE(modules.ok()) << modules.status().message();
    return modules.ok() ? modules->front().code : "";
  };
  const std::string byConstant = divided("%c"), byVariable = divided("%b");
  EXPECT_EQ(count(byConstant, "div."), 0u) << byConstant;
  EXPECT_EQ(count(byConstant, "fma.rn.f64"), 4u) << byConstant;
  EXPECT_EQ(count(byVariable, "div.rn.f32"), 4u) << byVariable;
}

} // namespace
