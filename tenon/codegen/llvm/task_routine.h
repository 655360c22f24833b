// Kernels whose tasks are routines (routines.h): what is left of the kernel is a loop that calls one.
#pragma once

#include "tenon/codegen/llvm/sizes.h"

#include "llvm/ADT/StringRef.h"

namespace tenon::codegen {

// What the code of a task is written with. Sizes that differ between the kernels of a kind come from `sizes`.
struct TaskCode {
  Emitter &e;
  Sizes &sizes;
  llvm::Value *buffers, *task, *scratch;
};

// Instructions between two questions whether to stop (stop_checks.h): some ten milliseconds.
constexpr double kLongestTask = 4e7;

struct TaskRoutine {
  llvm::StringRef name; // for people
  double cost = 0;      // instructions of a task, roughly
};

// Adds the function `symbol` (with the TenonKernel signature), which runs `body` for each of its tasks: as a routine,
// or as code of the kernel's own where a task takes so long that it has to ask whether to stop (stop_checks.h).
void emitTaskRoutine(llvm::Module &module, llvm::StringRef symbol, const TaskRoutine &routine,
                     llvm::function_ref<void(const TaskCode &)> body);

// The same, always as code of the kernel's own: for tasks that depend on more than sizes.
void emitOwnTasks(llvm::Module &module, llvm::StringRef symbol, llvm::function_ref<void(const TaskCode &)> body);

} // namespace tenon::codegen
