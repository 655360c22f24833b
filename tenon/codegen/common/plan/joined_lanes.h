// Where a map kernel's vectors run over two dimensions: see JoinedLanes.
#pragma once

#include "tenon/codegen/common/plan/loop_plan.h"

namespace tenon::codegen {

// How vectors of so many lanes run over the last two dimensions of a plan whose peels are known, or nothing where they
// cannot, or would not have more lanes than along the last one.
std::optional<JoinedLanes> planJoinedLanes(const LoopPlan &plan, unsigned lanes, const PlanTarget &target);

} // namespace tenon::codegen
