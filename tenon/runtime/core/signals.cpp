#include "tenon/runtime/core/signals.h"

#include "tenon/runtime/core/fiber_group.h"

#include <atomic>
#include <csignal>
#include <pthread.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/syscall.h>
#endif

namespace tenon::runtime {
namespace {

std::atomic<SignalCheck> signalCheck{nullptr};
// A list that is written on the first thread only, one pointer at a time that the handler follows there.
SignalWatch *newestWatch = nullptr;
struct sigaction handlerBefore;

bool isFirstThread() {
#if defined(__linux__)
  return syscall(SYS_gettid) == getpid();
#else
  return pthread_main_np() != 0;
#endif
}

} // namespace

void flagWatchedRuns() {
  for (SignalWatch *watch = __atomic_load_n(&newestWatch, __ATOMIC_RELAXED); watch;
       watch = __atomic_load_n(&watch->older_, __ATOMIC_RELAXED)) {
    int32_t expected = 0;
    __atomic_compare_exchange_n(watch->flag_, &expected, kSignal, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  }
}

namespace {

void onSignal(int number, siginfo_t *information, void *context) {
  // A handler on another thread must not touch the flag: the run could end meanwhile, and its flag with it.
  if (isFirstThread())
    flagWatchedRuns();
  if (handlerBefore.sa_flags & SA_SIGINFO)
    handlerBefore.sa_sigaction(number, information, context);
  else
    handlerBefore.sa_handler(number);
}

bool isOurs(const struct sigaction &action) {
  return (action.sa_flags & SA_SIGINFO) != 0 && action.sa_sigaction == onSignal;
}

// Installs our handler, which calls the one that was there. False if there was none.
bool takeSignal() {
  struct sigaction current;
  if (sigaction(SIGINT, nullptr, &current) != 0)
    return false;
  if (!(current.sa_flags & SA_SIGINFO) && (current.sa_handler == SIG_DFL || current.sa_handler == SIG_IGN))
    return false;
  handlerBefore = current;
  struct sigaction own = current;
  own.sa_flags |= SA_SIGINFO;
  own.sa_sigaction = onSignal;
  return sigaction(SIGINT, &own, nullptr) == 0;
}

// A handler that has been set since stays.
void giveSignalBack() {
  struct sigaction current;
  if (sigaction(SIGINT, nullptr, &current) == 0 && isOurs(current))
    sigaction(SIGINT, &handlerBefore, nullptr);
}

} // namespace

void setSignalCheck(SignalCheck check) { signalCheck = check; }

bool looksAtSignals() {
  static thread_local const bool isFirst = isFirstThread();
  return isFirst && signalCheck.load(std::memory_order_relaxed);
}

bool signalEndsWait() {
  SignalCheck check = looksAtSignals() ? signalCheck.load() : nullptr;
  return check && check();
}

SignalWatch::SignalWatch(int32_t *flag) : flag_(flag) {
  if (!looksAtSignals() || (!newestWatch && !takeSignal()))
    return;
  watches_ = true;
  older_ = newestWatch;
  if (older_)
    older_->newer_ = this;
  std::atomic_signal_fence(std::memory_order_release); // the handler finds a watch as it is to be
  __atomic_store_n(&newestWatch, this, __ATOMIC_RELAXED);
}

SignalWatch::~SignalWatch() {
  if (!watches_)
    return;
  __atomic_store_n(newer_ ? &newer_->older_ : &newestWatch, older_, __ATOMIC_RELAXED);
  if (older_)
    older_->newer_ = newer_;
  if (!newestWatch)
    giveSignalBack();
}

bool confirmsStop(int32_t *flag) {
  int32_t value = __atomic_load_n(flag, __ATOMIC_RELAXED);
  if (value != kSignal)
    return value != 0;
  if (!isFirstThread())
    return false;
  // Cleared before the handlers run: a signal that comes meanwhile asks again. What is set meanwhile for a deadline or
  // a stop stays.
  __atomic_compare_exchange_n(flag, &value, 0, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  bool isToEnd = false;
  if (SignalCheck check = signalCheck)
    FiberGroup::callOnThread([&] { isToEnd = check(); });
  if (isToEnd)
    for (value = 0; value != kStop && !__atomic_compare_exchange_n(flag, &value, kStopBySignal, false, __ATOMIC_RELAXED,
                                                                   __ATOMIC_RELAXED);)
      ;
  value = __atomic_load_n(flag, __ATOMIC_RELAXED);
  return value == kStop || value == kStopBySignal;
}

} // namespace tenon::runtime
