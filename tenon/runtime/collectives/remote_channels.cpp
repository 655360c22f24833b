#include "tenon/runtime/collectives/remote_channels.h"

#include "tenon/runtime/transport/transport.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <list>

namespace tenon::runtime {

// What stands before a message's arrays. It comes from outside, so nothing in it is believed before it is checked.
struct RemoteChannels::Header {
  static constexpr uint64_t kMessage = 1, kEnd = 2;
  uint64_t kind = kMessage;
  uint64_t bytes = 0;            // of all arrays
  uint64_t typesHash = 0;        // of all of the text, of which the header has the beginning
  std::array<char, 232> types{}; // with zeros behind

  bool isValid() const { return (kind == kMessage || (kind == kEnd && bytes == 0)) && types.back() == 0; }
};

namespace {

uint64_t hashOf(const std::string &text) {
  uint64_t hash = 0xcbf29ce484222325; // FNV-1a
  for (char character : text)
    hash = (hash ^ static_cast<unsigned char>(character)) * 0x100000001b3;
  return hash;
}

} // namespace

// A message that has not been received yet, as far as is known here.
struct RemoteChannels::Sent {
  Header header;
  StreamItem item;
  std::string what;
  int64_t bytes = 0;
  std::unique_ptr<Transfer> head, body; // which end before what they send does

