// Puts requests together to batches. Requests run in the order in which they come; those of other shapes wait for their
// turn and are never part of a batch.
#pragma once

#include "tenon/server/kserve/config.h"
#include "tenon/server/kserve/tensor.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace tenon::kserve {

// A request that waits or runs.
struct Job {
  using Clock = std::chrono::steady_clock;

  std::vector<Tensor> inputs;               // in the order of the program's
  int64_t rows = 1;                         // of a batch
  std::vector<std::vector<int64_t>> shapes; // what requests of one batch have in common
  Clock::time_point deadline = Clock::time_point::max();
  Clock::time_point queued;
  std::promise<StatusOr<std::vector<Tensor>>> results;
};

class Scheduler {
public:
  using Batch = std::vector<std::shared_ptr<Job>>;

  // `run` is called from threads of the scheduler's, as many as there are instances, and sets the results of all jobs.
  Scheduler(const ModelConfig &config, std::function<void(Batch batch)> run);
  // Does what end() does, and waits for what runs.
  ~Scheduler();
  Scheduler(const Scheduler &) = delete;
  Scheduler &operator=(const Scheduler &) = delete;

  // What waits, now and from now on, fails with UNAVAILABLE; what runs comes to its end.
  void end();

  // UNAVAILABLE where as many wait as may.
  Status add(std::shared_ptr<Job> job);
  int64_t waiting() const;

private:
  void work();
  // Takes the next batch out of the queue, or says until when others may come to fill it.
  Batch take(Job::Clock::time_point now, Job::Clock::time_point &until);
  void dropLate(Job::Clock::time_point now);

  const int64_t maxBatch_; // 1: no batches
  const std::vector<int64_t> sizes_;
  const std::chrono::microseconds delay_;
  const size_t maxQueue_;
  const std::function<void(Batch)> run_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::shared_ptr<Job>> queue_;
  bool ends_ = false;
  std::vector<std::thread> threads_;
};

} // namespace tenon::kserve
