#include "tenon/pjrt/failure_news.h"

namespace tenon::pjrt {

FailureNews &FailureNews::ofAll() {
  static auto *news = new FailureNews;
  return *news;
}

std::string FailureNews::await() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !failures_.empty(); });
  return failures_.begin()->second;
}

std::string FailureNews::failure() {
  std::lock_guard lock(mutex_);
  return failures_.empty() ? "" : failures_.begin()->second;
}

FailureNews::Source::Source(runtime::Processes &processes)
    : told_(processes.stop(), [this, &processes] { ofAll().tell(this, processes.status()); }) {}

void FailureNews::tell(const Source *source, const Status &status) {
  if (status.ok())
    return;
  std::lock_guard lock(mutex_);
  failures_[source] = status.message();
  changed_.notify_all();
}

void FailureNews::forget(const Source *source) {
  std::lock_guard lock(mutex_);
  failures_.erase(source);
}

} // namespace tenon::pjrt
