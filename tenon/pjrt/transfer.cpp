// The asynchronous host-to-device transfer manager: buffers that exist at once and are filled piece by piece.
#include "tenon/pjrt/buffer.h"
#include "tenon/pjrt/error.h"
#include "tenon/support/trace.h"

#include <cstring>

struct PJRT_AsyncHostToDeviceTransferManager {
  struct Target {
    tenon::pjrt::BufferTypeRef type;
    tenon::pjrt::Ref<tenon::pjrt::Value> value;
    tenon::pjrt::Block host; // where the array is put together
    bool retrieved = false;
  };
  PJRT_Memory *memory = nullptr;
  std::vector<Target> targets;
  std::mutex mutex;

  ~PJRT_AsyncHostToDeviceTransferManager() {
    for (Target &target : targets)
      target.value->complete({tenon::StatusCode::kCancelled, "the transfer manager was destroyed before the transfer"});
  }
};

namespace tenon::pjrt {
namespace {

using Manager = PJRT_AsyncHostToDeviceTransferManager;

StatusOr<Manager::Target *> target(Manager *manager, int index) {
  if (index < 0 || index >= static_cast<int>(manager->targets.size()))
    return invalidArgument("the transfer manager has no buffer number " + std::to_string(index));
  return &manager->targets[index];
}

Status create(PJRT_Client_CreateBuffersForAsyncHostToDevice_Args &args) {
  if (args.num_device_layouts != 0 && args.num_device_layouts != args.num_shape_specs)
    return invalidArgument("there are " + std::to_string(args.num_device_layouts) + " layouts for " +
                           std::to_string(args.num_shape_specs) + " buffers");
  auto manager = std::make_unique<Manager>();
  manager->memory = args.memory;
  for (size_t i = 0; i < args.num_shape_specs; ++i) {
    const PJRT_ShapeSpec &spec = args.shape_specs[i];
    const PJRT_Buffer_MemoryLayout *layout = args.num_device_layouts ? args.device_layouts[i] : nullptr;
    TENON_ASSIGN_OR_RETURN(BufferTypeRef type, makeBufferType(spec.element_type, spec.dims, spec.num_dims, layout));
    TENON_ASSIGN_OR_RETURN(Block block, Block::allocate(type->bytes));
    manager->targets.push_back({type, makeRef<Value>(), std::move(block)});
  }
  args.transfer_manager = manager.release();
  return {};
}

void finish(Manager::Target &target, PJRT_Memory *memory) {
  normalizeElements(target.type->shape.type, target.host.data(), target.type->shape.elementCount());
  runtime::Device *device = deviceOf(memory);
  StatusOr<Block> block = device ? Block::copyOf(target.host, device) : std::move(target.host);
  if (block.ok())
    target.value->block = std::move(*block);
  target.host = {};
  target.value->complete(block.status());
}

Status transferData(PJRT_AsyncHostToDeviceTransferManager_TransferData_Args &args) {
  TENON_ASSIGN_OR_RETURN(Manager::Target * found, target(args.transfer_manager, args.buffer_index));
  Manager::Target &to = *found;
  if (args.offset < 0 || args.transfer_size < 0 || args.offset > to.type->bytes ||
      args.transfer_size > to.type->bytes - args.offset)
    return invalidArgument("the transfer of " + std::to_string(args.transfer_size) + " bytes to offset " +
                           std::to_string(args.offset) + " does not fit into " + to.type->shape.toString());
  if (to.value->done())
    return failedPrecondition("the last transfer to buffer number " + std::to_string(args.buffer_index) +
                              " has been made");
  trace::Span span("host to device", args.transfer_size);
  if (args.transfer_size)
    std::memcpy(static_cast<char *>(to.host.data()) + args.offset, args.data, static_cast<size_t>(args.transfer_size));
  if (args.is_last_transfer)
    finish(to, args.transfer_manager->memory);
  args.done_with_h2d_transfer = makeDoneEvent();
  return {};
}

Status transferLiteral(PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args &args) {
  TENON_ASSIGN_OR_RETURN(Manager::Target * found, target(args.transfer_manager, args.buffer_index));
  Manager::Target &to = *found;
  TENON_ASSIGN_OR_RETURN(BufferTypeRef type, makeBufferType(args.shape_element_type, args.shape_dims,
                                                            args.shape_num_dims, args.shape_layout));
  if (!(type->shape == to.type->shape))
    return invalidArgument("a literal of " + type->shape.toString() + " was given for " + to.type->shape.toString());
  if (to.value->done())
    return failedPrecondition("the last transfer to buffer number " + std::to_string(args.buffer_index) +
                              " has been made");
  trace::Span span("host to device", to.type->bytes);
  copyStrided(to.type->shape, args.data, type->strides, to.host.data(), to.type->strides);
  finish(to, args.transfer_manager->memory);
  args.done_with_h2d_transfer = makeDoneEvent();
  return {};
}

Status retrieve(PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args &args) {
  TENON_ASSIGN_OR_RETURN(Manager::Target * found, target(args.transfer_manager, args.buffer_index));
  std::lock_guard lock(args.transfer_manager->mutex);
  if (std::exchange(found->retrieved, true))
    return failedPrecondition("buffer number " + std::to_string(args.buffer_index) + " has been retrieved already");
  args.buffer_out = new PJRT_Buffer(found->type, args.transfer_manager->memory, found->value);
  return {};
}

Status setBufferError(PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args &args) {
  TENON_ASSIGN_OR_RETURN(Manager::Target * found, target(args.transfer_manager, args.buffer_index));
  found->value->complete(toStatus(args.error_code, args.error_message, args.error_message_size));
  return {};
}

Status bufferSize(PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args &args) {
  TENON_ASSIGN_OR_RETURN(Manager::Target * found, target(args.transfer_manager, args.buffer_index));
  args.buffer_size = static_cast<size_t>(found->type->bytes);
  return {};
}

// Streams feed receive ops of a program; programs with such ops do not compile, so nobody can hold a stream.
template <typename Args> Status noStream(Args &) { return unimplemented("copy-to-device streams are not supported"); }

void fillStreamSlots(PJRT_Api &api) {
  TENON_PJRT_SLOT(api, PJRT_CopyToDeviceStream_Destroy, noStream<PJRT_CopyToDeviceStream_Destroy_Args>);
  TENON_PJRT_SLOT(api, PJRT_CopyToDeviceStream_AddChunk, noStream<PJRT_CopyToDeviceStream_AddChunk_Args>);
  TENON_PJRT_SLOT(api, PJRT_CopyToDeviceStream_TotalBytes, noStream<PJRT_CopyToDeviceStream_TotalBytes_Args>);
  TENON_PJRT_SLOT(api, PJRT_CopyToDeviceStream_GranuleSize, noStream<PJRT_CopyToDeviceStream_GranuleSize_Args>);
  TENON_PJRT_SLOT(api, PJRT_CopyToDeviceStream_CurrentBytes, noStream<PJRT_CopyToDeviceStream_CurrentBytes_Args>);
}

} // namespace

void fillTransferSlots(PJRT_Api &api) {
  fillStreamSlots(api);
  TENON_PJRT_SLOT(api, PJRT_Client_CreateBuffersForAsyncHostToDevice, create);
  TENON_PJRT_SLOT(api, PJRT_AsyncHostToDeviceTransferManager_TransferData, transferData);
  TENON_PJRT_SLOT(api, PJRT_AsyncHostToDeviceTransferManager_TransferLiteral, transferLiteral);
  TENON_PJRT_SLOT(api, PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer, retrieve);
  TENON_PJRT_SLOT(api, PJRT_AsyncHostToDeviceTransferManager_SetBufferError, setBufferError);
  TENON_PJRT_SLOT(api, PJRT_AsyncHostToDeviceTransferManager_BufferSize, bufferSize);
  TENON_PJRT_SLOT(api, PJRT_AsyncHostToDeviceTransferManager_Destroy,
                  [](PJRT_AsyncHostToDeviceTransferManager_Destroy_Args &args) -> Status {
                    delete args.transfer_manager;
                    return {};
                  });
  TENON_PJRT_SLOT(api, PJRT_AsyncHostToDeviceTransferManager_Device,
                  [](PJRT_AsyncHostToDeviceTransferManager_Device_Args &args) -> Status {
                    args.device_out = asMemory(args.transfer_manager->memory)->device;
                    return {};
                  });
  TENON_PJRT_SLOT(api, PJRT_AsyncHostToDeviceTransferManager_BufferCount,
                  [](PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args &args) -> Status {
                    args.buffer_count = args.transfer_manager->targets.size();
                    return {};
                  });
  // Metadata describes transfers to tools; there is nothing it could change.
  TENON_PJRT_SLOT(api, PJRT_AsyncHostToDeviceTransferManager_AddMetadata,
                  [](PJRT_AsyncHostToDeviceTransferManager_AddMetadata_Args &) -> Status { return {}; });
}

} // namespace tenon::pjrt
