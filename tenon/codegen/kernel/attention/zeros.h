// Columns of zeros at the end of rows that are multiplied, as masks make them: which ones are left out.
//
// Leaving them out changes no sum, unless an element that they are multiplied with is infinite or NaN: zero times it is
// NaN. So these are looked for first, once for all blocks of a task.
#pragma once

#include "tenon/codegen/kernel/matmul/problem.h"

namespace tenon::codegen {

// Weights are looked at so many at a time: the number of columns is a multiple of it, and so is how many of them are
// multiplied.
constexpr int64_t kWeightsTogether = 16;
// Whether there is code for what follows: weights of a type, in rows of so many columns, multiplied with the product's
// rhs.
bool canSkipZeros(mlir::Type weight, int64_t columns, const matmul::Problem &product);
// void(ptr weights, i64 rows, ptr count): stores how many columns there are up to the last one in which one of the rows
// has a weight other than zero.
llvm::Function *emitCountWeights(llvm::Module &module, llvm::StringRef symbol, mlir::Type weight, int64_t columns);
// void(ptr values, i64 steps, ptr isFinite): stores 1 if all elements of a batch's rhs are finite in the first `steps`
// of k, otherwise 0.
llvm::Function *emitIsFinite(llvm::Module &module, llvm::StringRef symbol, const matmul::Problem &product);

} // namespace tenon::codegen
