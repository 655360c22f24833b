// Arrays that are computed when a program is generated.
#pragma once

#include "tenon/ir/tenon.h"

namespace tenon::ir {

// A unit attribute of a fusion whose one input is a constant, which it pads, reshapes and transposes: its result is in
// the program's constants, in the place of its input if nobody else reads that. So a large constant is moved without a
// copy of it in a module.
inline constexpr llvm::StringLiteral kFoldedAttribute = "tenon.folded";

inline bool isFolded(mlir::Operation *op) { return llvm::isa<FusionOp>(op) && op->hasAttr(kFoldedAttribute); }

} // namespace tenon::ir
