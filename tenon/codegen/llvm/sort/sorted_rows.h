// What a sort does to its operands, as far as it orders by one key: which rows there are, and what becomes of them.
#pragma once

#include "tenon/codegen/llvm/sort/order.h"
#include "tenon/codegen/llvm/task_routine.h"
#include "tenon/ir/stablehlo.h"

namespace tenon::codegen::sort {

// Where the elements of a result come from.
struct SortedResult {
  enum class Source : uint8_t {
    kKey,      // they are what their keys say
    kPosition, // they are the positions that the elements had
    kElement,  // they are moved as they are
  };
  Source source = Source::kElement;
  int64_t bytes = 0; // of an element
};

struct SortedRows {
  KeyOrder order;
  mlir::Type key;                             // the element type that is ordered
  llvm::SmallVector<SortedResult, 2> results; // one for each operand
  // A row is `count` elements, `stride` apart.
  int64_t rows = 0, stride = 1, count = 0;

  bool keysOnly() const { return results.size() == 1; }
};

SortedRows sortedRows(stablehlo::SortOp op, const KeyOrder &order, int64_t rows, int64_t stride, int64_t count);

// Accesses to one row, from the code of a task. Whether rows lie in one piece is a part of the code.
class RowCode {
public:
  RowCode(const TaskCode &code, const SortedRows &rows, llvm::Value *row);

  // The address of a result's element `i`.
  llvm::Value *result(size_t number, llvm::Value *i) const { return at(rows_.results.size() + number, i); }
  // The bits of the elements that are ordered, from element `i` on. Several: where rows lie in one piece.
  llvm::Value *keyBits(llvm::Value *i, unsigned lanes = 1) const;
  // Writes what element `from` becomes to position `to` of the results. `key`: its bits as its key says, if that is
  // known.
  void move(llvm::Value *from, llvm::Value *to, llvm::Value *key) const;

private:
  llvm::Type *elementType(size_t number) const { return e_.b.getIntNTy(unsigned(rows_.results[number].bytes) * 8); }
  // The address of element `i` in a buffer.
  llvm::Value *at(size_t buffer, llvm::Value *i) const;

  Emitter &e_;
  const SortedRows &rows_;
  llvm::Value *stride_;
  Values starts_; // of the row, in each buffer
};

} // namespace tenon::codegen::sort
