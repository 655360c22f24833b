#include "tenon/codegen/gpu/rows.h"

#include "tenon/codegen/gpu/row_team.h"
#include "tenon/codegen/gpu/target.h"

#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tenon::codegen {
namespace {

int64_t accumulatorCount(const RowStage &stage) {
  int64_t count = 0;
  for (mlir::Operation *reduce : stage.reduces)
    for (mlir::Value result : reduce->getResults())
      count += isa<mlir::ComplexType>(elementTypeOf(result)) ? 2 : 1;
  return count;
}

// Vectors that fill a register in memory along the dimension, where it is made of whole ones.
unsigned chooseLanes(const RowReductionPlan &plan, unsigned dim) {
  constexpr int64_t kVectorBytes = kGpuVectorBits / 8, kMostLanes = 8;
  int64_t bytes = kVectorBytes;
  for (const PlanAccess &access : plan.use.accesses)
    if (variesAlong(access.index, dim))
      bytes = std::min(bytes, storageBytes(elementTypeOf(access.value)));
  int64_t lanes = std::min(kVectorBytes / bytes, kMostLanes);
  return plan.mayWiden && plan.dims[dim].extent % lanes == 0 ? unsigned(lanes) : 1;
}

bool gainsFromTrees(const RowReductionPlan &plan) {
  return any_of(plan.stages, [](const RowStage &stage) { return stage.sumsInTrees; });
}

int64_t mostVectors(const RowTeamPlan &team, const RowReductionPlan &plan, const CostModel::Blocks &costs) {
  return std::max<int64_t>(1, costs.keptBytes / (int64_t(team.lanes) * std::max(plan.use.widestBytes, 4)));
}

// Shares a row that does not fit into a block's registers, but into those of a cluster, if it is gone through again.
void shareAmongBlocks(RowTeamPlan &team, const RowReductionPlan &plan, const CostModel::Blocks &costs,
                      const GpuChip &chip) {
  if (!team.isAlong || team.inRegisters || plan.stages.size() < 2 || plan.dims.size() != plan.keptDims + 1)
    return;
  int64_t most = mostVectors(team, plan, costs);
  RowTeamPlan shared = team;
  while (shared.vectorsOfThread() > most && shared.blocks < chip.mostClusterBlocks)
    shared.blocks *= 2;
  if (shared.vectorsOfThread() > most)
    return;
  shared.inRegisters = true;
  shared.sumsInTrees = false;
  shared.tasks *= shared.blocks;
  for (const RowStage &stage : plan.stages)
    shared.sharedBytes += accumulatorCount(stage) * kSlotBytes * shared.blocks;
  team = shared;
}

std::optional<RowTeamPlan> planAlong(const RowReductionPlan &plan, int64_t extent, const CostModel::Blocks &costs) {
  unsigned reducedDims = unsigned(plan.dims.size()) - plan.keptDims;
  RowTeamPlan team;
  team.lanes = chooseLanes(plan, unsigned(plan.dims.size()) - 1);
  team.vectors = divideCeilSigned(reducedDims == 1 ? extent : plan.dims.back().extent, team.lanes);
  if (team.vectors < costs.sharedVectors || (reducedDims > 1 && team.vectors < kWarpThreads))
    return std::nullopt;
  int64_t most = mostVectors(team, plan, costs);
  team.threads = int(std::min<uint64_t>(PowerOf2Ceil(uint64_t(team.vectors)), kWarpThreads));
  while (team.vectorsOfThread() > most && team.threads < costs.rowThreads)
    team.threads *= 2;
  team.inRegisters = reducedDims == 1 && team.vectorsOfThread() <= most;
  team.rows = std::max(1, costs.leastThreads / team.threads);
  team.tasks = divideCeilSigned(plan.keptElements(), team.rows);
  int64_t inner = reducedDims == 1 ? 1 : plan.reducedElements() / plan.dims.back().extent;
  team.sumsInTrees = !team.inRegisters && gainsFromTrees(plan) && team.vectorsOfThread() * inner > 2 * kSumBlock;
  if (team.threads > kWarpThreads)
    for (const RowStage &stage : plan.stages)
      team.sharedBytes += accumulatorCount(stage) * kSlotBytes * team.blockThreads() / kWarpThreads;
  return team;
}

// Many vectors of rows are enough for a thread each. Where a row is short, there is nothing to share.
std::optional<RowTeamPlan> planAcross(const RowReductionPlan &plan, int64_t extent, const CostModel::Blocks &costs) {
  bool needsOrder = any_of(plan.stages, [](const RowStage &stage) {
    return any_of(stage.reduces, [](auto *reduce) { return loop::foldOrder(reduce) == FoldOrder::kFixed; });
  });
  if (plan.keptDims == 0 || needsOrder || extent < costs.sharedRow)
    return std::nullopt;
  RowTeamPlan team;
  team.isAlong = false;
  unsigned dim = plan.keptDims - 1;
  team.lanes = chooseLanes(plan, dim);
  team.vectors = plan.dims[dim].extent / team.lanes;
  if (plan.keptElements() / int64_t(team.lanes) >= costs.manyVectors)
    return std::nullopt;
  team.rows = kWarpThreads;
  team.threads = extent >= costs.longRow ? costs.longRowWarps : costs.rowWarps;
  team.tasks = plan.keptElements() / plan.dims[dim].extent * divideCeilSigned(team.vectors, team.rows);
  int64_t elements = plan.reducedElements() / plan.dims[plan.keptDims].extent * extent;
  team.sumsInTrees = gainsFromTrees(plan) && elements / team.threads > 2 * kSumBlock;
  for (const RowStage &stage : plan.stages)
    team.sharedBytes += accumulatorCount(stage) * kSlotBytes * team.lanes * team.blockThreads();
  return team.sharedBytes <= kMostSharedBytes ? std::optional(team) : std::nullopt;
}

} // namespace

