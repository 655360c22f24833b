// The names that a text gives to the arguments of its functions: MLIR's parser keeps where they stand, and no names.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringRef.h"

namespace tenon::frontend {

// Gives the arguments of the public functions in a module, which was parsed from this text under that file name, the
// names that they have there, as front ends do: a NameLoc. Arguments with a location of their own keep it; numbers and
// "arg0" and the like are no names.
void nameArguments(mlir::ModuleOp module, llvm::StringRef text, llvm::StringRef fileName);

} // namespace tenon::frontend
