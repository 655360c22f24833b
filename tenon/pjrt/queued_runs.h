// Runs that are in the queues of their devices: what keeps their promises.
#pragma once

#include "tenon/pjrt/run.h"
#include "tenon/pjrt/work_queue.h"

#include <latch>
#include <memory>
#include <vector>

namespace tenon::pjrt {

// A run may start another in the same thread (host callbacks), so there is a stack of spares, not one.
class RunPool {
public:
  static std::unique_ptr<Run> get();
  static void put(std::unique_ptr<Run> run);

private:
  static std::vector<std::unique_ptr<Run>> &list();
};

Status awaitArguments(const Run &run);

// Waits for the arguments, runs, and keeps the promises.
void runQueued(std::unique_ptr<Run> run);

// Whether the run has stepped aside: it is queued again when its arguments are there. A program that runs may wait, in
// a host callback, for one that is queued behind this.
bool steppedAside(WorkQueue &queue, const std::shared_ptr<std::unique_ptr<Run>> &run);

// Runs of one launch that one thread has, as fibers: that of the first one's device. They wait for nothing but each
// other (CompiledProgram::waitsForDevicesOnly) and what was launched before.
class FiberLaunch : public std::enable_shared_from_this<FiberLaunch> {
public:
  explicit FiberLaunch(size_t count) : stopped_(static_cast<std::ptrdiff_t>(count) - 1) {}

  void add(std::unique_ptr<Run> run, WorkQueue &queue);
  // Puts them into the queues of their devices; as many have been added as was said.
  void start();
  // Runs them on the calling thread, if none would wait for what was launched before: whether it has.
  bool runHere();

private:
  void run();
  void finish(size_t i, Status status);

  std::vector<std::unique_ptr<Run>> runs_;
  std::vector<WorkQueue *> queues_; // of their devices
  std::latch stopped_;              // all queues but the first one
  bool isHere_ = false;             // on the thread that launches, with the first queue stopped as well
};

} // namespace tenon::pjrt
