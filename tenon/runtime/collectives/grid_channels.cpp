#include "tenon/runtime/collectives/grid_channels.h"

namespace tenon::runtime {

StatusOr<bool> GridChannels::isRemote(const Key &key, int64_t self) const {
  if (key.isOpen())
    return rendezvous_.elsewhere()
               ? StatusOr<bool>(failedPrecondition("send and recv between devices of several OS processes need "
                                                   "source_target_pairs, which channel " +
                                                   std::to_string(key.channel) + " has not"))
               : StatusOr<bool>(false);
  for (int64_t process : {key.sourceProcess, key.targetProcess})
    if (process < 0 || process >= rendezvous_.count())
      return invalidArgument("source_target_pairs of channel " + std::to_string(key.channel) + " name " +
                             std::to_string(process == key.sourceProcess ? key.source : key.target) +
                             ", which the grid has not");
  return !rendezvous_.isHere(key.sourceProcess == self ? key.targetProcess : key.sourceProcess);
}

Status GridChannels::send(const Key &key, StreamItem item, int64_t self, const Wait &wait) {
  TENON_ASSIGN_OR_RETURN(bool isRemote, this->isRemote(key, self));
  if (isRemote)
    return remote_.send({key.channel, key.sourceProcess, key.targetProcess}, std::move(item), wait);
  StreamQueue &queue = this->queue(key);
  auto push = [&] { return queue.push(std::move(item)); };
  return rendezvous_.waitUntil(
      self, "sends on " + queue.name() + ", which is full", key.targetProcess, [&] { return queue.hasRoom(); }, push,
      wait);
}

StatusOr<StreamItem> GridChannels::receive(const Key &key, std::span<const StreamType> types, int64_t self,
                                           const Wait &wait) {
  TENON_ASSIGN_OR_RETURN(bool isRemote, this->isRemote(key, self));
  if (isRemote)
    return remote_.receive({key.channel, key.sourceProcess, key.targetProcess}, types, wait);
  StreamQueue &queue = this->queue(key);
  StatusOr<StreamItem> item = StreamItem();
  auto pop = [&] {
    item = queue.pop(types);
    return item.ok() ? Status() : item.status();
  };
  Status status = rendezvous_.waitUntil(
      self, "receives from " + queue.name(), key.sourceProcess, [&] { return queue.hasItem(); }, pop, wait);
  return status.ok() ? std::move(item) : status;
}

Status GridChannels::finish(std::span<const Key> used, int64_t self, const Wait &wait) {
  std::vector<ChannelEnds> remote;
  for (const Key &key : used) {
    if (key.isOpen())
      continue; // all ends are here, or its use was an error
    TENON_ASSIGN_OR_RETURN(bool isRemote, this->isRemote(key, self));
    if (isRemote)
      remote.push_back({key.channel, key.sourceProcess, key.targetProcess});
  }
  return remote.empty() ? Status() : remote_.finish(remote, self, wait);
}

} // namespace tenon::runtime
