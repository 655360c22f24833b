#include "tenon/codegen/gpu/forms.h"

#include "tenon/codegen/gpu/target.h"

namespace tenon::codegen {
namespace {

// There is a block for each task.
constexpr int64_t kMostBlocks = int64_t{1} << 30;

// A form for each kind of schedule that has some. A form needs neither memory of its own between kernels nor scratch
// memory.
struct FormChooser {
  GpuForm operator()(loop::MapPlan &plan) const { return take(planTranspose(plan), plan.kernel); }
  GpuForm operator()(loop::RowKernelPlan &plan) const { return take(planRowTeam(plan), plan.kernel); }
  GpuForm operator()(DotPlan &plan) const { return take(planProduct(plan), plan.kernel); }
  template <typename Other> GpuForm operator()(const Other &) const { return {}; }

private:
  template <typename Form> static GpuForm take(const std::optional<Form> &form, Kernel &kernel) {
    if (!form || form->tasks > kMostBlocks)
      return {};
    KernelPhase phase = kernel.phases.back();
    phase.extent = form->tasks;
    kernel.phases.assign({phase});
    kernel.scratchBytes = kernel.tempBytes = 0;
    return *form;
  }
};

} // namespace

llvm::SmallVector<GpuForm, 1> chooseForms(KernelPlan &plan) {
  llvm::SmallVector<GpuForm, 1> forms;
  plan.kernel.phases.clear();
  plan.kernel.scratchBytes = plan.kernel.tempBytes = 0;
  for (KernelPart &part : plan.parts) {
    forms.push_back(std::visit(FormChooser(), part.schedule));
    const Kernel &kernel = part.kernel();
    plan.kernel.phases.append(kernel.phases.begin(), kernel.phases.end());
    plan.kernel.scratchBytes = std::max(plan.kernel.scratchBytes, kernel.scratchBytes);
    plan.kernel.tempBytes = std::max(plan.kernel.tempBytes, part.source.tempBase + kernel.tempBytes);
  }
  return forms;
}

FormLaunch launchOf(const GpuForm &form) {
  if (const auto *transpose = std::get_if<TransposePlan>(&form))
    return {kTransposeThreads, transpose->sharedBytes};
  if (const auto *rows = std::get_if<RowTeamPlan>(&form))
    return {rows->blockThreads(), rows->sharedBytes};
  if (const auto *product = std::get_if<ProductPlan>(&form))
    return {kProductThreads, product->sharedBytes};
  return {kTaskBlock, 0};
}

void print(const GpuForm &form, llvm::raw_ostream &os) {
  std::visit(
      [&](const auto &chosen) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(chosen)>, std::monostate>)
          chosen.print(os);
      },
      form);
}

llvm::LogicalResult emitForm(const GpuForm &form, const KernelPart &part, llvm::Module &module,
                             const EmissionTarget &target, GpuBuilder &gpu) {
  if (const auto *transpose = std::get_if<TransposePlan>(&form))
    return emitTranspose(*transpose, std::get<loop::MapPlan>(part.schedule), part.source, module, target, gpu);
  if (const auto *rows = std::get_if<RowTeamPlan>(&form))
    return emitRowTeam(*rows, std::get<loop::RowKernelPlan>(part.schedule), part.source, module, target, gpu);
  return emitProduct(std::get<ProductPlan>(form), std::get<DotPlan>(part.schedule), module, target, gpu);
}

} // namespace tenon::codegen
