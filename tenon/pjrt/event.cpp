#include "tenon/pjrt/event.h"

#include "tenon/pjrt/error.h"
#include "tenon/runtime/core/signals.h"

#include <chrono>
#include <condition_variable>
#include <memory>
#include <utility>

struct PJRT_Event {
  tenon::pjrt::Ref<tenon::pjrt::Completion> completion;
};

namespace tenon::pjrt {
namespace {

// Most events are done when they are made: programs that run in place, small copies. They share one object.
PJRT_Event doneEvent;

const Status &kOk = *new Status; // never destroyed: frameworks ask for events while the process ends

bool isDone(const PJRT_Event &event) { return !event.completion || event.completion->done(); }
const Status &statusOf(const PJRT_Event &event) { return event.completion ? event.completion->status() : kOk; }

Status error(PJRT_Event_Error_Args &args) {
  if (!isDone(*args.event))
    return failedPrecondition("PJRT_Event_Error: the event is not ready");
  return statusOf(*args.event);
}

Status onReady(PJRT_Event_OnReady_Args &args) {
  if (!args.event->completion)
    args.callback(nullptr, args.user_arg);
  else
    args.event->completion->onDone([callback = args.callback, argument = args.user_arg](const Status &status) {
      callback(toError(status), argument);
    });
  return {};
}

Status set(PJRT_Event_Set_Args &args) {
  if (!args.event->completion || args.event->completion->done())
    return failedPrecondition("PJRT_Event_Set: the event has been set already");
  args.event->completion->complete(toStatus(args.error_code, args.error_message, args.error_message_size));
  return {};
}

} // namespace

void Completion::complete(Status status) {
  std::vector<Waiter> waiters;
  {
    std::lock_guard lock(mutex_);
    if (done())
      return;
    bool ok = status.ok();
    status_ = std::move(status);
    state_.store(ok ? kSucceeded : kFailed, std::memory_order_release);
    waiters.swap(waiters_);
  }
  state_.notify_all();
  for (Waiter &waiter : waiters)
    waiter(status_);
}

const Status &Completion::await() const {
  state_.wait(kPending, std::memory_order_acquire);
  return status_;
}

bool Completion::awaitOrSignal() {
  if (done() || !runtime::looksAtSignals()) {
    await();
    return true;
  }
  struct Waiting {
    std::mutex mutex;
    std::condition_variable changed;
    bool isDone = false;
  };
  auto waiting = std::make_shared<Waiting>(); // the waiter outlives a wait that a signal ends
  onDone([waiting](const Status &) {
    std::lock_guard lock(waiting->mutex);
    waiting->isDone = true;
    waiting->changed.notify_one();
  });
  constexpr std::chrono::milliseconds kBetweenLooks{100};
  std::unique_lock lock(waiting->mutex);
  while (!waiting->changed.wait_for(lock, kBetweenLooks, [&] { return waiting->isDone; })) {
    lock.unlock();
    if (runtime::signalEndsWait())
      return false;
    lock.lock();
  }
  return true;
}

void Completion::onDone(Waiter waiter) {
  if (!done()) {
    std::lock_guard lock(mutex_);
    if (!done()) {
      waiters_.push_back(std::move(waiter));
      return;
    }
  }
  waiter(status_);
}

PJRT_Event *makeEvent(Ref<Completion> completion) {
  if (!completion || completion->succeeded())
    return makeDoneEvent();
  return new PJRT_Event{std::move(completion)};
}

PJRT_Event *makeEventBeside(Completion &completion) {
  if (completion.succeeded())
    return makeDoneEvent();
  auto done = makeRef<Completion>();
  completion.onDone([done](const Status &status) { done->complete(status); });
  return new PJRT_Event{std::move(done)};
}

PJRT_Event *makeDoneEvent() { return &doneEvent; }

PJRT_Event *makeErrorEvent(Status status) {
  auto completion = makeRef<Completion>();
  completion->complete(std::move(status));
  return new PJRT_Event{std::move(completion)};
}

void fillEventSlots(PJRT_Api &api) {
  TENON_PJRT_SLOT(api, PJRT_Event_Destroy, [](PJRT_Event_Destroy_Args &args) -> Status {
    if (args.event != &doneEvent)
      delete args.event;
    return {};
  });
  TENON_PJRT_SLOT(api, PJRT_Event_IsReady, [](PJRT_Event_IsReady_Args &args) -> Status {
    args.is_ready = isDone(*args.event);
    return {};
  });
  TENON_PJRT_SLOT(api, PJRT_Event_Error, error);
  TENON_PJRT_SLOT(api, PJRT_Event_Await, [](PJRT_Event_Await_Args &args) -> Status {
    return args.event->completion ? args.event->completion->await() : Status();
  });
  TENON_PJRT_SLOT(api, PJRT_Event_OnReady, onReady);
  TENON_PJRT_SLOT(api, PJRT_Event_Create, [](PJRT_Event_Create_Args &args) -> Status {
    args.event = new PJRT_Event{makeRef<Completion>()};
    return {};
  });
  TENON_PJRT_SLOT(api, PJRT_Event_Set, set);
}

} // namespace tenon::pjrt
