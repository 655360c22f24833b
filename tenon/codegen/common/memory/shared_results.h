// Results of a program that devices of one OS process may have in one memory.
#pragma once

#include "tenon/codegen/common/memory/buffer_plan.h"
#include "tenon/codegen/common/memory/instructions.h"
#include "tenon/program/program.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <vector>

namespace tenon::codegen {

// Says of collectives which results of `main` they alone write (program::kProgramResults).
void markSharedResults(mlir::func::FuncOp main, const ProgramInstructions &instructions, const BufferPlan &plan,
                       std::vector<program::RuntimeCall> &runtimeCalls);

} // namespace tenon::codegen
