#include "tenon/codegen/gpu/step_code.h"

#include "tenon/codegen/gpu/task_kernel.h"
#include "tenon/codegen/kernel/kernel_emitter.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace tenon::codegen {

static LogicalResult emitStep(const LoopStepPlan &step, Module &module, const GpuTarget &target) {
  return emitKernel(step.plan, module, target,
                    [&](size_t part, const EmissionTarget &emission) -> std::optional<LogicalResult> {
                      if (!step.tiles[part])
                        return std::nullopt;
                      const auto &dot = std::get<DotPlan>(step.plan.parts[part].schedule);
                      emitTileProduct(*step.tiles[part], dot, epilogueOf(dot.epilogue, emission), module);
                      return success();
                    });
}

LogicalResult emitTasksOf(const StepPlans &plans, Module &module, const GpuTarget &target) {
  for (const auto &[number, step] : plans)
    if (failed(emitStep(*step, module, target)))
      return failure();
  removeStopChecks(module);
  return success();
}

void inlineTasks(Function &kernel, ArrayRef<CallInst *> calls) {
  for (CallInst *call : calls) {
    InlineFunctionInfo info;
    [[maybe_unused]] InlineResult inlined = InlineFunction(*call, info);
    assert(inlined.isSuccess() && "a function of tasks is plain code");
  }
  for (Instruction &instruction : instructions(kernel))
    if (auto *load = dyn_cast<LoadInst>(&instruction))
      load->setMetadata(LLVMContext::MD_invariant_load, nullptr);
}

void eraseTasksOf(const StepPlans &plans, Module &module) {
  for (const auto &[number, step] : plans)
    for (const KernelPart &part : step->plan.parts)
      for (const KernelPhase &phase : part.kernel().phases)
        if (Function *tasks = module.getFunction(phase.symbol))
          tasks->eraseFromParent();
}

} // namespace tenon::codegen
