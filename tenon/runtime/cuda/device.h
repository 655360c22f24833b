// A device of a driver. Programs run in one stream, in the order in which they are enqueued. Arrays come and go in two
// others, one for each direction, so that the device computes meanwhile. The host waits for each copy, which orders it
// and what is enqueued then; it has waited for what writes the array that is copied. What a copy comes into is memory
// of its stream's, which the driver has wait for whoever had it before. All memory is freed in the stream of programs.
#pragma once

#include "tenon/runtime/core/device.h"
#include "tenon/runtime/cuda/device_executable.h"
#include "tenon/runtime/cuda/driver.h"

#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace tenon::runtime::cuda {

class CudaDevice final : public runtime::Device {
public:
  // What a driver that is not NVIDIA's has to say of its last failure.
  using Explain = std::string (*)();

  // How many the driver has. NOT_FOUND where it has none.
  static StatusOr<int> count(const Driver &driver);
  // UNIMPLEMENTED where there is no code for its kind. The libraries are this device's alone.
  static StatusOr<std::unique_ptr<CudaDevice>> open(const Driver &driver, int number, Explain explain = nullptr,
                                                    const DeviceLibraries &libraries = {});
  ~CudaDevice() override;
  CudaDevice(const CudaDevice &) = delete;
  CudaDevice &operator=(const CudaDevice &) = delete;

  // The kind that code is made for: that of the device, where there is code for it, else sm_80, which all newer ones
  // run.
  const std::string &chip() const { return chip_; }

  // As DeviceExecutable's functions, on this device.
  StatusOr<std::unique_ptr<DeviceExecutable>> load(program::DeviceProgram program, const program::Program &description);
  Status run(DeviceExecutable &executable, const DeviceRun &run);
  StatusOr<std::shared_ptr<DeviceWork>> start(DeviceExecutable &executable, const DeviceRun &run);
  void unload(std::unique_ptr<DeviceExecutable> executable);

  StatusOr<void *> allocate(int64_t bytes) override;
  StatusOr<void *> allocateCopy(const void *from, int64_t bytes) override;
  // `source` is a CudaDevice.
  StatusOr<void *> allocateCopy(runtime::Device &source, const void *from, int64_t bytes) override;
  void free(void *memory, int64_t bytes) override;
  Status copyToHost(void *to, const void *from, int64_t bytes) override;
  const DeviceProperties &properties() const override { return properties_; }
  DeviceMemoryStats memoryStats() const override;

private:
  CudaDevice(const Driver &driver, int number, Explain explain, DeviceLibraries libraries)
      : driver_(driver), number_(number), explain_(explain), libraries_(std::move(libraries)) {}

  Status start();
  Status keepFreedMemory();
  Status describe();
  // Has the calling thread work in the device's context.
  Status enter() const;
  Status explained(Status status) const;
  // Waits for the copy in the stream, which `result` says has been enqueued.
  Status finish(Result result, const char *call, StreamHandle *stream) const;
  // In the thread that is in the context.
  StatusOr<void *> allocateIn(StreamHandle *stream, int64_t bytes);
  // Memory into which `copy` enqueues a copy.
  template <typename Copy> StatusOr<void *> allocateFor(int64_t bytes, const char *call, Copy copy);

  Driver driver_;
  int number_;
  Explain explain_;
  DeviceLibraries libraries_;
  ContextHandle *context_ = nullptr;
  StreamHandle *stream_ = nullptr, *incoming_ = nullptr, *outgoing_ = nullptr;
  std::string chip_;
  DeviceProperties properties_;
  mutable std::mutex mutex_; // of the numbers
  DeviceMemoryStats stats_;
};

} // namespace tenon::runtime::cuda
