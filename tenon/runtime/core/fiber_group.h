// Runs of several devices on one thread: each has a fiber, and goes on until it waits for another one or comes to a
// loop of tasks. When all have come to the same loop, they compute its tasks in turns, a stretch at a time: what they
// read in common (weights, which products of few rows read whole) comes from memory once for all of them.
//
//   FiberGroup::runAll(bodies, ended);           // returns when all have ended
//
// Within a fiber everything that waits for another run of the group must wait by sleep(): what keeps the thread keeps
// them all. Fibers change nowhere else than there and in runTasks, so no lock may be held then.
#pragma once

#include "tenon/runtime/core/fiber.h"
#include "tenon/runtime/core/signal.h"
#include "tenon/runtime/core/thread_pool.h"
#include "tenon/status.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace tenon::runtime {

class FiberGroup {
public:
  // Null if there is no memory for the stacks.
  static std::unique_ptr<FiberGroup> create(size_t count);
  ~FiberGroup();
  FiberGroup(const FiberGroup &) = delete;
  FiberGroup &operator=(const FiberGroup &) = delete;

  // Runs the bodies on the calling thread, with the stacks of a group that has ended where there is one. An error, and
  // nothing has run, if there is no memory for stacks.
  static Status runAll(std::vector<std::function<void()>> bodies, const std::function<void(size_t)> &ended);

  // Runs as many bodies as there are stacks on the calling thread, which may be another one each time. `ended` is
  // called with the number of each that has ended, outside of the fibers.
  void run(std::vector<std::function<void()>> bodies, const std::function<void(size_t)> &ended);

  // That of the fiber which calls; null outside of fibers.
  static FiberGroup *current();

  // Calls a function on the calling thread's own stack, within a fiber or not: languages know how far that goes.
  static void callOnThread(const std::function<void()> &function);

  // Signal::wait for a fiber: others go on meanwhile.
  void sleep(Signal &signal, uint32_t seen, Signal::Time until);

  // Calls body over disjoint stretches that cover [0, extent), as ThreadPool::parallelFor on one thread does. Fibers
  // that come with the same `key` and extent do the same to data of their own.
  void runTasks(const void *key, int64_t extent, RangeBody body);

private:
  struct Member;
  struct Tasks;

  explicit FiberGroup(std::vector<std::unique_ptr<Fiber>> fibers);
  void resume(Member &member);
  void suspend();
  bool resumeReady(const std::function<void(size_t)> &ended);
  bool runWaitingTasks();
  void sleepUntilSignal();

  std::vector<Member> members_;
  Member *running_ = nullptr;
  size_t live_ = 0;
};

} // namespace tenon::runtime
