#include "tenon/runtime/core/signal.h"

#include <algorithm>
#include <climits>
#include <thread>

#if defined(__linux__)
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace tenon::runtime {

using std::chrono::nanoseconds;

#if defined(__linux__)

void Signal::wait(uint32_t seen, Time until) {
  // A time that is far away is none: the sum of clock and distance must not overflow.
  constexpr nanoseconds kLongest = std::chrono::hours(1);
  nanoseconds left = std::min<nanoseconds>(until - std::chrono::steady_clock::now(), kLongest);
  if (left <= nanoseconds::zero())
    return;
  timespec time{left.count() / 1'000'000'000, left.count() % 1'000'000'000};
  sleepers_.fetch_add(1, std::memory_order_seq_cst);
  syscall(SYS_futex, &word_, FUTEX_WAIT_PRIVATE, seen, &time, nullptr, 0);
  sleepers_.fetch_sub(1, std::memory_order_seq_cst);
}

void Signal::notify() {
  word_.fetch_add(1, std::memory_order_seq_cst);
  if (sleepers_.load(std::memory_order_seq_cst))
    syscall(SYS_futex, &word_, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

#else // no wait of the standard library ends in time: look again and again

void Signal::wait(uint32_t seen, Time until) {
  constexpr auto kPeriod = std::chrono::microseconds(100);
  while (now() == seen && std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(kPeriod);
}

void Signal::notify() { word_.fetch_add(1, std::memory_order_seq_cst); }

#endif

} // namespace tenon::runtime
