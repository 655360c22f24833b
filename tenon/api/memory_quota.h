// How much memory one client of a service may have.
#pragma once

#include "tenon/status.h"

#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <utility>

namespace tenon::api {

class MemoryQuota : public std::enable_shared_from_this<MemoryQuota> {
public:
  explicit MemoryQuota(int64_t bytes = std::numeric_limits<int64_t>::max()) : limit_(bytes) {}

  // Part of the quota, given back with this object.
  class Share {
  public:
    Share() = default;
    Share(std::shared_ptr<MemoryQuota> quota, int64_t bytes) : quota_(std::move(quota)), bytes_(bytes) {}
    Share(Share &&other) noexcept : quota_(std::move(other.quota_)), bytes_(std::exchange(other.bytes_, 0)) {}
    Share &operator=(Share &&other) noexcept {
      std::swap(quota_, other.quota_);
      std::swap(bytes_, other.bytes_);
      return *this;
    }
    ~Share() {
      if (quota_)
        quota_->give(bytes_);
    }

  private:
    std::shared_ptr<MemoryQuota> quota_;
    int64_t bytes_ = 0;
  };

  // RESOURCE_EXHAUSTED, naming `what` and the limit.
  StatusOr<Share> take(int64_t bytes, const std::string &what) {
    std::lock_guard lock(mutex_);
    if (bytes < 0 || bytes > limit_ - used_)
      return Status(StatusCode::kResourceExhausted, "no memory for " + what + ": it takes " + std::to_string(bytes) +
                                                        " bytes, and " + std::to_string(used_) + " of the client's " +
                                                        std::to_string(limit_) + " are in use");
    used_ += bytes;
    return Share(shared_from_this(), bytes);
  }

  int64_t used() const {
    std::lock_guard lock(mutex_);
    return used_;
  }

private:
  void give(int64_t bytes) {
    std::lock_guard lock(mutex_);
    used_ -= bytes;
  }

  const int64_t limit_;
  mutable std::mutex mutex_;
  int64_t used_ = 0;
};

} // namespace tenon::api
