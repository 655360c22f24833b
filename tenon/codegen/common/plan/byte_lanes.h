// Which kernels compute bytes in whole registers of them.
#pragma once

#include "tenon/codegen/common/plan/loop_plan.h"

namespace tenon::codegen {

// An op on integers of 8 bits, or on truths, for which processors have an instruction on vectors of bytes.
bool isOnBytes(mlir::Operation *op);

// Whether vectors have as many lanes as registers have bytes though there is arithmetic: not where elements are
// shuffled over more lanes than that gains, those of transposed arrays, and reversed ones in registers of 64 bytes.
bool computesWholeBytes(const LoopPlan &plan, const PlanTarget &target);

} // namespace tenon::codegen
