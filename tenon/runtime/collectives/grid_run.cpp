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

// Runs the places from `first` to before `end` as fibers of the calling thread.
void runAsFibers(GridRun &run, size_t first, size_t end, const GridRun::Process &process) {
  std::vector<int32_t> places(end - first);
  std::iota(places.begin(), places.end(), static_cast<int32_t>(first));
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
  std::vector<int32_t> places;
  if (part) {
    places = part->places;
  } else {
    places.resize(static_cast<size_t>(numReplicas) * static_cast<size_t>(numPartitions));
    std::iota(places.begin(), places.end(), 0);
  }
  GridRun run(numReplicas, numPartitions, options, part ? std::move(part->elsewhere) : nullptr);
  auto tell = [&](const Rendezvous *rendezvous) {
    if (part && part->onRendezvous)
      part->onRendezvous(rendezvous);
  };
  tell(&run.rendezvous());
  {
    std::vector<std::jthread> threads; // which end before the run does
    for (size_t i = 1; i < places.size(); ++i)
      try {
        threads.emplace_back([&, place = places[i]] {
          if (options.enterThread)
            options.enterThread();
          run.run(place, process);
        });
      } catch (const std::system_error &error) {
        run.giveUp(std::span(places).subspan(i),
                   {StatusCode::kResourceExhausted, std::string("cannot start its thread: ") + error.what()});
        break;
      }
    run.run(places.front(), process);
  }
  tell(nullptr);
  return run.status();
}

Status runGridOnWorkers(int32_t numReplicas, int32_t numPartitions, const RunOptions &options,
                        const std::function<Status(const RunOptions &)> &process) {
  const size_t places = static_cast<size_t>(numReplicas) * static_cast<size_t>(numPartitions);
  const size_t count = threadsForFibers(places);
  if (count == 0 || FiberGroup::current())
    return runGrid(numReplicas, numPartitions, options, process);
  GridRun run(numReplicas, numPartitions, options, nullptr);
  {
    std::vector<std::jthread> threads;
    for (size_t thread = 1; thread < count; ++thread) {
      auto [first, end] = threadShare(thread, count, places);
      try {
        threads.emplace_back([&, first, end] {
          if (options.enterThread)
            options.enterThread();
          runAsFibers(run, first, end, process);
        });
      } catch (const std::system_error &error) {
        std::vector<int32_t> others(places - first);
        std::iota(others.begin(), others.end(), static_cast<int32_t>(first));
        run.giveUp(others, {StatusCode::kResourceExhausted, std::string("cannot start its thread: ") + error.what()});
        break;
      }
    }
    runAsFibers(run, 0, threadShare(0, count, places).second, process);
  }
  return run.status();
}

} // namespace tenon::runtime
