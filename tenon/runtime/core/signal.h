// An event that threads wait for without a lock: what they wait for is in atomics of their own.
//
//   waiter: uint32_t seen = signal.now();  if (!isReady()) signal.wait(seen, until);  // and again
//   waker:  makeReady();  signal.notify();
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace tenon::runtime {

class Signal {
public:
  using Time = std::chrono::steady_clock::time_point;

  // To be read before what is waited for.
  uint32_t now() const { return word_.load(std::memory_order_seq_cst); }
  // Returns once there has been a notification since `seen`, at `until`, or for no reason.
  void wait(uint32_t seen, Time until);
  void notify();

private:
  std::atomic<uint32_t> word_{0}, sleepers_{0};
};

} // namespace tenon::runtime
