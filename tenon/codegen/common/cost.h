// What a program costs beyond what its kernels say of themselves, for the compile report.
#pragma once

#include "tenon/codegen/common/kernel.h"
#include "tenon/codegen/common/memory/instructions.h"
#include "tenon/program/program.h"
#include "tenon/support/cost_model.h"
#include "tenon/support/element_type.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tenon::codegen {

struct OpCount {
  double flops = 0, transcendentals = 0;
};

// What an op, or the ops of a fusion, compute, as XLA counts it: for each element of an elementwise op one operation,
// which is transcendental for elementary and special functions and a flop for all else; 2 n m k flops of a product,
// padding of a convolution included; of a computation what it has, as often as it runs; moving data is nothing.
OpCount countOps(mlir::Operation *op);

// The type that most of the flops of an op, or of the ops of a fusion, are done in (program::ReportEntry::arithmetic).
ElementType arithmeticType(mlir::Operation *op);

struct Cost {
  double flops = 0, bytes = 0;
};

// Rough time of an op's kernel on one core, of all phases, in nanoseconds. The phases' own say what workers would save,
// and count each element that is read or written as one from memory, beside the arithmetic. Here arrays that fit caches
// take the time of their bytes there, or that of the arithmetic if it is longer.
double kernelNanoseconds(mlir::Operation *op, const Kernel &kernel, const CostModel &costs);

// The same of a call of the runtime that the op is.
double callNanoseconds(mlir::Operation *op, const program::RuntimeCall &call, const CostModel &costs);

// The cost of the entry function's rank-0 arithmetic: its flops, the bodies of loops once, and the scalars it reads
// from arguments and writes to results.
Cost scalarCost(mlir::func::FuncOp main, const ProgramInstructions &instructions);

// Elements for which an elementary or special function is computed, in kernels and outside; the bodies of loops once.
double countTranscendentals(mlir::func::FuncOp main);

} // namespace tenon::codegen
