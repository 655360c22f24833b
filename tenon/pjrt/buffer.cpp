#include "tenon/pjrt/buffer.h"

#include "tenon/pjrt/error.h"
#include "tenon/pjrt/extensions.h"
#include "tenon/runtime/core/memory.h"

#include "xla/pjrt/c/pjrt_c_api_stream_extension.h"

#include <cstring>
#include <mutex>
#include <utility>

using tenon::pjrt::Ref;
using tenon::pjrt::Value;

Ref<Value> PJRT_Buffer::value() const {
  std::lock_guard guard(lock_);
  return value_;
}

Ref<Value> PJRT_Buffer::valueOrExternal() const {
  std::lock_guard guard(lock_);
  return value_ ? value_ : external_;
}

Ref<Value> PJRT_Buffer::take() {
  std::lock_guard guard(lock_);
  return std::move(value_);
}

bool PJRT_Buffer::addExternalReference() {
  std::lock_guard guard(lock_);
  if (!external_) {
    if (!value_)
      return false;
    external_ = value_;
  }
  ++externalReferences_;
  return true;
}

bool PJRT_Buffer::dropExternalReference() {
  Ref<Value> last; // released after the lock
  std::lock_guard guard(lock_);
  if (externalReferences_ == 0)
    return false;
  if (--externalReferences_ == 0)
    last = std::move(external_);
  return true;
}

tenon::StatusOr<const std::vector<int64_t> *> PJRT_Buffer::sizes() {
  if (type->dynamicDims.empty())
    return &type->shape.dims;
  Ref<Value> value = valueOrExternal();
  if (!value)
    return tenon::pjrt::deletedError();
  TENON_RETURN_IF_ERROR(value->await());
  std::lock_guard guard(lock_);
  if (sizes_.empty())
    sizes_ = value->sizes;
  return &sizes_;
}

