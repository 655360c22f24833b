// A device with memory of its own, which the host reads and writes by copies alone.
#pragma once

#include "tenon/status.h"

#include <cstdint>
#include <string>

namespace tenon::runtime {

struct DeviceProperties {
  std::string name;              // "NVIDIA H100 80GB HBM3"
  std::string computeCapability; // "9.0"
  int64_t cores = 0;             // streaming multiprocessors
  int64_t memoryBytes = 0;       // all there is
};

struct DeviceMemoryStats {
  int64_t bytesInUse = 0, peakBytesInUse = 0, largestAllocation = 0, allocations = 0;
};

// Work that the device does in its order.
class DeviceWork {
public:
  virtual ~DeviceWork() = default;
  // Returns when it has been done, with what came of it. From any thread, any number of times.
  virtual Status wait() = 0;
};

// All may be called from any thread. Copies have been made when they return, and wait for nothing else that the device
// does: whoever asks for one has waited for what writes the array, and has nothing write it until the copy is there.
class Device {
public:
  virtual ~Device() = default;

  // RESOURCE_EXHAUSTED where there is no memory left. No bytes give an address, too.
  virtual StatusOr<void *> allocate(int64_t bytes) = 0;
  // Memory with a copy of an array of the host's, or of a device of the same driver, which may be this one.
  virtual StatusOr<void *> allocateCopy(const void *from, int64_t bytes) = 0;
  virtual StatusOr<void *> allocateCopy(Device &source, const void *from, int64_t bytes) = 0;
  // Work that was enqueued before still finds the memory.
  virtual void free(void *memory, int64_t bytes) = 0;

  virtual Status copyToHost(void *to, const void *from, int64_t bytes) = 0;

  virtual const DeviceProperties &properties() const = 0;
  virtual DeviceMemoryStats memoryStats() const = 0;
};

} // namespace tenon::runtime
