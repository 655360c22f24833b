// What one process has to do with the others, whatever carries the frames: which message goes where, what both ends say
// of it, and what happens where one gives up. Engines give it the frames that come, and take those that are to go.
//
// A receiver sends kReady as soon as it knows where a message goes. The sender compares that with the message of the
// same number in the lane, and sends its bytes as kData, or kRefuse. A receiver that gives up sends kWithdraw; bytes
// that are under way are dropped, until all have come or the sender says kRefuse or kClosed.
#pragma once

#include "tenon/runtime/transport/frame.h"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>

namespace tenon::runtime {

// A frame's bytes as engines have them, in pieces.
using Pieces = std::span<const std::span<const std::byte>>;

class Exchange final : public Transport {
public:
  struct Options {
    Peer self = 0;
    // How errors call the processes, which are numbered in this order.
    std::vector<std::string> names;
    // Called without locks, on any thread, when there is a frame for a peer: nextFrame has it.
    std::function<void(Peer)> wake;
    // Called without locks where a peer takes none of the frames that hold a transfer's memory: the engine must let go
    // of them, and call lost.
    std::function<void(Peer)> cut;
  };

  explicit Exchange(Options options);
  ~Exchange() override;
  Exchange(const Exchange &) = delete;
  Exchange &operator=(const Exchange &) = delete;

  std::unique_ptr<Transfer> post(Peer peer, Lane lane, const Message &message, Pieces pieces) override;
  void refuse(Peer peer, Lane lane, const Message &message, const Status &why) override;
  std::unique_ptr<Transfer> take(Peer peer, Lane lane, const Message &message, std::span<std::byte> into) override;

  // A frame to be sent: its parts, one behind the other. `memory` holds what `chunk` refers to: the bytes may not be
  // read after it has been destroyed.
  struct Outgoing {
    FrameHeader header;
    std::string text;
    std::vector<std::span<const std::byte>> chunk;
    std::shared_ptr<void> memory;
  };
  // The next frame for a peer, if there is one. Frames of one peer must be sent in this order.
  std::optional<Outgoing> nextFrame(Peer peer);
  // A frame has come from a peer. One thread at a time for each peer, in the order in which they were sent. An error
  // (kDataLoss, kResourceExhausted): the peer is damaged or hostile, and has been given up.
  Status received(Peer peer, Pieces frame);
  // Before the network is shut down: has it send what is to be sent, of which it may not have been told yet.
  void wakeAll();
  // All transfers with the peer end with this error, those that are asked for later, too. The first error counts.
  void lost(Peer peer, const Status &status);
  // The same of all peers.
  void fail(const Status &status);

  // A transfer that waits for its peer, and that somebody waits for.
  struct Waiting {
    Peer peer = 0;
    bool isPost = false;
    std::string description;
    std::chrono::steady_clock::time_point since;
    Lane lane = {};
    uint64_t launch = 0, ordinal = 0, hash = 0;
  };
  // How many frames there were for a peer, and how many have come from it.
  struct Counts {
    uint64_t sent = 0, received = 0;
  };
  // `counts`: by peer, each of the moment in which the peer's transfers were looked at.
  std::vector<Waiting> waiting(std::vector<Counts> *counts = nullptr) const;

private:
  struct Entry;
  struct Link;
  class EntryTransfer;
  class Chunk;

  Link *link(Peer peer) const;
  std::unique_ptr<Transfer> start(Peer peer, std::shared_ptr<Entry> entry);

  const Options options_;
  std::vector<std::unique_ptr<Link>> links_;
};

} // namespace tenon::runtime
