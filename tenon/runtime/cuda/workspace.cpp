#include "tenon/runtime/cuda/workspace.h"

#include <algorithm>

namespace tenon::runtime::cuda {

StatusOr<Workspace> Workspace::allocate(const LoadedDeviceCode &code, size_t rowPointers, StreamHandle *stream) {
  const program::DeviceProgram &program = code.program;
  int64_t scratchBytes = 0;
  for (const program::DeviceModule &module : program.modules)
    for (const program::DeviceKernel &kernel : module.kernels)
      scratchBytes = std::max(scratchBytes, code.blocksOf(kernel) * kernel.blockThreads * kernel.scratchBytes);
  Workspace made;
  TENON_ASSIGN_OR_RETURN(made.arena, DeviceMemory::allocate(code.driver, size_t(program.arenaBytes), stream));
  TENON_ASSIGN_OR_RETURN(made.scratch, DeviceMemory::allocate(code.driver, size_t(scratchBytes), stream));
  TENON_ASSIGN_OR_RETURN(made.rows, DeviceMemory::allocate(code.driver, rowPointers * sizeof(DeviceAddress), stream));
  return made;
}

std::vector<DeviceAddress> Workspace::places(const LoadedDeviceCode &code, std::span<const DeviceAddress> arguments,
                                             std::span<const DeviceAddress> results) const {
  using Base = program::DevicePlace::Base;
  auto given = [](std::span<const DeviceAddress> addresses, int32_t index) {
    return addresses.empty() ? 0 : addresses[size_t(index)];
  };
  std::vector<DeviceAddress> places;
  for (const program::DevicePlace &place : code.program.places)
    places.push_back(place.base == Base::kArena      ? arena.address() + uint64_t(place.offset)
                     : place.base == Base::kArgument ? given(arguments, place.index)
                     : place.base == Base::kResult   ? given(results, place.index)
                                                     : code.constants[size_t(place.index)].address());
  return places;
}

} // namespace tenon::runtime::cuda
