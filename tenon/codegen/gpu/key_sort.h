// Sorts of rows by keys, by digits or by merges, whichever takes less time.
#pragma once

#include "tenon/codegen/gpu/merge_sort.h"
#include "tenon/codegen/gpu/radix_sort.h"

#include <variant>

namespace tenon::codegen {

struct KeySortPlan {
  std::variant<MergeSortPlan, RadixSortPlan> way;

  // Whether elements are found by their positions.
  bool hasPositions() const;
  int64_t keyBytes() const;
  int64_t tempBytes() const;
  FormPhases phases() const;
  void print(llvm::raw_ostream &os) const;
};

// `bits`: by which keys differ, the lowest ones. `hasPositions`: what the sink does depends on the elements' positions.
KeySortPlan planKeySort(int64_t rows, int64_t count, int64_t keyBytes, int bits, const CostModel::Blocks &costs,
                        bool hasPositions = true);

// The body of a phase's function, whose arguments are the second and the third: tasks from one to another, or a block's
// own. `temp`: where the plan's temporary bytes are. The first phase of merges asks for keys, and those that count and
// place by the first digit; what the last phase finds goes into the sink. `keyOf`: of sorts by digits, where what keyAt
// finds, and the sink gets, is no key, but has one.
void emitKeySort(const KeySortPlan &plan, int phase, Emitter &e, GpuBuilder &gpu, llvm::Value *temp,
                 SortCode::KeyAt keyAt, SortCode::Sink sink, SortCode::KeyOf keyOf = nullptr);

} // namespace tenon::codegen
