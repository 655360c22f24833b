// Runtime calls of a run that have begun and go on beside it: collectives that other OS processes take part in. A
// thread makes them, one after the other, in the order in which they were started; a run that makes another such call
// itself waits for them first. So all processes of a grid do the same in the same order, as without.
#pragma once

#include "tenon/runtime/core/runtime_call.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>

namespace tenon::runtime {

// The calls of one run. Their thread starts with the first.
class BackgroundCalls {
public:
  // `options`: of the run.
  explicit BackgroundCalls(const RunOptions &options);
  // Ends the calls that are still on their way, which nobody waits for any more.
  ~BackgroundCalls();
  BackgroundCalls(const BackgroundCalls &) = delete;
  BackgroundCalls &operator=(const BackgroundCalls &) = delete;

  // Makes the call soon; `instance` and `description` outlive this. Its operands must stay as they are, and nothing
  // read or written of its results, until it has been waited for.
  void start(RuntimeCallInstance &instance, const program::RuntimeCall &description, const CallBuffers &call);
  // Waits for the calls that have one of these results. The first error of any call, which ends those behind it, too.
  Status await(std::span<void *const> results);
  Status awaitAll();

private:
  struct Started {
    RuntimeCallInstance *instance = nullptr;
    const program::RuntimeCall *description = nullptr;
    std::vector<void *> operands, results;
    ThreadPool *pool = nullptr;
    BlockKernel computation;
  };

  void run();

  RunOptions options_;
  std::stop_source stop_;
  std::stop_callback<std::function<void()>> forwardStop_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Started> calls_; // the first one is being made
  Status failure_;
  bool isEnding_ = false;
  std::optional<std::jthread> thread_;
};

// Waits for all that goes on beside a run, if anything does: before it meets others itself.
Status awaitBackground(const RunOptions &options);

} // namespace tenon::runtime
