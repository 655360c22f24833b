// The channels between the processes of one run of a grid: a wait for a message that nobody is left to send ends.
#pragma once

#include "tenon/runtime/collectives/remote_channels.h"
#include "tenon/runtime/collectives/rendezvous.h"
#include "tenon/runtime/core/device_streams.h"

#include <optional>

namespace tenon::runtime {

class GridChannels : public Channels {
public:
  // `rendezvous`: of the same run; outlives this.
  explicit GridChannels(Rendezvous &rendezvous) : rendezvous_(rendezvous), remote_(rendezvous) {}

  Status send(const Key &key, StreamItem item, int64_t self, const Wait &wait) override;
  StatusOr<StreamItem> receive(const Key &key, std::span<const StreamType> types, int64_t self,
                               const Wait &wait) override;
  Status finish(std::span<const Key> used, int64_t self, const Wait &wait) override;

private:
  // Whether one of the two ends is in another OS process. kFailedPrecondition where it is not said which they are,
  // kInvalidArgument where there is no such process.
  StatusOr<bool> isRemote(const Key &key, int64_t self) const;

  Rendezvous &rendezvous_;
  RemoteChannels remote_;
};

} // namespace tenon::runtime
