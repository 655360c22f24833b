// The memory of one run of a program between its kernels, on the device: of one at a time.
#pragma once

#include "tenon/runtime/cuda/device_executable.h"

#include <vector>

namespace tenon::runtime::cuda {

// Whether it is where the run is told.
inline bool isGiven(const program::DevicePlace &place) {
  return place.base == program::DevicePlace::Base::kArgument || place.base == program::DevicePlace::Base::kResult;
}

struct Workspace {
  // `rowPointers`: how many pointers the rows of kernels have together.
  static StatusOr<Workspace> allocate(const LoadedDeviceCode &code, size_t rowPointers, StreamHandle *stream);

  // Where an array is, of this run's or, where those are not given, as far as that is known.
  DeviceAddress place(const LoadedDeviceCode &code, int32_t number, std::span<const DeviceAddress> arguments,
                      std::span<const DeviceAddress> results) const;
  // Those of a step's arrays; nothing has the address 0.
  std::vector<DeviceAddress> row(const LoadedDeviceCode &code, const program::KernelStep &step,
                                 std::span<const DeviceAddress> arguments,
                                 std::span<const DeviceAddress> results) const;
  // Where the places of the program are: those of arguments and results as far as they are given.
  std::vector<DeviceAddress> places(const LoadedDeviceCode &code, std::span<const DeviceAddress> arguments,
                                    std::span<const DeviceAddress> results) const;

  DeviceMemory arena, rows;
  DeviceMemory scratch; // of threads, and what libraries work in
  HostWord stop;        // that ends loops (program::kStopGraph)
};

} // namespace tenon::runtime::cuda
