// The channels between the processes of one run of a grid: a wait for a message that nobody is left to send ends.
#pragma once

#include "tenon/runtime/collectives/rendezvous.h"
#include "tenon/runtime/core/device_streams.h"

namespace tenon::runtime {

class GridChannels : public Channels {
public:
  // `rendezvous`: of the same run; outlives this.
  explicit GridChannels(Rendezvous &rendezvous) : rendezvous_(rendezvous) {}

  Status send(const Key &key, StreamItem item, int64_t self, const Wait &wait) override;
  StatusOr<StreamItem> receive(const Key &key, std::span<const StreamType> types, int64_t self,
                               const Wait &wait) override;

private:
  Status checkHere() const;

  Rendezvous &rendezvous_;
};

} // namespace tenon::runtime
