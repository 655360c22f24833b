// The part of NVIDIA's driver interface (libcuda.so.1) that we use, declared by ourselves: no header of NVIDIA's is
// needed to build. A table of its functions is filled by what plays the driver; the emulation is one
// (runtime/emulator/driver.h).
//
// Types, numbers and contracts are those of cuda.h for CUDA 12 and newer.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tenon::runtime::cuda {

enum class Result : int {
  kSuccess = 0,
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kNotInitialized = 3,
  kInvalidDevice = 101,
  kInvalidImage = 200,
  kInvalidContext = 201,
  kNoBinaryForGpu = 209,
  kInvalidHandle = 400,
  kNotFound = 500,
  kNotReady = 600,
  kLaunchFailed = 719,
  kCooperativeLaunchTooLarge = 720,
  kStreamCaptureUnsupported = 900,
  kStreamCaptureInvalidated = 901,
};

enum class DeviceAttribute : int {
  kMaxThreadsPerBlock = 1,
  kMaxSharedBytesPerBlock = 8,
  kWarpSize = 10,
  kMultiprocessors = 16,
  kComputeMajor = 75,
  kComputeMinor = 76,
  kMaxSharedBytesOptIn = 97, // of a block whose function has been given so much
};

// How many freed bytes a pool of memory keeps when a stream is waited for, a uint64_t.
enum class MemoryPoolAttribute : int { kReleaseThreshold = 4 };

enum class FunctionAttribute : int { kMaxDynamicSharedBytes = 8 };

// What a kernel of a graph may be told: that its blocks are all at work at once.
enum class LaunchAttribute : int { kCooperative = 2 };
union LaunchAttributeValue {
  char padding[64];
  int cooperative; // 1: it is
};

// The shared memory that a launch may ask for if the function's attribute has not been set.
constexpr int64_t kPlainSharedBytes = 48 << 10;

using Device = int;
using DeviceAddress = uint64_t;
struct ContextHandle;
struct StreamHandle;
struct EventHandle;
struct MemoryPoolHandle;
struct ModuleHandle;
struct FunctionHandle;

struct GraphHandle;
struct GraphNodeHandle;
struct GraphExecHandle;
using ConditionalHandle = uint64_t;

struct KernelNodeParameters {
  FunctionHandle *function;
  unsigned gridX, gridY, gridZ, blockX, blockY, blockZ;
  unsigned sharedBytes;
  void **parameters; // copied by the call that gets them
  void **extra;
  void *kernel; // in place of the function
  ContextHandle *context;
};

enum class ConditionalKind : int { kIf = 0, kWhile = 1 };

struct ConditionalNodeParameters {
  ConditionalHandle handle;
  ConditionalKind kind;
  unsigned size;
  GraphHandle **bodies; // set by the call that adds the node
  ContextHandle *context;
};

enum class GraphNodeKind : int { kKernel = 0, kConditional = 13 };

enum class MemoryKind : int { kDevice = 2 };

// One side of a copy of rows between devices: where it begins, and how far rows and planes are from each other.
struct PeerRows {
  size_t xBytes = 0, y = 0, z = 0, level = 0;
  MemoryKind kind = MemoryKind::kDevice;
  void *host = nullptr;
  DeviceAddress address = 0;
  void *array = nullptr;
  ContextHandle *context = nullptr;
  size_t pitch = 0; // bytes from a row to the next, at most kMostPitch
  size_t height = 0;
};
constexpr int64_t kMostPitch = INT32_MAX;

struct PeerCopy {
  PeerRows from, to;
  size_t rowBytes, rows, planes;
};

enum class CaptureStatus : int { kNone = 0, kActive = 1, kInvalidated = 2 };
// What threads may do while a stream is captured: all but what would wait for that stream.
enum class CaptureMode : int { kRelaxed = 2 };

// NOLINTNEXTLINE(bugprone-tagged-union-member-count): reserved1 is the size that the driver gives the union.
struct GraphNodeParameters {
  GraphNodeKind kind;
  int reserved0[3];
  union {
    long long reserved1[29];
    KernelNodeParameters kernel;
    ConditionalNodeParameters conditional;
  };
  long long reserved2;
};

struct Driver {
  Result (*init)(unsigned flags) = nullptr;
  Result (*driverGetVersion)(int *version) = nullptr; // of CUDA: 12040
  Result (*deviceGetCount)(int *count) = nullptr;
  Result (*deviceGet)(Device *device, int ordinal) = nullptr;
  Result (*deviceGetAttribute)(int *value, DeviceAttribute attribute, Device device) = nullptr;
  Result (*deviceGetName)(char *name, int bytes, Device device) = nullptr;
  Result (*deviceTotalMem)(size_t *bytes, Device device) = nullptr;
  Result (*primaryContextRetain)(ContextHandle **context, Device device) = nullptr;
  Result (*primaryContextRelease)(Device device) = nullptr;
  Result (*contextSetCurrent)(ContextHandle *context) = nullptr; // of the calling thread
  Result (*contextGetCurrent)(ContextHandle **context) = nullptr;
  Result (*contextGetDevice)(Device *device) = nullptr; // of the current one

