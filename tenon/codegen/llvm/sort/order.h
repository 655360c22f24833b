// Comparators that order by the bits of one operand, and the sorting loops that sort and top_k share.
#pragma once

#include "tenon/codegen/llvm/sizes.h"

#include "mlir/IR/Region.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>

namespace tenon::codegen::sort {

// The order of unsigned integers made from one operand's elements (KeyCode).
struct KeyOrder {
  unsigned operand = 0;
  bool descending = false;
  bool mergeZeros = false; // -0 and +0 are equal
  bool mergeNans = false;  // all NaNs are equal, after everything else

  // Whether different elements may be equal.
  bool merges() const { return mergeZeros || mergeNans; }
};

// What a sort's comparator compares, if it is one of the usual ones: LT or GT of one operand's two elements, in integer
// order or in the total order of floats, also after JAX's canonicalisation of zeros and NaNs.
std::optional<KeyOrder> recognizeComparator(mlir::Region &comparator);

// Whether KeyCode knows the element type.
bool hasOrderedKey(mlir::Type element);
unsigned keyBits(mlir::Type element); // 8, 16, 32 or 64

// An order of elements as that of unsigned integers, their keys. Numbers say which order it is, so that a routine has
// the same code for all integers, or all floats, of a width, and for either direction.
class KeyCode {
public:
  // `element` has a key.
  KeyCode(Emitter &e, Sizes &sizes, mlir::Type element, const KeyOrder &order);

  // The type of an element's bits, and of a key.
  llvm::IntegerType *type() const { return type_; }
  // The key of one element, or those of a vector of them.
  llvm::Value *keyOf(llvm::Value *bits) const;
  // The way back: the bits of an element with this key, of all if the order takes several as equal.
  llvm::Value *bitsOf(llvm::Value *key) const;
  // The keys that zeros and NaNs have if the order takes them as equal.
  llvm::Value *zeroKey() const;
  llvm::Value *nanKey() const;

private:
  llvm::Value *number(uint64_t value, Sizes &sizes);
  // The number, for each of as many elements as `like` has.
  llvm::Value *each(llvm::Value *number, llvm::Value *like) const;

  Emitter &e_;
  llvm::IntegerType *type_;
  bool isFloat_, merges_;
  llvm::Value *inverted_; // bits that are inverted in all elements
  // Bits that count as zero; magnitudes beyond which all are NaNs, and what these become.
  llvm::Value *zero_ = nullptr, *infinity_ = nullptr, *nan_ = nullptr;
};

// Sorts `count` elements of `type` at `from` by `less` (a strict weak order), stably, with `other` as work space of the
// same size. Returns where the result is: one of the two.
llvm::Value *emitMergeSort(Emitter &e, llvm::Type *type, llvm::Value *from, llvm::Value *other, llvm::Value *count,
                           llvm::function_ref<llvm::Value *(llvm::Value *, llvm::Value *)> less);

} // namespace tenon::codegen::sort
