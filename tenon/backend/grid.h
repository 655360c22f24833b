// Running a grid of replicas and partitions in this process (StableHLO specification, "Parallel execution").
//
//   std::vector<GridProcess> processes = {{first, arguments0, results0}, {second, arguments1, results1}};
//   Status status = executeGrid(/*numReplicas=*/2, /*numPartitions=*/1, processes);
#pragma once

#include "tenon/backend/backend.h"

#include <cstdint>
#include <functional>
#include <span>

namespace tenon::backend {

class Job;

// One process: its program, which others may share, and what Executable::execute takes.
struct GridProcess {
  const Executable *executable = nullptr;
  std::span<const void *const> arguments;
  std::span<void *const> results;
  // The other ends of its infeed and the like; null: the streams of the device of the process's number.
  runtime::DeviceStreams *streams = nullptr;
};

// Runs one process for each place of the grid at the same time, each on a thread of its own: process (replica,
// partition) is processes[replica * numPartitions + partition]. The programs may be the same or different ones, all
// compiled for a grid of this size. Collectives, send and recv connect the processes of this call, and no others. Of
// `options`, the seed, the pool, the wait and the framework's data count; they are those of all processes.
//
// Returns when all have ended: the first error, which names its process; the others are then told to end, with their
// results left unspecified. kInvalidArgument for numbers that do not fit. A process that waits for one which has ended
// without what it waits for fails (kFailedPrecondition), as do processes that all wait for each other in collectives.
//
// With a `job`, the grid is spread over its OS processes, each of which calls this with the processes of its places.
Status executeGrid(int32_t numReplicas, int32_t numPartitions, std::span<const GridProcess> processes,
                   const runtime::RunOptions &options = {}, Job *job = nullptr);

// Calls `run` for each place of the grid at the same time, all in this process, as executeGrid does: with options that
// name the place, for whoever runs programs in other ways. The first error, which names its process.
Status runPlaces(int32_t numReplicas, int32_t numPartitions, const runtime::RunOptions &options,
                 const std::function<Status(const runtime::RunOptions &)> &run);

} // namespace tenon::backend