  Result (*memAlloc)(DeviceAddress *address, size_t bytes) = nullptr;
  Result (*memFree)(DeviceAddress address) = nullptr;
  // In the order of the stream: memory that is freed serves what is allocated after it, without anybody waiting.
  Result (*memAllocAsync)(DeviceAddress *address, size_t bytes, StreamHandle *stream) = nullptr;
  Result (*memFreeAsync)(DeviceAddress address, StreamHandle *stream) = nullptr;
  // What memAllocAsync takes memory of.
  Result (*deviceGetDefaultMemoryPool)(MemoryPoolHandle **pool, Device device) = nullptr;
  Result (*memoryPoolSetAttribute)(MemoryPoolHandle *pool, MemoryPoolAttribute attribute, void *value) = nullptr;
  // Memory of the host that the device reads and writes at the same address.
  Result (*memHostAlloc)(void **memory, size_t bytes, unsigned flags) = nullptr;
  Result (*memFreeHost)(void *memory) = nullptr;
  // What is enqueued is done after what was enqueued in the same stream before; host memory stays as it is until then.
  Result (*memcpyHtoDAsync)(DeviceAddress to, const void *from, size_t bytes, StreamHandle *stream) = nullptr;
  Result (*memcpyDtoHAsync)(void *to, DeviceAddress from, size_t bytes, StreamHandle *stream) = nullptr;
  Result (*memcpyDtoDAsync)(DeviceAddress to, DeviceAddress from, size_t bytes, StreamHandle *stream) = nullptr;
  // Between devices, after what was enqueued in this stream, which is one of theirs.
  Result (*memcpyPeerAsync)(DeviceAddress to, ContextHandle *toContext, DeviceAddress from, ContextHandle *fromContext,
                            size_t bytes, StreamHandle *stream) = nullptr;
  Result (*memcpy3DPeerAsync)(const PeerCopy *copy, StreamHandle *stream) = nullptr;
  Result (*memsetD8Async)(DeviceAddress to, unsigned char value, size_t bytes, StreamHandle *stream) = nullptr;

  Result (*streamCreate)(StreamHandle **stream, unsigned flags) = nullptr;
  Result (*streamDestroy)(StreamHandle *stream) = nullptr;
  Result (*streamSynchronize)(StreamHandle *stream) = nullptr;
  Result (*streamWaitEvent)(StreamHandle *stream, EventHandle *event, unsigned flags) = nullptr;
  Result (*eventCreate)(EventHandle **event, unsigned flags) = nullptr;
  Result (*eventRecord)(EventHandle *event, StreamHandle *stream) = nullptr;
  Result (*eventQuery)(EventHandle *event) = nullptr;
  Result (*eventSynchronize)(EventHandle *event) = nullptr;
  Result (*eventDestroy)(EventHandle *event) = nullptr;

  Result (*moduleLoadData)(ModuleHandle **module, const void *image) = nullptr;
  Result (*moduleUnload)(ModuleHandle *module) = nullptr;
  Result (*moduleGetFunction)(FunctionHandle **function, ModuleHandle *module, const char *name) = nullptr;
  Result (*functionSetAttribute)(FunctionHandle *function, FunctionAttribute attribute, int value) = nullptr;
  // `parameters` are copied by the call.
  Result (*launchKernel)(FunctionHandle *function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX,
                         unsigned blockY, unsigned blockZ, unsigned sharedBytes, StreamHandle *stream,
                         void **parameters, void **extra) = nullptr;
  // The same for a kernel whose blocks wait for each other: all are at work at once, or it is refused.
  Result (*launchCooperativeKernel)(FunctionHandle *function, unsigned gridX, unsigned gridY, unsigned gridZ,
                                    unsigned blockX, unsigned blockY, unsigned blockZ, unsigned sharedBytes,
                                    StreamHandle *stream, void **parameters) = nullptr;
  // How many blocks of so many threads, with so much shared memory, a multiprocessor has at work at once.
  Result (*occupancyMaxActiveBlocks)(int *blocks, FunctionHandle *function, int blockThreads,
                                     size_t sharedBytes) = nullptr;

  // Graphs with conditional nodes: null of drivers older than CUDA 12.4.
  Result (*graphCreate)(GraphHandle **graph, unsigned flags) = nullptr;
  Result (*graphDestroy)(GraphHandle *graph) = nullptr;
  Result (*graphConditionalHandleCreate)(ConditionalHandle *handle, GraphHandle *graph, ContextHandle *context,
                                         unsigned defaultValue, unsigned flags) = nullptr;
  Result (*graphAddNode)(GraphNodeHandle **node, GraphHandle *graph, GraphNodeHandle *const *dependencies,
                         const void *edges, size_t count, GraphNodeParameters *parameters) = nullptr;
  Result (*graphInstantiate)(GraphExecHandle **executable, GraphHandle *graph, unsigned long long flags) = nullptr;
  Result (*graphExecDestroy)(GraphExecHandle *executable) = nullptr;
  Result (*graphExecKernelNodeSetParams)(GraphExecHandle *executable, GraphNodeHandle *node,
                                         const KernelNodeParameters *parameters) = nullptr;
  Result (*graphKernelNodeSetAttribute)(GraphNodeHandle *node, LaunchAttribute attribute,
                                        const LaunchAttributeValue *value) = nullptr;
  Result (*graphLaunch)(GraphExecHandle *executable, StreamHandle *stream) = nullptr;
  // Work that is enqueued in the stream becomes nodes of the graph, after the dependencies, until the end.
  Result (*streamBeginCaptureToGraph)(StreamHandle *stream, GraphHandle *graph, GraphNodeHandle *const *dependencies,
                                      const void *edges, size_t count, CaptureMode mode) = nullptr;
  // What the next work would depend on: in memory of the driver's.
  Result (*streamGetCaptureInfo)(StreamHandle *stream, CaptureStatus *status, uint64_t *id, GraphHandle **graph,
                                 GraphNodeHandle *const **dependencies, const void **edges, size_t *count) = nullptr;
  Result (*streamEndCapture)(StreamHandle *stream, GraphHandle **graph) = nullptr;
};

} // namespace tenon::runtime::cuda
