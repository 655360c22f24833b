// Rearranging the lanes of vectors while operands are packed.
#pragma once

#include "tenon/codegen/kernel/matmul/kernels.h"

namespace tenon::codegen::matmul {

// Elements of consecutive k, lane by lane, to units: [a0 a1..] [b0 b1..] -> [a0 b0 a1 b1 ..].
llvm::Value *interleave(Emitter &e, llvm::ArrayRef<llvm::Value *> rows, unsigned lanes, llvm::Type *unit);

// As many vectors as each has units: the rows of the square become its columns.
Values transposedSquare(Emitter &e, Values rows);

} // namespace tenon::codegen::matmul
