// Arrays of a program that devices of one OS process may have in one memory: results, and what is read on the way.
#pragma once

#include "tenon/codegen/common/memory/buffer_plan.h"
#include "tenon/codegen/common/memory/instructions.h"
#include "tenon/program/program.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <cstdint>
#include <vector>

namespace tenon::codegen {

// What collectives give to all of a group, if nothing but kernels and runtime calls reads it and it is worth a memory
// of the group's, with entries from `first` on. All are of groups of one kind, the one with the most bytes.
llvm::DenseMap<mlir::Value, GroupArray> findGroupArrays(mlir::func::FuncOp main,
                                                        const ProgramInstructions &instructions,
                                                        const std::vector<program::RuntimeCall> &runtimeCalls,
                                                        int32_t first);
// Says of the collectives where in that memory they are (program::kGroupMemory).
void markGroupMemory(const ProgramInstructions &instructions, const BufferPlan &plan, int32_t first,
                     std::vector<program::RuntimeCall> &runtimeCalls);

// Says of collectives which results of `main` they alone write (program::kProgramResults).
void markSharedResults(mlir::func::FuncOp main, const ProgramInstructions &instructions, const BufferPlan &plan,
                       std::vector<program::RuntimeCall> &runtimeCalls);

} // namespace tenon::codegen
