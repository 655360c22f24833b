#include "tenon/runtime/transport/frame.h"

#include <bit>
#include <cstring>
#include <type_traits>

namespace tenon::runtime {
namespace {

static_assert(std::endian::native == std::endian::little, "headers are little-endian");

struct Header {
  std::array<char, 4> magic;
  uint8_t kind, code;
  uint16_t zero;
  uint32_t size, source, target, alsoZero;
  int64_t channel;
  uint64_t sequence, launch, ordinal, hash, bytes, offset;
};
static_assert(sizeof(Header) == kFrameHeaderBytes && std::has_unique_object_representations_v<Header>);

constexpr std::array<char, 4> kMagic = {'T', 'N', 'F', '1'};

Status damaged(const char *what) { return {StatusCode::kDataLoss, std::string("a damaged message has come: ") + what}; }

bool hasCode(FrameKind kind) { return kind == FrameKind::kRefuse || kind == FrameKind::kWithdraw; }

Status check(const Frame &frame, size_t behindHeader) {
  if (frame.kind < FrameKind::kReady || frame.kind > FrameKind::kClosed)
    return damaged("there is no such kind of frame");
  if (frame.size != behindHeader)
    return damaged("its size is not what its header says");
  if (hasCode(frame.kind) != (frame.code != StatusCode::kOk) || frame.code > StatusCode::kUnauthenticated)
    return damaged("there is no such status");
  if (frame.kind != FrameKind::kData)
    return frame.size > kMaxTextBytes || frame.offset ? damaged("its text is too long") : Status();
  if (frame.size > kMaxChunkBytes || frame.offset > frame.bytes || frame.size > frame.bytes - frame.offset)
    return damaged("it has more bytes than the message");
  if (frame.size == 0 && frame.bytes != 0)
    return damaged("it has none of the message's bytes");
  return {};
}

} // namespace

FrameHeader writeHeader(const Frame &frame) {
  Header header{kMagic,
                static_cast<uint8_t>(frame.kind),
                static_cast<uint8_t>(frame.code),
                0,
                frame.size,
                frame.lane.source,
                frame.lane.target,
                0,
                frame.lane.channel,
                frame.sequence,
                frame.launch,
                frame.ordinal,
                frame.hash,
                frame.bytes,
                frame.offset};
  return std::bit_cast<FrameHeader>(header);
}

StatusOr<Frame> parseFrame(const FrameHeader &bytes, size_t frameBytes) {
  auto header = std::bit_cast<Header>(bytes);
  if (frameBytes < kFrameHeaderBytes || header.magic != kMagic || header.zero || header.alsoZero)
    return damaged("it does not begin with a header");
  Frame frame{static_cast<FrameKind>(header.kind),
              static_cast<StatusCode>(header.code),
              {header.source, header.target, header.channel},
              header.sequence,
              header.launch,
              header.ordinal,
              header.hash,
              header.bytes,
              header.offset,
              header.size};
  TENON_RETURN_IF_ERROR(check(frame, frameBytes - kFrameHeaderBytes));
  return frame;
}

std::string_view cutText(std::string_view text) { return text.substr(0, kMaxTextBytes); }

} // namespace tenon::runtime
