// Rows that are a softmax: exp(x - m) / sum(exp(x - m)), where m is the greatest x of the row.
#pragma once

#include "tenon/codegen/common/plan/loop_plan.h"

namespace tenon::codegen {

// x, an f32, at the plan's dimensions, where what the rows make is such weights, perhaps rounded to another type. None
// where it is something else, or more than that; or where an x needs more than elements at its own place, or of others
// that are in memory.
std::optional<IndexedValue> findSoftmax(const RowReductionPlan &rows);

} // namespace tenon::codegen
