#include "tenon/runtime/collectives/grid_channels.h"

namespace tenon::runtime {

// Messages between devices do not go between OS processes.
Status GridChannels::checkHere() const {
  if (rendezvous_.areAllHere())
    return {};
  return unimplemented("send and recv between devices of several OS processes");
}

Status GridChannels::send(const Key &key, StreamItem item, int64_t self, const Wait &wait) {
  TENON_RETURN_IF_ERROR(checkHere());
  StreamQueue &queue = this->queue(key);
  auto push = [&] { return queue.push(std::move(item)); };
  return rendezvous_.waitUntil(
      self, "sends on " + queue.name() + ", which is full", [&] { return queue.hasRoom(); }, push, wait);
}

StatusOr<StreamItem> GridChannels::receive(const Key &key, std::span<const StreamType> types, int64_t self,
                                           const Wait &wait) {
  TENON_RETURN_IF_ERROR(checkHere());
  StreamQueue &queue = this->queue(key);
  StatusOr<StreamItem> item = StreamItem();
  auto pop = [&] {
    item = queue.pop(types);
    return item.ok() ? Status() : item.status();
  };
  Status status =
      rendezvous_.waitUntil(self, "receives from " + queue.name(), [&] { return queue.hasItem(); }, pop, wait);
  return status.ok() ? std::move(item) : status;
}

} // namespace tenon::runtime
