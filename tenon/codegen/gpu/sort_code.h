// What sorts by keys in blocks of threads have in common: where keys and positions are between two phases, and the code
// that finds them there.
#pragma once

#include "tenon/codegen/gpu/builder.h"
#include "tenon/codegen/llvm/emitter.h"

namespace tenon::codegen {

inline constexpr int64_t kPositionBytes = 4; // of an element in its row, of fewer than 2^31

// Two sets of keys and positions in the temporary block, of which each phase reads one and writes the other: sets of an
// even number are the first one.
struct KeySets {
  int64_t elements = 0, keyBytes = 0;
  bool hasPositions = true;

  int64_t bytes() const { return 2 * setBytes(); }
  int64_t setBytes() const;
  int64_t keysOffset(int64_t set) const { return set % 2 * setBytes(); }
  int64_t positionsOffset(int64_t set) const;
};

class SortCode {
public:
  // The key of a row's element.
  using KeyAt = llvm::function_ref<llvm::Value *(llvm::Value *row, llvm::Value *position)>;
  // The key of what moves from phase to phase in the place of one.
  using KeyOf = llvm::function_ref<llvm::Value *(llvm::Value *moved)>;
  // What becomes of the element at `position` when its place among the sorted ones is known.
  using Sink = llvm::function_ref<void(llvm::Value *row, llvm::Value *position, llvm::Value *place, llvm::Value *key)>;

protected:
  // Rows of `count` elements; `temp`: the temporary block, which begins with the sets.
  SortCode(KeySets sets, int64_t count, Emitter &e, GpuBuilder &gpu, llvm::Value *temp);

  void barrier();
  llvm::Value *numberOfThread();
  llvm::Value *sharedMemory();
  llvm::Value *wide(llvm::Value *value) { return e_.b.CreateZExt(value, e_.b.getInt64Ty()); }
  llvm::Value *inTemp(int64_t offset, llvm::Type *type, llvm::Value *i);
  llvm::Value *keyAt(llvm::Value *set, llvm::Value *row, llvm::Value *i);
  llvm::Value *positionAt(llvm::Value *set, llvm::Value *row, llvm::Value *i);

  Emitter &e_;
  GpuBuilder &gpu_;
  llvm::Type *key_, *i32_;

private:
  llvm::Value *inSet(llvm::Value *set, int64_t offset, llvm::Type *type, llvm::Value *row, llvm::Value *i);

  KeySets sets_;
  int64_t count_;
  llvm::Value *temp_;
};

} // namespace tenon::codegen
