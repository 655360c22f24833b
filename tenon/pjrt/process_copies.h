// Copies of arrays between devices of different OS processes: jax.device_put to devices of other processes. Both
// processes call for the same copies between the same two devices in the same order.
#pragma once

#include "tenon/pjrt/buffer.h"
#include "tenon/runtime/transport/transport.h"

#include <map>
#include <mutex>

namespace tenon::pjrt {

// The copies of one client. Programs go on beside them. When the client's stop is requested, all end.
class ProcessCopies {
public:
  ProcessCopies(runtime::Transport &transport, std::stop_token stop) : transport_(transport), stop_(std::move(stop)) {}

  // Sends the array, when it is there, to a device of another process. Its error is sent, too.
  Ref<Completion> send(const PJRT_Device &source, const PJRT_Device &target, BufferTypeRef type, Ref<Value> value);
  // The array that a device of another process sends.
  StatusOr<Ref<Value>> receive(const PJRT_Device &source, const PJRT_Device &target, const BufferTypeRef &type);

private:
  struct Copy;
  std::shared_ptr<Copy> makeCopy(const PJRT_Device &source, const PJRT_Device &target, const BufferTypeRef &type) const;
  void start(const std::shared_ptr<Copy> &copy, WorkQueue::Task task);
  // `isPosted`: whether the other process has been given the message, or an error for it.
  Status post(const Copy &copy, const BufferType &type, const Value &value, bool &isPosted);

  runtime::Transport &transport_;
  const std::stop_token stop_;
  std::mutex mutex_;
  // A thread of its own for each lane: copies of other lanes wait for none of it.
  std::map<runtime::Lane, WorkQueue> queues_;
};

} // namespace tenon::pjrt
