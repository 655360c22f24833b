// What NVIDIA's assembler makes of the kernels of whole programs: that it takes them, and what it keeps in memory that
// could be in registers. A sample of the programs; TENON_TEST_WHOLE=1 takes all.

#include "test/e2e/gpu_code_testing.h"
#include "test/e2e/program_texts.h"

#include "tenon/codegen/gpu/machine_code.h"
#include "tenon/runtime/cuda/testing/assembler_fixture.h"
#include "tenon/support/parallel.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

using namespace tenon;
using namespace tenon::testing;

namespace {

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

// Empty, or the function that keeps registers in memory.
std::string memoryProblemOf(const runtime::cuda::Cubin &cubin) {
  for (const auto &function : cubin.functions)
    if (function.stackBytes + function.spillBytes() > 0)
      return function.name + " has " + std::to_string(function.stackBytes) + " bytes of stack and " +
             std::to_string(function.spillStoreBytes) + " bytes of spills";
  return "";
}

class GpuAssembly : public runtime::cuda::AssemblerFixture {
protected:
  // Empty, or what is wrong with the code.
  std::string problemOf(const std::string &path, const std::string &chip) {
    auto modules = compileFor(chip, read(path));
    if (!modules.ok())
      return modules.status().message();
    for (const program::DeviceModule &module : *modules) {
      auto cubins = assembleByAll(module.code, chip);
      if (!cubins.ok())
        return cubins.status().message() + "\n" + module.code;
      // nvJitLink keeps registers around calls in memory.
      const std::string problem = memoryProblemOf(cubins->front());
      if (!problem.empty())
        return problem + "\n" + module.code;
      for (const runtime::cuda::Cubin &cubin : *cubins) {
        if (!cubin.remarks.empty())
          return cubin.remarks[0] + "\n" + module.code;
        for (const program::DeviceKernel &kernel : module.kernels)
          if (llvm::none_of(cubin.functions, [&](const auto &f) { return f.isKernel && f.name == kernel.name; }))
            return "there is no kernel " + kernel.name;
      }
    }
    return problemOfJoined(*modules, chip);
  }

  // The same of modules that are assembled together, in which kernels take as many registers as alone.
  std::string problemOfJoined(const std::vector<program::DeviceModule> &modules, const std::string &chip) {
    std::vector<llvm::StringRef> texts;
    std::map<std::string, int> registers;
    for (const program::DeviceModule &module : modules)
      texts.emplace_back(module.code);
    std::string problem;
    auto assemble = [&](std::string_view text) -> StatusOr<std::string> {
      TENON_ASSIGN_OR_RETURN(runtime::cuda::Cubin cubin, assembler->assemble(text, chip));
      problem += memoryProblemOf(cubin) + (cubin.remarks.empty() ? "" : cubin.remarks[0]);
      std::string names;
      for (const runtime::cuda::FunctionResources &function : cubin.functions) {
        auto [known, isNew] = registers.try_emplace(function.name, function.registers);
        if (!isNew && known->second != function.registers)
          problem += function.name + " has " + std::to_string(function.registers) + " registers, and alone " +
                     std::to_string(known->second) + "\n";
        names += function.name + "\n";
      }
      return names;
    };
    for (llvm::StringRef text : texts)
      if (auto alone = assemble(text); !alone.ok())
        return alone.status().message();
    auto made = codegen::machineCodeOf(texts, chip, {"", assemble, /*isReproducible=*/true}, nullptr, 1);
    if (!made.ok())
      return made.status().message();
    for (auto [i, module] : llvm::enumerate(modules))
      for (const program::DeviceKernel &kernel : module.kernels)
        if (!llvm::StringRef(made->codes[made->codeOf[i]]).contains(kernel.name + "\n"))
          problem += "there is no kernel " + kernel.name + " among those of its code\n";
    return problem;
  }
};

TEST_F(GpuAssembly, IsTakenByTheAssembler) {
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

// Threads without scratch memory take one task each. Where all of a GPU's threads cannot have the memory that they
// need, they go on to others, as many further as the grid has threads.
TEST_F(GpuAssembly, GoesOnToOtherTasksForScratchMemoryAlone) {
  auto goesOn = [](const std::string &source) {
    auto modules = compileFor("sm_90a", source);
    EXPECT_TRUE(modules.ok()) << modules.status().message();
    bool hasScratch = false;
    std::string code;
    for (const auto &module : modules.ok() ? *modules : std::vector<program::DeviceModule>()) {
      code += module.code;
      for (const program::DeviceKernel &kernel : module.kernels)
        hasScratch |= kernel.scratchBytes > 0;
    }
    return std::pair(hasScratch, count(code, "%nctaid.x;") > 0);
  };
  EXPECT_EQ(goesOn(kMap), std::pair(false, false));
  EXPECT_EQ(goesOn(R"(func.func @main(%a: tensor<1000x9xi32>) -> tensor<1000x9xi32> {
    %0 = "stablehlo.sort"(%a) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%x: tensor<i32>, %y: tensor<i32>):
      %1 = stablehlo.compare LT, %x, %y : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }) : (tensor<1000x9xi32>) -> tensor<1000x9xi32>
    return %0 : tensor<1000x9xi32>
  })"),
            std::pair(true, true));
}

// The assembler is content with few registers for this one, if they need not last from one task to another.
TEST_F(GpuAssembly, KeepsTanhOfBf16InRegisters) {
  for (std::string_view name : codegen::GpuTarget::chips()) {
    std::string chip(name);
    auto modules = compileFor(chip, R"(
      func.func @main(%a: tensor<65536xbf16>) -> tensor<65536xbf16> {
        %0 = stablehlo.tanh %a : tensor<65536xbf16>
        return %0 : tensor<65536xbf16>
      })");
    ASSERT_TRUE(modules.ok()) << modules.status().message();
    auto cubin = assembler->assemble(modules->front().code, chip);
    ASSERT_TRUE(cubin.ok()) << cubin.status().message();
    EXPECT_EQ(memoryProblemOf(*cubin), "") << chip;
  }
}

} // namespace
