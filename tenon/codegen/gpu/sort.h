// Sorts by a key (sort::SortPlan with one), by blocks of threads (key_sort.h). What moves from phase to phase are keys
// and positions; the last phase gathers the operands through the positions. Elements that are ordered are what their
// keys say. Where some that differ have one key (zeros and NaNs in JAX's order), the last phase gathers these; without
// positions, the elements' bits are moved, and each phase makes their keys again.
#pragma once

#include "tenon/codegen/gpu/key_sort.h"
#include "tenon/codegen/llvm/sort/sort.h"

namespace tenon::codegen {

struct GpuSortPlan {
  sort::SortedRows rows;
  KeySortPlan keys;

  bool movesBits() const { return rows.order.merges() && !keys.hasPositions(); }
  FormPhases phases() const { return keys.phases(); }
  void print(llvm::raw_ostream &os) const { keys.print(os); }
};

// None where there is no key, or where a row is so short that a thread sorts it.
std::optional<GpuSortPlan> planGpuSort(const sort::SortPlan &plan, const CostModel::Blocks &costs);

// The phases' functions have the names that `kernel` gives them.
llvm::LogicalResult emitGpuSort(const GpuSortPlan &sort, const Kernel &kernel, llvm::Module &module, GpuBuilder &gpu);

} // namespace tenon::codegen
