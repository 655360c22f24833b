// Elementwise kernels of one array of elements of 16 bits, each of which is computed from the array's element in its
// place, and from no other (activation functions of bf16 and f16): there are 65,536 elements to compute it from. In one
// phase threads compute the results of all of them, as a table in the temporary block; in the next each multiprocessor
// copies the table to shared memory and looks the array's elements up. So results have the bits of the plan, and what
// takes a thread long to compute takes as long as memory does.
#pragma once

#include "tenon/codegen/gpu/builder.h"
#include "tenon/codegen/gpu/chip.h"
#include "tenon/codegen/gpu/form_phase.h"
#include "tenon/codegen/llvm/loop/map.h"

namespace tenon::codegen {

struct ResultTablePlan {
  unsigned access = 0;                  // the array's, in the plan's use.accesses
  int64_t vectors = 0, blocks = 0;      // of 16 bytes of the array, and those that share them out
  int64_t tempBegin = 0, tempBytes = 0; // of the table in the temporary block, and behind it

  FormPhases phases() const;
  void print(llvm::raw_ostream &os) const;
};

// None where threads compute the results as soon as memory brings the elements, where there are too few elements for a
// table in each multiprocessor, or where the chip has no room for it.
std::optional<ResultTablePlan> planResultTable(const loop::MapPlan &plan, int64_t tempBase,
                                               const CostModel::Blocks &costs, const GpuChip &chip);

// The phases' functions have the names that the plan's kernel gives them.
llvm::LogicalResult emitResultTable(const ResultTablePlan &table, const loop::MapPlan &plan, const KernelSource &source,
                                    llvm::Module &module, const EmissionTarget &target, GpuBuilder &gpu);

} // namespace tenon::codegen
