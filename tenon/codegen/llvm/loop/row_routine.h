// Kernels of rows as routines (codegen/llvm/routines.h): which are, and by which name those that ship are looked for.
#pragma once

#include "tenon/codegen/common/kernel.h"
#include "tenon/codegen/common/plan/loop_plan.h"
#include "tenon/codegen/llvm/kernel_target.h"
#include "tenon/codegen/llvm/task_routine.h"

#include <optional>

namespace tenon::codegen::loop {

// Which of a row's functions a phase is: that of whole rows, or one of the two that rows in parts have.
enum class RowPhase : uint8_t { kWhole, kParts, kCombination };

// How the phase of a kernel of rows is a routine, if one of its name ships: where rows are so long that it does not
// count that their length is no part of the code, and indices are sums of multiples.
std::optional<TaskRoutine> rowRoutine(RowPhase part, const RowReductionPlan &plan, const KernelSource &source,
                                      const KernelPhase &phase, const KernelTarget &target);

} // namespace tenon::codegen::loop
