#include "tenon/runtime/cuda/run_in_flight.h"

namespace tenon::runtime::cuda {
namespace {

// CU_EVENT_BLOCKING_SYNC and CU_EVENT_DISABLE_TIMING: who waits sleeps.
constexpr unsigned kEventFlags = 1 | 2;

} // namespace

RunInFlight::~RunInFlight() {
  if (event_)
    (void)wait();
}

Status RunInFlight::begin(const DeviceRun &run, StreamHandle *stream) {
  wait_ = run.options.wait;
  *runner_->stopWord() = 0;
  interrupt_.emplace(wait_, runner_->stopWord());
  Status status = runner_->enqueue(run, stream);
  if (status.ok())
    status = statusOf(code_.driver.eventCreate(&event_, kEventFlags), "eventCreate");
  if (status.ok())
    status = statusOf(code_.driver.eventRecord(event_, stream), "eventRecord");
  if (!status.ok()) {
    std::lock_guard lock(mutex_);
    code_.driver.streamSynchronize(stream); // whatever of it is in the stream
    status_ = std::move(status);
    return end();
  }
  return {};
}

Status RunInFlight::wait() {
  std::lock_guard lock(mutex_);
  if (isDone())
    return status_;
  status_ = statusOf(code_.driver.contextSetCurrent(code_.context), "contextSetCurrent");
  if (status_.ok())
    status_ = statusOf(code_.driver.eventSynchronize(event_), "eventSynchronize");
  return end();
}

// The run has ended, in some way. With the lock held.
Status RunInFlight::end() {
  if (event_)
    code_.driver.eventDestroy(std::exchange(event_, nullptr));
  if (status_.ok() && *runner_->stopWord() == program::kStopGraph)
    status_ = interrupt_->reason();
  interrupt_.reset();
  giveBack_(std::move(runner_));
  isDone_.store(true, std::memory_order_release);
  return status_;
}

} // namespace tenon::runtime::cuda
