#include "tenon/client/grid.h"

#include "tenon/runtime/collectives/rendezvous.h"
#include "tenon/runtime/core/device_streams.h"

#include <atomic>
#include <thread>

namespace tenon::client {
namespace {

std::string nameOf(int64_t process, int32_t numPartitions) {
  return "process (" + std::to_string(process / numPartitions) + ", " + std::to_string(process % numPartitions) + ")";
}

std::string gridText(int32_t numReplicas, int32_t numPartitions) {
  return std::to_string(numReplicas) + " x " + std::to_string(numPartitions);
}

std::vector<std::string> processNames(int32_t numReplicas, int32_t numPartitions) {
  std::vector<std::string> names;
  for (int64_t process = 0; process < int64_t(numReplicas) * numPartitions; ++process)
    names.push_back(nameOf(process, numPartitions));
  return names;
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
    std::string name = nameOf(int64_t(i), numPartitions);
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

// What the processes of one run share.
class GridRun {
public:
  GridRun(int32_t numReplicas, int32_t numPartitions, const runtime::RunOptions &options)
      : numPartitions_(numPartitions), options_(options), running_(numReplicas * numPartitions),
        channels_(/*alone=*/running_ == 1), rendezvous_(processNames(numReplicas, numPartitions)),
        forwardStop_(options.wait.stop, [this] { stop_.request_stop(); }) {
    options_.numReplicas = numReplicas;
    options_.numPartitions = numPartitions;
    options_.channels = &channels_;
    options_.rendezvous = &rendezvous_;
    options_.wait.stop = stop_.get_token();
  }

  void run(int32_t place, const GridProcess &process) {
    runtime::RunOptions options = options_;
    options.deviceOrdinal = place;
    options.replicaId = place / numPartitions_;
    options.partitionId = place % numPartitions_;
    if (process.streams)
      options.streams = process.streams;
    Status status = process.executable->execute(process.arguments, process.results, options);
    rendezvous_.leave(place, status);
    if (!status.ok())
      stop_.request_stop(); // whoever waits for data, from here or elsewhere, waits no longer
    else if (--running_ == 1)
      channels_.finish(); // the last one has nobody to wait for
  }

  Status status() const { return rendezvous_.firstError(); }

private:
  const int32_t numPartitions_;
  runtime::RunOptions options_;
  std::atomic<int32_t> running_;
  runtime::Channels channels_;
  runtime::Rendezvous rendezvous_;
  std::stop_source stop_;
  std::stop_callback<std::function<void()>> forwardStop_;
};

} // namespace

Status executeGrid(int32_t numReplicas, int32_t numPartitions, std::span<const GridProcess> processes,
                   const runtime::RunOptions &options) {
  if (Status status = check(numReplicas, numPartitions, processes); !status.ok())
    return status;
  GridRun run(numReplicas, numPartitions, options);
  {
    std::vector<std::jthread> threads; // which end before the run does
    for (size_t i = 1; i < processes.size(); ++i)
      threads.emplace_back([&, i] { run.run(int32_t(i), processes[i]); });
    run.run(0, processes[0]);
  }
  return run.status();
}

} // namespace tenon::client
