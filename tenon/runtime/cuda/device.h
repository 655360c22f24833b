// A device of a driver, with one stream: programs and copies run in the order in which they are enqueued.
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
  void free(void *memory, int64_t bytes) override;
  Status copyToDevice(void *to, const void *from, int64_t bytes) override;
  Status copyToHost(void *to, const void *from, int64_t bytes) override;
  // `source` is a CudaDevice.
  Status copy(void *to, runtime::Device &source, const void *from, int64_t bytes) override;
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
  Status finish(Status status) const;

  Driver driver_;
  int number_;
  Explain explain_;
  DeviceLibraries libraries_;
  ContextHandle *context_ = nullptr;
  StreamHandle *stream_ = nullptr;
  std::string chip_;
  DeviceProperties properties_;
  mutable std::mutex mutex_; // of the numbers
  DeviceMemoryStats stats_;
};

} // namespace tenon::runtime::cuda
