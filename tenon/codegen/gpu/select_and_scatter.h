// select_and_scatter (loop::SelectAndScatterPlan) by threads in two phases: in the first a thread takes each window,
// and leaves the position of the element that it selects; in the second each element of the result, which goes through
// the windows that it is in, in their order, and takes what belongs to those that have selected it. So results are the
// CPU's.
#pragma once

#include "tenon/codegen/gpu/form_phase.h"
#include "tenon/codegen/llvm/loop/select_and_scatter.h"

namespace tenon::codegen {

struct SelectTeamPlan {
  unsigned lanes = 1;
  int64_t windows = 0, results = 0; // vectors of them
  int64_t positionBytes = 4;        // of a position in the operand
  int64_t tempBytes = 0;            // the positions

  FormPhases phases() const;
  void print(llvm::raw_ostream &os) const;
};

// None where there is nothing to select.
std::optional<SelectTeamPlan> planSelectTeam(const loop::SelectAndScatterPlan &plan);

// The phases' functions have the names that the plan's kernel gives them.
llvm::LogicalResult emitSelectTeam(const SelectTeamPlan &team, const loop::SelectAndScatterPlan &plan,
                                   const KernelSource &source, llvm::Module &module, const EmissionTarget &target);

} // namespace tenon::codegen
