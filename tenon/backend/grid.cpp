#include "tenon/backend/grid.h"

#include "tenon/backend/job.h"
#include "tenon/runtime/collectives/grid_run.h"

#include <numeric>
#include <string>

namespace tenon::backend {
namespace {

std::string gridText(int32_t numReplicas, int32_t numPartitions) {
  return std::to_string(numReplicas) + " x " + std::to_string(numPartitions);
}

// The places that processes are given for.
StatusOr<std::vector<int32_t>> placesOf(int32_t numReplicas, int32_t numPartitions, size_t given, const Job *job) {
  if (numReplicas < 1 || numPartitions < 1)
    return invalidArgument("a grid has at least one replica and one partition, got " +
                           gridText(numReplicas, numPartitions));
  std::vector<int32_t> places;
  int64_t expected = int64_t(numReplicas) * numPartitions;
  if (job) {
    TENON_ASSIGN_OR_RETURN(places, job->placesOf({numReplicas, numPartitions}));
    expected = static_cast<int64_t>(places.size());
  }
  if (static_cast<int64_t>(given) != expected)
    return invalidArgument("a grid of " + gridText(numReplicas, numPartitions) + " has " + std::to_string(expected) +
                           " processes" + (job ? " in each of " + std::to_string(job->count()) + " OS processes" : "") +
                           ", " + std::to_string(given) + " were given");
  if (!job) {
    places.resize(given);
    std::iota(places.begin(), places.end(), 0);
  }
  return places;
}

Status check(int32_t numReplicas, int32_t numPartitions, std::span<const GridProcess> processes, int32_t firstPlace) {
  for (size_t i = 0; i < processes.size(); ++i) {
    const GridProcess &process = processes[i];
    std::string name = runtime::processName(firstPlace + int64_t(i), numPartitions);
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
                   const runtime::RunOptions &options, Job *job) {
  TENON_ASSIGN_OR_RETURN(std::vector<int32_t> places, placesOf(numReplicas, numPartitions, processes.size(), job));
  TENON_RETURN_IF_ERROR(check(numReplicas, numPartitions, processes, places.front()));
  auto run = [&](const runtime::RunOptions &place) {
    const GridProcess &process = processes[size_t(place.process() - places.front())];
    runtime::RunOptions own = place;
    if (process.streams)
      own.streams = process.streams;
    return process.executable->execute(process.arguments, process.results, own);
  };
  return job ? job->run({numReplicas, numPartitions}, options, run)
             : runtime::runGrid(numReplicas, numPartitions, options, run);
}

Status runPlaces(int32_t numReplicas, int32_t numPartitions, const runtime::RunOptions &options,
                 const std::function<Status(const runtime::RunOptions &)> &run) {
  return runtime::runGrid(numReplicas, numPartitions, options, run);
}

} // namespace tenon::backend
