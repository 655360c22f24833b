// Programs of a device, run launch by launch through the driver's table. The host reads conditions, and waits for them:
// for debugging, for drivers without conditional graphs, and as what graphs are compared with.
#pragma once

#include "tenon/program/device_program.h"
#include "tenon/program/program.h"
#include "tenon/runtime/cuda/driver.h"
#include "tenon/status.h"

#include <deque>
#include <map>
#include <memory>
#include <span>
#include <vector>

namespace tenon::runtime::cuda {

// Memory of the device, which is given back.
class DeviceMemory {
public:
  DeviceMemory() = default;
  static StatusOr<DeviceMemory> allocate(const Driver &driver, size_t bytes);
  DeviceMemory(DeviceMemory &&other) noexcept { *this = std::move(other); }
  DeviceMemory &operator=(DeviceMemory &&other) noexcept;
  ~DeviceMemory();

  DeviceAddress address() const { return address_; }

private:
  const Driver *driver_ = nullptr;
  DeviceAddress address_ = 0;
};

// A loaded program. One run at a time. The calling thread has the context in which it was loaded.
class DeviceExecutable {
public:
  // Loads the modules and brings the constants to the device, by way of the stream.
  static StatusOr<std::unique_ptr<DeviceExecutable>> load(const Driver &driver, program::DeviceProgram program,
                                                          const std::vector<program::Constant> &constants,
                                                          StreamHandle *stream);
  ~DeviceExecutable();
  DeviceExecutable(const DeviceExecutable &) = delete;
  DeviceExecutable &operator=(const DeviceExecutable &) = delete;

  // Addresses of all arguments and results, 16-byte aligned. Returns when the results are there.
  Status run(std::span<const DeviceAddress> arguments, std::span<const DeviceAddress> results, StreamHandle *stream);

private:
  // What a kernel step has beside its description: the row in the device's memory, and what is in it.
  struct Row {
    DeviceAddress address = 0;
    std::vector<DeviceAddress> contents;
  };
  using Places = std::vector<DeviceAddress>;

  DeviceExecutable(const Driver &driver, program::DeviceProgram program)
      : driver_(driver), program_(std::move(program)) {}

  Status loadModules();
  Status loadConstants(const std::vector<program::Constant> &constants, StreamHandle *stream);
  void countRows(const program::DeviceSteps &steps, size_t &pointers);
  int64_t blocksOf(const program::DeviceKernel &kernel) const;

  Status runSteps(const program::DeviceSteps &steps, Places &places);
  Status runStep(const program::KernelStep &step, Places &places);
  Status runStep(const program::CopyStep &step, Places &places);
  Status runStep(const program::LoopStep &step, Places &places);
  Status runStep(const program::BranchStep &step, Places &places);
  Status copy(DeviceAddress to, DeviceAddress from, int64_t bytes);
  // Waits for the stream.
  Status read(DeviceAddress from, void *to, size_t bytes);

  const Driver &driver_;
  program::DeviceProgram program_;
  std::vector<ModuleHandle *> modules_;
  std::vector<std::vector<FunctionHandle *>> kernels_; // of each module
  std::vector<DeviceMemory> constants_;
  DeviceMemory arena_, rowTable_, scratch_;
  std::map<const program::KernelStep *, Row> rows_;
  // What the run in progress has: its stream, and rows on their way to the device.
  StreamHandle *stream_ = nullptr;
  std::deque<std::vector<DeviceAddress>> sentRows_;
};

} // namespace tenon::runtime::cuda
