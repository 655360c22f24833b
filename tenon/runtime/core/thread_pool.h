// The workers that kernels run on.
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>

namespace tenon::runtime {

// A reference to a callable body(begin, end, worker); never owns it.
class RangeBody {
public:
  template <typename F, typename = std::enable_if_t<!std::is_same_v<std::decay_t<F>, RangeBody>>>
  RangeBody(F &&f)
      : object_(const_cast<void *>(static_cast<const void *>(&f))),
        call_([](void *object, int64_t begin, int64_t end, int worker) {
          (*static_cast<std::remove_reference_t<F> *>(object))(begin, end, worker);
        }) {}
  void operator()(int64_t begin, int64_t end, int worker) const { call_(object_, begin, end, worker); }

private:
  void *object_;
  void (*call_)(void *, int64_t, int64_t, int);
};

// A fixed set of threads that share loops. The thread that calls parallelFor takes part as worker 0. Each participant
// starts on its own stretch of the range, in the same place every time (so data stays in the core's cache from kernel
// to kernel), and helps others when done.
//
// Calls may come from any thread. A call from inside a body runs in place; so does one that arrives while another
// thread's loop occupies the workers: both make progress, and no lock is waited for.
class ThreadPool {
public:
  // `threads` counts the caller; 0 means defaultThreadCount().
  explicit ThreadPool(int threads = 0);
  ~ThreadPool();
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;

  // The process's pool, made at first use and never destroyed.
  static ThreadPool &global();
  // TENON_NUM_THREADS, else the CPUs this process may use: its affinity mask and cgroup quota.
  static int defaultThreadCount();

  // Workers, the calling thread included; body's `worker` is below this.
  int size() const;
  // Workers that sleep, and cost the next loop a wake-up.
  int sleepers() const;

  // Runs body over disjoint stretches that cover [0, extent) and returns when all are done. The body must not throw.
  // `grain`: the smallest stretch worth handing out. `isLong`: the loop is known to take much longer than it takes to
  // wake the workers.
  void parallelFor(int64_t extent, RangeBody body, int64_t grain = 1, bool isLong = false);

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace tenon::runtime
