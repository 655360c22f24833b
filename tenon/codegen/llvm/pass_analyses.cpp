#include "tenon/codegen/llvm/pass_analyses.h"

namespace tenon::codegen {

void PassAnalyses::add(llvm::PassBuilder &builder) {
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(callGraph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, callGraph, modules);
}

void PassAnalyses::clear() {
  loops.clear();
  functions.clear();
  callGraph.clear();
  modules.clear();
}

void runPasses(llvm::Function &function, llvm::function_ref<llvm::FunctionPassManager(llvm::PassBuilder &)> pipeline) {
  llvm::PassBuilder builder;
  PassAnalyses analyses;
  analyses.add(builder);
  pipeline(builder).run(function, analyses.functions);
}

} // namespace tenon::codegen
