// Moving elements without computing on them.
#pragma once

#include "tenon/interpreter/evaluator.h"

namespace tenon::interpreter {

// result[i] = operand[base + sum of i[d] * strides[d]], counted in elements. Every position must be inside.
void copyStrided(Tensor &result, const Tensor &operand, int64_t base, llvm::ArrayRef<int64_t> strides);

// Copies one element.
void copyElement(Tensor &to, int64_t toPosition, const Tensor &from, int64_t fromPosition);

// Every element becomes the scalar's.
void fill(Tensor &tensor, const Tensor &scalar);

// The elements of an integer tensor.
Dims integersOf(const Tensor &tensor);

// Entries [d][0] and [d][1] of an N x 2 attribute of padding; zeros where it is absent.
llvm::SmallVector<std::pair<int64_t, int64_t>> paddingOf(std::optional<mlir::DenseIntElementsAttr> attr, int64_t rank);

// An attribute's values, or `rank` times `value` where it is absent.
Dims valuesOr(std::optional<llvm::ArrayRef<int64_t>> values, int64_t rank, int64_t value);

// Low, high and interior padding of a tensor; the first two may be negative.
llvm::FailureOr<Tensor> padTensor(Invocation &call, const Tensor &operand, const Tensor &value,
                                  llvm::ArrayRef<int64_t> low, llvm::ArrayRef<int64_t> high,
                                  llvm::ArrayRef<int64_t> interior);

llvm::FailureOr<Tensor> broadcastTensor(Invocation &call, const Tensor &operand, llvm::ArrayRef<int64_t> shape,
                                        llvm::ArrayRef<int64_t> dimensions, mlir::Type element);

} // namespace tenon::interpreter
