#include "tenon/codegen/gpu/step_code.h"

#include "tenon/codegen/gpu/task_kernel.h"
#include "tenon/codegen/kernel/kernel_emitter.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace tenon::codegen {

LogicalResult emitTasksOf(const StepPlans &plans, const BlockProducts &products, int64_t sharedBegin, Module &module,
                          const GpuTarget &target, GpuBuilder &gpu) {
  auto emitStep = [&](const LoopStepPlan &step) {
    return emitKernel(step.plan, module, target,
                      [&](size_t number, const EmissionTarget &emission) -> std::optional<LogicalResult> {
                        const KernelPart &part = step.plan.parts[number];
                        const SkinnyProductPlan *product = products.find(part);
                        if (!product && !step.tiles[number])
                          return std::nullopt;
                        const auto &dot = std::get<DotPlan>(part.schedule);
                        matmul::Epilogue epilogue = epilogueOf(dot.epilogue, emission);
                        if (product)
                          emitSkinnyProduct(*product, dot, epilogue, sharedBegin, module, gpu);
                        else
                          emitTileProduct(*step.tiles[number], dot, epilogue, module);
                        return success();
                      });
  };
  for (const auto &[number, step] : plans)
    if (failed(emitStep(*step)))
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
