// Ends a run that computes and never waits: generated code looks at a flag at each turn of a program's loops, and now
// and then within kernels that take long.
#pragma once

#include "tenon/runtime/core/signals.h"
#include "tenon/runtime/core/wait.h"
#include "tenon/status.h"

#include <cstdint>
#include <optional>

namespace tenon::runtime {

// Sets `flag` (a StopFlag) once the Wait is over, and when SIGINT comes, while this object lives.
class Interrupt {
public:
  Interrupt(const Wait &wait, int32_t *flag);
  ~Interrupt();
  Interrupt(const Interrupt &) = delete;
  Interrupt &operator=(const Interrupt &) = delete;

  // Why the flag says stop: CANCELLED or DEADLINE_EXCEEDED.
  Status reason() const;

private:
  struct SetFlag {
    int32_t *flag;
    void operator()() const { __atomic_store_n(flag, kStop, __ATOMIC_RELAXED); }
  };

  const Wait &wait_;
  int32_t *flag_;
  SignalWatch signals_;
  std::optional<std::stop_callback<SetFlag>> onStop_;
};

// What tenon_stopped reads on a thread, for who runs several runs on it in turns.
class RunFlag {
public:
  RunFlag() = default; // of no run
  static RunFlag ofThread();
  // Makes it the calling thread's.
  void use() const;

private:
  int32_t *flag_ = nullptr;
};

// Names the flag of the run that the calling thread works for, while this object lives: tenon_stopped reads it.
class CurrentRun {
public:
  explicit CurrentRun(int32_t *flag);
  ~CurrentRun();
  CurrentRun(const CurrentRun &) = delete;
  CurrentRun &operator=(const CurrentRun &) = delete;

private:
  int32_t *before_;
};

} // namespace tenon::runtime
