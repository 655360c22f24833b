#include "tenon/runtime/transport/exchange.h"

#include "tenon/runtime/core/wait_until.h"
#include "tenon/runtime/transport/link.h"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace tenon::runtime {
namespace {

// How long whoever gives up waits for the network to let go of its memory, before the peer is given up.
constexpr std::chrono::seconds kGrace{1};

size_t sizeOf(Pieces pieces) {
  size_t size = 0;
  for (std::span<const std::byte> piece : pieces)
    size += piece.size();
  return size;
}

// `count` bytes from `offset` on.
std::string bytesAt(Pieces pieces, size_t offset, size_t count) {
  std::string bytes;
  for (std::span<const std::byte> piece : pieces) {
    size_t skipped = std::min(offset, piece.size());
    offset -= skipped;
    size_t used = std::min(piece.size() - skipped, count - bytes.size());
    bytes.append(reinterpret_cast<const char *>(piece.data()) + skipped, used);
  }
  return bytes;
}

} // namespace

// The memory of a chunk that an engine reads.
class Exchange::Chunk {
public:
  Chunk(Link &link, std::shared_ptr<Entry> entry) : link_(link), entry_(std::move(entry)) {}
  ~Chunk() {
    std::lock_guard lock(link_.mutex);
    if (--entry_->busy > 0)
      return;
    if (entry_->done == entry_->bytes)
      entry_->end({});
    entry_->changed.notify_all();
  }
  Chunk(const Chunk &) = delete;
  Chunk &operator=(const Chunk &) = delete;

private:
  Link &link_;
  std::shared_ptr<Entry> entry_;
};

class Exchange::EntryTransfer final : public Transfer {
public:
  EntryTransfer(Exchange &exchange, Peer peer, std::shared_ptr<Entry> entry)
      : exchange_(exchange), peer_(peer), entry_(std::move(entry)) {}
  ~EntryTransfer() override {
    if (exchange_.link(peer_))
      giveUp({StatusCode::kCancelled, "nobody waits for the message any more"});
  }

  Status wait(const Wait &wait) override {
    Link *link = exchange_.link(peer_);
    if (!link)
      return entry_->status;
    {
      std::unique_lock lock(link->mutex);
      entry_->await();
      if (waitUntil(entry_->changed, lock, wait, [&] { return entry_->isOver; }) && entry_->isSettled())
        return entry_->status;
    }
    // `wait.stop` may have come and gone by its deadline: one of both has ended the waiting.
    Status why = wait.status();
    giveUp(why.ok() ? Status(StatusCode::kDeadlineExceeded, "the program has not ended in time") : why);
    std::lock_guard lock(link->mutex);
    return entry_->status;
  }

  bool isOver() const override {
    Link *link = exchange_.link(peer_);
    if (!link)
      return true;
    std::lock_guard lock(link->mutex);
    return entry_->isSettled();
  }

private:
  // Returns when nobody reads or writes the memory any more.
  void giveUp(const Status &why) {
    Link &link = *exchange_.link(peer_);
    std::unique_lock lock(link.mutex);
    link.withdraw(entry_, why);
    bool hasFrames = link.hasFrames();
    lock.unlock();
    if (hasFrames)
      exchange_.options_.wake(peer_);
    lock.lock();
    auto isSettled = [&] { return entry_->isSettled(); };
    if (entry_->changed.wait_for(lock, kGrace, isSettled))
      return;
    lock.unlock();
    exchange_.options_.cut(peer_);
    lock.lock();
    entry_->changed.wait(lock, isSettled);
  }

  Exchange &exchange_;
  const Peer peer_;
  const std::shared_ptr<Entry> entry_;
};

Exchange::Exchange(Options options) : options_(std::move(options)) {
  for (const std::string &name : options_.names)
    links_.push_back(std::make_unique<Link>(options_.names.at(static_cast<size_t>(options_.self)), name));
}

Exchange::~Exchange() { fail({StatusCode::kCancelled, "the process leaves the others"}); }

Exchange::Link *Exchange::link(Peer peer) const {
  bool exists = peer >= 0 && static_cast<size_t>(peer) < links_.size() && peer != options_.self;
  return exists ? links_[static_cast<size_t>(peer)].get() : nullptr;
}

std::unique_ptr<Transfer> Exchange::start(Peer peer, std::shared_ptr<Entry> entry) {
  if (Link *link = this->link(peer)) {
    std::unique_lock lock(link->mutex);
    link->add(entry);
    bool hasFrames = link->hasFrames();
    lock.unlock();
    if (hasFrames)
      options_.wake(peer);
  } else {
    entry->end(invalidArgument("there is no other process " + std::to_string(peer)));
  }
  return std::make_unique<EntryTransfer>(*this, peer, std::move(entry));
}

std::unique_ptr<Transfer> Exchange::post(Peer peer, Lane lane, const Message &message, Pieces pieces) {
  auto entry = std::make_shared<Entry>();
  entry->isPost = true;
  entry->lane = lane;
  entry->message = message;
  entry->pieces.assign(pieces.begin(), pieces.end());
  entry->bytes = sizeOf(pieces);
  return start(peer, std::move(entry));
}

