// How long a call may block.
#pragma once

#include "tenon/status.h"

#include <chrono>
#include <stop_token>

namespace tenon::runtime {

// A stop ends waiting with CANCELLED, a deadline with DEADLINE_EXCEEDED.
struct Wait {
  std::stop_token stop;
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();

  // Why it is over, if it is.
  Status status() const {
    if (stop.stop_requested())
      return {StatusCode::kCancelled, "the program was stopped"};
    if (deadline != decltype(deadline)::max() && std::chrono::steady_clock::now() >= deadline)
      return {StatusCode::kDeadlineExceeded, "the program has not ended in time"};
    return {};
  }
};

} // namespace tenon::runtime
