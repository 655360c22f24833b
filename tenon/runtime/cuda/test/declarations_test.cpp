// Our declarations of the driver's interface against NVIDIA's header, where the development environment has it. It is
// all checked when this is compiled.
#include "tenon/runtime/cuda/driver.h"

#include <cuda.h>

#include <type_traits>

#include <gtest/gtest.h>

namespace tenon::runtime::cuda {
namespace {

// Whether values are passed in the same way: numbers of the same size, or pointers.
template <typename Ours, typename Theirs>
constexpr bool kPassedAlike = sizeof(Ours) == sizeof(Theirs) && std::is_pointer_v<Ours> == std::is_pointer_v<Theirs>;

template <typename R1, typename... A1, typename R2, typename... A2> constexpr bool agree(R1 (*)(A1...), R2 (*)(A2...)) {
  if constexpr (sizeof...(A1) == sizeof...(A2))
    return kPassedAlike<R1, R2> && (kPassedAlike<A1, A2> && ...);
  return false;
}

#define TENON_SAME(member, function)                                                                                   \
  static_assert(agree(decltype(Driver::member)(), static_cast<decltype(&function)>(nullptr)), #function)

TENON_SAME(init, cuInit);
TENON_SAME(deviceGetCount, cuDeviceGetCount);
TENON_SAME(deviceGet, cuDeviceGet);
TENON_SAME(deviceGetAttribute, cuDeviceGetAttribute);
TENON_SAME(deviceGetName, cuDeviceGetName);
TENON_SAME(deviceTotalMem, cuDeviceTotalMem);
TENON_SAME(primaryContextRetain, cuDevicePrimaryCtxRetain);
TENON_SAME(primaryContextRelease, cuDevicePrimaryCtxRelease);
TENON_SAME(contextSetCurrent, cuCtxSetCurrent);
TENON_SAME(memAlloc, cuMemAlloc);
TENON_SAME(memFree, cuMemFree);
TENON_SAME(memAllocAsync, cuMemAllocAsync);
TENON_SAME(memFreeAsync, cuMemFreeAsync);
TENON_SAME(memcpyHtoDAsync, cuMemcpyHtoDAsync);
TENON_SAME(memcpyDtoHAsync, cuMemcpyDtoHAsync);
TENON_SAME(memcpyDtoDAsync, cuMemcpyDtoDAsync);
TENON_SAME(memsetD8Async, cuMemsetD8Async);
TENON_SAME(streamCreate, cuStreamCreate);
TENON_SAME(streamDestroy, cuStreamDestroy);
TENON_SAME(streamSynchronize, cuStreamSynchronize);
TENON_SAME(streamWaitEvent, cuStreamWaitEvent);
TENON_SAME(eventCreate, cuEventCreate);
TENON_SAME(eventRecord, cuEventRecord);
TENON_SAME(eventQuery, cuEventQuery);
TENON_SAME(eventSynchronize, cuEventSynchronize);
TENON_SAME(eventDestroy, cuEventDestroy);
TENON_SAME(moduleLoadData, cuModuleLoadData);
TENON_SAME(moduleUnload, cuModuleUnload);
TENON_SAME(moduleGetFunction, cuModuleGetFunction);
TENON_SAME(launchKernel, cuLaunchKernel);

static_assert(int(Result::kSuccess) == CUDA_SUCCESS && int(Result::kInvalidValue) == CUDA_ERROR_INVALID_VALUE &&
              int(Result::kOutOfMemory) == CUDA_ERROR_OUT_OF_MEMORY &&
              int(Result::kNotInitialized) == CUDA_ERROR_NOT_INITIALIZED &&
              int(Result::kInvalidDevice) == CUDA_ERROR_INVALID_DEVICE &&
              int(Result::kInvalidImage) == CUDA_ERROR_INVALID_IMAGE &&
              int(Result::kInvalidContext) == CUDA_ERROR_INVALID_CONTEXT &&
              int(Result::kInvalidHandle) == CUDA_ERROR_INVALID_HANDLE &&
              int(Result::kNotFound) == CUDA_ERROR_NOT_FOUND && int(Result::kNotReady) == CUDA_ERROR_NOT_READY &&
              int(Result::kLaunchFailed) == CUDA_ERROR_LAUNCH_FAILED);

static_assert(int(DeviceAttribute::kMaxThreadsPerBlock) == CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK &&
              int(DeviceAttribute::kMaxSharedBytesPerBlock) == CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK &&
              int(DeviceAttribute::kWarpSize) == CU_DEVICE_ATTRIBUTE_WARP_SIZE &&
              int(DeviceAttribute::kMultiprocessors) == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT &&
              int(DeviceAttribute::kComputeMajor) == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR &&
              int(DeviceAttribute::kComputeMinor) == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);

TEST(DriverDeclarations, AreTheHeaders) { EXPECT_GE(CUDA_VERSION, 12000); }

} // namespace
} // namespace tenon::runtime::cuda
