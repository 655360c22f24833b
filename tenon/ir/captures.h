// Values from outside that regions use.
#pragma once

#include "mlir/IR/Operation.h"
#include "llvm/ADT/SetVector.h"

namespace tenon::ir {

/// The values from around the op that its regions use, in the order of their first uses.
llvm::SetVector<mlir::Value> capturedValues(mlir::Operation *op);

/// Whether a region of the op uses a value from around it that is no constant.
bool capturesValue(mlir::Operation *op);

/// Clones a region into an empty one, with the constants around it that it uses, which are all that it may use: what
/// then stands for itself refers to nothing else.
void cloneWithConstants(mlir::Region &from, mlir::Region &to);

} // namespace tenon::ir
