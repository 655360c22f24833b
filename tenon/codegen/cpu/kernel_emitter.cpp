#include "tenon/codegen/cpu/kernel_emitter.h"

#include "tenon/codegen/cpu/entry/computation_function.h"

#include "llvm/IR/IntrinsicsX86.h"

using namespace mlir;

namespace tenon::codegen {
namespace {

class CpuEmission final : public EmissionTarget {
public:
  CpuEmission(const KernelPlan &plan, const CpuTarget &target) : EmissionTarget(target), plan_(plan), cpu_(target) {}

  void emitStoreFence(llvm::IRBuilderBase &builder) const override {
    builder.CreateIntrinsic(llvm::Intrinsic::x86_sse_sfence, {});
  }

  FailureOr<llvm::Function *> outlineComputation(Region &computation, llvm::Module &module) const override {
    auto planned = plan_.computations.find(&computation);
    assert(planned != plan_.computations.end() && "the plan has every computation that is a function");
    return entry::emitComputation(*planned->second, module, cpu_);
  }

private:
  const KernelPlan &plan_;
  const CpuTarget &cpu_;
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
};

} // namespace

LogicalResult emitKernel(const KernelPlan &plan, llvm::Module &module, const CpuTarget &target) {
  CpuEmission emission(plan, target);
  for (const KernelPart &part : plan.parts)
    if (failed(std::visit(PartEmitter{part.source, module, emission}, part.schedule)))
      return failure();
  return success();
}

} // namespace tenon::codegen
