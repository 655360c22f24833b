// What comes of the runs of one launch on several devices that copy arrays out of each other's memory, in the order of
// their streams: where one of them fails, what the others have is worth nothing.
#pragma once

#include "tenon/runtime/core/device.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

namespace tenon::pjrt {

class SharedOutcome {
public:
  explicit SharedOutcome(size_t runs) : left_(runs) {}

  // Once for each run: what it has in its device's stream (null: nothing any more), or that it has failed.
  void post(std::shared_ptr<runtime::DeviceWork> work, const Status &status);
  // Waits until each run has done its work. The first error, if any.
  Status await();

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  size_t left_; // to post
  std::vector<std::shared_ptr<runtime::DeviceWork>> works_;
  Status status_;
};

} // namespace tenon::pjrt
