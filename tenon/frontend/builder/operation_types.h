// What the records of operations do not say about types: the arguments of the computations that operations take, and
// the results of those whose records leave them open although they follow from the operands.
#pragma once

#include "mlir/IR/OperationSupport.h"

namespace tenon::xla_2017::internal {

// The types of the arguments of an operation's computation: scalars for those that are called element by element. The
// operands are as many as the operation takes.
llvm::SmallVector<mlir::Type> regionArguments(llvm::StringRef operation, mlir::ValueRange operands);

// Types to make the operation with, of the ranks that its results will have, but of open sizes: the operation's
// verifier then checks everything else. Empty where the caller has to give the types.
llvm::SmallVector<mlir::Type> openResults(const mlir::OperationState &state, mlir::Type element);
// Gives a verified operation that was made with these the types that it has.
llvm::LogicalResult inferResults(mlir::Operation *op);

} // namespace tenon::xla_2017::internal
