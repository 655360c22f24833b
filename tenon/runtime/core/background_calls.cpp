#include "tenon/runtime/core/background_calls.h"

#include <algorithm>

namespace tenon::runtime {

BackgroundCalls::BackgroundCalls(const RunOptions &options)
    : options_(options), forwardStop_(options.wait.stop, [this] { stop_.request_stop(); }) {
  options_.wait.stop = stop_.get_token();
  options_.background = nullptr;
}

BackgroundCalls::~BackgroundCalls() {
  {
    std::lock_guard lock(mutex_);
    isEnding_ = true;
  }
  changed_.notify_all();
  stop_.request_stop();
}

void BackgroundCalls::start(RuntimeCallInstance &instance, const program::RuntimeCall &description,
                            const CallBuffers &call) {
  {
    std::lock_guard lock(mutex_);
    calls_.push_back({&instance,
                      &description,
                      {call.operands.begin(), call.operands.end()},
                      {call.results.begin(), call.results.end()},
                      &call.pool,
                      call.computation});
    if (!thread_)
      thread_.emplace([this] { run(); });
  }
  changed_.notify_all();
}

Status BackgroundCalls::await(std::span<void *const> results) {
  auto has = [&](const Started &call) {
    return std::ranges::any_of(
        call.results, [&](void *result) { return result && std::ranges::find(results, result) != results.end(); });
  };
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return std::ranges::none_of(calls_, has); });
  return failure_;
}

Status BackgroundCalls::awaitAll() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return calls_.empty(); });
  return failure_;
}

void BackgroundCalls::run() {
  if (options_.enterThread)
    options_.enterThread();
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return isEnding_ || !calls_.empty(); });
    if (isEnding_)
      return;
    if (failure_.ok()) {
      Started &call = calls_.front(); // others are put behind it
      lock.unlock();
      Status status = makeCall(*call.instance, *call.description,
                               {call.operands, call.results, options_, *call.pool, call.computation});
      lock.lock();
      failure_ = std::move(status);
    }
    calls_.pop_front();
    changed_.notify_all();
  }
}

Status awaitBackground(const RunOptions &options) {
  return options.background ? options.background->awaitAll() : Status();
}

} // namespace tenon::runtime
