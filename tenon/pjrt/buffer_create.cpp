// Slots that make buffers: from host memory, over foreign memory, and as promises.
#include "tenon/pjrt/buffer.h"
#include "tenon/pjrt/error.h"
#include "tenon/pjrt/host_copies.h"
#include "tenon/runtime/core/memory.h"
#include "tenon/support/trace.h"

#include <cstring>

// The right to say what an alias buffer holds.
struct PJRT_FulfillAliasBufferCallback {
  tenon::pjrt::Ref<tenon::pjrt::Value> value;
  tenon::pjrt::BufferTypeRef type;
};

namespace tenon::pjrt {
namespace {

// What kernels of a device expect of arrays.
constexpr int64_t kDeviceAlignment = 16;

StatusOr<std::vector<int64_t>> hostStrides(const PJRT_Client_BufferFromHostBuffer_Args &args, const BufferType &type) {
  if (args.num_byte_strides == 0)
    return rowMajorStrides(type.shape);
  if (args.num_byte_strides != args.num_dims)
    return invalidArgument("there are " + std::to_string(args.num_byte_strides) + " strides for " +
                           std::to_string(args.num_dims) + " dimensions");
  return std::vector<int64_t>(args.byte_strides, args.byte_strides + args.num_byte_strides);
}

bool mayAlias(const PJRT_Client_BufferFromHostBuffer_Args &args, const BufferType &type,
              const runtime::Device *device) {
  bool asked = args.host_buffer_semantics == PJRT_HostBufferSemantics_kImmutableZeroCopy ||
               args.host_buffer_semantics == PJRT_HostBufferSemantics_kMutableZeroCopy;
  return asked && !device && type.bytes && !isSubByteNumber(type.shape.type) &&
         reinterpret_cast<uintptr_t>(args.data) % runtime::kBufferAlignment == 0;
}

// Whether devices may have one copy of the array between them.
bool mayBeShared(const BufferType &type, PJRT_Memory *memory) {
  return !deviceOf(memory) && type.bytes >= HostCopies::kLeastBytes && !isSubByteNumber(type.shape.type) &&
         asMemory(memory)->device->client->localDevices.size() > 1;
}

// The array in the order of its type, and elements in the form that programs take them in.
StatusOr<Block> orderedCopy(const void *data, std::span<const int64_t> strides, const BufferType &type,
                            runtime::Device *device) {
  TENON_ASSIGN_OR_RETURN(Block block, Block::allocate(type.bytes));
  if (type.bytes && sameStrides(type.shape, strides, type.strides))
    std::memcpy(block.data(), data, static_cast<size_t>(type.bytes));
  else
    copyStrided(type.shape, data, strides, block.data(), type.strides);
  normalizeElements(type.shape.type, block.data(), type.shape.elementCount());
  return device ? Block::copyOf(block, device) : std::move(block);
}

Status fromHostBuffer(PJRT_Client_BufferFromHostBuffer_Args &args) {
  TENON_ASSIGN_OR_RETURN(BufferTypeRef checked,
                         makeBufferType(args.type, args.dims, args.num_dims, args.device_layout));
  const BufferTypeRef &type = checked;
  TENON_ASSIGN_OR_RETURN(PJRT_Memory * memory, chooseMemory(args.client, args.memory, args.device));
  TENON_ASSIGN_OR_RETURN(std::vector<int64_t> strides, hostStrides(args, *type));
  if (!args.data && type->bytes)
    return invalidArgument("no data was given for " + type->shape.toString());
  bool sameOrder = sameStrides(type->shape, strides, type->strides);
  runtime::Device *device = deviceOf(memory);
  if (sameOrder && mayAlias(args, *type, device)) {
    trace::Span span("host to device, in place", type->bytes);
    bool writable = args.host_buffer_semantics == PJRT_HostBufferSemantics_kMutableZeroCopy;
    auto released = makeRef<Completion>();
    Block block =
        Block::borrow(const_cast<void *>(args.data), type->bytes, writable, [released] { released->complete(); });
    args.buffer = new PJRT_Buffer(type, memory, makeRef<Value>(std::move(block)));
    args.done_with_host_buffer = makeEvent(released);
    return {};
  }
  trace::Span span("host to device", type->bytes);
  const bool mayShare = sameOrder && mayBeShared(*type, memory);
  if (Ref<Value> copy = mayShare ? HostCopies::ofProcess().find(args.data, *type, memory) : Ref<Value>()) {
    args.buffer = new PJRT_Buffer(type, memory, std::move(copy));
    args.done_with_host_buffer = makeDoneEvent();
    return {};
  }
  bool isPlain = device && sameOrder && !isSubByteNumber(type->shape.type);
  TENON_ASSIGN_OR_RETURN(Block block, isPlain ? Block::ofHost(args.data, type->bytes, device)
                                              : orderedCopy(args.data, strides, *type, device));
  auto value = makeRef<Value>(std::move(block));
  if (mayShare)
    HostCopies::ofProcess().list(value, args.data, type, memory);
  args.buffer = new PJRT_Buffer(type, memory, std::move(value));
  args.done_with_host_buffer = makeDoneEvent();
  return {};
}

// Foreign memory is never written: its owner may still look at it.
Status createView(PJRT_Client_CreateViewOfDeviceBuffer_Args &args) {
  TENON_ASSIGN_OR_RETURN(BufferTypeRef checked,
                         makeBufferType(args.element_type, args.dims, args.num_dims, args.layout));
  const BufferTypeRef &type = checked;
  TENON_ASSIGN_OR_RETURN(PJRT_Memory * memory, chooseMemory(args.client, args.memory, args.device));
  runtime::Device *device = deviceOf(memory);
  if (args.stream)
    return invalidArgument("tenon's devices have no streams for others to use");
  int64_t alignment =
      device ? kDeviceAlignment : std::min<int64_t>(std::max<int64_t>(program::byteSize(type->shape.type), 1), 8);
  if (reinterpret_cast<uintptr_t>(args.device_buffer_ptr) % alignment != 0)
    return invalidArgument("cannot view memory at an address that is not a multiple of " + std::to_string(alignment) +
                           " as " + type->shape.toString());
  Block::Release release;
  if (args.on_delete_callback)
    release = [callback = args.on_delete_callback, pointer = args.device_buffer_ptr,
               argument = args.on_delete_callback_arg] { callback(pointer, argument); };
  Block block = Block::borrow(args.device_buffer_ptr, type->bytes, false, std::move(release), device);
  args.buffer = new PJRT_Buffer(type, memory, makeRef<Value>(std::move(block)));
  return {};
}

Status createUninitialized(PJRT_Client_CreateUninitializedBuffer_Args &args) {
  TENON_ASSIGN_OR_RETURN(BufferTypeRef type, makeBufferType(args.shape_element_type, args.shape_dims,
                                                            args.shape_num_dims, args.shape_layout));
  TENON_ASSIGN_OR_RETURN(PJRT_Memory * memory, chooseMemory(args.client, args.memory, args.device));
  TENON_ASSIGN_OR_RETURN(Block block, Block::allocate(type->bytes, deviceOf(memory)));
  args.buffer = new PJRT_Buffer(type, memory, makeRef<Value>(std::move(block)));
  return {};
}

Status createError(PJRT_Client_CreateErrorBuffer_Args &args) {
  TENON_ASSIGN_OR_RETURN(BufferTypeRef type, makeBufferType(args.shape_element_type, args.shape_dims,
                                                            args.shape_num_dims, args.shape_layout));
  Status error = toStatus(args.error_code, args.error_message, args.error_message_size);
  if (error.ok())
    return invalidArgument("an error buffer needs an error");
  auto value = makeRef<Value>();
  value->complete(std::move(error));
  args.buffer = new PJRT_Buffer(type, args.memory, value);
  return {};
}

// A value over the memory of another, which stays alive and is not written.
Block shareBlock(Ref<Value> source) {
  void *data = source->block.data();
  int64_t bytes = source->block.bytes();
  runtime::Device *device = source->block.device();
  return Block::borrow(data, bytes, false, [source = std::move(source)] {}, device);
}

// `target` becomes what `source` is, when that is done.
void forward(Ref<Value> source, Ref<Value> target) {
  Value *raw = source.get();
  raw->onDone([source = std::move(source), target = std::move(target)](const Status &status) {
    if (status.ok())
      target->block = shareBlock(source);
    target->complete(status);
  });
}

Status createAlias(PJRT_Client_CreateAliasBuffer_Args &args) {
  TENON_ASSIGN_OR_RETURN(BufferTypeRef type, makeBufferType(args.shape_element_type, args.shape_dims,
                                                            args.shape_num_dims, args.shape_layout));
  auto value = makeRef<Value>();
  args.alias_buffer = new PJRT_Buffer(type, args.memory, value);
  args.fulfill_alias_buffer_cb = new PJRT_FulfillAliasBufferCallback{value, type};
  return {};
}

Status fulfillAlias(PJRT_Client_FulfillAliasBuffer_Args &args) {
  std::unique_ptr<PJRT_FulfillAliasBufferCallback> alias(args.fulfill_alias_buffer_cb);
  if (args.status_code != PJRT_Error_Code_OK) {
    alias->value->complete(toStatus(args.status_code, args.error_message, args.error_message_size));
    return {};
  }
  Status status;
  Ref<Value> source;
  if (!args.buffer)
    status = invalidArgument("no buffer was given to fulfill the alias with");
  else if (!(args.buffer->type->shape == alias->type->shape))
    status = invalidArgument("the alias buffer is " + alias->type->shape.toString() + ", it was fulfilled with " +
                             args.buffer->type->shape.toString());
  else if (source = args.buffer->value(); !source)
    status = deletedError();
  if (status.ok())
    forward(source, alias->value);
  else
    alias->value->complete(status);
  return status;
}

// A donated buffer whose memory may only be used once some dependency is done.
struct Dependency {
  Ref<Value> source, target;
};

void onDependencyReady(PJRT_Buffer_DonateWithControlDependency_Callback_Args *args) {
  std::unique_ptr<Dependency> dependency(static_cast<Dependency *>(args->callback_data));
  if (args->error_code != PJRT_Error_Code_OK)
    dependency->target->complete(toStatus(args->error_code, args->error_message, args->error_message_size));
  else
    forward(dependency->source, dependency->target);
}

Status donateWithControlDependency(PJRT_Buffer_DonateWithControlDependency_Args &args) {
  Ref<Value> source = args.buffer->take();
  if (!source)
    return deletedError();
  auto target = makeRef<Value>();
  args.out_buffer = new PJRT_Buffer(args.buffer->type, args.buffer->memory, target);
  args.callback_data = new Dependency{std::move(source), target};
  args.dependency_ready_callback = onDependencyReady;
  return {};
}

Status bitcast(PJRT_Buffer_Bitcast_Args &args) {
  TENON_ASSIGN_OR_RETURN(BufferTypeRef type,
                         makeBufferType(args.element_type, args.dims, args.num_dims, args.device_layout));
  if (type->bytes != args.buffer->type->bytes)
    return invalidArgument("cannot bitcast " + args.buffer->type->shape.toString() + " to " + type->shape.toString() +
                           ": the sizes differ");
  TENON_ASSIGN_OR_RETURN(Ref<Value> value, liveValue(args.buffer));
  args.out_buffer = new PJRT_Buffer(type, args.buffer->memory, value);
  return {};
}

} // namespace

void fillBufferCreateSlots(PJRT_Api &api) {
  TENON_PJRT_SLOT(api, PJRT_Client_BufferFromHostBuffer, fromHostBuffer);
  TENON_PJRT_SLOT(api, PJRT_Client_CreateViewOfDeviceBuffer, createView);
  TENON_PJRT_SLOT(api, PJRT_Client_CreateUninitializedBuffer, createUninitialized);
  TENON_PJRT_SLOT(api, PJRT_Client_CreateErrorBuffer, createError);
  TENON_PJRT_SLOT(api, PJRT_Client_CreateAliasBuffer, createAlias);
  TENON_PJRT_SLOT(api, PJRT_Client_FulfillAliasBuffer, fulfillAlias);
  TENON_PJRT_SLOT(api, PJRT_Buffer_DonateWithControlDependency, donateWithControlDependency);
  TENON_PJRT_SLOT(api, PJRT_Buffer_Bitcast, bitcast);
}

} // namespace tenon::pjrt
