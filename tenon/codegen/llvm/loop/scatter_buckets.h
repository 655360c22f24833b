// Updates of a scatter, sorted by where they go: the rows of the results are cut into buckets that a core's own cache
// holds, and the updates of each are brought together in their order (a stable radix sort of one digit). Applied bucket
// by bucket, they find their rows in the cache, and tasks have rows of their own.
//
// Three phases: chunks of the updates are counted, each by bucket; the counts become places; the chunks are moved
// there.
//
// A thread alone gains nothing by tasks, and sorted updates are read in no order, which memory takes twice as long for.
// So a call that is to count all chunks leaves the updates as they are (`leavesWhole`), and says so to the others.
#pragma once

#include "tenon/codegen/llvm/loop/evaluator.h"

namespace tenon::codegen::loop {

struct BucketPlan {
  int64_t rows = 0, updates = 0;
  int64_t bucketRows = 1; // a power of two
  int64_t chunks = 1;
  bool leavesWhole = false; // there are several chunks then

  int64_t buckets() const { return (rows + bucketRows - 1) / bucketRows; }
  int64_t chunkUpdates() const { return (updates + chunks - 1) / chunks; }
  // What no update that is applied goes to.
  int64_t nowhere() const { return buckets() * bucketRows; }
  // Bytes in the temporary block, multiples of 64.
  int64_t tableBytes() const;
  int64_t entryBytes() const;
  int64_t bytes() const;
};

class UpdateBuckets {
public:
  UpdateBuckets(LoopEvaluator &evaluator, const BucketPlan &plan, llvm::Value *memory);

  // The row that an update goes to, or `nowhere()`; evaluated in a scope of its own.
  using RowOf = llvm::function_ref<llvm::Value *(llvm::Value *update)>;
  // The chunks [begin, end). The phases do nothing where updates are left as they are.
  void count(llvm::Value *begin, llvm::Value *end, RowOf rowOf);
  void placeCounts();
  void move(llvm::Value *begin, llvm::Value *end, RowOf rowOf);

  // What is emitted where updates have been sorted, and where they have been left as they are.
  void ifSorted(llvm::function_ref<void()> sorted, llvm::function_ref<void()> left = [] {});

  // Where the entries of a bucket begin and end.
  std::pair<llvm::Value *, llvm::Value *> entries(llvm::Value *bucket);
  struct Entry {
    llvm::Value *update, *row;
  };
  Entry entry(llvm::Value *position);

private:
  void emitIf(llvm::Value *condition, llvm::function_ref<void()> then, llvm::function_ref<void()> other);
  void countChunks(llvm::Value *begin, llvm::Value *end, RowOf rowOf);
  void placeEach();
  void moveChunks(llvm::Value *begin, llvm::Value *end, RowOf rowOf);
  void overChunks(llvm::Value *begin, llvm::Value *end, RowOf rowOf,
                  llvm::function_ref<void(llvm::Value *update, llvm::Value *row, llvm::Value *address)> body);
  // Where the table has the entry for a chunk and a bucket.
  llvm::Value *address(llvm::Value *chunk, llvm::Value *bucket);

  LoopEvaluator &evaluator_;
  const BucketPlan &plan_;
  // i32 [chunks][buckets + 1], i64 [updates]: the row above the update, and whether they have been sorted, a byte.
  llvm::Value *table_, *entries_, *isSorted_;
};

} // namespace tenon::codegen::loop
