// Steps on a few elements each, which lie one behind the other, as one kernel: a thread does them all. Each as a kernel
// of its own would take longer to start than to run.
//
// Where they end the iterations of a loop (program::LoopStep::turn), the kernel also does what the graph of a program
// wants there: an iteration of a loop with one kernel on arrays is two nodes.
#pragma once

#include "tenon/codegen/gpu/loop_kernel.h"

namespace tenon::codegen {

struct StepKernel {
  std::string name;
  program::DeviceSteps steps;                    // kernels and copies alone
  llvm::SmallVector<int32_t> row;                // where arrays are
  std::map<int32_t, const LoopStepPlan *> plans; // by the number of the kernel's module
  // Where it ends the iterations of a loop: the place of what decides whether there is another.
  std::optional<int32_t> predicate = std::nullopt;
  bool exchanges = false; // and whether arrays exchange places in the loop, others than these
};

// Emits it into the module. Errors are reported at ops.
llvm::FailureOr<program::DeviceKernel> emitStepKernel(const StepKernel &kernel, llvm::Module &module,
                                                      const GpuTarget &target, GpuBuilder &gpu);

} // namespace tenon::codegen
