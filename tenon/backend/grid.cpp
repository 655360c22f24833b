#include "tenon/backend/grid.h"

#include "tenon/runtime/collectives/grid_run.h"

#include <string>

namespace tenon::backend {
namespace {

std::string gridText(int32_t numReplicas, int32_t numPartitions) {
  return std::to_string(numReplicas) + " x " + std::to_string(numPartitions);
}

Status check(int32_t numReplicas, int32_t numPartitions, std::span<const GridProcess> processes) {
  if (numReplicas < 1 || numPartitions < 1)
    return invalidArgument("a grid has at least one replica and one partition, got " +
                           gridText(numReplicas, numPartitions));
  if (static_cast<int64_t>(processes.size()) != int64_t(numReplicas) * numPartitions)
    return invalidArgument("a grid of " + gridText(numReplicas, numPartitions) + " has " +
                           std::to_string(int64_t(numReplicas) * numPartitions) + " processes, " +
                           std::to_string(processes.size()) + " were given");
  for (size_t i = 0; i < processes.size(); ++i) {
    const GridProcess &process = processes[i];
    std::string name = runtime::processName(int64_t(i), numPartitions);
    if (!process.executable)
      return invalidArgument(name + " has no program");
    const program::Program &program = process.executable->program();
    if (program.numReplicas != numReplicas || program.numPartitions != numPartitions)
      return invalidArgument("the program of " + name + " was compiled for a grid of " +
                             gridText(program.numReplicas, program.numPartitions) + ", not " +
                             gridText(numReplicas, numPartitions));
    if (process.arguments.size() != program.arguments.size() || process.results.size() != program.results.size())
      return invalidArgument("the program of " + name + " has " + std::to_string(program.arguments.size()) +
                             " arguments and " + std::to_string(program.results.size()) + " results, " +
                             std::to_string(process.arguments.size()) + " and " +
                             std::to_string(process.results.size()) + " were given");
  }
  return {};
}

} // namespace

Status executeGrid(int32_t numReplicas, int32_t numPartitions, std::span<const GridProcess> processes,
                   const runtime::RunOptions &options) {
  TENON_RETURN_IF_ERROR(check(numReplicas, numPartitions, processes));
  return runtime::runGrid(numReplicas, numPartitions, options, [&](const runtime::RunOptions &place) {
    const GridProcess &process = processes[size_t(place.replicaId) * size_t(numPartitions) + size_t(place.partitionId)];
    runtime::RunOptions own = place;
    if (process.streams)
      own.streams = process.streams;
    return process.executable->execute(process.arguments, process.results, own);
  });
}

} // namespace tenon::backend
