// Slots that copy a buffer's array: to the host, to other devices and memories.
#include "tenon/pjrt/buffer.h"
#include "tenon/pjrt/error.h"
#include "tenon/support/trace.h"

namespace tenon::pjrt {
namespace {

// Copies of at least this many bytes are made by the target device's thread.
constexpr int64_t kAsynchronousCopyBytes = 1 << 20;

Status copyToHost(const BufferType &type, const Block &block, std::span<const int64_t> strides, void *target) {
  trace::Span span("device to host", type.bytes);
  bool isSubByte = isSubByteNumber(type.shape.type), isInOrder = sameStrides(type.shape, strides, type.strides);
  if (!isSubByte && isInOrder)
    return block.read(0, target, type.bytes);
  const void *source = block.data();
  std::vector<uint8_t> copy;
  if (isSubByte || block.device()) {
    copy.resize(static_cast<size_t>(type.bytes));
    TENON_RETURN_IF_ERROR(block.read(0, copy.data(), type.bytes));
    source = copy.data();
  }
  if (isSubByte)
    maskElements(type.shape.type, copy.data(), type.bytes);
  copyStrided(type.shape, source, type.strides, target, strides);
  return {};
}

Status checkDestination(size_t bytes, const BufferType &type) {
  if (bytes >= static_cast<size_t>(type.bytes))
    return {};
  return invalidArgument("PJRT_Buffer_ToHostBuffer: the destination has " + std::to_string(bytes) + " bytes, " +
                         std::to_string(type.bytes) + " are needed");
}

// Copies only the elements within the actual sizes, which are known when the array is there.
Status dynamicToHost(PJRT_Buffer_ToHostBuffer_Args &args) {
  TENON_ASSIGN_OR_RETURN(const std::vector<int64_t> *sizes, args.src->sizes());
  const BufferType &padded = *args.src->type;
  BufferTypeRef dense = makeBufferType({padded.shape.type, *sizes});
  StatusOr<std::vector<int64_t>> strides = dense->strides;
  if (args.host_layout)
    strides = layoutStrides(dense->shape, *args.host_layout);
  if (!strides.ok())
    return strides.status();
  if (!args.dst) {
    args.dst_size = static_cast<size_t>(dense->bytes);
    return {};
  }
  TENON_RETURN_IF_ERROR(checkDestination(args.dst_size, *dense));
  TENON_ASSIGN_OR_RETURN(Ref<Value> value, liveValue(args.src));
  TENON_ASSIGN_OR_RETURN(Block whole, Block::copyOf(value->block, nullptr));
  TENON_ASSIGN_OR_RETURN(Block block, Block::allocate(dense->bytes));
  copyStrided(dense->shape, whole.data(), padded.strides, block.data(), dense->strides);
  TENON_RETURN_IF_ERROR(copyToHost(*dense, block, *strides, args.dst));
  args.event = makeDoneEvent();
  return {};
}

Status toHostBuffer(PJRT_Buffer_ToHostBuffer_Args &args) {
  const BufferTypeRef &type = args.src->type;
  if (!type->dynamicDims.empty())
    return dynamicToHost(args);
  if (!args.dst) {
    args.dst_size = static_cast<size_t>(type->bytes);
    return {};
  }
  StatusOr<std::vector<int64_t>> strides = type->strides;
  if (args.host_layout)
    strides = layoutStrides(type->shape, *args.host_layout);
  if (!strides.ok())
    return strides.status();
  TENON_RETURN_IF_ERROR(checkDestination(args.dst_size, *type));
  TENON_ASSIGN_OR_RETURN(Ref<Value> value, liveValue(args.src));
  if (value->succeeded()) {
    TENON_RETURN_IF_ERROR(copyToHost(*type, value->block, *strides, args.dst));
    args.event = makeDoneEvent();
    return {};
  }
  args.event = makeEvent(whenReady(value, [type, strides = *strides, target = args.dst](Value &ready) -> Status {
    return copyToHost(*type, ready.block, strides, target);
  }));
  return {};
}

Status checkRange(const PJRT_Buffer &buffer, int64_t offset, int64_t size) {
  if (offset < 0 || size < 0 || offset > buffer.type->bytes || size > buffer.type->bytes - offset)
    return invalidArgument("bytes " + std::to_string(offset) + " to " + std::to_string(offset + size) +
                           " are outside of a buffer of " + std::to_string(buffer.type->bytes));
  return {};
}

Status copyRawToHost(PJRT_Buffer_CopyRawToHost_Args &args) {
  TENON_RETURN_IF_ERROR(checkRange(*args.buffer, args.offset, args.transfer_size));
  TENON_ASSIGN_OR_RETURN(Ref<Value> value, liveValue(args.buffer));
  args.event = makeEvent(whenReady(value, [offset = args.offset, size = args.transfer_size, target = args.dst](
                                              Value &ready) { return ready.block.read(offset, target, size); }));
  return {};
}

// A raw copy whose destination the framework tells later.
struct PendingCopy {
  Ref<Value> value;
  int64_t offset, size;
  Ref<Completion> completion;
};

void onDestinationReady(PJRT_Buffer_CopyRawToHostFuture_Callback_Args *args) {
  std::unique_ptr<PendingCopy> copy(static_cast<PendingCopy *>(args->callback_data));
  if (args->error_code != PJRT_Error_Code_OK) {
    copy->completion->complete(toStatus(args->error_code, args->error_message, args->error_message_size));
    return;
  }
  Value *value = copy->value.get();
  value->onDone([copy = std::make_shared<PendingCopy>(*copy), target = args->dst](const Status &status) {
    copy->completion->complete(status.ok() ? copy->value->block.read(copy->offset, target, copy->size) : status);
  });
}

Status copyRawToHostFuture(PJRT_Buffer_CopyRawToHostFuture_Args &args) {
  TENON_RETURN_IF_ERROR(checkRange(*args.buffer, args.offset, args.transfer_size));
  TENON_ASSIGN_OR_RETURN(Ref<Value> value, liveValue(args.buffer));
  auto copy = std::make_unique<PendingCopy>(value, args.offset, args.transfer_size, makeRef<Completion>());
  args.event = makeEvent(copy->completion);
  args.callback_data = copy.release();
  args.future_ready_callback = onDestinationReady;
  return {};
}

Status copyInto(Value &source, Value &target, runtime::Device *device) {
  trace::Span span("device to device", source.block.bytes());
  TENON_ASSIGN_OR_RETURN(Block block, Block::copyOf(source.block, device));
  target.block = std::move(block);
  target.sizes = source.sizes;
  return {};
}

// Always a copy, also within one memory: callers ask for one to be independent of the source.
StatusOr<PJRT_Buffer *> copyToMemory(const PJRT_Buffer *source, PJRT_Memory *memory) {
  TENON_ASSIGN_OR_RETURN(Ref<Value> value, liveValue(source));
  auto target = makeRef<Value>();
  int64_t bytes = source->type->bytes;
  auto copy = [target, to = deviceOf(memory), value] {
    const Status &status = value->await();
    target->complete(status.ok() ? copyInto(*value, *target, to) : status);
  };
  PJRT_Device *device = asMemory(memory)->device;
  if (!value->done())
    value->onDone([copy](const Status &) { copy(); });
  else if (bytes >= kAsynchronousCopyBytes && !WorkQueue::onWorkerThread())
    device->queue.push(copy);
  else
    copy();
  return new PJRT_Buffer(source->type, memory, target);
}

Status copyToMemorySlot(PJRT_Buffer_CopyToMemory_Args &args) {
  TENON_ASSIGN_OR_RETURN(args.dst_buffer, copyToMemory(args.buffer, args.dst_memory));
  return {};
}

Status copyToDevice(PJRT_Buffer_CopyToDevice_Args &args) {
  TENON_ASSIGN_OR_RETURN(PJRT_Memory * memory, chooseMemory(nullptr, nullptr, args.dst_device));
  TENON_ASSIGN_OR_RETURN(args.dst_buffer, copyToMemory(args.buffer, memory));
  return {};
}

} // namespace

void fillBufferCopySlots(PJRT_Api &api) {
  TENON_PJRT_SLOT(api, PJRT_Buffer_ToHostBuffer, toHostBuffer);
  TENON_PJRT_SLOT(api, PJRT_Buffer_CopyRawToHost, copyRawToHost);
  TENON_PJRT_SLOT(api, PJRT_Buffer_CopyRawToHostFuture, copyRawToHostFuture);
  TENON_PJRT_SLOT(api, PJRT_Buffer_CopyToDevice, copyToDevice);
  TENON_PJRT_SLOT(api, PJRT_Buffer_CopyToMemory, copyToMemorySlot);
}

} // namespace tenon::pjrt
