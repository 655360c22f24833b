// How a phase of a kernel in a form of its own (forms.h) is started.
#pragma once

#include "llvm/ADT/SmallVector.h"

#include <cstdint>

namespace tenon::codegen {

// An accumulator of one lane in shared memory.
constexpr int64_t kSlotBytes = 8;

struct FormPhase {
  int64_t tasks;
  int threads; // of a block
  int64_t sharedBytes = 0;
  bool isByThreads = false; // a task is for a thread, not for a block
  int clusterBlocks = 1;    // that are at work together
};
using FormPhases = llvm::SmallVector<FormPhase, 2>;

} // namespace tenon::codegen
