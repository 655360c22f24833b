#include "tenon/codegen/kernel/kernel_emitter.h"

#include "tenon/codegen/kernel/computation_function.h"

using namespace mlir;

namespace tenon::codegen {
namespace {

class PlanEmission final : public EmissionTarget {
public:
  PlanEmission(const KernelPlan &plan, const ProductTarget &target)
      : EmissionTarget(target), plan_(plan), target_(target) {}

  FailureOr<llvm::Function *> outlineComputation(Region &computation, llvm::Module &module) const override {
    auto planned = plan_.computations.find(&computation);
    assert(planned != plan_.computations.end() && "the plan has every computation that is a function");
    return entry::emitComputation(*planned->second, module, target_);
  }

private:
  const KernelPlan &plan_;
  const ProductTarget &target_;
};

// Emission of each kind of schedule.
struct PartEmitter {
  const KernelSource &source;
  llvm::Module &module;
  const EmissionTarget &target;

  LogicalResult operator()(const loop::MapPlan &plan) const {
    return loop::emitMapKernel(plan, source, module, target);
  }
  LogicalResult operator()(const loop::RowKernelPlan &plan) const {
    return loop::emitRowKernel(plan, source, module, target);
  }
  LogicalResult operator()(const loop::SplitReductionPlan &plan) const {
    return loop::emitSplitReduction(plan, source, module, target);
  }
  LogicalResult operator()(const loop::ScanPlan &plan) const { return loop::emitScan(plan, source, module, target); }
  LogicalResult operator()(const loop::ScatterPlan &plan) const {
    return loop::emitScatter(plan, source, module, target);
  }
  LogicalResult operator()(const loop::SelectAndScatterPlan &plan) const {
    return loop::emitSelectAndScatter(plan, source, module, target);
  }
  LogicalResult operator()(const sort::SortPlan &plan) const { return sort::emitSort(plan, module, target); }
  LogicalResult operator()(const sort::TopKPlan &plan) const { return sort::emitTopK(plan, module), success(); }
  LogicalResult operator()(const ConcatenationPlan &plan) const { return emitConcatenation(plan, module), success(); }
  LogicalResult operator()(const DotPlan &plan) const { return emitContractionKernel(plan, module, target), success(); }
  LogicalResult operator()(const ConvolutionPlan &plan) const {
    return emitContractionKernel(plan, module, target), success();
  }
  LogicalResult operator()(const AttentionPlan &plan) const { return emitAttention(plan, module, target); }
  LogicalResult operator()(const AttentionGradientPlan &plan) const {
    return emitAttentionGradient(plan, module, target);
  }
};

} // namespace

LogicalResult emitKernel(const KernelPlan &plan, llvm::Module &module, const ProductTarget &target, EmitPart emitPart) {
  PlanEmission emission(plan, target);
  for (auto [number, part] : llvm::enumerate(plan.parts)) {
    std::optional<LogicalResult> emitted = emitPart(number, emission);
    if (!emitted)
      emitted = std::visit(PartEmitter{part.source, module, emission}, part.schedule);
    if (failed(*emitted))
      return failure();
  }
  return success();
}

LogicalResult emitKernel(const KernelPlan &plan, llvm::Module &module, const ProductTarget &target) {
  return emitKernel(plan, module, target, [](size_t, const EmissionTarget &) { return std::nullopt; });
}

} // namespace tenon::codegen
