#include "tenon/pjrt/shared_outcome.h"

#include <utility>

namespace tenon::pjrt {

void SharedOutcome::post(std::shared_ptr<runtime::DeviceWork> work, const Status &status) {
  std::lock_guard lock(mutex_);
  if (work)
    works_.push_back(std::move(work));
  if (status_.ok())
    status_ = status;
  if (--left_ == 0)
    changed_.notify_all();
}

// Nobody adds to the list any more then.
Status SharedOutcome::await() {
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return left_ == 0; });
    if (!status_.ok())
      return status_;
  }
  Status first;
  for (const std::shared_ptr<runtime::DeviceWork> &work : works_)
    if (Status status = work->wait(); first.ok())
      first = std::move(status);
  return first;
}

} // namespace tenon::pjrt
