// An op of a program as one of NVIDIA's libraries computes it, in place of the program's own kernels
// (program::DeviceOp), in the same memory and stream.
#pragma once

#include "tenon/runtime/cuda/driver.h"
#include "tenon/status.h"

#include <cstdint>
#include <span>

namespace tenon::runtime::cuda {

class LibraryOp {
public:
  LibraryOp() = default;
  virtual ~LibraryOp() = default;
  LibraryOp(const LibraryOp &) = delete;
  LibraryOp &operator=(const LibraryOp &) = delete;

  // The memory that it works in, in bytes.
  virtual int64_t workspaceBytes() const = 0;
  // Enqueues it, with the addresses of a row of the module's arrays and of so much memory. From any thread.
  virtual Status enqueue(std::span<const DeviceAddress> row, DeviceAddress workspace, StreamHandle *stream) = 0;
};

} // namespace tenon::runtime::cuda
