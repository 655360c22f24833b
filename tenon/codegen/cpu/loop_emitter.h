// Fused regions to native loops: one `tenon.fusion` of kind loop, reduce or rows, or one stablehlo op that could stand
// in such a fusion, becomes one explicitly vectorised, parallel kernel.
//
// Also scatter, select_and_scatter (single ops) and cumulative reduce_window. A region that one loop nest would compute
// at too many different indices (a stencil of stencils) becomes several phases with intermediate values in temporary
// memory (see plan_cuts.cpp), so any region of the supported ops is compiled to code of bounded size.
//
// Buffer table: the op's tensor operands in order, its results, then the temporary block if Kernel::tempBytes is not
// zero. Results that are in-place updates (Kernel::resultInit) must hold the operand's contents when the kernel starts.
#pragma once

#include "tenon/codegen/common/kernel.h"
#include "tenon/codegen/cpu/target.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Module.h"

namespace tenon::codegen {

// Whether emitLoopKernel takes the op: all element types, ops and scalar regions inside are supported. Cheap.
bool canEmitLoopKernel(mlir::Operation *op);

// Whether `op` may stand inside a loop, reduce or rows fusion (a constant, elementwise or index-remapping op, reduce,
// reduce_window, gather...). Where it may stand (as the root only, say) is up to canEmitLoopKernel.
bool canFuseInLoopKernel(mlir::Operation *op);

// Emits the kernel's functions, named `symbol` (and `symbol` with a suffix for further phases), into `module`. Emits an
// error at the op and fails when it is not supported.
llvm::FailureOr<Kernel> emitLoopKernel(mlir::Operation *op, llvm::Module &module, llvm::StringRef symbol,
                                       const CpuTarget &target);

} // namespace tenon::codegen
