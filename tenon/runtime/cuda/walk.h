// A run of a program, launch by launch. The host reads conditions, and waits for them: for drivers without conditional
// graphs, and as what graphs are compared with.
#pragma once

#include "tenon/runtime/cuda/workspace.h"

#include <deque>
#include <map>
#include <memory>
#include <vector>

namespace tenon::runtime::cuda {

// The memory of a run: one at a time. It serves others afterwards.
class Walk final : public DeviceRunner {
public:
  static StatusOr<std::unique_ptr<DeviceRunner>> create(const LoadedDeviceCode &code, StreamHandle *stream);

  Status run(const DeviceRun &run) override;
  Status enqueue(const DeviceRun &run, StreamHandle *stream) override;

private:
  // What a kernel step has beside its description: the row in the device's memory, and what is in it.
  struct Row {
    DeviceAddress address = 0;
    std::vector<DeviceAddress> contents;
  };
  using Places = std::vector<DeviceAddress>;

  Walk(const LoadedDeviceCode &code, StreamHandle *stream) : code_(code), driver_(code.driver), stream_(stream) {}

  Status allocate();
  void countRows(const program::DeviceSteps &steps, size_t &pointers);
  void countRow(const program::KernelStep &step, size_t &pointers);

  Status runSteps(const program::DeviceSteps &steps, Places &places);
  Status runStep(const program::KernelStep &step, Places &places);
  Status runStep(const program::CopyStep &step, Places &places);
  Status runStep(const program::ServiceStep &step, Places &places);
  Status runStep(const program::LoopStep &step, Places &places);
  Status runStep(const program::BranchStep &step, Places &places);
  Status runTurn(const program::KernelStep &step, const Places &places);
  static std::vector<DeviceAddress> contentsOf(const program::KernelStep &step, const Places &places);
  // Where the step's row is, which has these contents then.
  StatusOr<DeviceAddress> sendRow(const program::KernelStep &step, std::vector<DeviceAddress> contents);
  Status launch(const program::KernelStep &step, size_t number, void **parameters);
  Status copy(DeviceAddress to, DeviceAddress from, int64_t bytes);
  // Waits for the stream.
  Status read(DeviceAddress from, void *to, size_t bytes);
  Status wait();

  const LoadedDeviceCode &code_;
  const Driver &driver_;
  StreamHandle *stream_;
  Workspace work_;
  std::map<const program::KernelStep *, Row> rows_;
  // What the run in progress has: its options, and rows on their way to the device.
  const RunOptions *options_ = nullptr;
  std::deque<std::vector<DeviceAddress>> sentRows_;
};

} // namespace tenon::runtime::cuda
