// Tuples and futures at a program's boundary.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/LLVM.h"

namespace tenon::frontend {

// The arrays and tokens inside a type, depth first: those of a tuple's parts, of what a future is of, or the type
// itself.
void appendParts(mlir::Type type, llvm::SmallVectorImpl<mlir::Type> &parts);

// Makes `main` take and give parts (appendParts) where it took and gave tuples and futures: in their order, each an
// argument or result of its own. Its body makes the tuples of the arguments, takes results apart, and waits for those
// that are futures; a future that is an argument is one that is there. Attributes of a tuple that say nothing of its
// parts go. Fails, with a diagnostic, where other functions call `main`.
llvm::LogicalResult flattenMain(mlir::ModuleOp module);

} // namespace tenon::frontend
