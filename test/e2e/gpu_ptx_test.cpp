// What kernels' PTX has, and has not, whatever an assembler makes of it.

#include "test/e2e/gpu_code_testing.h"
#include "test/e2e/program_texts.h"

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

// However little it has to do. A processor's tasks have several vectors then, and so have its sums of columns, whose
// additions would wait for each other otherwise.
TEST(GpuPtx, GivesAThreadOneVectorOfLightKernels) {
  auto tasks = [](const std::string &source) {
    auto modules = compileFor("sm_90a", source);
    EXPECT_TRUE(modules.ok()) << modules.status().message();
    return modules.ok() ? modules->front().kernels.front().tasks : 0;
  };
  EXPECT_EQ(tasks("func.func @main() -> tensor<33000xi32> {\n%0 = stablehlo.iota dim = 0 : tensor<33000xi32>\n"
                  "return %0 : tensor<33000xi32> }"),
            33000 / 4);
  EXPECT_EQ(tasks("func.func @main(%a: tensor<65536xi8>) -> tensor<65536xi8> {\n%0 = stablehlo.not %a : "
                  "tensor<65536xi8>\nreturn %0 : tensor<65536xi8> }"),
            65536 / 8)
      << "bytes are computed as 16 bits";
  EXPECT_EQ(tasks(sums({13, 714}, 0)), 179);
}

// Each word of a vector of bf16 is two floats by a shift and a mask: none is taken out of it first.
TEST(GpuPtx, WidensBfloatsByWords) {
  auto modules = compileFor("sm_90a", R"(
    func.func @main(%a: tensor<4096xbf16>, %b: tensor<4096xbf16>) -> tensor<4096xbf16> {
      %0 = stablehlo.add %a, %b : tensor<4096xbf16>
      return %0 : tensor<4096xbf16>
    })");
  ASSERT_TRUE(modules.ok()) << modules.status().message();
  const std::string &ptx = modules->front().code;
  EXPECT_EQ(count(ptx, ", -65536;"), 8u) << ptx;
  EXPECT_EQ(count(ptx, "cvt.u32.u16"), 0u) << ptx;
}

} // namespace
