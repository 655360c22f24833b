// Where a map kernel's vectors run over two or three dimensions: see JoinedLanes.
#pragma once

#include "tenon/codegen/common/plan/loop_plan.h"

namespace tenon::codegen {

// How vectors of so many lanes run over the last dimensions of a plan whose peels are known, or nothing where they
// cannot, or would not have more lanes than along the last one.
std::optional<JoinedLanes> planJoinedLanes(const LoopPlan &plan, unsigned lanes, const PlanTarget &target);

// The outermost dimension of a plan with joined lanes that they run over: the inner ones together have as many indices
// as a block has elements for each of its rows.
unsigned outermostJoined(const LoopPlan &plan);

} // namespace tenon::codegen
