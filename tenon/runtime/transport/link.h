// The transfers of one process with one other. Part of exchange.cpp.
#pragma once

#include "tenon/runtime/transport/exchange.h"

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>

namespace tenon::runtime {

// A message on its way. All of it is guarded by its link's mutex, but for the memory of a message while it is busy.
struct Exchange::Entry {
  bool isPost = false;
  Lane lane;
  uint64_t sequence = 0;
  Message message;
  uint64_t bytes = 0;
  std::vector<std::span<const std::byte>> pieces; // of a post
  std::span<std::byte> into;                      // of a take
  uint64_t done = 0;                              // bytes that an engine has taken over, or that have come
  size_t piece = 0, pieceOffset = 0;              // where the next chunk of a post begins
  int busy = 0;                                   // how many chunks the engine reads or fills now
  bool isAwaited = false;                         // somebody has called wait
  bool isOver = false;
  Status status; // once it is over
  std::chrono::steady_clock::time_point since = std::chrono::steady_clock::now();
  std::condition_variable_any changed;

  bool isSettled() const { return isOver && busy == 0; }
  // Whether a device, or who copies, goes no further before it is over.
  bool holdsUp() const { return !isOver && (isAwaited || !(lane.source & kMessages)); }
  void await() {
    if (!isOver && !holdsUp()) // it has been on its way until now, and nobody has minded
      since = std::chrono::steady_clock::now();
    isAwaited = true;
  }
  void end(Status why) {
    if (isOver)
      return;
    isOver = true;
    status = std::move(why);
    changed.notify_all();
  }
  // The bytes of a post that the next frame takes.
  std::vector<std::span<const std::byte>> nextChunk();
  // A frame with what is said of the message.
  Frame frame(FrameKind kind) const {
    return {kind, StatusCode::kOk, lane, sequence, message.launch, message.ordinal, message.hash, bytes, 0, 0};
  }
};

struct Exchange::Link {
  Link(const std::string &self, const std::string &peer) : selfName(self), peerName(peer) {}

  const std::string &selfName, &peerName;
  mutable std::mutex mutex;
  Status failed;

  // kReady of a peer for a message that has not been posted.
  struct Ready {
    Frame frame;
    std::string description;
    std::optional<std::string> withdrawn; // why
  };
  // At most one of both is not empty: what has come first waits for the other.
  struct PostLane {
    uint64_t nextPost = 0, nextReady = 0;
    std::deque<std::shared_ptr<Entry>> posts;
    std::deque<Ready> readies;
  };
  struct TakeLane {
    uint64_t next = 0;
    std::map<uint64_t, std::shared_ptr<Entry>> takes; // those that are withdrawn and not closed, too
  };
  std::map<Lane, PostLane> postLanes;
  std::map<Lane, TakeLane> takeLanes;
  size_t readyCount = 0;
  std::deque<std::shared_ptr<Entry>> sending; // round about
  struct Note {
    Frame frame;
    std::string text;
  };
  std::deque<Note> notes; // frames without bytes of messages, which go first
  Counts counts;          // of frames; those that are still to go count as sent

  bool hasFrames() const { return !notes.empty() || !sending.empty(); }
  void note(Frame frame, std::string_view text);
  void add(const std::shared_ptr<Entry> &entry);
  // Brings a post and the kReady of its number together.
  void match(const std::shared_ptr<Entry> &entry, const Ready &ready);
  void end(const Status &status);
  // The caller of `entry` gives up.
  void withdraw(const std::shared_ptr<Entry> &entry, const Status &why);

  Status onReady(const Frame &frame, std::string text);
  Status onData(const Frame &frame, Pieces pieces, std::unique_lock<std::mutex> &lock);
  Status onRefuse(const Frame &frame, const std::string &text);
  Status onWithdraw(const Frame &frame, const std::string &text);
  Status onClosed(const Frame &frame);

  // The entry of a frame that comes from the sender of a message; null: there is none.
  std::shared_ptr<Entry> findTake(const Frame &frame);
  void forget(const Entry &take);
  Status disagreement(const std::string &receiver, const std::string &sender) const;
};

} // namespace tenon::runtime
