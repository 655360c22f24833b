// Quotients by constants without a division, which takes as long as a handful of other operations.
#pragma once

#include "llvm/IR/IRBuilder.h"

namespace tenon::codegen {

// x / y, correctly rounded, where y is a constant vector (or scalar) of floats; null where a division serves better.
//
// Where the chip divides by branches, and y has neither powers of two nor numbers by which nothing finite is left: as a
// product of doubles with 1 / y, of which there are two parts.
//
// Elsewhere as two fused multiply-adds and a product with 1 / y, if x is computed from an integer of 8 bits by
// operations with constants (the channels of an image), and each lane's quotients of all values of that integer are
// those of a division.
llvm::Value *quotientByConstant(llvm::IRBuilderBase &builder, llvm::Value *x, llvm::Value *y);

} // namespace tenon::codegen
