#include "tenon/runtime/cuda/library.h"

#include <cstdlib>
#include <dlfcn.h>
#include <string_view>

namespace tenon::runtime::cuda {
namespace {

// The version that our declarations follow. Names of functions in cuda.h are macros for those of a version, so that the
// driver is asked for what a name meant there.
constexpr int kVersion = 12000, kGraphVersion = 12040;
using GetProcAddress = Result (*)(const char *name, void **function, int version, uint64_t flags, int *status);

template <typename Function> void **slot(Function &function) {
  static_assert(sizeof(Function) == sizeof(void *));
  return reinterpret_cast<void **>(&function);
}

std::vector<std::pair<const char *, void **>> slotsOf(Driver &driver) {
  return {
      {"cuInit", slot(driver.init)},
      {"cuDriverGetVersion", slot(driver.driverGetVersion)},
      {"cuDeviceGetCount", slot(driver.deviceGetCount)},
      {"cuDeviceGet", slot(driver.deviceGet)},
      {"cuDeviceGetAttribute", slot(driver.deviceGetAttribute)},
      {"cuDeviceGetName", slot(driver.deviceGetName)},
      {"cuDeviceTotalMem", slot(driver.deviceTotalMem)},
      {"cuDevicePrimaryCtxRetain", slot(driver.primaryContextRetain)},
      {"cuDevicePrimaryCtxRelease", slot(driver.primaryContextRelease)},
      {"cuCtxSetCurrent", slot(driver.contextSetCurrent)},
      {"cuCtxGetCurrent", slot(driver.contextGetCurrent)},
      {"cuCtxGetDevice", slot(driver.contextGetDevice)},
      {"cuMemAlloc", slot(driver.memAlloc)},
      {"cuMemFree", slot(driver.memFree)},
      {"cuMemAllocAsync", slot(driver.memAllocAsync)},
      {"cuMemFreeAsync", slot(driver.memFreeAsync)},
      {"cuDeviceGetDefaultMemPool", slot(driver.deviceGetDefaultMemoryPool)},
      {"cuMemPoolSetAttribute", slot(driver.memoryPoolSetAttribute)},
      {"cuMemHostAlloc", slot(driver.memHostAlloc)},
      {"cuMemFreeHost", slot(driver.memFreeHost)},
      {"cuMemcpyHtoDAsync", slot(driver.memcpyHtoDAsync)},
      {"cuMemcpyDtoHAsync", slot(driver.memcpyDtoHAsync)},
      {"cuMemcpyDtoDAsync", slot(driver.memcpyDtoDAsync)},
      {"cuMemcpyPeerAsync", slot(driver.memcpyPeerAsync)},
      {"cuMemcpy3DPeerAsync", slot(driver.memcpy3DPeerAsync)},
      {"cuMemsetD8Async", slot(driver.memsetD8Async)},
      {"cuStreamCreate", slot(driver.streamCreate)},
      {"cuStreamDestroy", slot(driver.streamDestroy)},
      {"cuStreamSynchronize", slot(driver.streamSynchronize)},
      {"cuStreamWaitEvent", slot(driver.streamWaitEvent)},
      {"cuEventCreate", slot(driver.eventCreate)},
      {"cuEventRecord", slot(driver.eventRecord)},
      {"cuEventQuery", slot(driver.eventQuery)},
      {"cuEventSynchronize", slot(driver.eventSynchronize)},
      {"cuEventDestroy", slot(driver.eventDestroy)},
      {"cuModuleLoadData", slot(driver.moduleLoadData)},
      {"cuModuleUnload", slot(driver.moduleUnload)},
      {"cuModuleGetFunction", slot(driver.moduleGetFunction)},
      {"cuFuncSetAttribute", slot(driver.functionSetAttribute)},
      {"cuLaunchKernel", slot(driver.launchKernel)},
      {"cuLaunchCooperativeKernel", slot(driver.launchCooperativeKernel)},
      {"cuOccupancyMaxActiveBlocksPerMultiprocessor", slot(driver.occupancyMaxActiveBlocks)},
  };
}

std::vector<std::pair<const char *, void **>> graphSlotsOf(Driver &driver) {
  return {
      {"cuGraphCreate", slot(driver.graphCreate)},
      {"cuGraphDestroy", slot(driver.graphDestroy)},
      {"cuGraphConditionalHandleCreate", slot(driver.graphConditionalHandleCreate)},
      {"cuGraphAddNode", slot(driver.graphAddNode)},
      {"cuGraphInstantiate", slot(driver.graphInstantiate)},
      {"cuGraphExecDestroy", slot(driver.graphExecDestroy)},
      {"cuGraphExecKernelNodeSetParams", slot(driver.graphExecKernelNodeSetParams)},
      {"cuGraphKernelNodeSetAttribute", slot(driver.graphKernelNodeSetAttribute)},
      {"cuGraphLaunch", slot(driver.graphLaunch)},
      {"cuStreamBeginCaptureToGraph", slot(driver.streamBeginCaptureToGraph)},
      {"cuStreamGetCaptureInfo", slot(driver.streamGetCaptureInfo)},
      {"cuStreamEndCapture", slot(driver.streamEndCapture)},
  };
}

} // namespace

std::vector<std::pair<const char *, void **>> functionsOf(Driver &driver) {
  auto functions = slotsOf(driver);
  for (auto function : graphSlotsOf(driver))
    functions.push_back(function);
  return functions;
}

StatusOr<Driver> openDriver(const std::string &library) {
  void *handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return notFound(std::string("there is no driver of NVIDIA's: ") + dlerror());
  auto find = reinterpret_cast<GetProcAddress>(dlsym(handle, "cuGetProcAddress_v2"));
  if (!find)
    return failedPrecondition(library + " is older than CUDA 12: it has no cuGetProcAddress_v2");
  Driver driver;
  for (auto [name, slot] : slotsOf(driver)) {
    int status = 0;
    if (find(name, slot, kVersion, /*flags=*/0, &status) != Result::kSuccess || !*slot)
      return failedPrecondition(library + " has no " + name);
  }
  // All of them or none, which TENON_CUDA_GRAPHS=off chooses.
  const char *graphs = std::getenv("TENON_CUDA_GRAPHS");
  bool hasGraphs = !graphs || std::string_view(graphs) != "off";
  for (auto [name, slot] : graphSlotsOf(driver)) {
    int status = 0;
    hasGraphs &= find(name, slot, kGraphVersion, /*flags=*/0, &status) == Result::kSuccess && *slot;
  }
  if (!hasGraphs)
    for (auto [name, slot] : graphSlotsOf(driver))
      *slot = nullptr;
  return driver;
}

} // namespace tenon::runtime::cuda
