#include "tenon/runtime/cuda/service_calls.h"

#include "tenon/runtime/core/memory.h"
#include "tenon/runtime/core/thread_pool.h"

#include <algorithm>

namespace tenon::runtime::cuda {
namespace {

ThreadPool &poolOf(const RunOptions &options) { return options.pool ? *options.pool : ThreadPool::global(); }

StatusOr<std::vector<Buffer>> hostArrays(const std::vector<program::Shape> &shapes,
                                         const std::vector<DeviceAddress> &addresses) {
  std::vector<Buffer> arrays;
  for (size_t i = 0; i < addresses.size(); ++i) {
    arrays.emplace_back(addresses[i] ? size_t(shapes[i].byteSize()) : 0);
    if (!arrays.back())
      return Status(StatusCode::kResourceExhausted, "out of memory for " + shapes[i].toString());
  }
  return arrays;
}

std::vector<void *> pointersTo(const std::vector<Buffer> &arrays, const std::vector<DeviceAddress> &addresses) {
  std::vector<void *> pointers;
  for (size_t i = 0; i < arrays.size(); ++i)
    pointers.push_back(addresses[i] ? arrays[i].data() : nullptr);
  return pointers;
}

std::vector<void *> pointersTo(const std::vector<DeviceAddress> &addresses) {
  std::vector<void *> pointers;
  for (DeviceAddress address : addresses)
    pointers.push_back(reinterpret_cast<void *>(address));
  return pointers;
}

// CU_EVENT_DISABLE_TIMING: nobody asks when.
constexpr unsigned kOrderingEvent = 2;

class EventPoint final : public StreamPoint {
public:
  static StatusOr<std::shared_ptr<StreamPoint>> record(const Driver &driver, ContextHandle *context,
                                                       StreamHandle *stream) {
    auto made = std::make_shared<EventPoint>(driver, context);
    TENON_DRIVER(driver, eventCreate, &made->event_, kOrderingEvent);
    TENON_DRIVER(driver, eventRecord, made->event_, stream);
    return std::shared_ptr<StreamPoint>(std::move(made));
  }
  EventPoint(const Driver &driver, ContextHandle *context) : driver_(driver), context_(context) {}
  // On whichever thread is the last to know of it, and which goes on with its own device.
  ~EventPoint() override {
    ContextHandle *before = nullptr;
    if (event_ && driver_.contextGetCurrent(&before) == Result::kSuccess) {
      driver_.contextSetCurrent(context_);
      driver_.eventDestroy(event_);
      driver_.contextSetCurrent(before);
    }
  }
  EventPoint(const EventPoint &) = delete;
  EventPoint &operator=(const EventPoint &) = delete;

  EventHandle *event() const { return event_; }

private:
  const Driver &driver_;
  ContextHandle *context_;
  EventHandle *event_ = nullptr;
};

class StreamCopies final : public DeviceCopies {
public:
  StreamCopies(const Driver &driver, ContextHandle *context, StreamHandle *stream)
      : driver_(driver), context_(context), stream_(stream) {}