namespace tenon::pjrt {

StatusOr<Block> Block::own(StatusOr<void *> memory, int64_t bytes, runtime::Device *device) {
  Block block;
  TENON_ASSIGN_OR_RETURN(block.data_, std::move(memory));
  if (!block.data_)
    return Status(StatusCode::kResourceExhausted, "Out of memory allocating " + std::to_string(bytes) + " bytes.");
  block.bytes_ = bytes;
  block.device_ = device;
  block.owned_ = block.writable_ = true;
  return block;
}

StatusOr<Block> Block::allocate(int64_t bytes, runtime::Device *device) {
  return own(device ? device->allocate(bytes) : runtime::allocateBuffer(static_cast<size_t>(bytes)), bytes, device);
}

StatusOr<Block> Block::ofHost(const void *from, int64_t bytes, runtime::Device *device) {
  if (device)
    return own(device->allocateCopy(from, bytes), bytes, device);
  TENON_ASSIGN_OR_RETURN(Block made, allocate(bytes));
  if (bytes)
    std::memcpy(made.data_, from, static_cast<size_t>(bytes));
  return made;
}

Block Block::borrow(void *data, int64_t bytes, bool writable, Release release, runtime::Device *device) {
  Block block;
  block.data_ = data;
  block.bytes_ = bytes;
  block.device_ = device;
  block.writable_ = writable;
  block.release_ = std::move(release);
  return block;
}

Block Block::share(std::shared_ptr<const Block> other) {
  void *data = other->data_;
  int64_t bytes = other->bytes_;
  runtime::Device *device = other->device_;
  return borrow(data, bytes, false, [other = std::move(other)] {}, device);
}

StatusOr<Block> Block::copyOf(const Block &other, runtime::Device *device) {
  if (!other.device_)
    return ofHost(other.data_, other.bytes_, device);
  if (device)
    return own(device->allocateCopy(*other.device_, other.data_, other.bytes_), other.bytes_, device);
  TENON_ASSIGN_OR_RETURN(Block made, allocate(other.bytes_));
  TENON_RETURN_IF_ERROR(other.read(0, made.data_, other.bytes_));
  return made;
}

Block::~Block() {
  if (owned_ && device_)
    device_->free(data_, bytes_);
  else if (owned_)
    runtime::freeBuffer(data_, static_cast<size_t>(bytes_));
  else if (release_)
    release_();
}

Status Block::read(int64_t offset, void *to, int64_t bytes) const {
  const char *from = static_cast<const char *>(data_) + offset;
  if (device_)
    return device_->copyToHost(to, from, bytes);
  if (bytes)
    std::memcpy(to, from, static_cast<size_t>(bytes));
  return {};
}

void Block::swap(Block &other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  std::swap(device_, other.device_);
  std::swap(owned_, other.owned_);
  std::swap(writable_, other.writable_);
  std::swap(release_, other.release_);
}

Status deletedError() { return invalidArgument("Buffer has been deleted or donated."); }

StatusOr<Ref<Value>> liveValue(const PJRT_Buffer *buffer) {
  Ref<Value> value = buffer->value();
  if (!value)
    return deletedError();
  return value;
}

Ref<Completion> whenReady(Ref<Value> value, std::function<Status(Value &)> work) {
  auto completion = makeRef<Completion>();
  Value *raw = value.get();
  raw->onDone([value = std::move(value), work = std::move(work), completion](const Status &status) {
    completion->complete(status.ok() ? work(*value) : status);
  });
  return completion;
}

namespace {

Status readyEvent(PJRT_Buffer_ReadyEvent_Args &args) {
  Ref<Value> value = args.buffer->value();
  args.event = value ? makeEventBeside(*value) : makeErrorEvent(deletedError());
  return {};
}

// Waits for the array, since both kinds of pointers are addresses of its memory.
StatusOr<void *> readyPointer(const Ref<Value> &value) {
  if (!value)
    return deletedError();
  if (!value->awaitOrSignal())
    return Status(StatusCode::kCancelled, "the wait for an array was interrupted by a signal");
  if (const Status &status = value->status(); !status.ok())
    return status;
  return value->block.data();
}

Status unsafePointer(PJRT_Buffer_UnsafePointer_Args &args) {
  TENON_ASSIGN_OR_RETURN(void *pointer, readyPointer(args.buffer->value()));
  args.buffer_pointer = reinterpret_cast<uintptr_t>(pointer);
  return {};
}

Status opaquePointer(PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args &args) {
  TENON_ASSIGN_OR_RETURN(args.device_memory_ptr, readyPointer(args.buffer->valueOrExternal()));
  return {};
}

void fillDescriptionSlots(PJRT_Api &api) {
  TENON_PJRT_SLOT(api, PJRT_Buffer_ElementType, [](PJRT_Buffer_ElementType_Args &args) -> Status {
    args.type = args.buffer->type->pjrtType;
    return {};
  });
  TENON_PJRT_SLOT(api, PJRT_Buffer_Dimensions, [](PJRT_Buffer_Dimensions_Args &args) -> Status {
    args.dims = args.buffer->type->shape.dims.data();
    args.num_dims = args.buffer->type->shape.dims.size();
    return {};
  });
  TENON_PJRT_SLOT(api, PJRT_Buffer_UnpaddedDimensions, [](PJRT_Buffer_UnpaddedDimensions_Args &args) -> Status {
    TENON_ASSIGN_OR_RETURN(const std::vector<int64_t> *sizes, args.buffer->sizes());
    args.unpadded_dims = sizes->data();
    args.num_dims = sizes->size();
    return {};
  });
  TENON_PJRT_SLOT(api, PJRT_Buffer_DynamicDimensionIndices,
                  [](PJRT_Buffer_DynamicDimensionIndices_Args &args) -> Status {
                    args.dynamic_dim_indices = args.buffer->type->dynamicDims.data();
                    args.num_dynamic_dims = args.buffer->type->dynamicDims.size();
                    return {};
                  });
  TENON_PJRT_SLOT(api, PJRT_Buffer_GetMemoryLayout, [](PJRT_Buffer_GetMemoryLayout_Args &args) -> Status {
    args.layout.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
    args.layout.tiled.minor_to_major = args.buffer->type->minorToMajor.data();
    args.layout.tiled.minor_to_major_size = args.buffer->type->minorToMajor.size();
    args.layout.tiled.tile_dims = nullptr;
    args.layout.tiled.tile_dim_sizes = nullptr;
    args.layout.tiled.num_tiles = 0;
    return {};
  });
  TENON_PJRT_SLOT(api, PJRT_Buffer_OnDeviceSizeInBytes, [](PJRT_Buffer_OnDeviceSizeInBytes_Args &args) -> Status {
    args.on_device_size_in_bytes = static_cast<size_t>(args.buffer->type->bytes);
    return {};
  });
  TENON_PJRT_SLOT(api, PJRT_Buffer_Device, [](PJRT_Buffer_Device_Args &args) -> Status {
    args.device = args.buffer->device();
    return {};
  });
  TENON_PJRT_SLOT(api, PJRT_Buffer_Memory, [](PJRT_Buffer_Memory_Args &args) -> Status {
    args.memory = args.buffer->memory;
    return {};
  });
  TENON_PJRT_SLOT(api, PJRT_Buffer_IsOnCpu, [](PJRT_Buffer_IsOnCpu_Args &args) -> Status {
    // Lets the framework read our memory in place, where it has the form that the framework expects.
    const BufferType &type = *args.buffer->type;
    args.is_on_cpu = !deviceOf(args.buffer->memory) && !isSubByteNumber(type.shape.type) && type.isRowMajor &&
                     type.dynamicDims.empty();
    return {};
  });
}

// What others enqueue in a stream behind this finds the array. The host waits in the stream's place: an array is ready
// when the host has completed it, and has no event of a device's.
PJRT_Error *waitInStream(PJRT_Wait_Until_Buffer_Ready_On_Stream_Args *args) {
  return callSlot("PJRT_Wait_Until_Buffer_Ready_On_Stream", PJRT_Wait_Until_Buffer_Ready_On_Stream_Args_STRUCT_SIZE,
                  args, [](PJRT_Wait_Until_Buffer_Ready_On_Stream_Args &wait) -> Status {
                    return readyPointer(wait.buffer->valueOrExternal()).status();
                  });
}

// Frameworks then ask the maker of an array that is imported to order it with the legacy default stream, for which a
// device's streams wait.
PJRT_Error *streamForOthers(PJRT_Get_Stream_For_External_Ready_Events_Args *args) {
  return callSlot("PJRT_Get_Stream_For_External_Ready_Events",
                  PJRT_Get_Stream_For_External_Ready_Events_Args_STRUCT_SIZE, args,
                  [](PJRT_Get_Stream_For_External_Ready_Events_Args &) -> Status {
                    return unimplemented("tenon's devices have no streams for others to use");
                  });
}

} // namespace

void fillBufferSlots(PJRT_Api &api) {
  fillDescriptionSlots(api);
  TENON_PJRT_SLOT(api, PJRT_Buffer_Destroy, [](PJRT_Buffer_Destroy_Args &args) -> Status {
    delete args.buffer;
    return {};
  });
  TENON_PJRT_SLOT(api, PJRT_Buffer_Delete, [](PJRT_Buffer_Delete_Args &args) -> Status {
    args.buffer->take();
    return {};
  });
  TENON_PJRT_SLOT(api, PJRT_Buffer_IsDeleted, [](PJRT_Buffer_IsDeleted_Args &args) -> Status {
    args.is_deleted = !args.buffer->value();
    return {};
  });
  TENON_PJRT_SLOT(api, PJRT_Buffer_ReadyEvent, readyEvent);
  TENON_PJRT_SLOT(api, PJRT_Buffer_UnsafePointer, unsafePointer);
  TENON_PJRT_SLOT(api, PJRT_Buffer_OpaqueDeviceMemoryDataPointer, opaquePointer);
  TENON_PJRT_SLOT(api, PJRT_Buffer_IncreaseExternalReferenceCount,
                  [](PJRT_Buffer_IncreaseExternalReferenceCount_Args &args) -> Status {
                    return args.buffer->addExternalReference() ? Status() : deletedError();
                  });
  TENON_PJRT_SLOT(api, PJRT_Buffer_DecreaseExternalReferenceCount,
                  [](PJRT_Buffer_DecreaseExternalReferenceCount_Args &args) -> Status {
                    return args.buffer->dropExternalReference()
                               ? Status()
                               : failedPrecondition("the buffer has no external references");
                  });
}

PJRT_Extension_Base *streamExtension(PJRT_Extension_Base *next) {
  static PJRT_Stream_Extension extension{
      {PJRT_Stream_Extension_STRUCT_SIZE, PJRT_Extension_Type_Stream, nullptr}, streamForOthers, waitInStream};
  extension.base.next = next;
  return &extension.base;
}

} // namespace tenon::pjrt
