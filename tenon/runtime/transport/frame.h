// What engines carry: frames, of a header of fixed size and either a text or a part of a message's bytes. They come
// from outside, so nothing in them is believed before parseFrame has checked it.
#pragma once

#include "tenon/runtime/transport/transport.h"

#include <array>

namespace tenon::runtime {

inline constexpr size_t kFrameHeaderBytes = 80;
inline constexpr size_t kMaxTextBytes = 1024;
// The most bytes of a message in one frame.
inline constexpr size_t kMaxChunkBytes = size_t{1} << 20;
inline constexpr size_t kMaxFrameBytes = kFrameHeaderBytes + kMaxChunkBytes;

enum class FrameKind : uint8_t {
  kReady = 1, // receiver: there is room for the message; the text is its description
  kData,      // sender: bytes from `offset` on
  kRefuse,    // sender: the message does not come; the text says why, or is the sender's description of what differs
  kWithdraw,  // receiver: the message is not wanted any more; the text says why
  kClosed,    // sender: nothing of the withdrawn message comes any more
};

struct Frame {
  FrameKind kind = FrameKind::kReady;
  // Why, in kRefuse and kWithdraw; kInvalidArgument: the ends do not agree on the message.
  StatusCode code = StatusCode::kOk;
  Lane lane = {};
  uint64_t sequence = 0; // the number of the message in its lane
  uint64_t launch = 0, ordinal = 0, hash = 0;
  uint64_t bytes = 0;  // of the whole message
  uint64_t offset = 0; // of the frame's part
  // How many bytes of text or of the message are behind the header.
  uint32_t size = 0;

  bool operator==(const Frame &) const = default;
};

using FrameHeader = std::array<std::byte, kFrameHeaderBytes>;

FrameHeader writeHeader(const Frame &frame);

// `frameBytes`: of the whole frame, header and all. kDataLoss for what writeHeader does not write.
StatusOr<Frame> parseFrame(const FrameHeader &header, size_t frameBytes);

// The first bytes of a text, that fit a frame.
std::string_view cutText(std::string_view text);

} // namespace tenon::runtime