std::optional<RowTeamPlan> planRowTeam(const RowReductionPlan &plan, int64_t extent, const CostModel::Blocks &costs) {
  if (plan.elements() == 0 || plan.dims.size() == plan.keptDims)
    return std::nullopt;
  return plan.vectorAlongRow ? planAlong(plan, extent, costs) : planAcross(plan, extent, costs);
}

std::optional<RowTeamPlan> planRowTeam(const loop::RowKernelPlan &plan, const CostModel::Blocks &costs,
                                       const GpuChip &chip) {
  std::optional<RowTeamPlan> team =
      planRowTeam(plan, plan.dims.size() == plan.keptDims ? 1 : plan.dims[plan.keptDims].extent, costs);
  if (team)
    shareAmongBlocks(*team, plan, costs, chip);
  return team;
}

void RowTeamPlan::print(raw_ostream &os) const {
  if (isAlong)
    os << "a row by " << threads << " threads, " << rows << " in a block, in vectors of " << lanes << ", "
       << vectorsOfThread() << " a thread";
  else
    os << rows << " vectors of " << lanes << " rows in a block, by " << threads << " warps";
  if (blocks > 1)
    os << " of " << blocks << " blocks";
  if (inRegisters)
    os << " in registers";
  if (sumsInTrees)
    os << ", summed in trees";
  os << ", " << sharedBytes << " bytes shared, " << tasks << " blocks\n";
}

LogicalResult emitRowTeam(const RowTeamPlan &team, const loop::RowKernelPlan &plan, const KernelSource &source,
                          Module &module, const EmissionTarget &target, GpuBuilder &gpu) {
  auto emit = [&](loop::LoopEvaluator &evaluator, Function *function) {
    RowTeam rows(team, plan, evaluator, gpu);
    rows.bindRow(function->getArg(1));
    for (const RowStage &stage : plan.stages)
      rows.runStage(stage);
    if (!plan.rowOutputs.empty())
      rows.onFirst([&] { loop::RowEmitter(evaluator, plan, nullptr).writeRowOutputs(); });
  };
  return loop::emitLoopFunction(plan.kernel.phases[0], plan, source, module, target, emit);
}

} // namespace tenon::codegen
