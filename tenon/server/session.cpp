#include "tenon/server/session.h"

#include <array>
#include <random>

namespace tenon::server {

// Whoever knows it may use the session: from the system's source.
static std::string newId() {
  static constexpr const char *kDigits = "0123456789abcdef";
  std::random_device source;
  std::string id;
  for (int word = 0; word < 4; ++word)
    for (uint32_t bits = source(), digit = 0; digit < 8; ++digit, bits >>= 4)
      id += kDigits[bits & 15];
  return id;
}

static CompileLimits compileLimits(const ClientLimits &limits) {
  CompileLimits result = limits.compile;
  result.resultBytes = limits.memory;
  return result;
}

Session::Session(std::string id, const std::string &platform, backend::Backend &backend, const ClientLimits &limits,
                 Metrics &metrics)
    : id_(std::move(id)), concurrent_(limits.concurrent), backend_(backend, compileLimits(limits), metrics),
      service_(platform, backend_, {limits.memory, limits.programs, limits.streamBytes, limits.processes}) {}

Status Session::enter(Deadline deadline) {
  std::unique_lock lock(mutex_);
  auto isFree = [&] { return ended_ || running_ < concurrent_; };
  if (!deadline)
    changed_.wait(lock, isFree);
  else if (!changed_.wait_until(lock, *deadline, isFree))
    return {StatusCode::kDeadlineExceeded, "the client's other executions have not ended in time"};
  if (ended_)
    return {StatusCode::kCancelled, "the session has ended"};
  ++running_;
  return {};
}

void Session::leave() {
  {
    std::lock_guard lock(mutex_);
    --running_;
  }
  changed_.notify_one();
}

void Session::end() {
  {
    std::lock_guard lock(mutex_);
    ended_ = true;
  }
  changed_.notify_all();
  backend_.stop();
  service_.stop({StatusCode::kCancelled, "the session has ended"});
}

StatusOr<std::shared_ptr<Session>> Sessions::open() {
  auto session = std::make_shared<Session>(newId(), platform_, backend_, limits_, metrics_);
  std::lock_guard lock(mutex_);
  if (static_cast<int>(sessions_.size()) >= most_)
    return Status(StatusCode::kResourceExhausted, "the server has its " + std::to_string(most_) + " clients");
  sessions_.emplace(session->id(), session);
  ++metrics_.sessionsOpened;
  return session;
}

StatusOr<std::shared_ptr<Session>> Sessions::find(const std::string &id) {
  std::lock_guard lock(mutex_);
  auto found = sessions_.find(id);
  if (found == sessions_.end())
    return Status(StatusCode::kUnavailable, "the server knows no such session; it may have ended");
  return found->second;
}

void Sessions::close(const std::string &id) {
  std::shared_ptr<Session> session;
  {
    std::lock_guard lock(mutex_);
    auto found = sessions_.find(id);
    if (found == sessions_.end())
      return;
    session = std::move(found->second);
    sessions_.erase(found);
  }
  session->end();
}

void Sessions::closeAll() {
  std::map<std::string, std::shared_ptr<Session>> all;
  {
    std::lock_guard lock(mutex_);
    all.swap(sessions_);
  }
  for (auto &[id, session] : all)
    session->end();
}

void Sessions::measure(Metrics::Gauges &gauges) {
  std::lock_guard lock(mutex_);
  gauges["sessions"] = static_cast<int64_t>(sessions_.size());
  int64_t &arrays = gauges["allocations"], &bytes = gauges["data_bytes"];
  int64_t &programs = gauges["executables"], &used = gauges["used_bytes"];
  for (auto &[id, session] : sessions_) {
    auto statistics = session->service().GetStatistics();
    if (!statistics.ok())
      continue;
    arrays += statistics->allocations;
    bytes += statistics->bytes;
    programs += statistics->executables;
    used += session->service().quota().used();
  }
}

} // namespace tenon::server
