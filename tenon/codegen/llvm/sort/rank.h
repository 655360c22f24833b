// Sorting short rows by ranks: an element's place is the number of those that come before it. Every element is compared
// with every other, but in vectors, and without branches: for rows of some vectors' elements that is faster than any
// sort that compares less. Equal elements keep their order, as an earlier one counts and a later one does not.
#pragma once

#include "tenon/codegen/common/kernel.h"
#include "tenon/codegen/llvm/kernel_target.h"
#include "tenon/codegen/llvm/sort/sorted_rows.h"

#include "llvm/IR/Module.h"

#include <optional>

namespace tenon::codegen::sort {

struct RankPlan {
  SortedRows rows;
  unsigned bits = 32; // of a key, and of a rank
  int64_t lanes = 1;
  int64_t padded = 0; // elements of a row, whole vectors
};

// Nothing if the rows are too long for ranks.
std::optional<RankPlan> planRanks(const SortedRows &rows, const KernelTarget &target);
int64_t rankScratchBytes(const RankPlan &plan);
double rankNanoseconds(const RankPlan &plan, const CostModel &costs);
void emitRanks(const RankPlan &plan, const Kernel &kernel, llvm::Module &module);

} // namespace tenon::codegen::sort
