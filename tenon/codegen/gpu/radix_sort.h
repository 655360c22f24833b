// Sorts rows by unsigned keys by digits of up to 8 bits, the least first, for any number of rows and elements, in three
// phases for each digit:
//
//   count  blocks count how often each value of the digit is in their tile of a row;
//   scan   of each value and row, what earlier tiles have is added up;
//   place  blocks bring their tile in the order of the digits, in shared memory, and write it to where it belongs.
//
// Kernels are for several digits: a word in memory says which digit it is, and each scan counts it on. All digits are
// placed by one kernel, which asks whether it reads the elements or gives the results; the first digit has a count of
// its own, which sets the word. Of an i32 there are 4 kernels instead of 12.
//
// The lanes of a warp have neighbouring elements, and find those that have the same digit (GpuBuilder::lanesWith): the
// first of these counts for all, so that keys that are all alike take no longer than others. Each step keeps the order
// of elements with equal digits, so that the sort is stable and has one result.
//
// D. Merrill, A. Grimshaw: High performance and scalable radix sorting, 2011; A. Adinets, D. Merrill: Onesweep, 2022.
#pragma once

#include "tenon/codegen/gpu/form_phase.h"
#include "tenon/codegen/gpu/sort_code.h"
#include "tenon/support/cost_model.h"

namespace tenon::codegen {

struct RadixSortPlan {
  int64_t rows = 0, count = 0; // rows of so many elements, fewer than 2^31
  int64_t keyBytes = 0;
  bool hasPositions = true;      // elements are found by their positions; otherwise they are what their keys say
  int digits = 0, digitBits = 0; // all digits have as many bits
  int64_t tiles = 0;             // of a row
  int scanThreads = 0;           // of the block that adds up the counts of a row's digit; 0: one thread does
  int64_t tempBytes = 0;         // of the sets of keys and positions, and of counts

  KeySets sets() const { return {rows * count, keyBytes, hasPositions}; }
  int64_t values() const { return int64_t{1} << digitBits; } // of a digit
  // Whether kernels are for several digits.
  bool countsDigits() const { return digits > 1; }
  FormPhases phases() const;
  void print(llvm::raw_ostream &os) const;
};

// `bits`: by which keys differ, the lowest ones.
RadixSortPlan planRadixSort(int64_t rows, int64_t count, int64_t keyBytes, int bits, bool hasPositions,
                            const CostModel::Blocks &costs);

class RadixSortCode : public SortCode {
public:
  // `temp`: where the plan's temporary bytes are. `keyOf`: the key of what is moved, where that is no key itself.
  RadixSortCode(const RadixSortPlan &plan, Emitter &e, GpuBuilder &gpu, llvm::Value *temp, KeyOf keyOf = nullptr);

  // The body of one of the phases, whose tasks are those of the function: a block's own, or those of a thread.
  void emit(int phase, KeyAt keyAt, Sink sink);

private:
  // A digit's number, and whether it is the first, whose keys are those of the elements, and the last, which gives the
  // results, i1.
  struct Digit {
    llvm::Value *number, *isFirst, *isLast;
  };
  struct Item {
    llvm::Value *key, *position, *digit; // position: null where there are none
  };
  // The lanes of the warp whose item has the digit of this one's: whether this lane is the first, i1, and i32 the first
  // one, how many there are, and how many before this one.
  struct Peers {
    llvm::Value *isFirst, *first, *count, *before;
  };
  // The sum of the values of the threads of a block before this one, and that of all.
  struct Scanned {
    llvm::Value *before, *all;
  };

  void emitCount(Digit digit, llvm::Value *task, KeyAt keyAt);
  void emitScanByThread(llvm::Value *task);
  void emitScan(llvm::Value *task);
  void emitPlace(Digit digit, llvm::Value *task, KeyAt keyAt, Sink sink);
  llvm::SmallVector<Item> readTile(Digit digit, llvm::Value *row, llvm::Value *first, KeyAt keyAt);
  void clearCounters(int64_t count);
  llvm::Value *countInWarp(const Item &item);
  void findPlaces(llvm::Value *row, llvm::Value *tile);
  void writeTile(Digit digit, llvm::Value *row, llvm::Value *first, Sink sink);

  // The last phase of a digit writes the set of its number, and those of the next one read it.
  Values readItem(Digit digit, bool isFirst, llvm::Value *row, llvm::Value *i, KeyAt keyAt);
  llvm::Value *isThere(llvm::Value *i) { return e_.b.CreateICmpSLT(i, e_.i64(plan_.count)); }
  llvm::Value *digitOf(llvm::Value *key, Digit digit);
  Digit digitOfPhase(int phase);
  // How many scans there have been, in memory, for kernels of several digits; and its change by the first thread of
  // all.
  llvm::Value *scans();
  void setScans(llvm::Value *isFirst, llvm::function_ref<llvm::Value *()> count);
  Peers peersOf(const Item &item);
  // Returns what the counter had.
  llvm::Value *add(llvm::Value *counter, llvm::Value *count);
  llvm::Value *shuffled(llvm::Value *value, llvm::Value *lane);
  // `warps`: of the block.
  llvm::SmallVector<Scanned, 2> scanThreads(llvm::ArrayRef<llvm::Value *> values, int warps);
  llvm::Value *shared(int64_t offset, llvm::Type *type, llvm::Value *i);
  llvm::Value *counter(llvm::Value *digit) { return counter(e_.i64(0), digit); }
  llvm::Value *counter(llvm::Value *warp, llvm::Value *digit);
  llvm::Value *countAt(llvm::Value *row, llvm::Value *digit, llvm::Value *tile);
  llvm::Value *totalAt(llvm::Value *row, llvm::Value *digit);

  const RadixSortPlan &plan_;
  KeyOf keyOf_;
  llvm::Value *thread_ = nullptr, *lane_ = nullptr, *warp_ = nullptr;
};

} // namespace tenon::codegen