  bool isOver() const { return head->isOver() && (!body || body->isOver()); }
};

struct RemoteChannels::End {
  ChannelEnds ends;
  uint64_t count = 0;    // of the transport's messages
  bool hasEnded = false; // nothing more comes, or goes
  std::list<Sent> onTheWay{};
  int64_t bytes = 0; // of these
};

RemoteChannels::RemoteChannels(Rendezvous &rendezvous) : rendezvous_(rendezvous) {}
RemoteChannels::~RemoteChannels() = default;

std::string RemoteChannels::nameOf(const ChannelEnds &ends) const {
  return "channel " + std::to_string(ends.channel) + " from " + rendezvous_.nameOf(ends.source) + " to " +
         rendezvous_.nameOf(ends.target);
}

RemoteChannels::End &RemoteChannels::endOf(const ChannelEnds &ends) {
  std::lock_guard lock(mutex_);
  std::unique_ptr<End> &end = ends_[ends];
  if (!end)
    end = std::make_unique<End>(End{ends});
  return *end;
}

Status RemoteChannels::post(End &end, const Header &header, StreamItem item) {
  Rendezvous::Elsewhere &elsewhere = *rendezvous_.elsewhere();
  Sent &sent = end.onTheWay.emplace_back();
  sent.header = header;
  sent.item = std::move(item);
  sent.bytes = static_cast<int64_t>(header.bytes);
  sent.what = header.kind == Header::kEnd ? "the end of a program, behind which nothing more is sent on "
                                          : "a message of " + toString(sent.item.types()) + " on ";
  sent.what += nameOf(end.ends);
  auto letter = [&] {
    return Rendezvous::Elsewhere::Letter{end.ends.channel, end.ends.source, end.ends.target, end.count++, sent.what};
  };
  std::span<const std::byte> head = std::as_bytes(std::span(&sent.header, 1));
  sent.head = elsewhere.post(letter(), {&head, 1});
  std::vector<std::span<const std::byte>> pieces;
  for (const StreamArray &array : sent.item.arrays)
    if (auto bytes = static_cast<size_t>(array.type.shape.byteSize()))
      pieces.emplace_back(static_cast<const std::byte *>(array.data.data()), bytes);
  if (!pieces.empty())
    sent.body = elsewhere.post(letter(), pieces);
  end.bytes += sent.bytes;
  return {};
}

Status RemoteChannels::awaitOldest(End &end, const Wait &wait) {
  Sent &sent = end.onTheWay.front();
  Rendezvous::Elsewhere &elsewhere = *rendezvous_.elsewhere();
  std::string what = "sends " + sent.what;
  for (Transfer *transfer : {sent.head.get(), sent.body.get()})
    if (transfer)
      TENON_RETURN_IF_ERROR(elsewhere.await(end.ends.source, what, *transfer, wait));
  end.bytes -= sent.bytes;
  end.onTheWay.pop_front();
  return {};
}

Status RemoteChannels::send(const ChannelEnds &ends, StreamItem item, const Wait &wait) {
  End &end = endOf(ends);
  Header header;
  header.bytes = static_cast<uint64_t>(item.bytes());
  std::string types = toString(item.types());
  header.typesHash = hashOf(types);
  types.copy(header.types.data(), header.types.size() - 1);
  while (!end.onTheWay.empty() &&
         (end.onTheWay.front().isOver() || end.bytes + item.bytes() > StreamQueue::kDefaultCapacity))
    TENON_RETURN_IF_ERROR(awaitOldest(end, wait));
  return post(end, header, std::move(item));
}

StatusOr<RemoteChannels::Header> RemoteChannels::takeHeader(End &end, const std::string &what, const Wait &wait) {
  Header header;
  auto transfer = rendezvous_.elsewhere()->take({end.ends.channel, end.ends.source, end.ends.target, end.count++, what},
                                                std::as_writable_bytes(std::span(&header, 1)));
  TENON_RETURN_IF_ERROR(rendezvous_.elsewhere()->await(end.ends.target, what, *transfer, wait));
  if (!header.isValid())
    return Status(StatusCode::kDataLoss, "a damaged message has come on " + nameOf(end.ends));
  end.hasEnded = header.kind == Header::kEnd;
  return header;
}

StatusOr<Buffer> RemoteChannels::takeBody(End &end, const Header &header, const std::string &what, const Wait &wait) {
  if (!header.bytes)
    return Buffer();
  Buffer body(header.bytes);
  if (!body)
    return Status(StatusCode::kResourceExhausted,
                  "out of memory: cannot allocate " + std::to_string(header.bytes) + " bytes for " + what);
  auto transfer = rendezvous_.elsewhere()->take({end.ends.channel, end.ends.source, end.ends.target, end.count++, what},
                                                {static_cast<std::byte *>(body.data()), header.bytes});
  TENON_RETURN_IF_ERROR(rendezvous_.elsewhere()->await(end.ends.target, what, *transfer, wait));
  return body;
}

StatusOr<StreamItem> RemoteChannels::receive(const ChannelEnds &ends, std::span<const StreamType> types,
                                             const Wait &wait) {
  End &end = endOf(ends);
  std::string expected = toString(types), what = "receives " + expected + " on " + nameOf(ends);
  auto ended = [&] { return failedPrecondition(what + ", but that process's program has ended without sending it"); };
  if (end.hasEnded)
    return ended();
  TENON_ASSIGN_OR_RETURN(Header header, takeHeader(end, what, wait));
  if (end.hasEnded)
    return ended();
  StreamItem item;
  for (const StreamType &type : types)
    item.arrays.push_back({type, {}});
  if (header.typesHash != hashOf(expected) || header.bytes != static_cast<uint64_t>(item.bytes()))
    return invalidArgument(nameOf(ends) + " holds " + header.types.data() + " where " + expected + " is expected");
  TENON_ASSIGN_OR_RETURN(Buffer body, takeBody(end, header, what, wait));
  if (types.size() == 1) {
    item.arrays[0].data = std::move(body);
    return item;
  }
  const char *at = static_cast<const char *>(body.data());
  for (StreamArray &array : item.arrays) {
    TENON_ASSIGN_OR_RETURN(array, StreamArray::copyOf(array.type, at));
    at += array.type.shape.byteSize();
  }
  return item;
}

// Takes what nobody has received.
Status RemoteChannels::drain(End &end, const Wait &wait) {
  std::string what =
      "ends its program, and waits for the end of " + rendezvous_.nameOf(end.ends.source) + "'s on " + nameOf(end.ends);
  while (!end.hasEnded) {
    TENON_ASSIGN_OR_RETURN(Header header, takeHeader(end, what, wait));
    StatusOr<Buffer> dropped = takeBody(end, header, what, wait);
    TENON_RETURN_IF_ERROR(dropped.status());
  }
  return {};
}

Status RemoteChannels::finish(std::span<const ChannelEnds> channels, int64_t self, const Wait &wait) {
  for (const ChannelEnds &ends : channels)
    if (End &end = endOf(ends); ends.source == self && !std::exchange(end.hasEnded, true)) {
      Header header;
      header.kind = Header::kEnd;
      TENON_RETURN_IF_ERROR(post(end, header, {}));
    }
  for (const ChannelEnds &ends : channels)
    if (ends.target == self)
      TENON_RETURN_IF_ERROR(drain(endOf(ends), wait));
  for (const ChannelEnds &ends : channels)
    for (End &end = endOf(ends); ends.source == self && !end.onTheWay.empty();)
      TENON_RETURN_IF_ERROR(awaitOldest(end, wait));
  return {};
}

} // namespace tenon::runtime
