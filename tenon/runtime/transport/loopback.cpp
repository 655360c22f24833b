#include "tenon/runtime/transport/loopback.h"

#include <algorithm>

namespace tenon::runtime {
namespace {

Status deliver(Exchange &to, Peer from, const Exchange::Outgoing &frame) {
  std::vector<std::span<const std::byte>> pieces = {frame.header, std::as_bytes(std::span(frame.text))};
  pieces.insert(pieces.end(), frame.chunk.begin(), frame.chunk.end());
  return to.received(from, pieces);
}

} // namespace

Loopback::Loopback(const std::vector<std::string> &names) {
  for (Peer self = 0; self < static_cast<Peer>(names.size()); ++self)
    exchanges_.push_back(std::make_unique<Exchange>(Exchange::Options{
        self, names, [this, self](Peer peer) { wake({self, peer}); }, [this, self](Peer peer) { cut(self, peer); }}));
  thread_ = std::thread([this] { run(); });
}

Loopback::~Loopback() {
  {
    std::lock_guard lock(mutex_);
    isEnding_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Loopback::wake(Route route) {
  std::lock_guard lock(mutex_);
  awake_.insert(route);
  changed_.notify_all();
}

void Loopback::stop(Peer peer) {
  std::lock_guard lock(mutex_);
  stopped_.insert(peer);
}

void Loopback::proceed(Peer peer) {
  std::lock_guard lock(mutex_);
  stopped_.erase(peer);
  for (Peer from = 0; from < static_cast<Peer>(exchanges_.size()); ++from)
    awake_.insert({from, peer});
  changed_.notify_all();
}

void Loopback::cut(Peer one, Peer other) {
  Status status(StatusCode::kUnavailable, "the connection has been cut");
  process(one).lost(other, status);
  process(other).lost(one, status);
  std::vector<std::pair<Route, Exchange::Outgoing>> dropped;
  std::lock_guard lock(mutex_);
  for (auto held = held_.begin(); held != held_.end();)
    if (held->first == Route(one, other) || held->first == Route(other, one)) {
      dropped.push_back(std::move(*held));
      held = held_.erase(held);
    } else {
      ++held;
    }
}

bool Loopback::moveOne(Route route, std::unique_lock<std::mutex> &lock) {
  auto [from, to] = route;
  auto held = std::find_if(held_.begin(), held_.end(), [&](const auto &entry) { return entry.first == route; });
  bool isStopped = stopped_.contains(to);
  if (isStopped && held != held_.end())
    return false; // one frame is on its way
  std::optional<Exchange::Outgoing> frame;
  if (held != held_.end()) {
    frame = std::move(held->second);
    held_.erase(held);
  } else {
    lock.unlock();
    frame = process(from).nextFrame(to);
    lock.lock();
  }
  if (frame && isStopped) {
    held_.emplace_back(route, *std::move(frame));
    return false;
  }
  if (!frame)
    return false;
  lock.unlock();
  if (Status status = deliver(process(to), from, *frame); !status.ok())
    process(from).lost(to, status);
  frame.reset();
  lock.lock();
  return true;
}

void Loopback::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return isEnding_ || !awake_.empty(); });
    if (isEnding_)
      return;
    Route route = *awake_.begin();
    awake_.erase(awake_.begin());
    if (moveOne(route, lock))
      awake_.insert(route); // there may be more
  }
}

} // namespace tenon::runtime
