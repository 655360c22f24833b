// From a fused program to program::Program.
#pragma once

#include "tenon/codegen/cpu/target.h"
#include "tenon/program/program.h"

#include "mlir/IR/BuiltinOps.h"

#include <functional>
#include <string>

namespace llvm {
class Module;
}

namespace tenon::codegen {

struct GenerateOptions {
  int threads = 0; // compile threads; 0: as many as the process may use
  // Whether ops may run in another order than the module's where that takes less memory.
  bool reorder = false;
  // Threads share every kernel that can be split, however short. For tests.
  bool splitKernels = false;
  // Sees how each kernel will be computed (KernelPlan::print), as one text, before code is emitted.
  std::function<void(llvm::StringRef)> showPlans;
  // Sees every LLVM module after its cleanup; called from several threads.
  std::function<void(const llvm::Module &)> inspect;
};

// `module` has one function, `main`, whose ops are fusions, kernels, control flow and services. Errors are diagnostics
// at the ops.
llvm::FailureOr<program::Program> generateProgram(mlir::ModuleOp module, const CpuTarget &target,
                                                  const GenerateOptions &options = {});

} // namespace tenon::codegen
