// What a kernel plan promises about the code that is emitted from it. The entry function and the buffer planner rely on
// it.
#pragma once

#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <string>
#include <utility>

namespace tenon::codegen {

// One LLVM function with the TenonKernel signature `void(ptr buffers, i64 begin, i64 end, ptr scratch)`.
struct KernelPhase {
  std::string symbol;
  int64_t extent = 1;     // tasks; the phase must compute the same bits for any partition of [0, extent)
  double nanoseconds = 0; // rough cost of the whole extent on one core, to decide whether to use workers
};

// The phases run in order, each after all tasks of the one before.
struct Kernel {
  llvm::SmallVector<KernelPhase, 1> phases;
  int64_t tempBytes = 0;    // shared block, last entry of the buffer table when not zero
  int64_t scratchBytes = 0; // for each worker
  // For each result: the operand whose contents the result's buffer must hold when the kernel starts (in-place
  // updates), or -1.
  llvm::SmallVector<int, 1> resultInit;
  // Whether the kernel itself copies those contents to results that have buffers of their own.
  bool copiesInit = false;
  // (operand, result) pairs that may share one buffer although both are used.
  llvm::SmallVector<std::pair<int, int>, 1> mayAlias;
  std::string kind; // for the compile report
  double bytes = 0; // that it reads and writes, for the compile report
};

} // namespace tenon::codegen
