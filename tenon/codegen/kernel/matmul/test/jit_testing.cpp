#include "tenon/codegen/kernel/matmul/test/jit_testing.h"

#include "tenon/codegen/cpu/instructions/cpu_instructions.h"
#include "tenon/codegen/kernel/matmul/test/amx_testing.h"
#include "tenon/codegen/llvm/pass_analyses.h"

#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"

#include <cstdlib>
#include <ctime>
#include <mutex>

using namespace llvm;

namespace tenon::codegen::testing {

static ExitOnError exitOnError("jit_testing: ");

MatmulTarget hostTarget(int vectorBits) {
  StringMap<bool> features = sys::getHostCPUFeatures();
  MatmulTarget target;
  target.vectorBits = vectorBits;
  if (vectorBits >= 256) {
    target.fma = features["fma"];
    target.avxVnni = features["avxvnni"];
  }
  if (vectorBits == 512) {
    target.avx512Bf16 = features["avx512bf16"];
    target.avx512Vnni = features["avx512vnni"];
  }
  return target;
}

bool hostSupports(int vectorBits) {
  StringMap<bool> features = sys::getHostCPUFeatures();
  return vectorBits == 512   ? features["avx512bw"] && features["avx512vl"] && features["avx512dq"]
         : vectorBits == 256 ? features["avx2"]
                             : true;
}

struct JitModule::State {
  std::unique_ptr<TargetMachine> machine;
  std::unique_ptr<orc::LLJIT> jit;
};

// Nobody ends a run here.
static int32_t neverStopped() { return 0; }

static std::pair<std::string, std::string> levelOf(const MatmulTarget &target) {
  if (target.vectorBits == 512)
    return {sys::getHostCPUName().str(), ""};
  if (target.vectorBits == 256)
    return {"x86-64-v3", std::string(target.fma ? "" : "-fma,") + (target.avxVnni ? "+avxvnni" : "")};
  return {"x86-64", ""};
}

JitModule::JitModule(const MatmulTarget &target) : state_(std::make_unique<State>()) {
  static std::once_flag once;
  std::call_once(once, [] {
    InitializeNativeTarget();
    InitializeNativeTargetAsmPrinter();
  });
  auto builder = exitOnError(orc::JITTargetMachineBuilder::detectHost());
  auto [cpu, features] = levelOf(target);
  if (target.vectorBits != 512) {
    builder.setCPU(cpu);
    builder.getFeatures() = SubtargetFeatures(features);
  }
  for (auto [has, feature] : {std::pair(target.amxBf16, "amx-bf16"), std::pair(target.amxInt8, "amx-int8")})
    builder.getFeatures().AddFeature(feature, has);
  builder.getFeatures().AddFeature("amx-tile", target.amxBf16 || target.amxInt8);
  builder.setCodeGenOptLevel(CodeGenOptLevel::Less);
  builder.setRelocationModel(Reloc::PIC_);
  state_->machine = exitOnError(builder.createTargetMachine());
  state_->jit = exitOnError(orc::LLJITBuilder().setJITTargetMachineBuilder(builder).create());
  auto define = [&](StringRef name, orc::ExecutorAddr address) {
    exitOnError(state_->jit->getMainJITDylib().define(
        orc::absoluteSymbols({{state_->jit->mangleAndIntern(name), {address, JITSymbolFlags::Exported}}})));
  };
  define("tenon_tile_configuration", orc::ExecutorAddr::fromPtr(kTileConfiguration.data()));
  define("tenon_stopped", orc::ExecutorAddr::fromPtr(&neverStopped));
  context_ = std::make_unique<LLVMContext>();
  module_ = std::make_unique<Module>("kernels", *context_);
  module_->setDataLayout(state_->machine->createDataLayout());
  module_->setTargetTriple(state_->machine->getTargetTriple());
  auto hasFeature = [&](StringRef feature) {
    return state_->machine->getMCSubtargetInfo()->checkFeatures(("+" + feature).str());
  };
  math::useInstructions(*module_, cpuInstructions(module_->getTargetTriple(), hasFeature));
}

JitModule::~JitModule() = default;

static void optimise(Module &module, TargetMachine &machine) {
  PassBuilder builder(&machine);
  PassAnalyses analyses;
  analyses.add(builder);
  ModulePassManager passes;
  exitOnError(builder.parsePassPipeline(
      passes, "function(early-cse<memssa>,instcombine<no-verify-fixpoint>,loop-mssa(licm),simplifycfg)"));
  passes.run(module, analyses.modules);
}

void JitModule::compile() {
  if (verifyModule(*module_, &errs())) {
    module_->print(errs(), nullptr);
    std::abort();
  }
  auto cpuSeconds = [] {
    timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return double(time.tv_sec) + double(time.tv_nsec) * 1e-9;
  };
  double start = cpuSeconds();
  for (Function &function : *module_)
    if (!function.isDeclaration()) {
      function.addFnAttr("target-cpu", state_->machine->getTargetCPU());
      function.addFnAttr("target-features", state_->machine->getTargetFeatureString());
    }
  optimise(*module_, *state_->machine);
  double optimised = cpuSeconds();
  if (std::getenv("TENON_PRINT_IR"))
    module_->print(errs(), nullptr);
  SmallVector<char, 0> object;
  raw_svector_ostream os(object);
  legacy::PassManager emit;
  if (state_->machine->addPassesToEmitFile(emit, os, nullptr, CodeGenFileType::ObjectFile))
    std::abort();
  emit.run(*module_);
  milliseconds_ = (cpuSeconds() - start) * 1e3;
  if (std::getenv("TENON_TIME_COMPILE"))
    errs() << "optimise " << (optimised - start) * 1e3 << " ms, code " << (cpuSeconds() - optimised) * 1e3 << " ms\n";
  if (const char *path = std::getenv("TENON_DUMP_OBJECT")) {
    std::error_code error;
    raw_fd_ostream(path, error) << StringRef(object.data(), object.size());
  }
  exitOnError(
      state_->jit->addObjectFile(std::make_unique<SmallVectorMemoryBuffer>(std::move(object), "kernels", false)));
}

TenonKernel JitModule::lookup(const std::string &symbol) {
  return exitOnError(state_->jit->lookup(symbol)).toPtr<TenonKernel>();
}

void runKernel(JitModule &jit, const Kernel &kernel, std::vector<void *> buffers, int pieces) {
  GuardedMemory temp(kernel.tempBytes, 64), scratch(kernel.scratchBytes, 64);
  if (kernel.tempBytes)
    buffers.push_back(temp.data());
  for (const KernelPhase &phase : kernel.phases) {
    TenonKernel run = jit.lookup(phase.symbol);
    for (int piece = pieces; piece-- > 0;)
      run(buffers.data(), phase.extent * piece / pieces, phase.extent * (piece + 1) / pieces, scratch.data());
  }
}

} // namespace tenon::codegen::testing
