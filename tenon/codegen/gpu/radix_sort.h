// Sorts rows by unsigned keys by the digits of 4 bits, the least first, for any number of rows and elements, in three
// phases for each digit:
//
//   count  blocks count how often each digit is in their tile of a row;
//   scan   of each digit and row, a block adds up what earlier tiles have;
//   place  blocks bring their tile in the order of the digits, in shared memory, and write it to where it belongs.
//
// Each step keeps the order of elements with equal digits, so that the sort is stable and has one result.
//
// D. Merrill, A. Grimshaw: High performance and scalable radix sorting, 2011.
#pragma once

#include "tenon/codegen/gpu/form_phase.h"
#include "tenon/codegen/gpu/sort_code.h"

namespace tenon::codegen {

struct RadixSortPlan {
  int64_t rows = 0, count = 0; // rows of so many elements, fewer than 2^31
  int64_t keyBytes = 0;
  int bits = 0;          // by which keys differ, the lowest ones
  int64_t tiles = 0;     // of a row
  int64_t tempBytes = 0; // of the sets of keys and positions, and of counts

  KeySets sets() const { return {rows * count, keyBytes}; }
  int digits() const { return (bits + 3) / 4; }
  FormPhases phases() const;
  void print(llvm::raw_ostream &os) const;
};

RadixSortPlan planRadixSort(int64_t rows, int64_t count, int64_t keyBytes, int bits);

class RadixSortCode : public SortCode {
public:
  // `temp`: where the plan's temporary bytes are.
  RadixSortCode(const RadixSortPlan &plan, Emitter &e, GpuBuilder &gpu, llvm::Value *temp);

  // One of the phases: the task of a block.
  void emit(int phase, llvm::Value *task, KeyAt keyAt, Sink sink);

private:
  struct Item {
    llvm::Value *isThere, *key, *position, *digit;
  };

  void emitCount(int digit, llvm::Value *task, KeyAt keyAt);
  void emitScan(llvm::Value *task);
  void emitPlace(int digit, llvm::Value *task, KeyAt keyAt, Sink sink);
  void countTile(int digit, llvm::Value *row, llvm::Value *first, KeyAt keyAt);
  llvm::SmallVector<llvm::Value *> countOwn(llvm::ArrayRef<Item> items);
  void scanCounters();
  void exchange(llvm::ArrayRef<Item> items, llvm::ArrayRef<llvm::Value *> ordinals);
  void findBases(llvm::Value *row, llvm::Value *tile);
  void writeTile(int digit, llvm::Value *row, llvm::Value *first, Sink sink);

  // The last phase of a digit writes the set of its number, and those of the next one read it.
  Item readItem(int digit, llvm::Value *row, llvm::Value *i, KeyAt keyAt);
  llvm::Value *digitOf(llvm::Value *key, int digit);
  // The sum of the values of the threads up to this one.
  llvm::Value *scanThreads(llvm::Value *value);
  llvm::Value *shared(int64_t offset, llvm::Type *type, llvm::Value *i);
  llvm::Value *counter(llvm::Value *number);
  llvm::Value *ownCounter(llvm::Value *digit);
  llvm::Value *countAt(llvm::Value *row, llvm::Value *digit, llvm::Value *tile);
  llvm::Value *totalAt(llvm::Value *row, llvm::Value *digit);

  const RadixSortPlan &plan_;
  llvm::Value *thread_ = nullptr;
};

} // namespace tenon::codegen
