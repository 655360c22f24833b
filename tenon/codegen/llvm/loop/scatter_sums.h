// The sums of a scatter in a wider type than its result's (tenon/ir/scatter_sums.h): as values, and in memory.
#pragma once

#include "tenon/codegen/llvm/loop/evaluator.h"

namespace tenon::codegen::loop {

// Zero that changes no sum.
Element negativeZero(llvm::LLVMContext &context, mlir::Type type, unsigned lanes);

struct WideSum {
  Element sum, error; // the latter of compensated sums
};

// Sums of elements of `type`, on the evaluator's lanes.
class WideArithmetic {
public:
  WideArithmetic(LoopEvaluator &evaluator, mlir::Type type);

  mlir::Type type() const { return wide_; }
  bool isCompensated() const { return wide_ == type_; }
  // The sum that is an element, and that of none.
  WideSum start(Element element) const;
  WideSum nothing() const;
  WideSum add(const WideSum &before, Element update, bool subtracts) const;
  WideSum merge(const WideSum &before, const WideSum &other) const;
  Element rounded(const WideSum &sum) const;

  // As plain LLVM values, for loops to carry, and back.
  LLVMValues pack(const WideSum &sum) const;
  WideSum unpack(llvm::ArrayRef<llvm::Value *> values) const;

private:
  WideSum addWide(const WideSum &before, Element value) const;

  LoopEvaluator &evaluator_;
  mlir::Type type_, wide_;
};

// An array of sums of elements of `type`. Positions count elements.
class WideSums {
public:
  // How many bytes `count` sums take, a multiple of 64.
  static int64_t bytes(mlir::Type type, int64_t count);

  WideSums(LoopEvaluator &evaluator, mlir::Type type, int64_t count, llvm::Value *memory);

  // All on the evaluator's lanes, under its mask. A sum starts as an element, or as nothing.
  void start(llvm::Value *position, Element element);
  void clear(llvm::Value *position) { store(position, arithmetic_.nothing()); }
  // `isFirst` (may be null) says where the sum does not have any value yet.
  void add(llvm::Value *position, Element update, bool subtracts, llvm::Value *isFirst = nullptr);
  Element rounded(llvm::Value *position);
  WideSum load(llvm::Value *position);

private:
  Element load(llvm::Value *array, llvm::Value *position);
  void store(llvm::Value *array, llvm::Value *position, Element element);

  void store(llvm::Value *position, const WideSum &sum);

  LoopEvaluator &evaluator_;
  WideArithmetic arithmetic_;
  llvm::Value *sums_, *errors_ = nullptr; // the latter of compensated sums
};

// Counts the updates of rows in blocks, and gives each row that has a full block a place, from 0 on.
class RowCounters {
public:
  // How many bytes the counters take, a multiple of 64.
  static int64_t bytes(int64_t rows, int64_t updates, int64_t block);

  // `block`: a power of two.
  RowCounters(LoopEvaluator &evaluator, int64_t rows, int64_t updates, int64_t block, llvm::Value *memory);

  // Clears the counters of all rows, or of some whose places begin at `firstPlace`; to be called first.
  void clear();
  void clear(llvm::Value *firstRow, int64_t rows, llvm::Value *firstPlace);
  // One more update of a row; `full` where that fills a block, the first one or not.
  void count(llvm::Value *row, llvm::function_ref<void(llvm::Value *place, llvm::Value *isFirst)> full);
  // The rows that have a place.
  void forEach(llvm::function_ref<void(llvm::Value *place, llvm::Value *row)> body);

private:
  // Low bits: updates of the block that is not full; those above: 0, or the row's place + 1.
  static int64_t stateBytes(int64_t rows, int64_t updates, int64_t block);

  LoopEvaluator &evaluator_;
  int64_t rows_, updates_, block_;
  llvm::Value *states_, *list_, *places_; // the rows by their places, and where those end
  llvm::Value *firstPlace_ = nullptr;
};

} // namespace tenon::codegen::loop
