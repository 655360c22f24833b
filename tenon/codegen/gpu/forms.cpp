#include "tenon/codegen/gpu/forms.h"

#include "tenon/codegen/gpu/target.h"

#include "llvm/ADT/SmallVectorExtras.h"

namespace tenon::codegen {
namespace {

// There is a block for each task.
constexpr int64_t kMostBlocks = int64_t{1} << 30;

// A form for each kind of schedule that has some. What a thread keeps while it works for a block is in registers.
struct FormChooser {
  const KernelSource &source;
  const CostModel::Blocks &costs;
  const GpuChip &chip;

  GpuForm operator()(loop::MapPlan &plan) const {
    if (std::optional<ResultTablePlan> table = planResultTable(plan, source.tempBase, costs, chip))
      return take(table, plan.kernel, table->tempBytes);
    return take(planTranspose(plan), plan.kernel);
  }
  GpuForm operator()(loop::RowKernelPlan &plan) const {
    GpuForm form = take(planRowTeam(plan, costs, chip), plan.kernel);
    // One thread of a team writes what there is for each row, while others may still read what they have of it.
    if (isForm(form))
      llvm::erase_if(plan.kernel.mayAlias,
                     [&](auto &pair) { return llvm::is_contained(plan.rowOutputs, unsigned(pair.second)); });
    return form;
  }
  GpuForm operator()(loop::SplitReductionPlan &plan) const {
    int64_t tempBytes = plan.kernel.tempBytes;
    std::optional<SplitTeamPlan> team = planSplitTeam(plan, costs);
    return take(team, plan.kernel, team ? plan.kernel.tempBytes : tempBytes);
  }
  GpuForm operator()(loop::ScanPlan &plan) const {
    if (std::optional<ScanTeamPlan> team = planScanTeam(plan, source.tempBase, costs))
      return take(team, plan.kernel, team->tempBytes);
    std::optional<ColumnScanPlan> columns = planColumnScan(plan, source.tempBase, costs);
    return take(columns, plan.kernel, columns ? columns->tempBytes : 0);
  }
  GpuForm operator()(loop::ScatterPlan &plan) const {
    std::optional<ScatterTeamPlan> team = planScatterTeam(plan, costs);
    GpuForm form = take(team, plan.kernel, team ? team->tempBytes : 0);
    if (isForm(form))
      plan.kernel.copiesInit = false; // as a CPU's kernel of buckets does
    return form;
  }
  GpuForm operator()(loop::SelectAndScatterPlan &plan) const {
    std::optional<SelectTeamPlan> team = planSelectTeam(plan);
    return take(team, plan.kernel, team ? team->tempBytes : 0);
  }
  GpuForm operator()(sort::SortPlan &plan) const {
    std::optional<GpuSortPlan> sort = planGpuSort(plan, costs);
    return take(sort, plan.kernel, sort ? sort->keys.tempBytes() : 0);
  }
  GpuForm operator()(sort::TopKPlan &plan) const {
    std::optional<GpuTopKPlan> topK = planGpuTopK(plan, costs);
    return take(topK, plan.kernel, topK ? topK->tempBytes : 0);
  }
  GpuForm operator()(DotPlan &plan) const {
    if (std::optional<SkinnyProductPlan> skinny = planSkinnyProduct(plan, /*mayHaveParts=*/true, costs))
      return take(skinny, plan.kernel, skinny->tempBytes);
    if (std::optional<ProductPlan> product = planProduct(plan, /*mayHaveMaps=*/true, costs, chip))
      return take(product, plan.kernel, product->tempBytes);
    return take(planTileProduct(plan, costs.multiprocessors * kTaskBlock), plan.kernel);
  }
  GpuForm operator()(ConvolutionPlan &plan) const {
    std::optional<GpuConvolutionPlan> convolution = planGpuConvolution(plan, costs, chip);
    if (!convolution)
      return {};
    llvm::SmallVector<KernelPhase, 1> phases;
    if (plan.padding || plan.depthwise)
      phases.push_back(plan.kernel.phases.front());
    for (const auto &part : plan.parts)
      phases.push_back(part.contraction.kernel.phases.back());
    plan.kernel.phases = std::move(phases);
    GpuForm form = take(convolution, plan.kernel, convolution->tempBytes(plan));
    if (isForm(form))
      passPhases(*convolution, plan);
    return form;
  }
  GpuForm operator()(AttentionPlan &plan) const {
    std::optional<GpuAttentionPlan> attention = planGpuAttention(plan, costs, chip);
    return take(attention, plan.kernel, attention ? attention->tempBytes() : 0);
  }
  template <typename Other> GpuForm operator()(const Other &) const { return {}; }

private:
  // To the parts, whose products have the kernel's last phases.
  static void passPhases(const GpuConvolutionPlan &convolution, ConvolutionPlan &plan) {
    const KernelPhase *phase = plan.kernel.phases.end();
    for (auto [product, part] : llvm::reverse(llvm::zip(convolution.parts, plan.parts))) {
      const KernelPhase *end = std::exchange(phase, phase - product.phases().size());
      part.contraction.kernel.phases.assign(phase, end);
    }
  }

  // `tempBytes`: of the form.
  template <typename Form> static GpuForm take(const std::optional<Form> &form, Kernel &kernel, int64_t tempBytes = 0) {
    if (!form || llvm::any_of(form->phases(), [](const FormPhase &phase) { return phase.tasks > kMostBlocks; }))
      return {};
    setPhases(form->phases(), kernel);
    kernel.scratchBytes = 0;
    kernel.tempBytes = tempBytes;
    return *form;
  }

