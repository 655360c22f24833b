// Copies of arrays between devices of different OS processes: jax.device_put to devices of other processes. Both
// processes call for the same copies between the same two devices in the same order.
//
// PJRT has them as an extension, whose header is in no package: its structures are declared here as jaxlib 0.10 passes
// them.
#pragma once

#include "tenon/pjrt/buffer.h"
#include "tenon/runtime/transport/transport.h"

#include "xla/pjrt/c/pjrt_c_api.h"

#include <map>
#include <mutex>

extern "C" {

struct PJRT_Transfers_PJRT_Client_CrossHostSendBuffers_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Client *client;
  size_t num_buffers;
  PJRT_Buffer **buffers;
  const int32_t *dst_global_device_ids;
  const int64_t *transfer_keys; // equal on both sides; copies are told apart by their order
  PJRT_Event **send_events;     // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Transfers_PJRT_Client_CrossHostSendBuffers_Args, send_events);
typedef PJRT_Error *
PJRT_Transfers_PJRT_Client_CrossHostSendBuffers(PJRT_Transfers_PJRT_Client_CrossHostSendBuffers_Args *args);

struct PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args {
  size_t struct_size;
  PJRT_Extension_Base *extension_start;
  PJRT_Client *client;
  size_t num_shapes;
  size_t *shape_num_dims;
  const int64_t **num_dims; // the sizes
  PJRT_Buffer_Type *element_types;
  PJRT_Buffer_MemoryLayout **layouts;
  PJRT_Device *device;
  const int32_t *src_global_device_ids;
  const int64_t *transfer_keys;
  PJRT_Buffer **buffers; // out
};
PJRT_DEFINE_STRUCT_TRAITS(PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args, buffers);
typedef PJRT_Error *
PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers(PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args *args);

// The first two are an older way to do the same, which frameworks take where the others are not implemented.
typedef struct PJRT_CrossHostTransfers_Extension {
  PJRT_Extension_Base base;
  void *PJRT_Transfers_PJRT_Client_MakeCrossHostReceiveBuffers;
  void *PJRT_Transfers_PJRT_Buffer_CopyToRemoteDevice;
  PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers *PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers;
  PJRT_Transfers_PJRT_Client_CrossHostSendBuffers *PJRT_Transfers_PJRT_Client_CrossHostSendBuffers;
} PJRT_CrossHostTransfers_Extension;
PJRT_DEFINE_STRUCT_TRAITS(PJRT_CrossHostTransfers_Extension, PJRT_Transfers_PJRT_Client_CrossHostSendBuffers);
}

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
