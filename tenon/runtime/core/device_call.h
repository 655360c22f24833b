// Runtime calls on arrays in a device's memory: handlers and libraries of the device work in the stream of the program,
// where the host would have to wait for copies of the arrays.
#pragma once

#include "tenon/runtime/core/runtime_call.h"

#include <memory>

namespace tenon::runtime {

// Memory of the device for one call: it goes, in the order of the stream, when the call has returned.
class DeviceScratch {
public:
  virtual ~DeviceScratch() = default;
  virtual StatusOr<void *> allocate(int64_t bytes) = 0;
};

// What a device's stream has come to: all that was enqueued in it before.
class StreamPoint {
public:
  virtual ~StreamPoint() = default;
};

// Copies between devices of one driver, in the order of a call's stream.
class DeviceCopies {
public:
  virtual ~DeviceCopies() = default;
  // The device of the call, as others name it for copies out of its memory.
  virtual void *device() const = 0;
  // Into the memory of the call's device, from that of `device`.
  virtual Status copy(void *to, const void *from, void *device, int64_t bytes) = 0;
  struct Rows {
    void *to;
    int64_t toStride;
    const void *from;
    int64_t fromStride, bytes, count; // bytes: of a row, at most the strides
  };
  virtual Status copyRows(const Rows &rows, void *device) = 0;
  virtual Status clear(void *to, int64_t bytes) = 0;
  // Where the call's stream is now, for the streams of other devices of the driver.
  virtual StatusOr<std::shared_ptr<StreamPoint>> mark() = 0;
  // Has the call's stream go on when another has come to the point. Nobody waits.
  virtual Status follow(const StreamPoint &point) = 0;
  // Waits for the stream.
  virtual Status wait() = 0;
};

struct DeviceCallBuffers {
  std::span<void *const> operands, results; // in the device's memory, row-major
  void *stream;                             // a CUstream; the device's context is that of the thread
  DeviceScratch &scratch;
  const RunOptions &options;
  ThreadPool &pool;
  DeviceCopies *copies = nullptr; // for calls that meet other runs
};

// One runtime call of one loaded program, as RuntimeCallInstance.
class DeviceCallInstance {
public:
  virtual ~DeviceCallInstance() = default;
  // Whether all that it does is work in the stream, the same at each run: then it may be called once, while the stream
  // is captured for a graph, which does the work at each run. It may still fail then.
  virtual bool isCapturable() const { return false; }
  // Whether it meets other runs: who enqueues it waits until they are enqueued so far, too, and the host may have to
  // make it (isFor).
  virtual bool meets() const { return false; }
  // Whether it is for such a run. In others the host makes the call.
  virtual bool isFor(const RunOptions & /*options*/) const { return true; }
  // Enqueues its work in the stream. Results that share memory with operands have their contents.
  virtual Status call(const DeviceCallBuffers &call) = 0;
};

using DeviceCallFactory = std::function<StatusOr<std::unique_ptr<DeviceCallInstance>>(const program::RuntimeCall &)>;

// For calls of the kind with this target, on devices with memory of their own; before what is registered for the host.
// Registering a name again replaces the factory; programs already loaded keep the old one.
void registerDeviceCall(program::RuntimeCall::Kind kind, std::string_view target, DeviceCallFactory factory);

// Null where nobody has registered it: the host makes the call (instantiateRuntimeCall). Errors name target and
// location.
StatusOr<std::unique_ptr<DeviceCallInstance>> instantiateDeviceCall(const program::RuntimeCall &runtimeCall);

// Makes the call, with errors as makeCall's.
Status makeDeviceCall(DeviceCallInstance &instance, const program::RuntimeCall &runtimeCall,
                      const DeviceCallBuffers &call);

} // namespace tenon::runtime
