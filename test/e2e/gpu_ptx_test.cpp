// What kernels' PTX has, and has not, whatever an assembler makes of it; and which kernels there are.

#include "test/e2e/gpu_code_testing.h"
#include "test/e2e/program_texts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

using namespace tenon;
using namespace tenon::testing;
using ::testing::HasSubstr;

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

// The names of the kernels that a sort of rows starts, one after the other.
std::vector<std::string> kernelsOfSort(const std::string &type) {
  const std::string tensor = "tensor<" + type + ">", element = "tensor<" + type.substr(type.rfind('x') + 1) + ">";
  auto modules = compileFor("sm_90a", "func.func @main(%a: " + tensor + ") -> " + tensor + R"( {
      %0 = "stablehlo.sort"(%a) <{dimension = 1 : i64, is_stable = true}> ({
      ^bb0(%x: )" + element + ", %y: " + element +
                                          R"():
        %1 = stablehlo.compare LT, %x, %y : ()" +
                                          element + ", " + element + R"() -> tensor<i1>
        stablehlo.return %1 : tensor<i1>
      }) : ()" + tensor + ") -> " + tensor +
                                          " return %0 : " + tensor + " }");
  EXPECT_TRUE(modules.ok()) << modules.status().message();
  std::vector<std::string> names;
  if (modules.ok())
    for (const program::DeviceKernel &kernel : modules->front().kernels)
      names.push_back(kernel.name);
  return names;
}

// From four merges on; the last one, which gives the results, is a kernel of its own.
TEST(GpuPtx, MergesByTwoKernelsInTurns) {
  auto four = kernelsOfSort("2x9001xi32");
  ASSERT_EQ(four.size(), 5u); // with that of the runs
  EXPECT_EQ(four[1], four[3]);
  EXPECT_NE(four[1], four[2]);
  EXPECT_EQ(std::set(four.begin(), four.end()).size(), 4u);
  auto three = kernelsOfSort("2x5003xi32");
  EXPECT_EQ(three.size(), 4u);
  EXPECT_EQ(std::set(three.begin(), three.end()).size(), 4u);
}

// However many digits there are: the first is counted by a kernel of its own.
TEST(GpuPtx, SortsDigitsByFourKernels) {
  for (auto [type, digits] : {std::pair("1x1048576xi64", 8u), std::pair("2x1000001xi32", 4u),
                              std::pair("1x1048576xi16", 2u), std::pair("1x1048576xi8", 1u)}) {
    auto names = kernelsOfSort(type);
    ASSERT_EQ(names.size(), 3 * digits) << type;
    EXPECT_EQ(std::set(names.begin(), names.end()).size(), digits > 1 ? 4u : 3u) << type;
    for (unsigned digit = 1; digit < digits; ++digit) {
      EXPECT_NE(names[3 * digit], names[0]) << type;
      EXPECT_EQ(names[3 * digit + 1], names[1]) << type;
      EXPECT_EQ(names[3 * digit + 2], names[2]) << type;
    }
  }
}

TEST(GpuTargets, NameTheChipsThatThereAre) {
  codegen::GpuTargetOptions options;
  options.chip = "sm_20";
  auto target = codegen::GpuTarget::create(std::move(options));
  ASSERT_FALSE(target.ok());
  EXPECT_THAT(target.status().message(), HasSubstr("'sm_20': there is for sm_80, sm_90a, sm_100a"));
}

// But for kernels with maps of arrays, whose strides older assemblers take in other units.
TEST(GpuTargets, AskForANewerPtxForBoxes) {
  auto modules = compileFor("sm_90a", product({4096, 4096}, {4096, 4096}, 1, 0, "bf16", "bf16"));
  ASSERT_TRUE(modules.ok()) << modules.status().message();
  EXPECT_THAT(modules->front().code, HasSubstr(".version 8.5\n.target sm_90a\n"));
  ASSERT_EQ(modules->front().kernels.size(), 2u);
  EXPECT_EQ(modules->front().kernels[0].tasks, 1);
}

// A driver that assembles has to know the version.
TEST(GpuTargets, AskForTheOldestPtxThatKnowsTheChip) {
  for (auto [chip, version] : {std::pair("sm_80", "7.0"), std::pair("sm_90a", "8.0"), std::pair("sm_100a", "8.6")}) {
    auto modules = compileFor(chip, kMap);
    ASSERT_TRUE(modules.ok()) << modules.status().message();
    EXPECT_THAT(modules->front().code, HasSubstr(std::string(".version ") + version + "\n.target " + chip + "\n"));
  }
}

} // namespace
