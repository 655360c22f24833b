#include "tenon/runtime/core/signals.h"

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
// Written on the first thread only, and read by the handler there.
std::atomic<int32_t *> watched{nullptr};
struct sigaction handlerBefore;

bool isFirstThread() {
#if defined(__linux__)
  return syscall(SYS_gettid) == getpid();
#else
  return pthread_main_np() != 0;
#endif
}

void onSignal(int number, siginfo_t *information, void *context) {
  // A handler on another thread must not touch the flag: the run could end meanwhile, and its flag with it.
  if (int32_t *flag = isFirstThread() ? watched.load(std::memory_order_relaxed) : nullptr) {
    int32_t expected = 0;
    __atomic_compare_exchange_n(flag, &expected, kSignal, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  }
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

SignalWatch::SignalWatch(int32_t *flag) {
  if (!looksAtSignals())
    return;
  around_ = watched.load(std::memory_order_relaxed);
  if (!around_ && !takeSignal())
    return;
  watches_ = true;
  watched.store(flag, std::memory_order_relaxed);
}

SignalWatch::~SignalWatch() {
  if (!watches_)
    return;
  watched.store(around_, std::memory_order_relaxed);
  if (!around_)
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
  SignalCheck check = signalCheck;
  if (check && check())
    for (value = 0; value != kStop && !__atomic_compare_exchange_n(flag, &value, kStopBySignal, false, __ATOMIC_RELAXED,
                                                                   __ATOMIC_RELAXED);)
      ;
  value = __atomic_load_n(flag, __ATOMIC_RELAXED);
  return value == kStop || value == kStopBySignal;
}

} // namespace tenon::runtime
