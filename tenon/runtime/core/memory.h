// Memory for buffers and arenas. Everything is aligned to 64 bytes; zero bytes give a valid pointer.
//
// Fresh pages cost as much as a whole elementwise kernel over them (a page fault per 4 KiB, and the kernel's clearing),
// so large blocks are kept for reuse when freed, up to a limit, and mapped with huge pages. A block serves sizes of up
// to a fifth less than its own, too. What nobody has asked for during some seconds goes back to the system, by a thread
// that sleeps while nothing is kept. TENON_BUFFER_CACHE_MB is the limit, where an eighth of the memory, at most 4 GiB,
// is not what one wants.
#pragma once

#include "tenon/program/program.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace tenon::runtime {

inline constexpr size_t kBufferAlignment = program::kArrayAlignment;

// Null when the system has no memory left (after the cache was emptied).
void *allocateBuffer(size_t bytes);
// `bytes` as given to allocateBuffer.
void freeBuffer(void *pointer, size_t bytes);

struct MemoryStats {
  int64_t bytesInUse = 0; // the blocks' own sizes
  int64_t peakBytesInUse = 0;
  int64_t largestAllocation = 0;
  int64_t allocations = 0; // ever made
  int64_t cachedBytes = 0; // freed, kept for reuse
  int64_t cacheLimit = 0;
  int64_t physicalBytes = 0; // of the machine, or the cgroup's limit
};
MemoryStats memoryStats();

// Gives cached blocks back to the system.
void releaseCachedMemory();
// Gives those back that were freed before the last call of this function. The cache's thread calls it every two
// seconds.
void releaseIdleMemory();
// Another period for that thread, from now on: tests have no time to wait, or none to be disturbed.
void setIdlePeriod(std::chrono::milliseconds period);

// Owns one block.
class Buffer {
public:
  Buffer() = default;
  explicit Buffer(size_t bytes) : data_(allocateBuffer(bytes)), bytes_(bytes) {}
  Buffer(Buffer &&other) noexcept
      : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  Buffer &operator=(Buffer &&other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Buffer() {
    if (data_)
      freeBuffer(data_, bytes_);
  }

  void *data() const { return data_; }
  size_t size() const { return bytes_; }
  explicit operator bool() const { return data_ != nullptr; }
  // Gives up ownership; the caller frees with freeBuffer(pointer, size).
  void *release() {
    bytes_ = 0;
    return std::exchange(data_, nullptr);
  }

private:
  void *data_ = nullptr;
  size_t bytes_ = 0;
};

} // namespace tenon::runtime