void Exchange::refuse(Peer peer, Lane lane, const Message &message, const Status &why) {
  auto entry = std::make_shared<Entry>();
  entry->isPost = true;
  entry->lane = lane;
  entry->message = message;
  entry->end(why);
  start(peer, std::move(entry));
}

std::unique_ptr<Transfer> Exchange::take(Peer peer, Lane lane, const Message &message, std::span<std::byte> into) {
  auto entry = std::make_shared<Entry>();
  entry->lane = lane;
  entry->message = message;
  entry->into = into;
  entry->bytes = into.size();
  return start(peer, std::move(entry));
}

std::optional<Exchange::Outgoing> Exchange::nextFrame(Peer peer) {
  Link *link = this->link(peer);
  if (!link)
    return std::nullopt;
  std::lock_guard lock(link->mutex);
  if (!link->notes.empty()) {
    Outgoing outgoing{writeHeader(link->notes.front().frame), std::move(link->notes.front().text), {}, nullptr};
    link->notes.pop_front();
    return outgoing;
  }
  if (link->sending.empty())
    return std::nullopt;
  std::shared_ptr<Entry> entry = std::move(link->sending.front());
  link->sending.pop_front();
  Frame frame = entry->frame(FrameKind::kData);
  Outgoing outgoing;
  outgoing.chunk = entry->nextChunk();
  frame.offset = entry->done;
  frame.size = static_cast<uint32_t>(sizeOf(outgoing.chunk));
  outgoing.header = writeHeader(frame);
  entry->done += frame.size;
  ++entry->busy;
  ++link->counts.sent;
  if (entry->done < entry->bytes)
    link->sending.push_back(entry);
  outgoing.memory = std::make_shared<Chunk>(*link, std::move(entry));
  return outgoing;
}

Status Exchange::received(Peer peer, Pieces pieces) {
  Link *link = this->link(peer);
  if (!link)
    return invalidArgument("there is no other process " + std::to_string(peer));
  size_t size = sizeOf(pieces);
  std::string bytes = bytesAt(pieces, 0, kFrameHeaderBytes);
  FrameHeader header{};
  std::memcpy(header.data(), bytes.data(), bytes.size());
  StatusOr<Frame> frame = parseFrame(header, size);
  Status status = frame.status();
  bool hasFrames = false;
  if (status.ok()) {
    std::string text = frame->kind == FrameKind::kData ? "" : bytesAt(pieces, kFrameHeaderBytes, frame->size);
    std::unique_lock lock(link->mutex);
    if (!link->failed.ok())
      return link->failed;
    switch (frame->kind) {
    case FrameKind::kReady:
      status = link->onReady(*frame, std::move(text));
      break;
    case FrameKind::kData:
      status = link->onData(*frame, pieces, lock);
      break;
    case FrameKind::kRefuse:
      status = link->onRefuse(*frame, text);
      break;
    case FrameKind::kWithdraw:
      status = link->onWithdraw(*frame, text);
      break;
    case FrameKind::kClosed:
      status = link->onClosed(*frame);
      break;
    }
    ++link->counts.received; // behind what it has changed
    hasFrames = link->hasFrames();
  }
  if (!status.ok()) {
    status = Status(status.code(), "from " + link->peerName + ": " + status.message());
    lost(peer, status);
  } else if (hasFrames) {
    options_.wake(peer);
  }
  return status;
}

void Exchange::wakeAll() {
  for (size_t peer = 0; peer < links_.size(); ++peer) {
    Link &link = *links_[peer];
    std::unique_lock lock(link.mutex);
    bool hasFrames = link.hasFrames();
    lock.unlock();
    if (hasFrames)
      options_.wake(static_cast<Peer>(peer));
  }
}

void Exchange::lost(Peer peer, const Status &status) {
  if (Link *link = this->link(peer)) {
    std::lock_guard lock(link->mutex);
    link->end(status);
  }
}

void Exchange::fail(const Status &status) {
  for (size_t peer = 0; peer < links_.size(); ++peer)
    lost(static_cast<Peer>(peer), status);
}

std::vector<Exchange::Waiting> Exchange::waiting(std::vector<Counts> *counts) const {
  std::vector<Waiting> result;
  if (counts)
    counts->resize(links_.size());
  for (size_t peer = 0; peer < links_.size(); ++peer) {
    const Link &link = *links_[peer];
    std::lock_guard lock(link.mutex);
    if (counts)
      (*counts)[peer] = link.counts;
    auto add = [&](const std::shared_ptr<Entry> &entry) {
      const Message &message = entry->message;
      if (entry->holdsUp())
        result.push_back({static_cast<Peer>(peer), entry->isPost, std::string(message.description), entry->since,
                          entry->lane, message.launch, message.ordinal, message.hash});
    };
    for (const auto &[lane, posts] : link.postLanes)
      std::for_each(posts.posts.begin(), posts.posts.end(), add);
    for (const auto &[lane, takes] : link.takeLanes)
      for (const auto &[sequence, entry] : takes.takes)
        add(entry);
    std::for_each(link.sending.begin(), link.sending.end(), add);
  }
  return result;
}

} // namespace tenon::runtime
