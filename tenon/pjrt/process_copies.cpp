#include "tenon/pjrt/process_copies.h"

#include "tenon/pjrt/cross_host_transfers.h"
#include "tenon/pjrt/error.h"
#include "tenon/pjrt/extensions.h"
#include "tenon/support/hash.h"
#include "tenon/support/trace.h"

namespace tenon::pjrt {

struct ProcessCopies::Copy {
  runtime::Peer peer = 0;
  runtime::Lane lane;
  std::string description;
  runtime::Message message; // refers to it
};

std::shared_ptr<ProcessCopies::Copy> ProcessCopies::makeCopy(const PJRT_Device &source, const PJRT_Device &target,
                                                             const BufferTypeRef &type) const {
  auto copy = std::make_shared<Copy>();
  copy->peer = (source.isHere() ? target : source).description.processIndex;
  copy->lane = {static_cast<uint32_t>(source.description.id) | runtime::kCopies,
                static_cast<uint32_t>(target.description.id)};
  copy->description = "copy of " + type->shape.toString() + " from device " + std::to_string(source.description.id) +
                      " to device " + std::to_string(target.description.id);
  copy->message.hash = stableHash(copy->description);
  copy->message.description = copy->description;
  return copy;
}

void ProcessCopies::start(const std::shared_ptr<Copy> &copy, WorkQueue::Task task) {
  std::lock_guard lock(mutex_);
  queues_[copy->lane].push(std::move(task), WorkQueue::Order::kStrict);
}

Status ProcessCopies::post(const Copy &copy, const BufferType &type, const Value &value, bool &isPosted) {
  TENON_RETURN_IF_ERROR(value.status());
  trace::Span span("device to other process", type.bytes);
  const void *data = value.block.data();
  Block here, rowMajor;
  if (value.block.device()) {
    TENON_ASSIGN_OR_RETURN(here, Block::copyOf(value.block, nullptr));
    data = here.data();
  }
  if (!type.isRowMajor) {
    TENON_ASSIGN_OR_RETURN(rowMajor, Block::allocate(type.bytes));
    copyStrided(type.shape, data, type.strides, rowMajor.data(), rowMajorStrides(type.shape));
    data = rowMajor.data();
  }
  isPosted = true;
  std::span<const std::byte> piece(static_cast<const std::byte *>(data), static_cast<size_t>(type.bytes));
  return transport_.post(copy.peer, copy.lane, copy.message, {&piece, 1})->wait({.stop = stop_});
}

Ref<Completion> ProcessCopies::send(const PJRT_Device &source, const PJRT_Device &target, BufferTypeRef type,
                                    Ref<Value> value) {
  auto done = makeRef<Completion>();
  std::shared_ptr<Copy> copy = makeCopy(source, target, type);
  start(copy, [this, copy, type = std::move(type), value = std::move(value), done] {
    value->await();
    bool isPosted = false;
    Status status = post(*copy, *type, *value, isPosted);
    if (!isPosted)
      transport_.refuse(copy->peer, copy->lane, copy->message, status);
    done->complete(std::move(status));
  });
  return done;
}

StatusOr<Ref<Value>> ProcessCopies::receive(const PJRT_Device &source, const PJRT_Device &target,
                                            const BufferTypeRef &type) {
  TENON_ASSIGN_OR_RETURN(Block block, Block::allocate(type->bytes));
  auto value = makeRef<Value>();
  std::shared_ptr<Copy> copy = makeCopy(source, target, type);
  std::span<std::byte> into(static_cast<std::byte *>(block.data()), static_cast<size_t>(type->bytes));
  auto memory = std::make_shared<Block>(std::move(block));
  // Asked for at once, so that it comes beside whatever this process does.
  std::shared_ptr<runtime::Transfer> transfer = transport_.take(copy->peer, copy->lane, copy->message, into);
  start(copy, [this, copy, memory, transfer, value, device = target.gpu] {
    Status status = transfer->wait({.stop = stop_});
    if (status.ok()) {
      StatusOr<Block> block = device ? Block::copyOf(*memory, device) : std::move(*memory);
      status = block.status();
      if (block.ok())
        value->block = std::move(*block);
    }
    value->complete(std::move(status));
  });
  return value;
}

namespace {

// The device of that number, which another process must have.
StatusOr<PJRT_Device *> otherDevice(PJRT_Client &client, int32_t id) {
  PJRT_Device *device = client.lookup(id);
  if (!device)
    return invalidArgument("no device has id " + std::to_string(id));
  if (device->isHere())
    return invalidArgument("device " + std::to_string(id) +
                           " is of this process: copies between processes are from and to devices of others");
  return device;
}

Status sendBuffers(PJRT_Transfers_PJRT_Client_CrossHostSendBuffers_Args &args) {
  std::vector<Ref<Value>> values;
  std::vector<PJRT_Device *> targets;
  for (size_t i = 0; i < args.num_buffers; ++i) {
    TENON_ASSIGN_OR_RETURN(PJRT_Device * target, otherDevice(*args.client, args.dst_global_device_ids[i]));
    TENON_ASSIGN_OR_RETURN(Ref<Value> value, liveValue(args.buffers[i]));
    if (!args.buffers[i]->type->dynamicDims.empty())
      return invalidArgument("an array whose size depends on data cannot be copied to another process");
    targets.push_back(target);
    values.push_back(std::move(value));
  }
  for (size_t i = 0; i < args.num_buffers; ++i)
    args.send_events[i] = makeEvent(args.client->copies->send(*args.buffers[i]->device(), *targets[i],
                                                              args.buffers[i]->type, std::move(values[i])));
  return {};
}

Status receiveBuffers(PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers_Args &args) {
  TENON_ASSIGN_OR_RETURN(PJRT_Memory * memory, chooseMemory(args.client, nullptr, args.device));
  std::vector<BufferTypeRef> types;
  std::vector<PJRT_Device *> sources;
  for (size_t i = 0; i < args.num_shapes; ++i) {
    TENON_ASSIGN_OR_RETURN(PJRT_Device * source, otherDevice(*args.client, args.src_global_device_ids[i]));
    TENON_ASSIGN_OR_RETURN(BufferTypeRef type,
                           makeBufferType(args.element_types[i], args.num_dims[i], args.shape_num_dims[i], nullptr));
    sources.push_back(source);
    types.push_back(std::move(type));
  }
  std::vector<Ref<Value>> values;
  for (size_t i = 0; i < args.num_shapes; ++i) {
    TENON_ASSIGN_OR_RETURN(Ref<Value> value, args.client->copies->receive(*sources[i], *args.device, types[i]));
    values.push_back(std::move(value));
  }
  for (size_t i = 0; i < args.num_shapes; ++i)
    args.buffers[i] = new PJRT_Buffer(types[i], memory, std::move(values[i]));
  return {};
}

PJRT_CrossHostTransfers_Extension makeCrossHostTransfers() {
  PJRT_CrossHostTransfers_Extension transfers{};
  transfers.base = {PJRT_CrossHostTransfers_Extension_STRUCT_SIZE, PJRT_Extension_Type_CrossHostTransfers, nullptr};
  TENON_PJRT_SLOT(transfers, PJRT_Transfers_PJRT_Client_CrossHostReceiveBuffers, receiveBuffers);
  TENON_PJRT_SLOT(transfers, PJRT_Transfers_PJRT_Client_CrossHostSendBuffers, sendBuffers);
  return transfers;
}

} // namespace

PJRT_Extension_Base *crossHostTransfersExtension(PJRT_Extension_Base *next) {
  static PJRT_CrossHostTransfers_Extension extension = makeCrossHostTransfers();
  extension.base.next = next;
  return &extension.base;
}

} // namespace tenon::pjrt
