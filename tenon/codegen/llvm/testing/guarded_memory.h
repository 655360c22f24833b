// Memory for tests that shows when code reads or writes outside of an array.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tenon::codegen::testing {

// Where access is forbidden right beside the array: behind its end (up to `align` bytes on), or before its beginning.
// On the other side it is forbidden, too, but up to a page away.
enum class Guard { kBehind, kBefore };

class GuardedMemory {
public:
  GuardedMemory(int64_t bytes, int64_t align, Guard guard = Guard::kBehind);
  ~GuardedMemory();
  GuardedMemory(const GuardedMemory &) = delete;
  GuardedMemory &operator=(const GuardedMemory &) = delete;
  uint8_t *data() const { return data_; }

private:
  void *mapping_;
  size_t mapped_;
  uint8_t *data_;
};

} // namespace tenon::codegen::testing
