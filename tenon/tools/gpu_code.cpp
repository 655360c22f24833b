#include "tenon/tools/gpu_code.h"

#include "tenon/codegen/gpu/target.h"
#include "tenon/compiler/pipeline.h"
#include "tenon/runtime/cuda/assembler.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace tenon::tools {

namespace {

void printStage(std::string_view stage, std::string_view text) {
  llvm::outs() << "// after " << stage << "\n" << text << "\n";
}

// What each function takes of the chip, and its instructions.
Status printMachineCode(const program::DeviceModule &module, const std::string &chip) {
  TENON_ASSIGN_OR_RETURN(runtime::cuda::Assembler assembler, runtime::cuda::Assembler::find());
  TENON_ASSIGN_OR_RETURN(runtime::cuda::Cubin cubin, assembler.assemble(module.code, chip));
  std::string text;
  llvm::raw_string_ostream os(text);
  for (const runtime::cuda::FunctionResources &function : cubin.functions) {
    os << "// " << function.name << ": ";
    if (function.isKernel)
      os << function.registers << " registers, ";
    os << function.stackBytes << " B of stack, " << function.spillStoreBytes << " B of spills stored and "
       << function.spillLoadBytes << " B loaded\n";
  }
  TENON_ASSIGN_OR_RETURN(std::string code, assembler.disassemble(cubin.bytes));
  printStage(kMachineCodeStage, text + code);
  return {};
}

} // namespace

bool isForGpu(const CompileOptions &options) { return llvm::StringRef(options.targetTriple).starts_with("nvptx"); }

StatusOr<program::Program> compileForGpu(std::string_view source, compiler::CompileOptions request,
                                         const CompileOptions &options) {
  if (!options.output.empty() || !options.aot.folder.empty())
    return unimplemented("programs for GPUs cannot be written to files yet: --dump-after=" + std::string(kPtxStage) +
                         " prints their kernels");
  codegen::GpuTargetOptions targetOptions;
  if (!options.targetCpu.empty())
    targetOptions.chip = options.targetCpu;
  auto prints = [&](std::string_view stage) { return options.dumpAfter == stage || options.dumpAfter == "all"; };
  program::DeviceProgram device;
  targetOptions.receive = [&](program::DeviceProgram received) { device = std::move(received); };
  std::string chip = targetOptions.chip;
  TENON_ASSIGN_OR_RETURN(codegen::GpuTarget target, codegen::GpuTarget::create(std::move(targetOptions)));
  request.selfContained = true; // there is no library of the CPU's
  if (llvm::is_contained({kPtxStage, kMachineCodeStage}, std::string_view(options.dumpAfter)))
    request.dumpAfter.clear();
  TENON_ASSIGN_OR_RETURN(program::Program program, compiler::compileFor(target, source, request));
  for (const program::DeviceModule &module : device.modules)
    if (prints(kPtxStage))
      printStage(kPtxStage, module.code);
  for (const program::DeviceModule &module : device.modules)
    if (options.dumpAfter == kMachineCodeStage)
      TENON_RETURN_IF_ERROR(printMachineCode(module, chip));
  return program;
}

} // namespace tenon::tools
