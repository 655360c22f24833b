// Ctrl-C (SIGINT) during a run on the process's first thread, where a language has its own handler for it, which only
// notes that it came: the language then says whether the run ends. Without such a language signals are no matter of
// runs.
#pragma once

#include <cstdint>

namespace tenon::runtime {

// What TenonContextHead::stop is, but for 0.
enum StopFlag : int32_t {
  kStop = 1,
  kSignal = 2,       // a signal has come: whether the run goes on is to be asked
  kStopBySignal = 3, // asked
};

// Runs the language's handlers of the signals that have come. Whether the run is to end. Called on the first thread.
using SignalCheck = bool (*)();
// Null, as at the beginning, for none.
void setSignalCheck(SignalCheck check);

// Whether a call on this thread may have to end for a signal: it is the first, and there is a check.
bool looksAtSignals();
// Asks it there: whether a wait of this thread is to end.
bool signalEndsWait();

// Makes the flag kSignal when SIGINT comes, while this object lives; no effect on other threads than the first, without
// a check, and where SIGINT has no handler.
class SignalWatch {
public:
  explicit SignalWatch(int32_t *flag);
  ~SignalWatch();
  SignalWatch(const SignalWatch &) = delete;
  SignalWatch &operator=(const SignalWatch &) = delete;

private:
  friend void flagWatchedRuns();

  int32_t *const flag_;
  bool watches_ = false;
  // The list of watches of runs within runs (a callback's), and of runs that take turns on the thread (FiberGroup),
  // which end in any order.
  SignalWatch *older_ = nullptr, *newer_ = nullptr;
};

// Whether a run whose flag is not 0 is to end; asks where it is kSignal. On the first thread only: others go on.
bool confirmsStop(int32_t *flag);

} // namespace tenon::runtime
