// What a version of a model has done since it was loaded: the numbers of the protocol's extension statistics.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>

namespace tenon::kserve {

struct Duration {
  uint64_t count = 0;
  uint64_t nanoseconds = 0;
  void add(std::chrono::nanoseconds time, uint64_t times = 1) {
    count += times;
    nanoseconds += static_cast<uint64_t>(time.count()) * times;
  }
};

// How long the steps of an execution took: inputs put together, the program, results taken apart.
struct ExecutionTimes {
  std::chrono::nanoseconds input{0}, infer{0}, output{0};
};

struct StepDurations {
  Duration input, infer, output;
  void add(const ExecutionTimes &times, uint64_t requests) {
    input.add(times.input, requests);
    infer.add(times.infer, requests);
    output.add(times.output, requests);
  }
};

struct Statistics {
  uint64_t lastInference = 0; // milliseconds since 1970
  uint64_t inferences = 0, executions = 0;
  Duration success, fail, queue;
  StepDurations steps;                       // of each request, as if it had been alone
  std::map<uint64_t, StepDurations> batches; // of executions, by their rows
};

// Counts from any thread.
class StatisticsCounter {
public:
  void countRequest(bool isSuccess, std::chrono::nanoseconds time) {
    std::lock_guard lock(mutex_);
    (isSuccess ? counted_.success : counted_.fail).add(time);
    auto now = std::chrono::system_clock::now().time_since_epoch();
    counted_.lastInference = static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
  }
  void countWait(std::chrono::nanoseconds time) {
    std::lock_guard lock(mutex_);
    counted_.queue.add(time);
  }
  void countExecution(uint64_t requests, uint64_t rows, const ExecutionTimes &times) {
    std::lock_guard lock(mutex_);
    counted_.inferences += rows;
    ++counted_.executions;
    counted_.steps.add(times, requests);
    counted_.batches[rows].add(times, 1);
  }
  Statistics get() const {
    std::lock_guard lock(mutex_);
    return counted_;
  }

private:
  mutable std::mutex mutex_;
  Statistics counted_;
};

} // namespace tenon::kserve
