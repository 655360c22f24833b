// What the compile report says about memory.
#pragma once

#include "tenon/codegen/common/memory/buffer_plan.h"
#include "tenon/codegen/common/memory/instructions.h"
#include "tenon/program/program.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tenon::codegen {

// Fills report.steps, and report.buffers with every buffer of the plan: those in the arena, by offset, then those of
// the caller and the constants.
void describeMemory(mlir::func::FuncOp main, const ProgramInstructions &instructions, const BufferPlan &plan,
                    program::Report &report);

} // namespace tenon::codegen