  // A kernel's last phase, and others before it if there are more launches than phases; of a product, phases that pack
  // operands are left out.
  static void setPhases(const FormPhases &launches, Kernel &kernel) {
    llvm::SmallVector<KernelPhase, 1> phases;
    if (launches.size() <= kernel.phases.size()) {
      phases.append(kernel.phases.end() - launches.size(), kernel.phases.end());
    } else {
      phases.assign(launches.size(), kernel.phases.back());
      for (size_t i = 0; i + 1 < launches.size(); ++i)
        phases[i].symbol += "_phase" + std::to_string(i);
    }
    for (auto [phase, launch] : llvm::zip(phases, launches))
      phase.extent = launch.tasks;
    kernel.phases = std::move(phases);
  }
};

} // namespace

llvm::SmallVector<GpuForm, 1> chooseForms(KernelPlan &plan, const CostModel::Blocks &costs, const GpuChip &chip) {
  llvm::SmallVector<GpuForm, 1> forms;
  plan.kernel.phases.clear();
  plan.kernel.scratchBytes = plan.kernel.tempBytes = 0;
  for (KernelPart &part : plan.parts) {
    forms.push_back(std::visit(FormChooser{part.source, costs, chip}, part.schedule));
    const Kernel &kernel = part.kernel();
    plan.kernel.phases.append(kernel.phases.begin(), kernel.phases.end());
    plan.kernel.scratchBytes = std::max(plan.kernel.scratchBytes, kernel.scratchBytes);
    plan.kernel.tempBytes = std::max(plan.kernel.tempBytes, part.source.tempBase + kernel.tempBytes);
  }
  plan.kernel.mayAlias = plan.parts.back().kernel().mayAlias;
  plan.kernel.copiesInit = plan.parts.back().kernel().copiesInit;
  return forms;
}

FormPhases phasesOf(const GpuForm &form, const Kernel &kernel) {
  return std::visit(
      [&](const auto &chosen) -> FormPhases {
        if constexpr (std::is_same_v<std::decay_t<decltype(chosen)>, std::monostate>)
          return llvm::map_to_vector<2>(
              kernel.phases, [](const KernelPhase &phase) { return FormPhase{phase.extent, kTaskBlock, 0, true}; });
        else
          return chosen.phases();
      },
      form);
}

bool usesMaps(const GpuForm &form) {
  const auto *product = std::get_if<ProductPlan>(&form);
  return product && product->isByMaps;
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
  if (const auto *table = std::get_if<ResultTablePlan>(&form))
    return emitResultTable(*table, std::get<loop::MapPlan>(part.schedule), part.source, module, target, gpu);
  if (const auto *rows = std::get_if<RowTeamPlan>(&form))
    return emitRowTeam(*rows, std::get<loop::RowKernelPlan>(part.schedule), part.source, module, target, gpu);
  if (const auto *scan = std::get_if<ScanTeamPlan>(&form))
    return emitScanTeam(*scan, std::get<loop::ScanPlan>(part.schedule), part.source, module, target, gpu);
  if (const auto *columns = std::get_if<ColumnScanPlan>(&form))
    return emitColumnScan(*columns, std::get<loop::ScanPlan>(part.schedule), part.source, module, target);
  if (const auto *select = std::get_if<SelectTeamPlan>(&form))
    return emitSelectTeam(*select, std::get<loop::SelectAndScatterPlan>(part.schedule), part.source, module, target);
  if (const auto *topK = std::get_if<GpuTopKPlan>(&form))
    return emitGpuTopK(*topK, part.kernel(), module, gpu);
  if (const auto *scatter = std::get_if<ScatterTeamPlan>(&form))
    return emitScatterTeam(*scatter, std::get<loop::ScatterPlan>(part.schedule), part.source, module, target, gpu);
  if (const auto *sort = std::get_if<GpuSortPlan>(&form))
    return emitGpuSort(*sort, part.kernel(), module, gpu);
  if (const auto *split = std::get_if<SplitTeamPlan>(&form))
    return emitSplitTeam(*split, std::get<loop::SplitReductionPlan>(part.schedule), part.source, module, target, gpu);
  if (const auto *convolution = std::get_if<GpuConvolutionPlan>(&form))
    return emitGpuConvolution(*convolution, std::get<ConvolutionPlan>(part.schedule), module, target, gpu);
  if (const auto *attention = std::get_if<GpuAttentionPlan>(&form))
    return emitGpuAttention(*attention, std::get<AttentionPlan>(part.schedule), module, target, gpu);
  const auto &dot = std::get<DotPlan>(part.schedule);
  if (const auto *skinny = std::get_if<SkinnyProductPlan>(&form)) {
    emitSkinnyProduct(*skinny, dot, epilogueOf(dot.epilogue, target), /*sharedBegin=*/0, module, gpu);
    return llvm::success();
  }
  if (const auto *tiles = std::get_if<TileProductPlan>(&form)) {
    emitTileProduct(*tiles, dot, epilogueOf(dot.epilogue, target), module);
    return llvm::success();
  }
  emitProduct(std::get<ProductPlan>(form), dot, epilogueOf(dot.epilogue, target), module, gpu);
  return llvm::success();
}

} // namespace tenon::codegen
