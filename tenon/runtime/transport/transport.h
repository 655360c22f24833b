// Moving bytes between the OS processes that a program spans. Engines (loopback.h, runtime/grpc) carry them; what a
// message means, who sends it and in which order sums are taken is the caller's.
//
//   auto sent = transport.post(/*peer=*/1, {.source = 0, .target = 4}, message, {part});
//   auto received = transport.take(1, {.source = 4, .target = 0}, message, into);
//   TENON_RETURN_IF_ERROR(received->wait(options.wait));
//   TENON_RETURN_IF_ERROR(sent->wait(options.wait));
//
// Nothing travels before the receiver has said where it goes: no message is stored on its way, so memory is bounded,
// and messages of different lanes never wait for each other, in whatever order both ends ask for them.
#pragma once

#include "tenon/runtime/core/wait.h"
#include "tenon/status.h"

#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::runtime {

// The number of an OS process among those that started together.
using Peer = int32_t;

// An ordered sequence of messages between two processes: the n-th that one posts is the n-th that the other takes. The
// numbers are those of a device of either, which does one thing at a time: from them follows who waits for whom.
struct Lane {
  uint32_t source = 0, target = 0;
  int64_t channel = 0; // of kMessages, that of the program
  auto operator<=>(const Lane &) const = default;
};

// Set in `source`: the lane has what is copied between two devices beside their programs, for which neither waits.
inline constexpr uint32_t kCopies = uint32_t{1} << 31;
// Set in `source`: the lane has what one device sends to the other on a channel, and does not wait for.
inline constexpr uint32_t kMessages = uint32_t{1} << 30;

// What both ends of a message must agree on, beside its size.
struct Message {
  uint64_t launch = 0;  // which launch of which program
  uint64_t ordinal = 0; // which collective of the program
  uint64_t hash = 0;    // of what the collective does
  // Op, types and source line, for errors. Must stay until the transfer has ended.
  std::string_view description;
};

// One message on its way.
class Transfer {
public:
  // Withdraws the message where it has not ended.
  virtual ~Transfer() = default;

  // Returns when the memory is the caller's again: OK where the message has been received, or, of one that was posted,
  // handed to the network.
  //
  // kInvalidArgument, with what both ends say of the message, where they do not agree; kCancelled and kDeadlineExceeded
  // as `wait` says, and then the other end fails, too; otherwise the status that the peer failed with.
  virtual Status wait(const Wait &wait = {}) = 0;
  // Whether wait() would return at once.
  virtual bool isOver() const = 0;
};

class Transport {
public:
  virtual ~Transport() = default;

  // Sends the bytes of all pieces, one behind the other. They must stay until the transfer has ended.
  virtual std::unique_ptr<Transfer> post(Peer peer, Lane lane, const Message &message,
                                         std::span<const std::span<const std::byte>> pieces) = 0;
  // The next message of the lane does not come: who takes it fails with this.
  virtual void refuse(Peer peer, Lane lane, const Message &message, const Status &why) = 0;
  // Receives a message of exactly that size, in place.
  virtual std::unique_ptr<Transfer> take(Peer peer, Lane lane, const Message &message, std::span<std::byte> into) = 0;
};

} // namespace tenon::runtime
