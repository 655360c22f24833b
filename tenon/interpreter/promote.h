// Operands of reductions in the types that their computations have for them.
#pragma once

#include "tenon/interpreter/evaluator.h"

namespace tenon::interpreter {

// The tensor in another element type (the specification's to_destination_type): converted, or quantized anew.
llvm::FailureOr<Tensor> promoted(Invocation &call, const Tensor &tensor, mlir::Type element);

// Operands first, first + 1, ... of the invocation, as many as `count`, in the element types of the computation's first
// arguments.
LogicalResult promoteOperands(Invocation &call, unsigned first, unsigned count, mlir::Region &computation);

} // namespace tenon::interpreter
