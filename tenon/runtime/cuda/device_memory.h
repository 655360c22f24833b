// Memory of the device behind the driver's table, and the table's results as errors.
#pragma once

#include "tenon/runtime/cuda/driver.h"
#include "tenon/status.h"

#include <cstddef>
#include <cstdint>
#include <utility>

namespace tenon::runtime::cuda {

Status statusOf(Result result, const char *call);

// Leaves the function with an error where a function of the table, by its name there, fails.
#define TENON_DRIVER(driver, function, ...)                                                                            \
  TENON_RETURN_IF_ERROR(::tenon::runtime::cuda::statusOf((driver).function(__VA_ARGS__), #function))

// Memory that is given back: at once for the stream that it was allocated in, when its work so far is done for all
// else.
class DeviceMemory {
public:
  DeviceMemory() = default;
  static StatusOr<DeviceMemory> allocate(const Driver &driver, size_t bytes, StreamHandle *stream);
  DeviceMemory(DeviceMemory &&other) noexcept { *this = std::move(other); }
  DeviceMemory &operator=(DeviceMemory &&other) noexcept;
  ~DeviceMemory();

  DeviceAddress address() const { return address_; }

private:
  const Driver *driver_ = nullptr;
  StreamHandle *stream_ = nullptr;
  DeviceAddress address_ = 0;
};

// A word of the host's that the device reads, too; it begins as 0.
class HostWord {
public:
  HostWord() = default;
  static StatusOr<HostWord> allocate(const Driver &driver);
  HostWord(HostWord &&other) noexcept { *this = std::move(other); }
  HostWord &operator=(HostWord &&other) noexcept;
  ~HostWord();

  int32_t *get() const { return word_; }
  DeviceAddress address() const { return reinterpret_cast<DeviceAddress>(word_); }

private:
  const Driver *driver_ = nullptr;
  int32_t *word_ = nullptr;
};

} // namespace tenon::runtime::cuda
