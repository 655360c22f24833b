// Quotients by constants without a division, which takes as long as a handful of other operations.
#pragma once

#include "llvm/IR/IRBuilder.h"

namespace tenon::codegen {

// x / y, correctly rounded, as two fused multiply-adds and a product with 1 / y: where y is a constant vector (or
// scalar) of floats, and x is computed from an integer of 8 bits by operations with constants (the channels of an
// image). Each lane's quotients of all values of that integer are compared with those of a division: the result is null
// where one differs, or x is anything else.
llvm::Value *quotientByConstant(llvm::IRBuilderBase &builder, llvm::Value *x, llvm::Value *y);

} // namespace tenon::codegen
