#include "tenon/codegen/cpu/kernel_emitter.h"

using namespace mlir;

namespace tenon::codegen {
namespace {

// Emission of each kind of schedule.
struct PartEmitter {
  const KernelSource &source;
  llvm::Module &module;
  const CpuTarget &target;

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
};

} // namespace

LogicalResult emitKernel(const KernelPlan &plan, llvm::Module &module, const CpuTarget &target) {
  for (const KernelPart &part : plan.parts)
    if (failed(std::visit(PartEmitter{part.source, module, target}, part.schedule)))
      return failure();
  return success();
}

} // namespace tenon::codegen
