// The largest elements of rows (sort::TopKPlan), by blocks of threads. Runs of a row are sorted (merge_sort.h), and of
// each the first ones go on, of which there are runs again, until one is left; equal elements stay in the order of
// their positions all the way. Where more go on than half a run has, the whole row is sorted.
#pragma once

#include "tenon/codegen/gpu/merge_sort.h"
#include "tenon/codegen/llvm/sort/sort.h"

namespace tenon::codegen {

struct GpuTopKPlan {
  sort::TopKRows rows;
  // Each sorts runs of what the one before has left. One with merges is the only one.
  llvm::SmallVector<MergeSortPlan, 3> rounds;
  KeySets sets;          // of what the rounds after the first begin with
  int64_t tempBytes = 0; // of the sets, or what the merges use

  int64_t keyBytes() const { return rounds.front().keyBytes; }
  FormPhases phases() const;
  void print(llvm::raw_ostream &os) const;
};

// None where nothing is asked for, or where a row is so short that it is no work for a block.
std::optional<GpuTopKPlan> planGpuTopK(const sort::TopKPlan &plan, const CostModel::Blocks &costs);

// The phases' functions have the names that `kernel` gives them.
llvm::LogicalResult emitGpuTopK(const GpuTopKPlan &plan, const Kernel &kernel, llvm::Module &module, GpuBuilder &gpu);

} // namespace tenon::codegen
