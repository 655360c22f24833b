// Launches of the emulated driver: of kernels in streams, and in graphs.
#include "tenon/runtime/emulator/state.h"

#include <algorithm>

namespace tenon::runtime::emulator {

using namespace cuda;

Result prepareLaunch(State &state, const KernelNodeParameters &given, PreparedLaunch &prepared) {
  if (given.gridX == 0 || given.blockX == 0 || given.blockX > kMaxThreads || given.gridY != 1 || given.gridZ != 1 ||
      given.blockY != 1 || given.blockZ != 1 || given.extra)
    return state.fail(Result::kInvalidValue, "a grid of " + std::to_string(given.gridX) + " blocks of " +
                                                 std::to_string(given.blockX) +
                                                 " threads is none that kernels of ours have");
  if (given.sharedBytes > given.function->sharedBytes)
    return state.fail(Result::kInvalidValue, "a block of the function may have " +
                                                 std::to_string(given.function->sharedBytes) +
                                                 " bytes of shared memory, not " + std::to_string(given.sharedBytes));
  if (given.gridX % given.function->clusterBlocks != 0)
    return state.fail(Result::kInvalidValue, "a grid of " + std::to_string(given.gridX) +
                                                 " blocks has no whole clusters of " +
                                                 std::to_string(given.function->clusterBlocks));
  prepared = {given.function->kernel,
              given.function->code,
              given.function->context,
              {},
              {given.gridX, given.blockX, given.sharedBytes}};
  prepared.launch.clusterBlocks = given.function->clusterBlocks;
  for (size_t i = 0; i < given.function->parameterBytes.size(); ++i) {
    auto *bytes = static_cast<char *>(given.parameters[i]);
    prepared.parameters.emplace_back(bytes, bytes + given.function->parameterBytes[i]);
  }
  return Result::kSuccess;
}

// As sm_90 has it, but for registers.
int blocksOfMultiprocessor(const Launch &launch) {
  constexpr uint32_t kThreads = 2048, kBlocks = 32;
  constexpr size_t kSharedBytes = 228 << 10, kSharedOfBlock = 1024;
  return int(
      std::min<size_t>({kThreads / launch.threads, kBlocks, kSharedBytes / (launch.sharedBytes + kSharedOfBlock)}));
}

Result makeCooperative(State &state, PreparedLaunch &prepared) {
  int64_t room = int64_t{state.multiprocessors} * blocksOfMultiprocessor(prepared.launch);
  if (prepared.launch.blocks > room)
    return state.fail(Result::kCooperativeLaunchTooLarge,
                      "of " + std::to_string(prepared.launch.blocks) +
                          " blocks that are to be at work at once there is room for " + std::to_string(room));
  prepared.launch.isCooperative = true;
  return Result::kSuccess;
}

Result runLaunch(State &state, PreparedLaunch &prepared) {
  if (prepared.context != state.running)
    return state.fail(Result::kInvalidHandle, "a kernel of one device is started in a stream of another's");
  ++state.counts.kernels;
  std::vector<void *> parameters;
  for (std::vector<char> &copy : prepared.parameters)
    parameters.push_back(copy.data());
  prepared.launch.order = state.order;
  if (state.checksAccesses)
    prepared.launch.isDeviceMemory = [&](const void *address, size_t bytes) {
      return state.find(reinterpret_cast<DeviceAddress>(address), bytes) || prepared.code->contains(address);
    };
  Status status = runKernel(prepared.kernel, parameters.data(), prepared.launch);
  return status.ok() ? Result::kSuccess : state.fail(Result::kLaunchFailed, status.message());
}

} // namespace tenon::runtime::emulator