  void *device() const override { return context_; }
  Status copy(void *to, const void *from, void *device, int64_t bytes) override {
    const auto target = reinterpret_cast<DeviceAddress>(to), source = reinterpret_cast<DeviceAddress>(from);
    auto *other = static_cast<ContextHandle *>(device);
    if (other == context_)
      return statusOf(driver_.memcpyDtoDAsync(target, source, size_t(bytes), stream_), "memcpyDtoDAsync");
    return statusOf(driver_.memcpyPeerAsync(target, context_, source, other, size_t(bytes), stream_),
                    "memcpyPeerAsync");
  }
  Status copyRows(const Rows &rows, void *device) override {
    if (std::max(rows.toStride, rows.fromStride) > kMostPitch) { // which are few
      for (int64_t i = 0; i < rows.count; ++i)
        TENON_RETURN_IF_ERROR(copy(static_cast<char *>(rows.to) + i * rows.toStride,
                                   static_cast<const char *>(rows.from) + i * rows.fromStride, device, rows.bytes));
      return {};
    }
    PeerCopy both{};
    both.from.address = reinterpret_cast<DeviceAddress>(rows.from);
    both.from.context = static_cast<ContextHandle *>(device);
    both.from.pitch = size_t(rows.fromStride);
    both.to.address = reinterpret_cast<DeviceAddress>(rows.to);
    both.to.context = context_;
    both.to.pitch = size_t(rows.toStride);
    both.from.height = both.to.height = both.rows = size_t(rows.count);
    both.rowBytes = size_t(rows.bytes);
    both.planes = 1;
    return statusOf(driver_.memcpy3DPeerAsync(&both, stream_), "memcpy3DPeerAsync");
  }
  Status clear(void *to, int64_t bytes) override {
    return statusOf(driver_.memsetD8Async(reinterpret_cast<DeviceAddress>(to), 0, size_t(bytes), stream_),
                    "memsetD8Async");
  }
  StatusOr<std::shared_ptr<StreamPoint>> mark() override { return EventPoint::record(driver_, context_, stream_); }
  Status follow(const StreamPoint &point) override {
    return statusOf(driver_.streamWaitEvent(stream_, static_cast<const EventPoint &>(point).event(), 0),
                    "streamWaitEvent");
  }
  Status wait() override { return statusOf(driver_.streamSynchronize(stream_), "streamSynchronize"); }

private:
  const Driver &driver_;
  ContextHandle *context_;
  StreamHandle *stream_;
};

} // namespace

StatusOr<void *> StreamScratch::allocate(int64_t bytes) {
  TENON_ASSIGN_OR_RETURN(DeviceMemory memory, DeviceMemory::allocate(driver_, size_t(bytes), stream_));
  memory_.push_back(std::move(memory));
  return reinterpret_cast<void *>(memory_.back().address());
}

Status callOnDevice(const LoadedDeviceCode &code, int32_t call, const ServiceArrays &arrays, StreamHandle *stream,
                    DeviceScratch &scratch, const RunOptions &options) {
  const program::RuntimeCall &description = code.description.runtimeCalls[size_t(call)];
  std::vector<void *> operands = pointersTo(arrays.operands), results = pointersTo(arrays.results);
  for (auto [result, operand] : description.aliases)
    operands[size_t(operand)] = results[size_t(result)];
  StreamCopies copies(code.driver, code.context, stream);
  return makeDeviceCall(*code.deviceCalls[size_t(call)], description,
                        {operands, results, stream, scratch, options, poolOf(options), &copies});
}

Status callOnHost(const LoadedDeviceCode &code, int32_t call, const ServiceArrays &arrays, StreamHandle *stream,
                  const RunOptions &options) {
  const program::RuntimeCall &description = code.description.runtimeCalls[size_t(call)];
  TENON_ASSIGN_OR_RETURN(std::vector<Buffer> operands, hostArrays(description.operands, arrays.operands));
  TENON_ASSIGN_OR_RETURN(std::vector<Buffer> results, hostArrays(description.results, arrays.results));
  for (size_t i = 0; i < operands.size(); ++i)
    if (operands[i].size() > 0)
      TENON_DRIVER(code.driver, memcpyDtoHAsync, operands[i].data(), arrays.operands[i], operands[i].size(), stream);
  TENON_DRIVER(code.driver, streamSynchronize, stream);
  std::vector<void *> from = pointersTo(operands, arrays.operands), to = pointersTo(results, arrays.results);
  TENON_RETURN_IF_ERROR(makeCall(*code.services[size_t(call)], description, {from, to, options, poolOf(options)}));
  for (size_t i = 0; i < results.size(); ++i)
    if (results[i].size() > 0)
      TENON_DRIVER(code.driver, memcpyHtoDAsync, arrays.results[i], results[i].data(), results[i].size(), stream);
  return statusOf(code.driver.streamSynchronize(stream), "streamSynchronize");
}

} // namespace tenon::runtime::cuda
