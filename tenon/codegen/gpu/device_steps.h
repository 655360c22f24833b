// The steps of a GPU's program: what the entry function is on CPUs, as data.
#pragma once

#include "tenon/codegen/common/memory/buffer_plan.h"
#include "tenon/codegen/gpu/step_joining.h"
#include "tenon/program/device_program.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tenon::codegen {

// Fills in the places and steps of the program. `plan` has scalars in memory; `modules` has the number of each kernel's
// module. Loops that are small, and small steps side by side, become kernels, which are added to `joined`. Errors are
// reported at ops that are neither kernels nor control flow.
llvm::LogicalResult makeDeviceSteps(mlir::func::FuncOp main, const ProgramInstructions &instructions,
                                    const BufferPlan &plan, const llvm::DenseMap<mlir::Operation *, int32_t> &modules,
                                    SmallLoops &small, JoinedKernels &joined, program::DeviceProgram &program);

} // namespace tenon::codegen
