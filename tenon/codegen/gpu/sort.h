// Sorts by a key (sort::SortPlan with one): blocks of threads sort runs of a row in shared memory, and then runs are
// merged in pairs, each element on its own: where it goes is how many come before it in its own run and, by a search,
// in the other one. Equal keys stay in the order of their positions, so there is one result, whoever is first.
//
// What moves from phase to phase are keys and positions; the last phase gathers the operands through the positions.
#pragma once

#include "tenon/codegen/gpu/builder.h"
#include "tenon/codegen/gpu/form_phase.h"
#include "tenon/codegen/llvm/sort/sort.h"

namespace tenon::codegen {

struct GpuSortPlan {
  sort::SortedRows rows;
  int64_t run = 0; // elements that a block sorts: a power of two
  int merges = 0;  // phases that merge runs
  // The temporary block: two sets of keys and positions, of which each phase reads one and writes the other.
  int64_t keyBytes = 0;
  int64_t tempBytes = 0;

  int64_t runsOfRow() const { return (rows.count + run - 1) / run; }
  FormPhases phases() const;
  void print(llvm::raw_ostream &os) const;
};

constexpr int kSortThreads = 256;

// None where there is no key, or where a row is so short that a thread sorts it.
std::optional<GpuSortPlan> planGpuSort(const sort::SortPlan &plan);

// The phases' functions have the names that `kernel` gives them.
llvm::LogicalResult emitGpuSort(const GpuSortPlan &sort, const Kernel &kernel, llvm::Module &module, GpuBuilder &gpu);

} // namespace tenon::codegen
