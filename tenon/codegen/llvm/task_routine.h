// Kernels whose tasks are routines (routines.h): what is left of the kernel is a loop that calls one.
#pragma once

#include "tenon/codegen/llvm/sizes.h"

#include "llvm/ADT/StringRef.h"

#include <string>

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
  std::string name;           // for people
  double cost = 0;            // instructions of a task, roughly
  bool onlyIfShipped = false; // markRoutineIfShipped
};

// Adds the function `symbol` (with the TenonKernel signature), which runs `body` for each of its tasks: as a routine,
// or as code of the kernel's own where a task takes so long that it has to ask whether to stop (stop_checks.h).
void emitTaskRoutine(llvm::Module &module, llvm::StringRef symbol, const TaskRoutine &routine,
                     llvm::function_ref<void(const TaskCode &)> body);

// The parameters of a function of tasks that reads sizes: (ptr buffers, i64 begin, i64 end, ptr scratch, ptr sizes).
llvm::SmallVector<llvm::Type *, 5> taskRoutineParameters(llvm::LLVMContext &context);

// Makes a routine of such a function, which is written with `table`, and adds the function `symbol` (with the
// TenonKernel signature), which calls it for some of its tasks at once.
void emitCallsOfTasks(llvm::Module &module, llvm::StringRef symbol, llvm::Function &tasks, const SizeTable &table,
                      const TaskRoutine &routine);
// The same, always as code of the kernel's own: for tasks that depend on more than sizes.
void emitOwnTasks(llvm::Module &module, llvm::StringRef symbol, llvm::function_ref<void(const TaskCode &)> body);

} // namespace tenon::codegen
