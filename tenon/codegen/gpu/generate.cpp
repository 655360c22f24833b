#include "tenon/codegen/gpu/device_steps.h"
#include "tenon/codegen/gpu/target.h"
#include "tenon/codegen/gpu/task_kernel.h"
#include "tenon/codegen/kernel/kernel_emitter.h"
#include "tenon/codegen/kernel/plan_generator.h"
#include "tenon/codegen/llvm/module_compiler.h"
#include "tenon/support/parallel.h"

#include "llvm/IR/LLVMContext.h"

using namespace mlir;

namespace tenon::codegen {
namespace {

class GpuGenerator final : public PlanGenerator {
public:
  GpuGenerator(ModuleOp module, const GpuTarget &target, const GenerateOptions &options)
      : PlanGenerator(module, target, target, options), gpu_(target) {}

private:
  // Nothing of a GPU's program is decided by host code: scalars, too, are computed by kernels.
  bool hasScalarCode(Operation *) const override { return false; }
  ScalarPlaces scalarPlaces() const override { return ScalarPlaces::kMemory; }

  StatusOr<program::DeviceModule> compileKernel(const KernelSlot &slot, const KernelPlan &plan) const {
    llvm::LLVMContext context;
    context.setDiscardValueNames(!options_.inspect);
    llvm::Module module(slot.symbol, context);
    gpu_.prepareModule(module);
    if (failed(emitKernel(plan, module, gpu_)))
      return internalError("no code for kernel " + slot.symbol);
    program::DeviceModule result;
    for (const KernelPhase &phase : plan.kernel.phases)
      if (llvm::Function *tasks = module.getFunction(phase.symbol); tasks && phase.extent > 0)
        result.kernels.push_back({phase.symbol, phase.extent, plan.kernel.scratchBytes, kTaskBlock});
    std::vector<llvm::Function *> functions;
    for (program::DeviceKernel &kernel : result.kernels)
      functions.push_back(module.getFunction(kernel.name));
    removeStopChecks(module);
    renameForPtx(module);
    std::unique_ptr<GpuBuilder> builder = gpu_.makeBuilder(context);
    for (auto [kernel, function] : llvm::zip(result.kernels, functions))
      kernel.name = makeTaskKernel(*function, *builder)->getName().str();
    CompileOptions options;
    options.inspect = options_.inspect;
    TENON_ASSIGN_OR_RETURN(result.code, gpu_.options().emulator ? compileModule(module, gpu_, options)
                                                                : compileToAssembly(module, gpu_, options));
    return result;
  }

  LogicalResult compile(const BufferPlan &memory) override {
    program::DeviceProgram program;
    program.chip = gpu_.options().chip;
    program.arenaBytes = memory.arenaBytes();
    if (failed(compileKernels(program.modules)))
      return failure();
    llvm::DenseMap<Operation *, int32_t> modules;
    for (auto [i, slot] : llvm::enumerate(slots_))
      for (Operation *op : slot.ops)
        modules[op] = int32_t(i);
    if (failed(makeDeviceSteps(main_, instructions_, memory, modules, program)))
      return failure();
    if (gpu_.options().receive)
      gpu_.options().receive(std::move(program));
    return success();
  }

  LogicalResult compileKernels(std::vector<program::DeviceModule> &modules) {
    std::vector<StatusOr<program::DeviceModule>> compiled(slots_.size(), internalError("not compiled"));
    forEachInParallel(slots_.size(), options_.threads,
                      [&](size_t i) { compiled[i] = compileKernel(slots_[i], plans_[i]); });
    for (StatusOr<program::DeviceModule> &module : compiled) {
      if (!module.ok())
        return module_.emitError(module.status().message());
      modules.push_back(*std::move(module));
    }
    return success();
  }

  const GpuTarget &gpu_;
};

} // namespace

FailureOr<program::Program> GpuTarget::generate(ModuleOp module, const GenerateOptions &options) const {
  return GpuGenerator(module, *this, options).run();
}

} // namespace tenon::codegen
