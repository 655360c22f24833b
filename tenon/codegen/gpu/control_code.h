// Parts of the kernels by which a device decides for itself: of those that a graph of any program has
// (control_kernels.h), and of those that end the iterations of a loop (step_kernel.h).
#pragma once

#include "tenon/codegen/gpu/builder.h"

namespace tenon::codegen {

// Emits into a kernel, where the builder is. Tables are of words of 64 bits.
class ControlCode {
public:
  explicit ControlCode(GpuBuilder &gpu)
      : gpu_(gpu), b_(gpu.b), kernel_(b_.GetInsertBlock()->getParent()), i64_(b_.getInt64Ty()) {}

  llvm::Value *load(llvm::Value *table, llvm::Value *index) {
    return b_.CreateLoad(i64_, b_.CreateGEP(i64_, table, index));
  }
  void store(llvm::Value *value, llvm::Value *table, llvm::Value *index) {
    b_.CreateStore(value, b_.CreateGEP(i64_, table, index));
  }
  llvm::BasicBlock *block(const char *label) { return llvm::BasicBlock::Create(b_.getContext(), label, kernel_); }

  // The body for each number below the count, shared out among the threads of the grid.
  void forEach(llvm::Value *count, llvm::function_ref<void(llvm::Value *)> body);
  void onlyIf(llvm::Value *condition, llvm::function_ref<void()> body);
  void onlyFirstThread(llvm::function_ref<void()> body) {
    onlyIf(b_.CreateICmpEQ(gpu_.threadInGrid(), b_.getInt64(0)), body);
  }

  // rows[s] = places[slotPlaces[s]] for each s of a list, which begins with its length. Nothing has the place -1.
  void refresh(llvm::Value *places, llvm::Value *rows, llvm::Value *slotPlaces, llvm::Value *list);

  struct Advance {
    llvm::Value *places, *saved, *numPlaces, *exchanges, *rows, *slotPlaces, *list;
  };
  // The end of an iteration: pairs of a list exchange their places in `saved`, which then are the places of the next.
  void advance(const Advance &tables);

  // Says whether a loop goes on: if the predicate, an i1 in memory, is true, and its run is not to end. That the host
  // says in its own memory, which takes microseconds to read: `looked` is a word of the device's that has the time of
  // the last look, and by which a look is due at most every 100 us, however short or long the iterations are. Counting
  // them would not do: the host cannot know how long one takes.
  void continueIf(llvm::Value *predicate, llvm::Value *handle, llvm::Value *stop, llvm::Value *looked);

private:
  llvm::Value *isStopped(llvm::Value *stop, llvm::Value *looked);

  GpuBuilder &gpu_;
  llvm::IRBuilder<> &b_;
  llvm::Function *kernel_;
  llvm::Type *i64_;
};

} // namespace tenon::codegen
