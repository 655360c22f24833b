// Memory that lives as long as one runtime call.
#pragma once

#include "tenon/runtime/core/memory.h"

#include <cstddef>

namespace tenon::runtime {

// Few bytes are the object's own: a loop that factors a small matrix would spend more time in the allocator than in the
// factorization. Aligned like any buffer, and not initialised. False where the system has no memory left.
template <size_t OwnBytes = 2048> class CallMemory {
public:
  explicit CallMemory(size_t bytes) {
    if (bytes > sizeof(own_))
      block_ = Buffer(bytes);
    data_ = bytes > sizeof(own_) ? static_cast<std::byte *>(block_.data()) : own_;
  }
  CallMemory(const CallMemory &) = delete;
  CallMemory &operator=(const CallMemory &) = delete;

  std::byte *data() const { return data_; }
  explicit operator bool() const { return data_ != nullptr; }

private:
  alignas(kBufferAlignment) std::byte own_[OwnBytes];
  Buffer block_;
  std::byte *data_;
};

} // namespace tenon::runtime
