// What a program costs beyond what its kernels say of themselves, for the compile report.
#pragma once

#include "tenon/codegen/common/steps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tenon::codegen {

// Arithmetic operations of an op or of the ops of a fusion, as XLA counts them: one for each element of an elementwise
// op, 2 n m k of a product, padding of a convolution included; moving data is none.
double countFlops(mlir::Operation *op);

struct Cost {
  double flops = 0, bytes = 0;
};

// Of the entry function's rank-0 arithmetic: its ops, the bodies of loops once, and the scalars it reads from arguments
// and writes to results.
Cost scalarCost(mlir::func::FuncOp main, const ProgramSteps &steps);

// Elements for which an elementary or special function is computed, in kernels and outside; the bodies of loops once.
double countTranscendentals(mlir::func::FuncOp main);

} // namespace tenon::codegen
