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

#include "tenon/codegen/gpu/merge_sort.h"

namespace tenon::codegen {

struct RadixSortPlan {
  int64_t rows = 0, count = 0; // rows of so many elements, fewer than 2^31
  int64_t keyBytes = 0;
  int bits = 0;      // by which keys differ, the lowest ones
  int64_t tiles = 0; // of a row
  // In the temporary block: two sets of keys and positions, of which each digit's last phase reads one and writes the
  // other, and counts.
  int64_t tempBytes = 0;

  int digits() const { return (bits + 3) / 4; }
  FormPhases phases() const;
  void print(llvm::raw_ostream &os) const;
};

RadixSortPlan planRadixSort(int64_t rows, int64_t count, int64_t keyBytes, int bits);

class RadixSortCode {
public:
  // `temp`: where the plan's temporary bytes are.
  RadixSortCode(const RadixSortPlan &plan, Emitter &e, GpuBuilder &gpu, llvm::Value *temp);

  using KeyAt = MergeSortCode::KeyAt;
  using Sink = MergeSortCode::Sink;
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

  Item readItem(int digit, llvm::Value *row, llvm::Value *i, KeyAt keyAt);
  llvm::Value *digitOf(llvm::Value *key, int digit);
  // The sum of the values of the threads before this one. With its own, it is in shared memory afterwards.
  llvm::Value *scanThreads(llvm::Value *value);
  void barrier();
  llvm::Value *wide(llvm::Value *value) { return e_.b.CreateZExt(value, e_.b.getInt64Ty()); }
  llvm::Value *shared(int64_t offset, llvm::Type *type, llvm::Value *i);
  llvm::Value *counter(llvm::Value *number);
  llvm::Value *ownCounter(llvm::Value *digit);
  llvm::Value *inTemp(int64_t offset, llvm::Type *type, llvm::Value *i);
  // In the set that a digit's last phase writes.
  llvm::Value *keyAt(int digit, llvm::Value *row, llvm::Value *i);
  llvm::Value *positionAt(int digit, llvm::Value *row, llvm::Value *i);
  llvm::Value *countAt(llvm::Value *row, llvm::Value *digit, llvm::Value *tile);
  llvm::Value *totalAt(llvm::Value *row, llvm::Value *digit);

  const RadixSortPlan &plan_;
  Emitter &e_;
  GpuBuilder &gpu_;
  llvm::Value *temp_;
  llvm::Type *key_, *i32_;
  llvm::Value *thread_ = nullptr;
};

} // namespace tenon::codegen
