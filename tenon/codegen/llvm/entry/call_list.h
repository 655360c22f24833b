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
  // TENON_PLACE.
  static int64_t place(Base base, int64_t index) { return index * 8 + base; }
  // A pointer that is known only when the program runs.
  int64_t placeOfLocal(llvm::Value *pointer);
  // TenonKernelCall; without places for another phase of the kernel that was called before.
  void add(llvm::Constant *kernel, int64_t extent, int32_t call, Sharing sharing, llvm::ArrayRef<int64_t> places);
  // Emits the call of all that was added, and begins anew. `bases` is a table of kBases pointers; that of kLocals is
  // set here, to memory that is allocated at `allocas`. `table` has room for the buffers of any of the calls.
  void emit(llvm::IRBuilder<> &builder, llvm::BasicBlock *allocas, llvm::Value *context, llvm::Value *bases,
            llvm::Value *table);

private:
  llvm::StructType *callType() const;
  llvm::Constant *data(llvm::Constant *contents, const char *name) const;
  void storeLocals(llvm::IRBuilder<> &builder, llvm::BasicBlock *allocas, llvm::Value *bases) const;

  llvm::Module &module_;
  llvm::SmallVector<llvm::Constant *> calls_;
  llvm::SmallVector<int64_t> places_;
  llvm::SmallVector<llvm::Value *> locals_;
};

} // namespace tenon::codegen::entry
