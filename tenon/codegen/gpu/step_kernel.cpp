#include "tenon/codegen/gpu/step_kernel.h"

#include "tenon/codegen/gpu/control_code.h"
#include "tenon/codegen/gpu/step_code.h"
#include "tenon/codegen/gpu/task_kernel.h"

using namespace llvm;

namespace tenon::codegen {
namespace {

using program::CopyStep, program::DeviceStep, program::KernelStep;

constexpr uint64_t kAlignment = 16; // of arrays

class StepKernelEmitter {
public:
  StepKernelEmitter(const StepKernel &kernel, Module &module, GpuBuilder &gpu)
      : kernel_(kernel), module_(module), gpu_(gpu), b_(gpu.b), pointer_(b_.getPtrTy()) {}

  Function *emit() {
    Type *global = gpu_.globalPointerType(), *i64 = b_.getInt64Ty();
    SmallVector<Type *> parameters{global, i64, global, i64};
    if (kernel_.predicate) // row, handle, stop, looked, places, saved, numPlaces, exchanges, rows, slotPlaces, list
      parameters = {global, i64, global, global, global, global, i64, global, global, global, global};
    function_ = gpu_.startKernel(module_, kernel_.name, parameters, threads());
    gpu_.runAlone(*function_);
    row_ = b_.CreateAddrSpaceCast(gpu_.parameter(0), pointer_);
    ControlCode code(gpu_);
    if (kernel_.exchanges)
      code.onlyIf(b_.CreateIsNotNull(gpu_.parameter(5)), [&] {
        code.advance({gpu_.parameter(4), gpu_.parameter(5), gpu_.parameter(6), gpu_.parameter(7), gpu_.parameter(8),
                      gpu_.parameter(9), gpu_.parameter(10)});
      });
    code.onlyFirstThread([&] {
      for (const DeviceStep &step : kernel_.steps)
        if (const auto *copy = std::get_if<CopyStep>(&step.what))
          emitCopy(*copy);
        else
          emitKernel(std::get<KernelStep>(step.what));
      if (kernel_.predicate)
        code.onlyIf(b_.CreateIsNotNull(gpu_.parameter(2)), [&] {
          code.continueIf(at(*kernel_.predicate), gpu_.parameter(1), gpu_.parameter(2), gpu_.parameter(3));
        });
    });
    b_.CreateRetVoid();
    inlineTasks(*function_, calls_);
    markPointers(*row_, gpu_);
    simplify(*function_);
    return function_;
  }

  // The tables of exchanges are for a block.
  int threads() const { return kernel_.exchanges ? kTaskBlock : 1; }

private:
  Value *at(int32_t place) {
    auto number = uint64_t(find(kernel_.row, place) - kernel_.row.begin());
    return b_.CreateLoad(pointer_, b_.CreateConstInBoundsGEP1_64(pointer_, row_, number));
  }

  void emitCopy(const CopyStep &step) {
    b_.CreateMemCpy(at(step.to), MaybeAlign(kAlignment), at(step.from), MaybeAlign(kAlignment), uint64_t(step.bytes));
  }

  void emitKernel(const KernelStep &step) {
    const LoopStepPlan &plan = *kernel_.plans.at(step.module);
    BasicBlock &entry = function_->getEntryBlock();
    auto *type = ArrayType::get(pointer_, step.row.size());
    Value *row = IRBuilder<>(&entry, entry.begin()).CreateAlloca(type);
    for (auto [number, place] : enumerate(step.row)) {
      Value *pointer = place < 0 ? ConstantPointerNull::get(pointer_) : at(place);
      b_.CreateStore(pointer, b_.CreateConstInBoundsGEP2_64(type, row, 0, number));
    }
    for (const KernelPart &part : plan.plan.parts)
      for (const KernelPhase &phase : part.kernel().phases)
        if (Function *tasks = module_.getFunction(phase.symbol); tasks && phase.extent > 0)
          calls_.push_back(b_.CreateCall(
              tasks, {row, b_.getInt64(0), b_.getInt64(uint64_t(phase.extent)), ConstantPointerNull::get(pointer_)}));
  }

  const StepKernel &kernel_;
  Module &module_;
  GpuBuilder &gpu_;
  IRBuilder<> &b_;
  PointerType *pointer_;
  Function *function_ = nullptr;
  Value *row_ = nullptr;
  std::vector<CallInst *> calls_;
};

} // namespace

FailureOr<program::DeviceKernel> emitStepKernel(const StepKernel &kernel, Module &module, const GpuTarget &target,
                                                GpuBuilder &gpu) {
  if (failed(emitTasksOf(kernel.plans, {}, /*sharedBegin=*/0, module, target, gpu)))
    return failure();
  StepKernelEmitter emitter(kernel, module, gpu);
  Function *function = emitter.emit();
  eraseTasksOf(kernel.plans, module);
  inferMemory(*function);
  return program::DeviceKernel{kernel.name, 1, 0, emitter.threads(), 1, 0};
}

} // namespace tenon::codegen
