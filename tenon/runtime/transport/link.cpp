#include "tenon/runtime/transport/link.h"

#include <algorithm>
#include <cstring>

namespace tenon::runtime {
namespace {

// More that a peer is ready for at a time, before we are, no program has.
constexpr size_t kMaxReady = size_t{1} << 16;
constexpr size_t kMaxLanes = size_t{1} << 16; // 256 devices on both sides
// The most pieces of memory in a frame: each costs the engine an object.
constexpr size_t kMaxChunkPieces = 256;

Status damaged(const std::string &what) { return {StatusCode::kDataLoss, "a damaged message has come: " + what}; }

std::string describe(const Frame &frame, std::string_view description) {
  return std::string(description) + " (launch " + std::to_string(frame.launch) +
         (frame.lane.source & kMessages ? ", message " : ", collective ") + std::to_string(frame.ordinal) + ", " +
         std::to_string(frame.bytes) + " bytes)";
}

bool agree(const Frame &a, const Frame &b) {
  return a.launch == b.launch && a.ordinal == b.ordinal && a.hash == b.hash && a.bytes == b.bytes;
}

// Copies what is behind the header.
void copyChunk(Pieces pieces, std::span<std::byte> to) {
  size_t skip = kFrameHeaderBytes, at = 0;
  for (std::span<const std::byte> piece : pieces) {
    size_t skipped = std::min(skip, piece.size());
    skip -= skipped;
    size_t count = std::min(piece.size() - skipped, to.size() - at);
    if (count)
      std::memcpy(to.data() + at, piece.data() + skipped, count);
    at += count;
  }
}

} // namespace

std::vector<std::span<const std::byte>> Exchange::Entry::nextChunk() {
  std::vector<std::span<const std::byte>> chunk;
  size_t room = kMaxChunkBytes;
  while (piece < pieces.size() && room && chunk.size() < kMaxChunkPieces) {
    std::span<const std::byte> rest = pieces[piece].subspan(pieceOffset);
    rest = rest.first(std::min(rest.size(), room));
    if (!rest.empty())
      chunk.push_back(rest);
    room -= rest.size();
    pieceOffset += rest.size();
    if (pieceOffset == pieces[piece].size()) {
      ++piece;
      pieceOffset = 0;
    }
  }
  return chunk;
}

void Exchange::Link::note(Frame frame, std::string_view text) {
  text = cutText(text);
  frame.size = static_cast<uint32_t>(text.size());
  notes.push_back({frame, std::string(text)});
  ++counts.sent;
}

void Exchange::Link::add(const std::shared_ptr<Entry> &entry) {
  if (!failed.ok()) {
    entry->end(failed);
    return;
  }
  if (!entry->isPost) {
    TakeLane &lane = takeLanes[entry->lane];
    entry->sequence = lane.next++;
    lane.takes.emplace(entry->sequence, entry);
    note(entry->frame(FrameKind::kReady), entry->message.description);
    return;
  }
  PostLane &lane = postLanes[entry->lane];
  entry->sequence = lane.nextPost++;
  if (lane.readies.empty()) {
    lane.posts.push_back(entry);
    return;
  }
  Ready ready = std::move(lane.readies.front());
  lane.readies.pop_front();
  --readyCount;
  match(entry, ready);
}

Status Exchange::Link::disagreement(const std::string &receiver, const std::string &sender) const {
  return invalidArgument("processes do different things:\n  " + receiver + "\n  " + sender);
}

void Exchange::Link::match(const std::shared_ptr<Entry> &entry, const Ready &ready) {
  Frame own = entry->frame(FrameKind::kRefuse);
  if (ready.withdrawn) {
    entry->end({StatusCode::kAborted, peerName + " has given up: " + *ready.withdrawn});
  } else if (entry->isOver) { // withdrawn
    own.code = StatusCode::kAborted;
    note(own, entry->status.message());
  } else if (!agree(own, ready.frame)) {
    entry->end(disagreement(peerName + " receives: " + describe(ready.frame, ready.description),
                            selfName + " sends: " + describe(own, entry->message.description)));
    own.code = StatusCode::kInvalidArgument;
    note(own, entry->message.description);
  } else {
    sending.push_back(entry);
  }
}

void Exchange::Link::end(const Status &status) {
  if (!failed.ok())
    return;
  failed = status;
  for (auto &[lane, posts] : postLanes)
    for (const std::shared_ptr<Entry> &entry : posts.posts)
      entry->end(status);
  for (auto &[lane, takes] : takeLanes)
    for (auto &[sequence, entry] : takes.takes)
      entry->end(status);
  for (const std::shared_ptr<Entry> &entry : sending)
    entry->end(status);
  postLanes.clear();
  takeLanes.clear();
  sending.clear();
  notes.clear();
  readyCount = 0;
}

void Exchange::Link::withdraw(const std::shared_ptr<Entry> &entry, const Status &why) {
  if (entry->isOver)
    return;
  entry->end(why);
  if (!failed.ok())
    return;
  Frame frame = entry->frame(entry->isPost ? FrameKind::kRefuse : FrameKind::kWithdraw);
  frame.code = StatusCode::kAborted;
  // A post that is not matched stays, and is refused when the peer is ready for it.
  if (entry->isPost && std::erase(sending, entry) == 0)
    return;
  note(frame, why.message());
}

Status Exchange::Link::onReady(const Frame &frame, std::string text) {
  if (!postLanes.contains(frame.lane) && postLanes.size() >= kMaxLanes)
    return {StatusCode::kResourceExhausted, "it uses more than " + std::to_string(kMaxLanes) + " lanes"};
  PostLane &lane = postLanes[frame.lane];
  if (frame.sequence != lane.nextReady)
    return damaged("a message is ready out of order");
  ++lane.nextReady;
  Ready ready{frame, std::move(text), std::nullopt};
  if (!lane.posts.empty()) {
    std::shared_ptr<Entry> entry = std::move(lane.posts.front());
    lane.posts.pop_front();
    match(entry, ready);
    return {};
  }
  if (readyCount >= kMaxReady)
    return {StatusCode::kResourceExhausted, "it waits for more than " + std::to_string(kMaxReady) + " messages"};
  ++readyCount;
  lane.readies.push_back(std::move(ready));
  return {};
}

std::shared_ptr<Exchange::Entry> Exchange::Link::findTake(const Frame &frame) {
  auto lane = takeLanes.find(frame.lane);
  if (lane == takeLanes.end())
    return nullptr;
  auto take = lane->second.takes.find(frame.sequence);
  return take == lane->second.takes.end() ? nullptr : take->second;
}

void Exchange::Link::forget(const Entry &take) { takeLanes[take.lane].takes.erase(take.sequence); }

Status Exchange::Link::onData(const Frame &frame, Pieces pieces, std::unique_lock<std::mutex> &lock) {
  std::shared_ptr<Entry> take = findTake(frame);
  if (!take)
    return damaged("bytes of a message that is not awaited");
  if (!agree(frame, take->frame(FrameKind::kReady)) || frame.offset != take->done)
    return damaged("bytes of another message than the one that is awaited");
  if (!take->isOver && frame.size) {
    ++take->busy;
    lock.unlock();
    copyChunk(pieces, take->into.subspan(frame.offset, frame.size));
    lock.lock();
    --take->busy;
    take->changed.notify_all(); // who has withdrawn it meanwhile waits for that
  }
  take->done += frame.size;
  if (take->done != take->bytes)
    return {};
  take->end({});
  if (failed.ok())
    forget(*take);
  return {};
}

Status Exchange::Link::onRefuse(const Frame &frame, const std::string &text) {
  std::shared_ptr<Entry> take = findTake(frame);
  if (!take)
    return damaged("a message is refused that is not awaited");
  forget(*take);
  Frame own = take->frame(FrameKind::kReady);
  if (take->isOver) // withdrawn; its description may be gone
    return {};
  if (frame.code == StatusCode::kInvalidArgument)
    take->end(disagreement(selfName + " receives: " + describe(own, take->message.description),
                           peerName + " sends: " + describe(frame, text)));
  else
    take->end({StatusCode::kAborted, peerName + " has given up: " + text});
  return {};
}

Status Exchange::Link::onWithdraw(const Frame &frame, const std::string &text) {
  auto lane = postLanes.find(frame.lane);
  if (lane == postLanes.end() || frame.sequence >= lane->second.nextReady)
    return damaged("a message is withdrawn that was never awaited");
  auto sent = std::find_if(sending.begin(), sending.end(), [&](const std::shared_ptr<Entry> &entry) {
    return entry->lane == frame.lane && entry->sequence == frame.sequence;
  });
  Frame closed = frame;
  closed.kind = FrameKind::kClosed;
  closed.code = StatusCode::kOk;
  if (sent != sending.end()) {
    (*sent)->end({StatusCode::kAborted, peerName + " has given up: " + text});
    sending.erase(sent);
    note(closed, {});
    return {};
  }
  for (Ready &ready : lane->second.readies)
    if (ready.frame.sequence == frame.sequence && !ready.withdrawn) {
      ready.withdrawn = text;
      note(closed, {});
    }
  return {}; // or it has been sent or refused, and the peer learns of that
}

Status Exchange::Link::onClosed(const Frame &frame) {
  std::shared_ptr<Entry> take = findTake(frame);
  if (!take || !take->isOver)
    return damaged("a message is closed that is awaited");
  forget(*take);
  return {};
}

} // namespace tenon::runtime
