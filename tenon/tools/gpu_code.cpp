#include "tenon/tools/gpu_code.h"

#include "tenon/codegen/cpu/target.h"
#include "tenon/codegen/gpu/target.h"
#include "tenon/compiler/pipeline.h"
#include "tenon/runtime/cuda/assembler.h"
#include "tenon/runtime/cuda/cubin_maker.h"

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

// The chip that the options name; of a program that is to be written, with who makes machine code, or who plays it.
static StatusOr<codegen::GpuTargetOptions> targetOptions(const CompileOptions &options) {
  codegen::GpuTargetOptions target;
  if (!options.targetCpu.empty())
    target.chip = options.targetCpu;
  if (options.isEmulated) {
    TENON_ASSIGN_OR_RETURN(codegen::CpuTarget processor,
                           codegen::CpuTarget::create({.maxVectorBits = codegen::kGpuVectorBits}));
    target.emulator = std::make_shared<codegen::CpuTarget>(std::move(processor));
  } else if (!options.aot.folder.empty()) {
    TENON_ASSIGN_OR_RETURN(auto cubins, runtime::cuda::findCubinMaker());
    if (cubins)
      target.assembler = {cubins->version(),
                          [cubins, chip = target.chip](std::string_view ptx) {
                            return runtime::cuda::makeMachineCode(*cubins, ptx, chip);
                          },
                          /*isReproducible=*/true};
    else
      llvm::errs() << "note: there is no assembler of NVIDIA's: the driver makes machine code each time when the model "
                      "is loaded\n";
  }
  return target;
}

StatusOr<program::Program> compileForGpu(std::string_view source, compiler::CompileOptions request,
                                         const CompileOptions &options, program::DeviceProgram &device) {
  if (!options.output.empty())
    return unimplemented("a program for a GPU is written by --aot, not by -o");
  if (options.aot.shared)
    return unimplemented("a model for a GPU is not written as a shared library, but as an object to link with "
                         "libtenon_cuda.a");
  TENON_ASSIGN_OR_RETURN(codegen::GpuTargetOptions own, targetOptions(options));
  own.receive = [&](program::DeviceProgram received) { device = std::move(received); };
  std::string chip = own.chip;
  TENON_ASSIGN_OR_RETURN(codegen::GpuTarget target, codegen::GpuTarget::create(std::move(own)));
  request.selfContained = request.movesOnly = true; // there is no library of the CPU's
  if (llvm::is_contained({kPtxStage, kMachineCodeStage}, std::string_view(options.dumpAfter)))
    request.dumpAfter.clear();
  TENON_ASSIGN_OR_RETURN(program::Program program, compiler::compileFor(target, source, request));
  if (options.isEmulated)
    return program; // whose kernels are no text
  for (const program::DeviceModule &module : device.modules)
    if (options.dumpAfter == kPtxStage || options.dumpAfter == "all")
      printStage(kPtxStage, module.code);
  for (const program::DeviceModule &module : device.modules)
    if (options.dumpAfter == kMachineCodeStage)
      TENON_RETURN_IF_ERROR(printMachineCode(module, chip));
  return program;
}

} // namespace tenon::tools
