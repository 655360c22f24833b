// The stages of a kernel around reductions.
#pragma once

#include "tenon/codegen/common/plan/loop_plan.h"

namespace tenon::codegen {

// Assigns the reductions of a plan whose iteration space and outputs are known to stages, and finds what is worth
// keeping between them. There are no stages where no reduction is one of the plan's rows.
void planRowStages(const KernelSource &source, const CostModel &costs, RowReductionPlan &plan);

} // namespace tenon::codegen
