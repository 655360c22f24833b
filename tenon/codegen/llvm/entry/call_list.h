// Calls of kernels that follow each other, as data that tenon_call_kernels (runtime/core/abi.h) goes through. Code for
// each of them would take LLVM a tenth of a millisecond, and more the longer the function is.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace tenon::codegen::entry {

class CallList {
public:
  // What an index of a place counts from: TENON_ARENA and so on.
  enum Base : int64_t { kArena, kArguments, kResults, kConstants, kLocals, kBases };

  // TENON_ALONE and so on.
  enum Sharing : int32_t { kAlone, kShared, kLong };

  explicit CallList(llvm::Module &module) : module_(module) {}

  bool isEmpty() const { return calls_.empty(); }
  int64_t size() const { return int64_t(calls_.size()); }
  // TENON_PLACE.
  static int64_t place(Base base, int64_t index) { return index * 8 + base; }
  // A pointer that is known only when the program runs.
  int64_t placeOfLocal(llvm::Value *pointer);
  // TenonKernelCall; without places for another phase of the kernel that was called before.
  void add(llvm::Constant *kernel, int64_t extent, int32_t call, Sharing sharing, llvm::ArrayRef<int64_t> places);
  // Makes the last `count` calls one, whose tasks the workers share as `sharing` says. They are of one phase each.
  void joinLast(int64_t count, Sharing sharing);
  // Emits the call of all that was added, and begins anew. `bases` is a table of kBases pointers; that of kLocals is
  // set here, to memory that is allocated at `allocas`. `table` has room for as many pointers as buffers() says.
  void emit(llvm::IRBuilder<> &builder, llvm::BasicBlock *allocas, llvm::Value *context, llvm::Value *bases,
            llvm::Value *table);

  // The most buffers that a call has, or calls that were made one have together.
  int64_t buffers() const { return buffers_; }

private:
  struct Call {
    llvm::Constant *kernel;
    int64_t extent;
    int32_t call;
    Sharing sharing;
    int32_t places, together;
  };

  llvm::StructType *callType() const;
  llvm::Constant *constant(const Call &call) const;
  llvm::Constant *data(llvm::Constant *contents, const char *name) const;
  void storeLocals(llvm::IRBuilder<> &builder, llvm::BasicBlock *allocas, llvm::Value *bases) const;

  llvm::Module &module_;
  llvm::SmallVector<Call> calls_;
  llvm::SmallVector<int64_t> places_;
  llvm::SmallVector<llvm::Value *> locals_;
  int64_t buffers_ = 0;
};

} // namespace tenon::codegen::entry
