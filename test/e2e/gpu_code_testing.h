// What programs become for NVIDIA's chips.
#pragma once

#include "tenon/codegen/gpu/target.h"
#include "tenon/compiler/pipeline.h"

namespace tenon::testing {

// What a program becomes for a chip. Errors are those of the compiler.
inline StatusOr<std::vector<program::DeviceModule>> compileFor(const std::string &chip, const std::string &source) {
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

// How often a text has another one.
inline size_t count(const std::string &text, const std::string &what) {
  size_t found = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
    ++found;
  return found;
}

inline constexpr const char *kMap = R"(
  func.func @main(%a: tensor<1048576xf32>, %b: tensor<1048576xf32>) -> tensor<1048576xf32> {
    %0 = stablehlo.multiply %a, %b : tensor<1048576xf32>
    %1 = stablehlo.tanh %0 : tensor<1048576xf32>
    return %1 : tensor<1048576xf32>
  })";

} // namespace tenon::testing
