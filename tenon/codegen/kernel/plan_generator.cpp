#include "tenon/codegen/kernel/plan_generator.h"

#include "tenon/codegen/kernel/computation_function.h"
#include "tenon/support/parallel.h"

using namespace mlir;

namespace tenon::codegen {

Operation *PlanGenerator::findUncomputable(Region &computation) const {
  return entry::findUncomputable(computation, chip_);
}

LogicalResult PlanGenerator::planKernels() {
  plans_.resize(slots_.size());
  std::vector<LogicalResult> outcomes(slots_.size(), failure());
  forEachInParallel(slots_.size(), options_.threads, [&](size_t i) {
    FailureOr<KernelPlan> plan = planKernel(slots_[i].ops.front(), slots_[i].symbol, chip_);
    outcomes[i] = plan;
    if (failed(plan))
      return;
    plans_[i] = std::move(*plan);
    choosePlan(i);
  });
  if (llvm::any_of(outcomes, [](LogicalResult outcome) { return failed(outcome); }))
    return failure();
  for (auto [slot, plan] : llvm::zip(slots_, plans_))
    slot.kernel = &plan.kernel;
  if (options_.showPlans)
    options_.showPlans(plansAsText());
  return success();
}

std::string PlanGenerator::plansAsText() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (auto [number, slot] : llvm::enumerate(slots_)) {
    os << "// " << slot.symbol << ": " << opNames(slot.ops.front());
    if (slot.ops.size() > 1)
      os << ", called " << slot.ops.size() << " times";
    os << '\n';
    printPlan(number, os);
  }
  return text;
}

std::string PlanGenerator::identityOf(const KernelSlot &slot, const KernelPlan &plan) {
  if (slot.digest.empty())
    return "";
  std::string identity = slot.digest;
  llvm::raw_string_ostream stream(identity);
  plan.print(stream);
  return identity;
}

} // namespace tenon::codegen
