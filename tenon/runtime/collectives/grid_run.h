// Running the processes of a grid at the same time, in this OS process.
#pragma once

#include "tenon/runtime/collectives/rendezvous.h"
#include "tenon/runtime/core/runtime_call.h"
#include "tenon/status.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tenon::runtime {

// "process (1, 0)": how errors call the process of a replica and a partition.
std::string processName(int64_t process, int32_t numPartitions);

// The places of a grid that are in this OS process, where others have the rest.
struct GridPart {
  std::vector<int32_t> places;
  std::unique_ptr<Rendezvous::Elsewhere> elsewhere; // which knows where the others are
  // Told by what the processes meet, and null when that ends.
  std::function<void(const Rendezvous *)> onRendezvous;
};

// Calls `process` for each place of the grid, or of `part` if there is one, each on a thread of its own, with options
// that name the place and what the processes meet by; the rest of them is `options`. Returns when all have ended: the
// first error, behind its process's name. The others are told to end then.
Status runGrid(int32_t numReplicas, int32_t numPartitions, const RunOptions &options,
               const std::function<Status(const RunOptions &options)> &process, std::optional<GridPart> part = {});

// The same for processes of one program for all places that wait for nothing but each other: where there are more of
// them than workers, threads have several each, as fibers.
Status runGridOnWorkers(int32_t numReplicas, int32_t numPartitions, const RunOptions &options,
                        const std::function<Status(const RunOptions &options)> &process);

} // namespace tenon::runtime
