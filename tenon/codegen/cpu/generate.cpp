#include "tenon/codegen/cpu/target.h"
#include "tenon/codegen/kernel/kernel_emitter.h"
#include "tenon/codegen/kernel/plan_generator.h"
#include "tenon/codegen/llvm/concatenate.h"
#include "tenon/codegen/llvm/element/element.h"
#include "tenon/codegen/llvm/entry/entry.h"
#include "tenon/codegen/llvm/loop/support.h"
#include "tenon/codegen/llvm/module_compiler.h"
#include "tenon/codegen/llvm/object_cache.h"
#include "tenon/codegen/llvm/stop_checks.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/support/compile_stop.h"

using namespace mlir;

namespace tenon::codegen {
namespace {

constexpr llvm::StringLiteral kEntrySymbol = "tenon_entry";

// Kernels as functions of tasks, and an entry function that calls them.
class CpuGenerator final : public PlanGenerator {
public:
  CpuGenerator(ModuleOp module, const CpuTarget &target, const GenerateOptions &options)
      : PlanGenerator(module, target, target, options), cpu_(target) {}

private:
  bool hasScalarCode(Operation *op) const override { return isElementwiseSupported(op); }
  bool hasViews() const override { return true; }

  // How long LLVM takes for the kernel, in about the time for one elementwise op: what stands in its regions, and the
  // loops of products and sorts, which are unrolled.
  static double compileWeight(const KernelSlot &slot, const KernelPlan &plan) {
    double weight = 2;
    slot.ops.front()->walk([&](Operation *) { ++weight; });
    for (const KernelPart &part : plan.parts)
      weight += std::visit(
          [](const auto &schedule) {
            using Plan = std::decay_t<decltype(schedule)>;
            return llvm::is_one_of<Plan, DotPlan, ConvolutionPlan, sort::SortPlan, sort::TopKPlan>::value ? 20
                   : std::is_same_v<Plan, AttentionPlan>                                                  ? 60
                   : std::is_same_v<Plan, AttentionGradientPlan>                                          ? 140
                                                                                                          : 0;
          },
          part.schedule);
    return weight;
  }

  // Products keep every register busy; a pointer more or less counts there, as it does in vectors of channels.
  bool needsPointers(const KernelPart &part) const {
    auto isNeededBy = [](const matmul::MatmulPlan &plan) { return matmul::needsPointers(plan); };
    if (const auto *product = std::get_if<DotPlan>(&part.schedule))
      return isNeededBy(product->schedule);
    if (const auto *convolution = std::get_if<ConvolutionPlan>(&part.schedule))
      return (convolution->depthwise && !convolution->depthwise->planar) || convolution->gradient ||
             llvm::any_of(convolution->parts, [&](const auto &one) { return isNeededBy(one.contraction.schedule); });
    return std::holds_alternative<AttentionPlan>(part.schedule) ||
           std::holds_alternative<AttentionGradientPlan>(part.schedule);
  }

  CompileJob jobFor(const KernelSlot &slot, const KernelPlan &plan) {
    CompileJob job;
    job.name = slot.symbol;
    job.identity = identityOf(slot, plan);
    job.weight = compileWeight(slot, plan);
    job.options.keepsAddresses = llvm::none_of(plan.parts, [&](const KernelPart &part) { return needsPointers(part); });
    job.options.inspect = options_.inspect;
    job.options.bitcode = options_.bitcode;
    job.emit = [this, &slot, &plan](llvm::Module &llvmModule) -> Status {
      if (failed(emitKernel(plan, llvmModule, cpu_)))
        return internalError("no code for kernel " + slot.symbol);
      for (const KernelPhase &phase : plan.kernel.phases)
        if (llvm::Function *function = llvmModule.getFunction(phase.symbol);
            function && phase.nanoseconds >= cpu_.costs().checkedKernel)
          markLongKernel(*function, phase.extent);
      return {};
    };
    return job;
  }

  CompileJob jobForEntry(const BufferPlan &plan) {
    CompileJob job;
    job.name = "entry";
    job.weight = 2 + 0.5 * double(instructions_.calls.size() + instructions_.runtimeCalls.size());
    job.options.promoteAllocas = true;
    // Without loops each of its instructions runs once.
    job.options.keepsAddresses = true;
    job.options.isQuick = !main_.walk([](stablehlo::WhileOp) { return WalkResult::interrupt(); }).wasInterrupted();
    job.options.inspect = options_.inspect;
    job.options.bitcode = options_.bitcode;
    job.emit = [this, &plan](llvm::Module &llvmModule) -> Status {
      CostModel costs = cpu_.costs();
      if (options_.splitKernels)
        costs.sharedPhase = 0;
      if (failed(entry::emitEntry(main_, instructions_, plan, kEntrySymbol, llvmModule, costs)))
        return internalError("no code for the entry function");
      return {};
    };
    return job;
  }

  LogicalResult compile(const BufferPlan &memory) override {
    std::vector<CompileJob> jobs;
    for (auto [slot, plan] : llvm::zip(slots_, plans_))
      jobs.push_back(jobFor(slot, plan));
    jobs.push_back(jobForEntry(memory));
    for (CompileJob &job : jobs)
      job.emit = [emit = std::move(job.emit), stop = CompileStop::ofThread()](llvm::Module &llvmModule) -> Status {
        if (stop.stop_requested())
          return {StatusCode::kCancelled, "compiling was stopped"};
        return emit(llvmModule);
      };
    StatusOr<std::vector<program::ObjectCode>> objects =
        compileModules(jobs, cpu_, ObjectCache::ofProcess(), options_.threads);
    if (!objects.ok())
      return module_.emitError(objects.status().message());
    program::CpuCode &code = cpuCode(result_);
    code.objects = *std::move(objects);
    code.triple = cpu_.triple();
    code.cpu = cpu_.cpu();
    code.features = cpu_.features();
    code.entrySymbol = kEntrySymbol.str();
    for (const KernelPlan &plan : plans_)
      code.scratchBytes = std::max(code.scratchBytes, plan.kernel.scratchBytes);
    return success();
  }

  const CpuTarget &cpu_;
};

} // namespace

bool CpuTarget::canFuse(Operation *op) const { return loop::canFuseInLoopKernel(op) && !canEmitConcatenation(op); }

bool CpuTarget::canEmit(Operation *op) const { return canEmitKernel(op, *this); }

// Narrower vectors read no panels.
int64_t CpuTarget::featureLanes() const {
  constexpr int kLeastBits = 256, kElementBits = 32;
  int bits = matmulTarget().vectorBits;
  return bits < kLeastBits ? 0 : bits / kElementBits;
}

int64_t CpuTarget::panelColumns(Operation *product, int64_t runs) const { return panelColumnsOf(product, runs, *this); }

int64_t CpuTarget::kernelPanelColumns(Operation *op) const { return kernelPanelColumnsOf(op, *this); }

FailureOr<program::Program> CpuTarget::generate(ModuleOp module, const GenerateOptions &options) const {
  return CpuGenerator(module, *this, options).run();
}

} // namespace tenon::codegen
