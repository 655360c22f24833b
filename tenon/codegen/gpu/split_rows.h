// Few long rows (loop::SplitReductionPlan): parts of them by teams (rows.h), and then the parts of each row by another
// team. The order is that of the plan, whatever the order of blocks.
#pragma once

#include "tenon/codegen/gpu/rows.h"
#include "tenon/codegen/llvm/loop/split_reduction.h"

namespace tenon::codegen {

struct SplitTeamPlan {
  RowTeamPlan parts, combination;

  FormPhases phases() const;
  void print(llvm::raw_ostream &os) const;
};

// Cuts the plan's rows into as many parts as give every multiprocessor some.
std::optional<SplitTeamPlan> planSplitTeam(loop::SplitReductionPlan &plan, const CostModel::Blocks &costs);

llvm::LogicalResult emitSplitTeam(const SplitTeamPlan &team, const loop::SplitReductionPlan &plan,
                                  const KernelSource &source, llvm::Module &module, const EmissionTarget &target,
                                  GpuBuilder &gpu);

} // namespace tenon::codegen
