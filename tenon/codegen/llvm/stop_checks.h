// Lets kernels that take long end early when their run is to end (a deadline, a client that is gone).
#pragma once

#include "tenon/codegen/llvm/emitter.h"

#include "llvm/IR/PassManager.h"

#include <cstdint>

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace tenon::codegen {

// Says that calls of a kernel (a function with the TenonKernel signature) over [0, extent) may take so long that a run
// must be able to end within one.
void markLongKernel(llvm::Function &kernel, int64_t extent);

// Has the marked kernels of the module, and the functions that they call, ask tenon_stopped() about once a millisecond,
// and return where it says so; their results are then unspecified. A loop asks at each turn if a turn takes that long,
// else it counts its turns; loops that are short as a whole are left as they are. `vectorBits`: the width of a
// register.
//
// For code that is cleaned up already: what is added keeps nothing from being moved. Analyses of changed functions are
// invalidated.
void insertStopChecks(llvm::Module &module, llvm::FunctionAnalysisManager &analyses, unsigned vectorBits);

// Has the function that is being written ask, and return where it is to stop. For routines, which no one else changes.
void askWhetherToStop(Emitter &e);

} // namespace tenon::codegen
