// Something that will be done, with success or an error. PJRT_Event is a handle on one.
#pragma once

#include "tenon/pjrt/ref.h"
#include "tenon/status.h"

#include "xla/pjrt/c/pjrt_c_api.h"

#include <functional>
#include <mutex>
#include <vector>

namespace tenon::pjrt {

// Set once. Readers that find it done take no lock.
class Completion : public RefCounted {
public:
  using Waiter = std::function<void(const Status &)>;

  Completion() = default;

  bool done() const { return state_.load(std::memory_order_acquire) != kPending; }
  // Valid once done.
  const Status &status() const { return status_; }
  // True if done without error.
  bool succeeded() const { return state_.load(std::memory_order_acquire) == kSucceeded; }

  // Runs the waiters on the calling thread. Only the first call counts.
  void complete(Status status = {});
  const Status &await() const;
  // False where a signal comes first that is to end the call (runtime/core/signals.h).
  bool awaitOrSignal();
  // Calls at once if done, otherwise from the completing thread.
  void onDone(Waiter waiter);

protected:
  enum Done { kDone };
  explicit Completion(Done) : state_(kSucceeded) {}

private:
  enum : uint32_t { kPending, kSucceeded, kFailed };
  std::atomic<uint32_t> state_{kPending};
  Status status_;
  std::mutex mutex_;
  std::vector<Waiter> waiters_;
};

// `completion` null: done already. Destroyed by PJRT_Event_Destroy.
PJRT_Event *makeEvent(Ref<Completion> completion);
// The same, of an event that does not keep what it tells of: frameworks have an array's event for as long as the array,
// and its memory is to be free when a program that was given the array is the only one to hold it.
PJRT_Event *makeEventBeside(Completion &completion);
PJRT_Event *makeDoneEvent();
PJRT_Event *makeErrorEvent(Status status);

void fillEventSlots(PJRT_Api &api);

} // namespace tenon::pjrt
