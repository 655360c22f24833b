// Sorts unsigned keys that have positions: blocks of threads sort runs of a row in shared memory, and then runs are
// merged in pairs, each element on its own: where it goes is how many come before it in its own run and, by a search,
// in the other one. Equal keys stay in the order of their positions, so there is one result, whoever is first.
//
// Merges read one of two sets of keys and positions and write the other. Those but the last are the same two kernels by
// turns, one for each direction: a word for each set says which merge reads it next, which the one before has written.
#pragma once

#include "tenon/codegen/gpu/form_phase.h"
#include "tenon/codegen/gpu/sort_code.h"
#include "tenon/support/cost_model.h"

namespace tenon::codegen {

struct MergeSortPlan {
  int64_t rows = 0, count = 0; // rows of so many elements, fewer than 2^31
  int64_t keyBytes = 0;
  int64_t run = 0;       // elements that a block sorts: a power of two
  int threads = 0;       // of such a block
  int merges = 0;        // phases that merge runs
  int64_t tempBytes = 0; // of the sets of keys and positions, where runs are merged

  KeySets sets() const { return {rows * count, keyBytes}; }
  int64_t runsOfRow() const { return (count + run - 1) / run; }
  // Whether merges but the last are two kernels, which learn from memory which merge it is.
  bool countsMerges() const { return merges > 3; }
  // One that sorts runs, and the merges.
  FormPhases phases() const;
  void print(llvm::raw_ostream &os) const;
};

MergeSortPlan planMergeSort(int64_t rows, int64_t count, int64_t keyBytes, const CostModel::Blocks &costs);

// The code of one of the phases.
class MergeSortCode : public SortCode {
public:
  // `temp`: where the plan's temporary bytes are.
  MergeSortCode(const MergeSortPlan &plan, Emitter &e, GpuBuilder &gpu, llvm::Value *temp);

  // Sorts a run: the task of a block.
  void emitRun(llvm::Value *task, KeyAt keyAt, Sink sink);
  // Merges pairs of runs: a task is an element. `number`: of merges before.
  void emitMerge(int number, llvm::Value *task, Sink sink);

private:
  // An element in shared memory: where its key and position are, and both.
  struct Element {
    llvm::Value *keyAt, *positionAt, *key, *position;
  };
  // Two that a step puts in order, and the place of the first one, i32.
  struct Pair {
    llvm::Value *low;
    Element first, second;
  };

  // A run among those that are merged, of at most 2^log elements; i32.
  struct Run {
    llvm::Value *from, *to, *log;
  };

  void forEachOfThread(int64_t count, llvm::function_ref<void(llvm::Value *)> body);
  llvm::Value *sharedKey(llvm::Value *i) { return e_.gep(key_, keys_, i); }
  llvm::Value *sharedPosition(llvm::Value *i) { return e_.gep(i32_, positions_, i); }
  void readElement(llvm::Value *row, llvm::Value *first, llvm::Value *i, KeyAt keyAt);
  void exchange(llvm::Value *size, llvm::Value *distance);
  Pair loadPair(llvm::Value *number, llvm::Value *distance);
  void storeInOrder(const Pair &pair, llvm::Value *size);
  void writeElement(llvm::Value *row, llvm::Value *first, llvm::Value *i, Sink sink);
  llvm::Value *search(int64_t set, llvm::Value *row, const Run &run, llvm::Value *key, llvm::Value *isLeft);
  // Merges of even numbers read the first set, the others the second.
  llvm::Value *loadKey(int64_t set, llvm::Value *row, llvm::Value *i) {
    return e_.load(key_, keyAt(e_.i64(set), row, i));
  }
  // The number of the merge that reads a set next, and its change by the first thread of all.
  llvm::Value *numberAt(int64_t set);
  void tellNumber(llvm::Value *thread, int64_t set, llvm::Value *number);

  const MergeSortPlan &plan_;
  llvm::Value *thread_ = nullptr, *keys_ = nullptr, *positions_ = nullptr; // of a block's run
};

} // namespace tenon::codegen
