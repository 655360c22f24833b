// Kernels for a GPU out of functions of tasks.
#pragma once

#include "tenon/codegen/gpu/builder.h"

namespace tenon::codegen {

// Who takes a task: a thread by itself, which takes no other one or goes on to others, or the threads of a block
// together. The function of tasks then is one that all of them go through for each task, and asks for the number of the
// thread.
enum class TaskTaker : uint8_t { kThread, kThreads, kBlock };

// Whether kernels of threads are started with one for each task: always, where threads have no scratch memory, of which
// there is only so much (LoadedDeviceCode::blocksOf).
bool hasThreadForEachTask(int64_t tasks, int64_t scratchBytes);

// Makes a kernel of a function of tasks (common/kernel.h), in the module and under the name of it:
//
//   kernel(ptr row, i64 tasks, ptr scratch, i64 scratchBytes)
//
// in blocks of `threads` threads. `row` has a pointer for each buffer, all in global memory and 16-byte aligned, and
// does not change while the kernel runs; `scratch` has scratchBytes for each thread that is started. A thread takes the
// task of its own number, and of kThreads, where there may be fewer threads than tasks, those at every so many after
// it. A block takes the task of its own number, so there have to be as many.
llvm::Function *makeTaskKernel(llvm::Function &tasks, GpuBuilder &gpu, int threads, TaskTaker taker);

// What such a kernel is made of. Pointers that are loaded from the row point to global memory, 16-byte aligned, and
// stay; and loads and stores are said to be of the memory, and have the alignment, that follows.
void markPointers(llvm::Value &row, GpuBuilder &gpu);
void inferMemory(llvm::Function &kernel);
// Registers for what the parts of a kernel pass on to each other, and one loop for each of theirs. What is known of
// alignment is known of the pointers as they are now.
void simplify(llvm::Function &kernel);

// Puts the code of outlined computations (EmissionTarget::outlineComputation) where they are called, so that what they
// are given, and arrays of theirs at whose elements no index is computed, are in registers.
void inlineComputations(llvm::Module &module);

// Code that would ask whether to stop (runtime/core/abi.h) goes on: nobody is there to ask.
void removeStopChecks(llvm::Module &module);

// Renames what PTX has no names for: of the letters that are special elsewhere it knows `_` and `$`.
void renameForPtx(llvm::Module &module);

} // namespace tenon::codegen
