#pragma once

#include "tenon/program/program.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tenon::codegen {

// Fills in the arguments and results of a program whose entry is `main`, of static tensors and tokens: their shapes,
// and what attributes and locations say about them. Arguments that are donated without naming a result name one of
// their shape, if there is one. Nothing if `main` is null.
void describeSignature(mlir::func::FuncOp main, program::Program &program);

} // namespace tenon::codegen
