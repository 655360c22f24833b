// The entry function of a program (TenonEntry of runtime/core/abi.h): native control flow, scalar arithmetic in
// registers, and calls of kernels and runtime calls on the memory that the buffer plan gives.
#pragma once

#include "tenon/codegen/common/memory/buffer_plan.h"
#include "tenon/codegen/common/memory/instructions.h"
#include "tenon/support/cost_model.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Module.h"

namespace tenon::codegen::entry {

// Emits function `symbol` for `main` into `module`. Kernel functions are declared, to be linked. Fails, with an error
// at the op, on scalar arithmetic that element.h does not support. Kernels of at
// least CostModel::sharedPhase are shared among the workers.
llvm::LogicalResult emitEntry(mlir::func::FuncOp main, const ProgramInstructions &instructions, const BufferPlan &plan,
                              llvm::StringRef symbol, llvm::Module &module, const CostModel &costs);

// The same for a computation's function, in `module` together with its kernels: it uses neither workers nor runtime
// calls, and its arena goes on with the kernels' scratch memory, from computationScratchOffset on.
llvm::LogicalResult emitComputationEntry(mlir::func::FuncOp computation, const ProgramInstructions &instructions,
                                         const BufferPlan &plan, llvm::StringRef symbol, llvm::Module &module);
int64_t computationScratchOffset(const BufferPlan &plan);

// As in instructions.h, with what the entry function does for each op.
llvm::LogicalResult
forEachInstruction(mlir::Block &block,
                   llvm::function_ref<llvm::LogicalResult(mlir::Operation *, InstructionKind)> visit);

} // namespace tenon::codegen::entry
