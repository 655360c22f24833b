// Kernels for NVIDIA's chips, without one: NVIDIA's assembler takes those of every program of test/e2e/programs, and
// what it makes of a simple one has the instructions that it should. A sample of the programs; TENON_TEST_WHOLE=1 takes
// all.

#include "tenon/codegen/gpu/target.h"
#include "tenon/compiler/pipeline.h"
#include "tenon/runtime/cuda/testing/assembler_fixture.h"
#include "tenon/support/parallel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace tenon;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {

// What a program becomes for a chip. Errors are those of the compiler.
StatusOr<std::vector<program::DeviceModule>> compileFor(const std::string &chip, const std::string &source) {
  std::vector<program::DeviceModule> modules;
  codegen::GpuTargetOptions options;
  options.chip = chip;
  options.receive = [&](program::DeviceProgram received) { modules = std::move(received.modules); };
  TENON_ASSIGN_OR_RETURN(codegen::GpuTarget target, codegen::GpuTarget::create(std::move(options)));
  compiler::CompileOptions compile;
  compile.threads = 1;
  compile.selfContained = true;
  TENON_ASSIGN_OR_RETURN([[maybe_unused]] auto program, compiler::compileFor(target, source, compile));
  return modules;
}

std::vector<std::string> programs() {
  std::vector<std::string> paths;
  for (const auto &entry : std::filesystem::directory_iterator(TENON_PROGRAMS))
    paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::string read(const std::string &path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

size_t count(const std::string &text, const std::string &what) {
  size_t found = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
    ++found;
  return found;
}

class GpuCode : public runtime::cuda::AssemblerFixture {
protected:
  // Empty, or what is wrong with the code.
  std::string problemOf(const std::string &path, const std::string &chip) {
    auto modules = compileFor(chip, read(path));
    constexpr std::string_view kRefused = "it is a call of the runtime"; // nothing of it is compiled yet
    if (!modules.ok())
      return modules.status().message().find(kRefused) != std::string::npos ? "" : modules.status().message();
    for (const program::DeviceModule &module : *modules) {
      auto cubin = assembler->assemble(module.code, chip);
      if (!cubin.ok())
        return cubin.status().message() + "\n" + module.code;
      for (const program::DeviceKernel &kernel : module.kernels)
        if (llvm::none_of(cubin->functions, [&](const auto &f) { return f.isKernel && f.name == kernel.name; }))
          return "there is no kernel " + kernel.name;
    }
    return "";
  }
};

TEST_F(GpuCode, IsTakenByTheAssembler) {
  constexpr size_t kSample = 16; // of so many cases one
  bool isWhole = std::getenv("TENON_TEST_WHOLE");
  std::vector<std::pair<std::string, std::string>> cases;
  size_t number = 0;
  for (const std::string &path : programs())
    for (std::string_view chip : codegen::GpuTarget::chips())
      if (isWhole || number++ % kSample == 0)
        cases.emplace_back(path, chip);
  std::vector<std::string> problems(cases.size());
  forEachInParallel(cases.size(), 0, [&](size_t i) { problems[i] = problemOf(cases[i].first, cases[i].second); });
  for (size_t i = 0; i < cases.size(); ++i)
    EXPECT_EQ(problems[i], "") << cases[i].first << " for " << cases[i].second;
}

constexpr const char *kMap = R"(
  func.func @main(%a: tensor<1048576xf32>, %b: tensor<1048576xf32>) -> tensor<1048576xf32> {
    %0 = stablehlo.multiply %a, %b : tensor<1048576xf32>
    %1 = stablehlo.tanh %0 : tensor<1048576xf32>
    return %1 : tensor<1048576xf32>
  })";

// One thread takes one vector of 16 bytes, which goes from global memory to registers and back as a whole.
TEST_F(GpuCode, MovesWholeVectors) {
  for (std::string_view name : codegen::GpuTarget::chips()) {
    std::string chip(name);
    auto modules = compileFor(chip, kMap);
    ASSERT_TRUE(modules.ok()) << modules.status().message();
    ASSERT_EQ(modules->size(), 1u);
    const program::DeviceModule &module = modules->front();
    ASSERT_EQ(module.kernels.size(), 1u);
    EXPECT_EQ(module.kernels[0].tasks, 1 << 18);
    auto cubin = assembler->assemble(module.code, chip);
    ASSERT_TRUE(cubin.ok()) << cubin.status().message();
    auto text = assembler->disassemble(cubin->bytes);
    ASSERT_TRUE(text.ok()) << text.status().message();
    EXPECT_EQ(count(*text, "LDG.E.128"), 2u) << *text;
    EXPECT_EQ(count(*text, "STG.E.128"), 1u);
    EXPECT_THAT(*text, Not(HasSubstr("LDL")));
    EXPECT_THAT(*text, Not(HasSubstr("STL")));
    EXPECT_LE(cubin->functions.at(0).registers, 64);
  }
}

// Each operation rounds by itself, as on CPUs, and keeps subnormal numbers.
TEST_F(GpuCode, RoundsEachOperation) {
  auto modules = compileFor("sm_90a", R"(
    func.func @main(%a: tensor<4096xf32>, %b: tensor<4096xf32>) -> tensor<4096xf32> {
      %0 = stablehlo.multiply %a, %b : tensor<4096xf32>
      %1 = stablehlo.add %0, %a : tensor<4096xf32>
      %2 = stablehlo.divide %1, %b : tensor<4096xf32>
      %3 = stablehlo.sqrt %2 : tensor<4096xf32>
      return %3 : tensor<4096xf32>
    })");
  ASSERT_TRUE(modules.ok()) << modules.status().message();
  const std::string &ptx = modules->front().code;
  for (const char *operation : {"mul.rn.f32", "add.rn.f32", "div.rn.f32", "sqrt.rn.f32"})
    EXPECT_EQ(count(ptx, operation), 4u) << operation;
  EXPECT_THAT(ptx, Not(HasSubstr(".ftz")));
  EXPECT_THAT(ptx, Not(HasSubstr(".approx")));
  EXPECT_THAT(ptx, Not(HasSubstr("fma")));
}

TEST(GpuTargets, NameTheChipsThatThereAre) {
  codegen::GpuTargetOptions options;
  options.chip = "sm_20";
  auto target = codegen::GpuTarget::create(std::move(options));
  ASSERT_FALSE(target.ok());
  EXPECT_THAT(target.status().message(), HasSubstr("'sm_20': there is for sm_80, sm_90a, sm_100a"));
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
