// Sizes, strides and the like of a kernel as data, so that its routines (codegen/llvm/routines.h) are those of many
// kernels.
#pragma once

#include "tenon/codegen/llvm/emitter.h"

namespace tenon::codegen {

// The numbers that a kernel's routines (routines.h) read: what differs between kernels whose code is the same
// otherwise. Each routine has a section of the table.
struct SizeTable {
  llvm::SmallVector<int64_t> values;

  // A constant of the module with the values.
  llvm::GlobalVariable *write(llvm::Module &module, llvm::StringRef name) const;
};

// The sizes that a function is written with: a routine's section of the table, or constants. Routines are written one
// after the other.
class Sizes {
public:
  // `pointer`: the routine's parameter that points to its section.
  Sizes(Emitter &e, SizeTable &table, llvm::Value *pointer)
      : e_(e), table_(&table), pointer_(pointer), first_(int64_t(table.values.size())) {}
  // For code that is a kernel's own: sizes are constants.
  explicit Sizes(Emitter &e) : e_(e) {}

  // The value, which a routine reads when it starts.
  llvm::Value *operator()(int64_t value);
  // Where a routine's section has all of the values, at its end: how many there are is no part of the code.
  llvm::Value *addressOf(llvm::ArrayRef<int64_t> values);
  // x times the factor, and divided by it.
  llvm::Value *product(llvm::Value *x, int64_t factor);
  llvm::Value *quotient(llvm::Value *x, int64_t divisor);
  llvm::Value *remainder(llvm::Value *x, int64_t divisor);
  // As product(), but factors of 0 and 1 are part of the code: most arrays are dense.
  llvm::Value *times(llvm::Value *x, int64_t factor);
  // offsetOf(); in a routine how many dimensions there are is no part of the code, unless it is one.
  llvm::Value *offset(const StridedDims &dims, llvm::Value *linear);
  // Calls body(i, offset of linear index first + i) for each i of [0, count). In a routine how many dimensions there
  // are is no part of the code, unless it is one.
  void forEachOffset(const StridedDims &dims, llvm::Value *first, llvm::Value *count,
                     llvm::function_ref<void(llvm::Value *, llvm::Value *)> body);

  // Adds what is to be at the end. Once, last.
  void finish();
  // Where it starts in the table.
  int64_t first() const { return first_; }
  bool areConstants() const { return !table_; }

private:
  int64_t append(int64_t value);

  Emitter &e_;
  SizeTable *table_ = nullptr;
  llvm::Value *pointer_ = nullptr;
  int64_t first_ = 0;
  llvm::Instruction *lastLoad_ = nullptr;
  struct Array {
    int64_t place; // in the table: of the number that says where it starts
    llvm::SmallVector<int64_t> values;
  };
  llvm::SmallVector<Array, 2> arrays_;
};

} // namespace tenon::codegen
