// A run of a graph that is in the stream: it ends by itself, or as its Wait says, and its graph then serves others.
#pragma once

#include "tenon/runtime/core/device.h"
#include "tenon/runtime/core/interrupt.h"
#include "tenon/runtime/cuda/device_executable.h"

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

namespace tenon::runtime::cuda {

class RunInFlight final : public DeviceWork {
public:
  using GiveBack = std::function<void(std::unique_ptr<DeviceRunner>)>;

  // `giveBack` takes the runner when the run has ended.
  RunInFlight(const LoadedDeviceCode &code, std::unique_ptr<DeviceRunner> runner, GiveBack giveBack)
      : code_(code), runner_(std::move(runner)), giveBack_(std::move(giveBack)) {}
  ~RunInFlight() override;
  RunInFlight(const RunInFlight &) = delete;
  RunInFlight &operator=(const RunInFlight &) = delete;

  // Once, before all else.
  Status begin(const DeviceRun &run, StreamHandle *stream);
  Status wait() override;
  bool isDone() const { return isDone_.load(std::memory_order_acquire); }

private:
  Status end();

  const LoadedDeviceCode &code_; // until it is done
  std::unique_ptr<DeviceRunner> runner_;
  GiveBack giveBack_;
  EventHandle *event_ = nullptr;
  Wait wait_;
  std::optional<Interrupt> interrupt_;
  std::mutex mutex_;
  std::atomic<bool> isDone_{false};
  Status status_; // once it is done
};

} // namespace tenon::runtime::cuda
