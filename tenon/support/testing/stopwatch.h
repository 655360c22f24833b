// How long things take, for benchmarks.
#pragma once

#include <algorithm>
#include <chrono>

namespace tenon::testing {

// Seconds of one call.
template <typename Body> double secondsOf(Body &&body) {
  auto start = std::chrono::steady_clock::now();
  body();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Seconds of the fastest of several calls.
template <typename Body> double bestSecondsOf(int calls, Body &&body) {
  double best = secondsOf(body);
  while (--calls > 0)
    best = std::min(best, secondsOf(body));
  return best;
}

} // namespace tenon::testing
