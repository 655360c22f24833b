// The channels of a grid between a process of it here and one in another OS process.
//
// A message is two of the transport's: a header of a fixed size, which says what comes, and the arrays. Who sends keeps
// a copy until it has been received, and goes on meanwhile. When a program ends, it says so in the place of a header,
// and takes what has been sent to it and was not received, as a queue in one OS process is dropped. So who waits for a
// message learns that its sender has ended, and nothing of a run is left to the next one.
#pragma once

#include "tenon/runtime/collectives/rendezvous.h"
#include "tenon/runtime/core/device_streams.h"

#include <map>
#include <mutex>

namespace tenon::runtime {

// The two processes of the grid that a channel goes between.
struct ChannelEnds {
  int64_t channel = 0, source = 0, target = 0;
  auto operator<=>(const ChannelEnds &) const = default;
};

class RemoteChannels {
public:
  // `rendezvous`: of the same run, with an Elsewhere; outlives this.
  explicit RemoteChannels(Rendezvous &rendezvous);
  ~RemoteChannels();
  RemoteChannels(const RemoteChannels &) = delete;
  RemoteChannels &operator=(const RemoteChannels &) = delete;

  // Called by the end that is here, on its own thread. Send waits where so much is on its way that a queue would be
  // full; receive fails with kFailedPrecondition where the other end's program has ended without having sent a message.
  Status send(const ChannelEnds &ends, StreamItem item, const Wait &wait);
  StatusOr<StreamItem> receive(const ChannelEnds &ends, std::span<const StreamType> types, const Wait &wait);
  // Process `self` has ended well, and may have been the source and the target of these: returns when the other ends
  // have what was sent, and have ended.
  Status finish(std::span<const ChannelEnds> channels, int64_t self, const Wait &wait);

private:
  struct Header;
  struct Sent;
  struct End;

  End &endOf(const ChannelEnds &ends);
  Status post(End &end, const Header &header, StreamItem item);
  Status awaitOldest(End &end, const Wait &wait);
  StatusOr<Header> takeHeader(End &end, const std::string &what, const Wait &wait);
  StatusOr<Buffer> takeBody(End &end, const Header &header, const std::string &what, const Wait &wait);
  Status drain(End &end, const Wait &wait);
  std::string nameOf(const ChannelEnds &ends) const;

  Rendezvous &rendezvous_;
  std::mutex mutex_; // of the map; each end is its process's own
  std::map<ChannelEnds, std::unique_ptr<End>> ends_;
};

} // namespace tenon::runtime
