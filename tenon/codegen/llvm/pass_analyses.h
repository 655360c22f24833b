// The analyses that LLVM's passes ask for.
#pragma once

#include "llvm/Passes/PassBuilder.h"

namespace tenon::codegen {

struct PassAnalyses {
  // Those that the builder knows. What is registered already stays as it is.
  void add(llvm::PassBuilder &builder);
  // Forgets all results, which are kept by the addresses of functions.
  void clear();

  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager callGraph;
  llvm::ModuleAnalysisManager modules;
};

// Runs what `pipeline` makes on a function, which no machine is known for.
void runPasses(llvm::Function &function, llvm::function_ref<llvm::FunctionPassManager(llvm::PassBuilder &)> pipeline);

} // namespace tenon::codegen
