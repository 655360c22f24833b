#include "tenon/runtime/collectives/grid_run.h"

#include "tenon/runtime/collectives/grid_channels.h"
#include "tenon/runtime/core/fiber_group.h"
#include "tenon/runtime/core/thread_shares.h"

#include <numeric>
#include <system_error>
#include <thread>

namespace tenon::runtime {
namespace {

std::vector<std::string> processNames(int32_t numReplicas, int32_t numPartitions) {
  std::vector<std::string> names;
  for (int64_t process = 0; process < int64_t(numReplicas) * numPartitions; ++process)
    names.push_back(processName(process, numPartitions));
  return names;
}

// What the processes of one run share.
class GridRun {
public:
  using Process = std::function<Status(const RunOptions &)>;

  GridRun(int32_t numReplicas, int32_t numPartitions, const RunOptions &options,
          std::unique_ptr<Rendezvous::Elsewhere> elsewhere)
      : options_(options), rendezvous_(processNames(numReplicas, numPartitions), std::move(elsewhere)),
        channels_(rendezvous_), forwardStop_(options.wait.stop, [this] { stop_.request_stop(); }) {
    options_.numReplicas = numReplicas;
    options_.numPartitions = numPartitions;
    options_.channels = &channels_;
    options_.rendezvous = &rendezvous_;
    options_.wait.stop = stop_.get_token();
  }

  void run(int32_t place, const Process &process) {
    RunOptions options = options_;
    options.deviceOrdinal = place;
    options.replicaId = place / options_.numPartitions;
    options.partitionId = place % options_.numPartitions;
    if (!options.pool)
      options.pool =
          &poolOfDevice(static_cast<size_t>(place), static_cast<size_t>(options_.numReplicas) * options_.numPartitions);
    Status status = process(options);
    rendezvous_.leave(place, status);
    if (!status.ok())
      stop_.request_stop(); // whoever waits for data, from here or elsewhere, waits no longer
  }

  // The processes of these places will never be.
  void giveUp(std::span<const int32_t> places, const Status &status) {
    for (int32_t place : places)
      rendezvous_.leave(place, status);
    stop_.request_stop();
  }

  Status status() const { return rendezvous_.firstError(); }
  const Rendezvous &rendezvous() const { return rendezvous_; }

private:
  RunOptions options_;
  Rendezvous rendezvous_;
  GridChannels channels_;
  std::stop_source stop_;
  std::stop_callback<std::function<void()>> forwardStop_;
};

std::vector<int32_t> allPlaces(int32_t numReplicas, int32_t numPartitions) {
  std::vector<int32_t> places(static_cast<size_t>(numReplicas) * static_cast<size_t>(numPartitions));
  std::iota(places.begin(), places.end(), 0);
  return places;
}

// Has so many threads, the calling one among them, run their shares of the places by `body`.
void runShares(GridRun &run, const RunOptions &options, std::span<const int32_t> places, size_t threads,
               const std::function<void(std::span<const int32_t>)> &body) {
  auto shareOf = [&](size_t thread) {
    auto [first, end] = threadShare(thread, threads, places.size());
    return places.subspan(first, end - first);
  };
  std::vector<std::jthread> others; // which end before the run does
  for (size_t thread = 1; thread < threads; ++thread)
    try {
      others.emplace_back([&, thread] {
        if (options.enterThread)
          options.enterThread();
        body(shareOf(thread));
      });
    } catch (const std::system_error &error) {
      run.giveUp(places.subspan(threadShare(thread, threads, places.size()).first),
                 {StatusCode::kResourceExhausted, std::string("cannot start its thread: ") + error.what()});
      break;
    }
  body(shareOf(0));
}

// Runs the places as fibers of the calling thread.
void runAsFibers(GridRun &run, std::span<const int32_t> places, const GridRun::Process &process) {
  std::vector<std::function<void()>> bodies;
  for (int32_t place : places)
    bodies.emplace_back([&run, &process, place] { run.run(place, process); });
  if (Status status = FiberGroup::runAll(std::move(bodies), [](size_t) {}); !status.ok())
    run.giveUp(places, status);
}

} // namespace

std::string processName(int64_t process, int32_t numPartitions) {
  return "process (" + std::to_string(process / numPartitions) + ", " + std::to_string(process % numPartitions) + ")";
}

Status runGrid(int32_t numReplicas, int32_t numPartitions, const RunOptions &options,
               const std::function<Status(const RunOptions &)> &process, std::optional<GridPart> part) {
  const std::vector<int32_t> places = part ? part->places : allPlaces(numReplicas, numPartitions);
  GridRun run(numReplicas, numPartitions, options, part ? std::move(part->elsewhere) : nullptr);
  auto tell = [&](const Rendezvous *rendezvous) {
    if (part && part->onRendezvous)
      part->onRendezvous(rendezvous);
  };
  tell(&run.rendezvous());
  runShares(run, options, places, places.size(), [&](std::span<const int32_t> own) { run.run(own.front(), process); });
  tell(nullptr);
  return run.status();
}

Status runGridOnWorkers(int32_t numReplicas, int32_t numPartitions, const RunOptions &options,
                        const std::function<Status(const RunOptions &)> &process) {
  const std::vector<int32_t> places = allPlaces(numReplicas, numPartitions);
  const size_t threads = threadsForFibers(places.size());
  if (threads == 0 || FiberGroup::current())
    return runGrid(numReplicas, numPartitions, options, process);
  GridRun run(numReplicas, numPartitions, options, nullptr);
  runShares(run, options, places, threads, [&](std::span<const int32_t> own) { runAsFibers(run, own, process); });
  return run.status();
}

} // namespace tenon::runtime
