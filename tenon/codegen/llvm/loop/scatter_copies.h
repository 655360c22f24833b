// Copies of a scatter's results: where these are small and get many updates (histograms, and sums, maxima and minima by
// segment), each part of the updates has a copy to itself, which starts with what leaves any value unchanged; parts
// that one call has, as on one thread, share the first one's. A second phase combines the results with the copies. Only
// for computations that give the same bits in any order, and for sums of floats in parts that the interpreter has, too
// (tenon/ir/scatter_sums.h), whose copies are of a wider type.
#pragma once

#include "tenon/codegen/llvm/loop/evaluator.h"
#include "tenon/codegen/llvm/loop/reduction.h"

namespace tenon::codegen::loop {

struct CopyPlan {
  int64_t count = 1, elements = 0, updates = 0; // copies, the elements of each array in one, and all updates
  int64_t combined = 1;                         // elements of a task of the second phase
  llvm::SmallVector<Combiner, 2> combiners;     // of each result; none where copies are wider sums

  int64_t partUpdates() const { return (updates + count - 1) / count; }
  int64_t combiningTasks() const { return (elements + combined - 1) / combined; }
  // The bytes of one array of a copy, a multiple of 64.
  int64_t arrayBytes(unsigned number) const;
  // In the temporary block: the arrays, and behind them how many parts each copy is for, if it is in use.
  int64_t arraysBytes() const;
  int64_t bytes() const;
};

// The plan's `combiners`, if every order of the updates gives the same bits but for those of a NaN.
std::optional<llvm::SmallVector<Combiner, 2>> anyOrderCombiners(mlir::Operation *scatter);

class ResultCopies {
public:
  ResultCopies(LoopEvaluator &evaluator, const CopyPlan &plan, llvm::Value *memory)
      : evaluator_(evaluator), plan_(plan), memory_(memory) {}

  // The first elements of a copy's arrays.
  llvm::SmallVector<llvm::Value *, 2> arrays(llvm::Value *copy) const;
  // The updates of a part: [first, last).
  std::pair<llvm::Value *, llvm::Value *> updates(llvm::Value *part) const;
  // Has the first one's copy be that of the parts [begin, end).
  void share(llvm::Value *begin, llvm::Value *end) const;
  // What copies start with, on the evaluator's lanes.
  Elements identities() const;
  // Results, combined with the elements of all copies at the position, on the evaluator's lanes.
  Elements combine(llvm::ArrayRef<Element> results, llvm::Value *position) const;

private:
  llvm::Value *partsOf(llvm::Value *copy) const;

  LoopEvaluator &evaluator_;
  const CopyPlan &plan_;
  llvm::Value *memory_;
};

} // namespace tenon::codegen::loop
