#include "tenon/support/trace.h"

#include <array>
#include <chrono>

#if defined(__linux__)
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace tenon::trace {
namespace {

// 40 MB a thread.
constexpr size_t kMaxEvents = 1'000'000;

std::atomic<uint64_t> sessionCount{0};
std::mutex openMutex;
std::shared_ptr<Session> open; // guarded by openMutex

int64_t threadNumber() {
#if defined(__linux__)
  return int64_t(syscall(SYS_gettid));
#else
  static std::atomic<int64_t> count{0};
  thread_local const int64_t number = ++count;
  return number;
#endif
}

std::string threadName() {
  std::array<char, 64> name{};
#if defined(__linux__)
  pthread_getname_np(pthread_self(), name.data(), name.size());
#endif
  return name.data();
}

} // namespace

namespace detail {

std::atomic<bool> isActive{false};

std::shared_ptr<Session> openSession() {
  std::lock_guard lock(openMutex);
  return open;
}

} // namespace detail

int64_t now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// Its own lock, since a session may be read while threads still record; nobody else waits for it.
struct Session::ThreadList {
  std::mutex mutex;
  ThreadEvents events;
};

Session::Session() : number_(++sessionCount) {}

std::shared_ptr<Session> Session::start() {
  std::lock_guard lock(openMutex);
  if (open)
    return nullptr;
  open.reset(new Session());
  detail::isActive.store(true, std::memory_order_relaxed);
  return open;
}

void Session::stop() {
  std::lock_guard lock(openMutex);
  if (open.get() != this)
    return;
  detail::isActive.store(false, std::memory_order_relaxed);
  open.reset();
}

Session::ThreadList &Session::listOfThread() {
  // The session's number, since another may come to lie at the same address. The list outlives the session for the
  // thread's sake alone.
  thread_local uint64_t number = 0;
  thread_local std::shared_ptr<ThreadList> list;
  if (number != number_) {
    list = std::make_shared<ThreadList>();
    list->events.thread = threadNumber();
    list->events.name = threadName();
    number = number_;
    std::lock_guard lock(mutex_);
    lists_.push_back(list);
  }
  return *list;
}

void Session::record(const Label &label, int64_t begin, int64_t end, int64_t bytes, uint64_t group) {
  ThreadList &list = listOfThread();
  std::lock_guard lock(list.mutex);
  std::vector<Event> &events = list.events.events;
  if (group != 0 && !events.empty() && events.back().group == group)
    events.back().end = end;
  else if (events.size() < kMaxEvents)
    events.push_back({&label, begin, end, bytes, group});
  else
    ++list.events.dropped;
}

const Label &Session::label(std::string_view name) {
  std::lock_guard lock(mutex_);
  auto found = labels_.find(name);
  if (found == labels_.end())
    found = labels_.emplace(name, Label{std::string(name), {}}).first;
  return found->second;
}

void Session::keep(std::shared_ptr<const void> owner) {
  const void *key = owner.get();
  std::lock_guard lock(mutex_);
  kept_.emplace(key, std::move(owner));
}

std::vector<ThreadEvents> Session::events() {
  std::lock_guard lock(mutex_);
  std::vector<ThreadEvents> all;
  for (const std::shared_ptr<ThreadList> &list : lists_) {
    std::lock_guard listLock(list->mutex);
    all.push_back(list->events);
  }
  return all;
}

} // namespace tenon::trace
