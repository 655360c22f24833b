#include "tenon/runtime/collectives/other_processes.h"

#include <algorithm>
#include <map>

namespace tenon::runtime {
namespace {

using Part = Rendezvous::Part;
using Places = std::vector<size_t>; // in the group

// Where each array begins in a message.
constexpr size_t kAlignment = 64;
size_t padded(size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

// A range of an array that travels.
struct Piece {
  size_t from = 0, slot = 0; // whose it is, and where its address goes in the receivers' table
  size_t array = 0, offset = 0, bytes = 0;
};

// What goes from the members at some places to those at others: as both ends compute it. `part`: of any member here,
// since all do the same.
std::vector<Piece> piecesOf(const Part &part, const Places &from, const Places &to) {
  std::vector<Piece> pieces;
  for (size_t source : from) {
    if (part.copied) {
      pieces.push_back({source, 0, 0, 0, part.copied});
      continue;
    }
    if (!part.sent->isSent.empty() && !part.sent->isSent[source])
      continue;
    for (size_t array = 0; array < part.sent->bytes.size(); ++array) {
      if (!part.sent->range) {
        pieces.push_back({source, array, array, 0, part.sent->bytes[array]});
        continue;
      }
      for (size_t target : to)
        if (auto [offset, bytes] = part.sent->range(array, source, target); bytes)
          pieces.push_back({source, target * part.sent->bytes.size() + array, array, offset, bytes});
    }
  }
  return pieces;
}

size_t bytesOf(const std::vector<Piece> &pieces) {
  size_t bytes = 0;
  for (const Piece &piece : pieces)
    bytes += padded(piece.bytes);
  return bytes;
}

const std::byte *contentOf(const Part &part, const Piece &piece) {
  const void *array = part.copied ? part.content : static_cast<const void *const *>(part.content)[piece.array];
  return static_cast<const std::byte *>(array) + piece.offset;
}

// The pieces as they follow one another in a message.
std::vector<std::span<const std::byte>> spansOf(const std::vector<Piece> &pieces, std::span<const Part> parts) {
  static constexpr std::byte kPadding[kAlignment] = {};
  std::vector<std::span<const std::byte>> spans;
  for (const Piece &piece : pieces) {
    if (!piece.bytes)
      continue;
    spans.emplace_back(contentOf(parts[piece.from], piece), piece.bytes);
    if (size_t rest = padded(piece.bytes) - piece.bytes)
      spans.emplace_back(kPadding, rest);
  }
  return spans;
}

// What comes from one OS process.
struct Incoming {
  Peer peer = 0;
  Places members;
  std::vector<Piece> pieces;
  size_t bytes = 0, at = 0; // in the memory of all
};

// Makes the parts of members elsewhere, whose pieces have come.
void makeParts(const std::vector<Incoming> &all, const Part &own, std::span<Part> parts,
               Rendezvous::Received &received) {
  size_t slots = own.copied ? 0 : own.sent->bytes.size() * (own.sent->range ? parts.size() : 1);
  std::map<size_t, size_t> tables; // where that of a place begins
  for (const Incoming &incoming : all)
    for (size_t member : incoming.members)
      tables.emplace(member, tables.size() * slots);
  received.table.assign(tables.size() * slots, nullptr);
  for (const auto &[member, table] : tables)
    parts[member] = {.purpose = own.purpose,
                     .content = static_cast<const void *>(received.table.data() + table),
                     .copied = own.copied,
                     .sent = own.sent,
                     .isElsewhere = true};
  for (const Incoming &incoming : all) {
    const auto *at = static_cast<const std::byte *>(received.memory.data()) + incoming.at;
    for (const Piece &piece : incoming.pieces) {
      if (own.copied)
        parts[piece.from].content = at;
      else
        received.table[tables[piece.from] + piece.slot] = at;
      at += padded(piece.bytes);
    }
  }
}

} // namespace

Status OtherProcesses::exchange(std::span<const int64_t> members, uint32_t turn, std::span<Part> parts,
                                Rendezvous::Received &received, const Wait &wait) {
  std::map<Peer, Places> places;
  for (size_t i = 0; i < members.size(); ++i)
    places[where(members[i])].push_back(i);
  const Places here = places.extract(options_.launch.self).mapped();
  const Part &own = parts[here[0]];
  if (!own.copied && !own.sent)
    return internalError("a meeting of several OS processes must say what they send: " + own.purpose->text());
  std::vector<Incoming> incoming;
  size_t bytes = 0;
  for (auto &[peer, there] : places) {
    Incoming &next = incoming.emplace_back(Incoming{peer, there, piecesOf(own, there, here), 0, bytes});
    next.bytes = bytesOf(next.pieces);
    bytes += next.bytes;
  }
  if (received.memory.size() < bytes)
    received.memory = Buffer(bytes);
  if (bytes && !received.memory)
    return {StatusCode::kResourceExhausted, "out of memory: " + std::to_string(bytes) + " bytes from other processes"};

  std::string what = own.purpose->sentence();
  const Launch &launch = options_.launch;
  std::string description = what + launch.program;
  Message message{launch.number, turn, own.purpose->number() ^ launch.programHash, description};
  auto deviceOf = [&](size_t place) { return launch.devices[static_cast<size_t>(members[place])]; };
  std::vector<std::unique_ptr<Transfer>> transfers;
  for (const Incoming &next : incoming) {
    uint32_t ours = deviceOf(here[0]), theirs = deviceOf(next.members[0]);
    if (next.bytes)
      transfers.push_back(
          options_.transport->take(next.peer, {theirs, ours}, message,
                                   {static_cast<std::byte *>(received.memory.data()) + next.at, next.bytes}));
    if (auto pieces = spansOf(piecesOf(own, here, next.members), parts); !pieces.empty())
      transfers.push_back(options_.transport->post(next.peer, {ours, theirs}, message, pieces));
  }
  if (options_.onWait)
    options_.onWait(members[here[0]], what);
  Status status;
  for (const auto &transfer : transfers)
    if (status.ok())
      status = transfer->wait(wait);
  if (options_.onWait)
    options_.onWait(members[here[0]], "");
  TENON_RETURN_IF_ERROR(status);
  makeParts(incoming, own, parts, received);
  return {};
}

Lane OtherProcesses::laneOf(const Letter &letter) const {
  auto deviceOf = [&](int64_t process) { return options_.launch.devices[static_cast<size_t>(process)]; };
  return {deviceOf(letter.source) | kMessages, deviceOf(letter.target), letter.channel};
}

// The hash is of the channel alone: what both ends do with it is in the words, which may differ.
Message OtherProcesses::messageOf(const Letter &letter) const {
  uint64_t hash = options_.launch.programHash;
  for (int64_t number : {letter.channel, letter.source, letter.target})
    hash = (hash ^ static_cast<uint64_t>(number)) * 0x9e3779b97f4a7c15;
  return {options_.launch.number, letter.number, hash, letter.what};
}

std::unique_ptr<Transfer> OtherProcesses::post(const Letter &letter,
                                               std::span<const std::span<const std::byte>> pieces) {
  return options_.transport->post(where(letter.target), laneOf(letter), messageOf(letter), pieces);
}

std::unique_ptr<Transfer> OtherProcesses::take(const Letter &letter, std::span<std::byte> into) {
  return options_.transport->take(where(letter.source), laneOf(letter), messageOf(letter), into);
}

Status OtherProcesses::await(int64_t self, const std::string &what, Transfer &transfer, const Wait &wait) {
  if (options_.onWait)
    options_.onWait(self, what);
  Status status = transfer.wait(wait);
  if (options_.onWait)
    options_.onWait(self, "");
  return status;
}

} // namespace tenon::runtime
