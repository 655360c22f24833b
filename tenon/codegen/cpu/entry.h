// The entry function of a program (TenonEntry of runtime/core/abi.h): native control flow, scalar arithmetic in
// registers, and calls of kernels and services on the memory that the buffer plan gives.
#pragma once

#include "tenon/codegen/common/buffer_plan.h"
#include "tenon/codegen/common/steps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Module.h"

namespace tenon::codegen {

// Emits function `symbol` for `main` into `module`. Kernel functions are declared, to be linked. Fails, with an error
// at the op, on scalar arithmetic that element.h does not support.
llvm::LogicalResult emitEntry(mlir::func::FuncOp main, const ProgramSteps &steps, const BufferPlan &plan,
                              llvm::StringRef symbol, llvm::Module &module);

} // namespace tenon::codegen
