// How long a call may block.
#pragma once

#include <chrono>
#include <stop_token>

namespace tenon::runtime {

// A stop ends waiting with CANCELLED, a deadline with DEADLINE_EXCEEDED.
struct Wait {
  std::stop_token stop;
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
};

} // namespace tenon::runtime
