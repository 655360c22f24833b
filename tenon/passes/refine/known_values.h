// Arguments whose elements are sizes of the program.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tenon::passes {

// The arguments of `main`, into which all calls are inlined, whose elements refineShapes has to know: sizes follow from
// them.
llvm::SmallVector<unsigned> argumentsThatDecideSizes(mlir::func::FuncOp main);

} // namespace tenon::passes
