#include "tenon/codegen/llvm/testing/jit.h"

#include "tenon/codegen/cpu/instructions/cpu_instructions.h"

#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

#include <cstdlib>

using namespace llvm;

namespace tenon::codegen::testing {

struct Jit::State {
  // Modules are compiled at once, so contexts only need to outlive `add`.
  std::vector<std::unique_ptr<LLVMContext>> contexts;
  std::unique_ptr<orc::LLJIT> jit;
  std::unique_ptr<TargetMachine> machine;
  int sequence = 0;
};

Jit::Jit(std::string cpu) : state_(std::make_unique<State>()) {
  static const bool initialized = [] {
    InitializeNativeTarget();
    InitializeNativeTargetAsmPrinter();
    return true;
  }();
  (void)initialized;
  ExitOnError check("jit: ");
  auto builder = check(orc::JITTargetMachineBuilder::detectHost());
  if (const char *wanted = std::getenv("TENON_TEST_CPU"); wanted && cpu.empty())
    cpu = wanted;
  if (!cpu.empty()) {
    builder.setCPU(cpu);
    builder.getFeatures() = SubtargetFeatures();
  }
  builder.setCodeGenOptLevel(CodeGenOptLevel::Less);
  builder.setRelocationModel(Reloc::PIC_);
  builder.getOptions().AllowFPOpFusion = FPOpFusion::Standard;
  state_->machine = check(builder.createTargetMachine());
  state_->jit = check(orc::LLJITBuilder().setJITTargetMachineBuilder(builder).create());
}

Jit::~Jit() = default;

std::unique_ptr<Module> Jit::createModule(const std::string &name) {
  state_->contexts.push_back(std::make_unique<LLVMContext>());
  auto module = std::make_unique<Module>(name, *state_->contexts.back());
  module->setDataLayout(state_->machine->createDataLayout());
  module->setTargetTriple(state_->machine->getTargetTriple());
  // As KernelTarget::prepareModule does.
  auto hasFeature = [&](StringRef feature) {
    return state_->machine->getMCSubtargetInfo()->checkFeatures(("+" + feature).str());
  };
  math::useInstructions(*module, cpuInstructions(module->getTargetTriple(), hasFeature));
  return module;
}

void Jit::setTargetAttributes(Function &function) {
  function.addFnAttr("target-cpu", state_->machine->getTargetCPU());
  function.addFnAttr("target-features", state_->machine->getTargetFeatureString());
  function.addFnAttr("prefer-vector-width", "512");
  function.addFnAttr(Attribute::NoUnwind);
}

std::string Jit::toText(const Module &module) {
  std::string text;
  raw_string_ostream stream(text);
  module.print(stream, nullptr);
  return text;
}

static void cleanUp(Module &module, TargetMachine &machine) {
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager graph;
  ModuleAnalysisManager modules;
  PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graph, modules);
  ModulePassManager passes;
  ExitOnError check("pipeline: ");
  check(builder.parsePassPipeline(
      passes, "function(early-cse<memssa>,instcombine<no-verify-fixpoint>,loop-mssa(licm),simplifycfg)"));
  passes.run(module, modules);
}

void Jit::add(std::unique_ptr<Module> module) {
  if (verifyModule(*module, &errs())) {
    errs() << toText(*module);
    report_fatal_error("the emitter wrote invalid IR");
  }
  cleanUp(*module, *state_->machine);
  SmallVector<char, 0> buffer;
  raw_svector_ostream stream(buffer);
  legacy::PassManager passes;
  if (state_->machine->addPassesToEmitFile(passes, stream, nullptr, CodeGenFileType::ObjectFile))
    report_fatal_error("the host's target cannot emit object files");
  passes.run(*module);
  ExitOnError check("jit: ");
  check(state_->jit->addObjectFile(std::make_unique<SmallVectorMemoryBuffer>(
      std::move(buffer), "object" + std::to_string(state_->sequence++), false)));
}

void *Jit::lookupAddress(const std::string &symbol) {
  ExitOnError check("jit: ");
  return check(state_->jit->lookup(symbol)).toPtr<void *>();
}

} // namespace tenon::codegen::testing
