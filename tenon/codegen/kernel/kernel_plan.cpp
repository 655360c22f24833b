#include "tenon/codegen/kernel/kernel_plan.h"

#include "tenon/codegen/kernel/computation_function.h"
#include "tenon/codegen/llvm/element/element.h"
#include "tenon/codegen/llvm/element/scalar_evaluator.h"
#include "tenon/codegen/llvm/loop/support.h"
#include "tenon/ir/tenon.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"

using namespace mlir;

namespace tenon::codegen {

const Kernel &KernelPart::kernel() const {
  return std::visit([](const auto &plan) -> const Kernel & { return plan.kernel; }, schedule);
}

bool canEmitKernel(Operation *op, const ProductTarget &target) {
  if (isAttentionGradient(op))
    return planAttentionGradient(op, "", target).has_value();
  if (isAttention(op))
    return planAttention(op, "", target).has_value();
  if (isContraction(op))
    return canEmitContraction(op);
  return sort::canEmitSort(op, target) || sort::canEmitTopK(op) || canEmitConcatenation(op) ||
         loop::canEmitLoopKernel(op, target);
}

// Whether fusion has decided that the kernel has no rows.
static bool isElementwise(Operation *op) {
  auto fusion = dyn_cast<ir::FusionOp>(op);
  return fusion && fusion.getKind() == ir::FusionKind::Loop;
}

// A kernel, or part of one, that is loops over elements: what fusion decided and what its outputs are say which.
static Schedule planLoops(const KernelSource &source, StringRef symbol, const ProductTarget &target) {
  if (isa<stablehlo::ScatterOp>(source.op))
    return loop::planScatter(source, symbol, target);
  if (isa<stablehlo::SelectAndScatterOp>(source.op))
    return loop::planSelectAndScatter(source, symbol, target);
  if (Operation *scan = loop::scanOf(source))
    return loop::planScan(source, scan, symbol, target);
  if (isElementwise(source.op))
    return loop::planMapKernel(source, symbol, target);
  if (std::optional<RowReductionPlan> rows = planRowReduction(source, loop::planTarget(target), loop::foldOrder)) {
    if (rows->splitSize > 0)
      return loop::planSplitReduction(source, std::move(*rows), symbol, target);
    groupRows(*rows, loop::planTarget(target));
    streamRows(*rows, target.costs());
    fetchNextRows(*rows, target.costs());
    return loop::planRowKernel(source, std::move(*rows), symbol);
  }
  return loop::planMapKernel(source, symbol, target);
}

static bool standsAlone(Operation *op, const CostModel &costs) {
  std::optional<loop::CumulativeWindow> window = loop::cumulativeWindow(op);
  return window && shapeOf(op->getOperand(0))[window->dim] > costs.shortWindow;
}

// Groups the materialized values by op: all results of one op come from one part.
static SmallVector<SmallVector<Value>> groupByOp(ArrayRef<Value> values) {
  SmallVector<SmallVector<Value>> groups;
  for (Value value : values) {
    if (groups.empty() || groups.back().front().getDefiningOp() != value.getDefiningOp())
      groups.emplace_back();
    groups.back().push_back(value);
  }
  return groups;
}

static KernelPlan planLoopKernel(Operation *op, StringRef symbol, const ProductTarget &target) {
  KernelSource source = kernelSource(op);
  KernelPlan plan;
  auto add = [&](const KernelSource &part, StringRef name) {
    plan.parts.push_back({part, planLoops(part, name, target)});
    const Kernel &kernel = plan.parts.back().kernel();
    plan.kernel.phases.append(kernel.phases.begin(), kernel.phases.end());
    plan.kernel.scratchBytes = std::max(plan.kernel.scratchBytes, kernel.scratchBytes);
    plan.kernel.tempBytes = std::max(plan.kernel.tempBytes, part.tempBase + kernel.tempBytes);
  };
  auto isAlone = [&](Operation *inner) { return standsAlone(inner, target.costs()); };
  for (auto &values : groupByOp(chooseMaterialized(source, isAlone))) {
    KernelSource part = source;
    part.outputs.assign(values.begin(), values.end());
    for (Value value : values) {
      part.outputOffsets.push_back(source.tempBase);
      int64_t bytes = elementCount(shapeOf(value)) * storageBytes(elementTypeOf(value));
      source.tempBase += llvm::alignTo(bytes, 64);
    }
    part.tempBase = source.tempBase;
    add(part, (symbol + "_part" + llvm::Twine(plan.kernel.phases.size())).str());
    source.inputs.append(values.begin(), values.end());
    source.inputOffsets.append(part.outputOffsets.begin(), part.outputOffsets.end());
  }
  add(source, symbol);
  const Kernel &last = plan.parts.back().kernel();
  plan.kernel.resultInit = last.resultInit;
  plan.kernel.copiesInit = last.copiesInit;
  plan.kernel.mayAlias = last.mayAlias;
  plan.kernel.kind = last.kind;
  plan.kernel.bytes = loop::trafficBytes(kernelSource(op)) + 2.0 * source.tempBase;
  return plan;
}

static FailureOr<KernelPlan> planParts(Operation *op, StringRef symbol, const ProductTarget &target) {
  auto single = [&](Schedule schedule) {
    KernelPlan plan;
    plan.parts.push_back({kernelSource(op), std::move(schedule)});
    plan.kernel = plan.parts.front().kernel();
    return plan;
  };
  if (isAttentionGradient(op)) {
    if (std::optional<AttentionGradientPlan> plan = planAttentionGradient(op, symbol, target))
      return single(std::move(*plan));
    return op->emitError("no kernel can be emitted for this attention's gradient");
  }
  if (isAttention(op)) {
    if (std::optional<AttentionPlan> plan = planAttention(op, symbol, target))
      return single(std::move(*plan));
    return op->emitError("no kernel can be emitted for this attention");
  }
  if (isContraction(op)) {
    FailureOr<ContractionKernelPlan> plan = planContractionKernel(op, symbol, target);
    if (failed(plan))
      return failure();
    return std::visit([&](auto &contraction) { return single(std::move(contraction)); }, *plan);
  }
  if (sort::canEmitSort(op, target))
    return single(sort::planSort(op, symbol, target));
  if (sort::canEmitTopK(op))
    return single(sort::planTopK(op, symbol, target));
  if (canEmitConcatenation(op))
    return single(planConcatenation(op, symbol, target));
  if (!loop::canEmitLoopKernel(op, target))
    return op->emitError() << "no loop kernel can be emitted for this operation";
  return planLoopKernel(op, symbol, target);
}

// The functions that the kernel calls for single elements.
static LogicalResult planComputations(Operation *op, StringRef symbol, const ProductTarget &target, KernelPlan &plan) {
  if (auto fusion = dyn_cast<ir::FusionOp>(op)) {
    for (Operation &inner : fusion.getBlock().without_terminator())
      if (failed(planComputations(&inner, symbol, target, plan)))
        return failure();
    return success();
  }
  if (isa<stablehlo::WhileOp>(op)) // a loop's regions are code of the kernel itself
    return success();
  for (Region &region : op->getRegions()) {
    if (isScalarRegionSupported(region))
      continue;
    std::string name = (symbol + "_computation" + llvm::Twine(plan.computations.size())).str();
    auto computation = entry::planComputation(region, name, target);
    if (failed(computation))
      return failure();
    plan.computations[&region] = *computation;
  }
  return success();
}

FailureOr<KernelPlan> planKernel(Operation *op, StringRef symbol, const ProductTarget &target) {
  FailureOr<KernelPlan> plan = planParts(op, symbol, target);
  if (failed(plan))
    return failure();
  if (failed(planComputations(op, symbol, target, *plan)))
    return failure();
  return plan;
}

void KernelPlan::print(llvm::raw_ostream &os) const {
  static constexpr const char *kNames[] = {
      "map",      "row reduction", "split reduction", "scan", "scatter",     "select_and_scatter",
      "sort",     "top_k",         "concatenation",   "dot",  "convolution", "attention",
      "attention"};
  static_assert(std::size(kNames) == std::variant_size_v<Schedule>);
  for (const KernelPart &part : parts) {
    os << kNames[part.schedule.index()];
    if (&part != &parts.back())
      os << " of a value in the temporary block";
    os << '\n';
    std::visit([&](const auto &schedule) { schedule.print(os); }, part.schedule);
  }
  for (auto &[region, computation] : computations)
    entry::print(*computation, os);
  for (auto [operand, result] : kernel.mayAlias)
    os << "operand " << operand << " and result " << result << " may share memory\n";
  os << "temporary " << kernel.tempBytes << " scratch " << kernel.scratchBytes << " cost";
  for (const KernelPhase &phase : kernel.phases)
    os << llvm::format(" %.0f ns", phase.nanoseconds);
  os << '\n';
}

} // namespace tenon::codegen
