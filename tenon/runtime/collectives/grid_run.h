// Running the processes of a grid at the same time, in this OS process.
#pragma once

#include "tenon/runtime/core/runtime_call.h"
#include "tenon/status.h"

#include <cstdint>
#include <functional>
#include <string>

namespace tenon::runtime {

// "process (1, 0)": how errors call the process of a replica and a partition.
std::string processName(int64_t process, int32_t numPartitions);

// Calls `process` for each place of the grid, each on a thread of its own, with options that name the place and what
// the processes meet by; the rest of them is `options`. Returns when all have ended: the first error, behind its
// process's name. The others are told to end then.
Status runGrid(int32_t numReplicas, int32_t numPartitions, const RunOptions &options,
               const std::function<Status(const RunOptions &options)> &process);

} // namespace tenon::runtime
