// Memory that runs of a grid have in common, in which collectives give them their results (program::kGroupMemory).
#pragma once

#include "tenon/runtime/core/runtime_call.h"
#include "tenon/status.h"

#include <cstddef>

namespace tenon::runtime {

// What instances of such collectives are, too.
class HasGroupMemory {
public:
  virtual ~HasGroupMemory() = default;
  // The memory that the run's process has with the others of its group that are in this OS process, until the last run
  // of the grid has ended. Null if it is alone.
  virtual StatusOr<void *> groupMemory(const RunOptions &options, size_t bytes) = 0;
};

} // namespace tenon::runtime
