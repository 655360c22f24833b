// The counters of the server, in the text form that Prometheus reads.
#pragma once

#include "tenon/status.h"

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace tenon::server {

class Metrics {
public:
  void countCall(const std::string &method, StatusCode code, std::chrono::nanoseconds time);

  std::atomic<int64_t> receivedBytes{0}, sentBytes{0};
  std::atomic<int64_t> sessionsOpened{0};
  std::atomic<int64_t> workersStarted{0}, workersKilled{0}, workersCrashed{0};

  // The current values of quantities that go up and down, by name.
  using Gauges = std::map<std::string, int64_t>;
  std::string text(const Gauges &gauges) const;

private:
  // Seconds; the last bucket has no bound.
  static constexpr std::array<double, 10> kBounds = {0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 1, 10, 60};
  struct Histogram {
    std::array<int64_t, kBounds.size() + 1> buckets{};
    double seconds = 0;
    int64_t count = 0;
  };

  mutable std::mutex mutex_;
  std::map<std::pair<std::string, StatusCode>, int64_t> calls_;
  std::map<std::string, Histogram> times_;
};

} // namespace tenon::server
