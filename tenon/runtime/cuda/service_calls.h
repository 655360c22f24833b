// Calls of the runtime in programs of a device: by what works in its stream, or by the host on copies of the arrays.
#pragma once

#include "tenon/runtime/cuda/device_executable.h"

#include <span>
#include <vector>

namespace tenon::runtime::cuda {

// Where the arrays of a call are; nothing has the address 0.
struct ServiceArrays {
  std::vector<DeviceAddress> operands, results;
};

// Memory that is allocated in the order of a stream, and freed so.
class StreamScratch final : public DeviceScratch {
public:
  StreamScratch(const Driver &driver, StreamHandle *stream) : driver_(driver), stream_(stream) {}
  StatusOr<void *> allocate(int64_t bytes) override;

private:
  const Driver &driver_;
  StreamHandle *stream_;
  std::vector<DeviceMemory> memory_;
};

// Whether call number `call` of a run is made in the device's memory.
inline bool isOnDevice(const LoadedDeviceCode &code, int32_t call, const RunOptions &options) {
  const DeviceCallInstance *instance = code.deviceCalls[size_t(call)].get();
  return instance && instance->isFor(options);
}

// Makes call number `call`, which works in the stream, where results that share memory with operands have their
// contents already. Nobody waits, but for other runs.
Status callOnDevice(const LoadedDeviceCode &code, int32_t call, const ServiceArrays &arrays, StreamHandle *stream,
                    DeviceScratch &scratch, const RunOptions &options);

// Brings operands to the host, makes the call there, and brings the results back. Waits for the stream.
Status callOnHost(const LoadedDeviceCode &code, int32_t call, const ServiceArrays &arrays, StreamHandle *stream,
                  const RunOptions &options);

} // namespace tenon::runtime::cuda
