// PJRT's extension for copies of arrays between processes. Its header is in no package: these are its structures as
// jaxlib 0.10 passes them.
#pragma once

#include "xla/pjrt/c/pjrt_c_api.h"

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
