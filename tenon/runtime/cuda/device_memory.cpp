#include "tenon/runtime/cuda/device_memory.h"

#include <algorithm>
#include <string>
#include <utility>

namespace tenon::runtime::cuda {

Status statusOf(Result result, const char *call) {
  if (result == Result::kSuccess)
    return {};
  std::string message = std::string(call) + " fails: error " + std::to_string(static_cast<int>(result));
  return result == Result::kOutOfMemory
             ? Status(StatusCode::kResourceExhausted, "out of memory on the device: " + message)
             : internalError(std::move(message));
}

StatusOr<DeviceMemory> DeviceMemory::allocate(const Driver &driver, size_t bytes, StreamHandle *stream) {
  DeviceMemory memory;
  TENON_DRIVER(driver, memAllocAsync, &memory.address_, std::max<size_t>(bytes, 1), stream);
  memory.driver_ = &driver;
  memory.stream_ = stream;
  return memory;
}

DeviceMemory &DeviceMemory::operator=(DeviceMemory &&other) noexcept {
  std::swap(driver_, other.driver_);
  std::swap(stream_, other.stream_);
  std::swap(address_, other.address_);
  return *this;
}

DeviceMemory::~DeviceMemory() {
  if (driver_)
    driver_->memFreeAsync(address_, stream_);
}

StatusOr<HostWord> HostWord::allocate(const Driver &driver) {
  HostWord word;
  void *memory = nullptr;
  TENON_DRIVER(driver, memHostAlloc, &memory, sizeof(int32_t), 0);
  word.driver_ = &driver;
  word.word_ = static_cast<int32_t *>(memory);
  *word.word_ = 0;
  return word;
}

HostWord &HostWord::operator=(HostWord &&other) noexcept {
  std::swap(driver_, other.driver_);
  std::swap(word_, other.word_);
  return *this;
}

HostWord::~HostWord() {
  if (driver_)
    driver_->memFreeHost(word_);
}

} // namespace tenon::runtime::cuda
