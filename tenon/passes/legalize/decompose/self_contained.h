// Operations that are runtime calls, as others, which have kernels. Private to passes/legalize.
#pragma once

#include "tenon/ir/stablehlo.h"

#include "mlir/IR/Builders.h"

namespace tenon::passes {

// Each gives what the op's result is replaced by. Elements are f32, f64 or complex numbers of them.
mlir::Value expandFft(stablehlo::FftOp op, mlir::OpBuilder &builder);
mlir::Value expandCholesky(stablehlo::CholeskyOp op, mlir::OpBuilder &builder);
mlir::Value expandTriangularSolve(stablehlo::TriangularSolveOp op, mlir::OpBuilder &builder);

} // namespace tenon::passes
