// Comparators that order by the bits of one operand, and the sorting loops that sort and top_k share.
#pragma once

#include "tenon/codegen/llvm/element/element.h"
#include "tenon/codegen/llvm/emitter.h"

#include "mlir/IR/Region.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>

namespace tenon::codegen::sort {

// The order of unsigned integers made from one operand's elements (orderedKey).
struct KeyOrder {
  unsigned operand = 0;
  bool descending = false;
  bool mergeZeros = false; // -0 and +0 are equal
  bool mergeNans = false;  // all NaNs are equal, after everything else
};

// What a sort's comparator compares, if it is one of the usual ones: LT or GT of one operand's two elements, in integer
// order or in the total order of floats, also after JAX's canonicalisation of zeros and NaNs.
std::optional<KeyOrder> recognizeComparator(mlir::Region &comparator);

// Whether orderedKey knows the element type.
bool hasOrderedKey(mlir::Type element);
unsigned keyBits(mlir::Type element); // 8, 16, 32 or 64

// The unsigned integer whose order is `order` of `value` (value form; scalar or vector).
llvm::Value *orderedKey(llvm::IRBuilderBase &builder, mlir::Type element, const KeyOrder &order, llvm::Value *value);

// The way back: the bits of an element with this key, of all if the order takes several as equal.
llvm::Value *elementBits(llvm::IRBuilderBase &builder, mlir::Type element, const KeyOrder &order, llvm::Value *key);

// Sorts `count` elements of `type` at `from` by `less` (a strict weak order), stably, with `other` as work space of the
// same size. Returns where the result is: one of the two.
llvm::Value *emitMergeSort(Emitter &e, llvm::Type *type, llvm::Value *from, llvm::Value *other, llvm::Value *count,
                           llvm::function_ref<llvm::Value *(llvm::Value *, llvm::Value *)> less);

} // namespace tenon::codegen::sort
