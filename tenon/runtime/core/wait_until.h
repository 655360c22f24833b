// Waiting on a condition variable as a Wait says.
#pragma once

#include "tenon/runtime/core/wait.h"

#include <condition_variable>
#include <mutex>

namespace tenon::runtime {

// Returns `isReady()`, which is called with the lock held: false where the stop or the deadline came first.
template <typename Ready>
bool waitUntil(std::condition_variable_any &changed, std::unique_lock<std::mutex> &lock, const Wait &wait,
               const Ready &isReady) {
  // The latest of times is none: wait_until would go by the clock for it.
  if (wait.deadline == std::chrono::steady_clock::time_point::max())
    return changed.wait(lock, wait.stop, isReady);
  return changed.wait_until(lock, wait.stop, wait.deadline, isReady);
}

} // namespace tenon::runtime
