#pragma once

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

#include <optional>

namespace tenon::passes {

// The results of an op whose operands are small constants, as the reference interpreter computes them; nothing where
// the op is not to be folded.
std::optional<llvm::SmallVector<mlir::ElementsAttr>> evaluateOnConstants(mlir::Operation *op);

} // namespace tenon::passes
