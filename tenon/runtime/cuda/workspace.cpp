#include "tenon/runtime/cuda/workspace.h"

#include <algorithm>

namespace tenon::runtime::cuda {

StatusOr<Workspace> Workspace::allocate(const LoadedDeviceCode &code, size_t rowPointers, StreamHandle *stream) {
  const program::DeviceProgram &program = code.program;
  int64_t scratchBytes = 0;
  for (const program::DeviceModule &module : program.modules)
    for (const program::DeviceKernel &kernel : module.kernels)
      scratchBytes = std::max(scratchBytes, code.blocksOf(kernel) * kernel.blockThreads * kernel.scratchBytes);
  for (const std::unique_ptr<LibraryOp> &op : code.libraryOps)
    if (op)
      scratchBytes = std::max(scratchBytes, op->workspaceBytes());
  Workspace made;
  TENON_ASSIGN_OR_RETURN(made.arena, DeviceMemory::allocate(code.driver, size_t(program.arenaBytes), stream));
  TENON_ASSIGN_OR_RETURN(made.scratch, DeviceMemory::allocate(code.driver, size_t(scratchBytes), stream));
  TENON_ASSIGN_OR_RETURN(made.rows, DeviceMemory::allocate(code.driver, rowPointers * sizeof(DeviceAddress), stream));
  TENON_ASSIGN_OR_RETURN(made.stop, HostWord::allocate(code.driver));
  return made;
}

DeviceAddress Workspace::place(const LoadedDeviceCode &code, int32_t number, std::span<const DeviceAddress> arguments,
                               std::span<const DeviceAddress> results) const {
  using Base = program::DevicePlace::Base;
  auto given = [](std::span<const DeviceAddress> addresses, int32_t index) {
    return addresses.empty() ? 0 : addresses[size_t(index)];
  };
  const program::DevicePlace &place = code.program.places[size_t(number)];
  return place.base == Base::kArena      ? arena.address() + uint64_t(place.offset)
         : place.base == Base::kArgument ? given(arguments, place.index)
         : place.base == Base::kResult   ? given(results, place.index)
         : place.base == Base::kStop     ? stop.address()
                                         : code.constants[size_t(place.index)].address();
}

std::vector<DeviceAddress> Workspace::row(const LoadedDeviceCode &code, const program::KernelStep &step,
                                          std::span<const DeviceAddress> arguments,
                                          std::span<const DeviceAddress> results) const {
  std::vector<DeviceAddress> addresses;
  for (int32_t number : step.row)
    addresses.push_back(number < 0 ? 0 : place(code, number, arguments, results));
  return addresses;
}

std::vector<DeviceAddress> Workspace::places(const LoadedDeviceCode &code, std::span<const DeviceAddress> arguments,
                                             std::span<const DeviceAddress> results) const {
  std::vector<DeviceAddress> places;
  for (size_t i = 0; i < code.program.places.size(); ++i)
    places.push_back(place(code, int32_t(i), arguments, results));
  return places;
}

} // namespace tenon::runtime::cuda
