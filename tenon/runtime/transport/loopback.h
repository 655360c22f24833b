// An engine for processes that are all in this one: for tests. A thread moves the frames.
#pragma once

#include "tenon/runtime/transport/exchange.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <set>
#include <thread>

namespace tenon::runtime {

class Loopback {
public:
  explicit Loopback(const std::vector<std::string> &names);
  ~Loopback();
  Loopback(const Loopback &) = delete;
  Loopback &operator=(const Loopback &) = delete;

  Exchange &process(Peer peer) { return *exchanges_[static_cast<size_t>(peer)]; }

  // A process that is stopped takes no frames: what was sent to it stays with the sender's engine.
  void stop(Peer peer);
  void proceed(Peer peer);

private:
  using Route = std::pair<Peer, Peer>; // from, to

  void wake(Route route);
  void cut(Peer one, Peer other);
  void run();
  // Whether a frame has gone to the receiver.
  bool moveOne(Route route, std::unique_lock<std::mutex> &lock);

  std::vector<std::unique_ptr<Exchange>> exchanges_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::set<Route> awake_;
  std::set<Peer> stopped_;
  std::vector<std::pair<Route, Exchange::Outgoing>> held_; // for processes that are stopped
  bool isEnding_ = false;
  std::thread thread_;
};

} // namespace tenon::runtime
