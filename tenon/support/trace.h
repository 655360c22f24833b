// What the process does and when, for profilers. At most one session is open at a time; without one nothing is
// recorded, and finding that out costs one relaxed load.
//
//   trace::Span span("fuse");                      // an event from here to the end of the scope
//   if (std::shared_ptr<Session> session = trace::current()) ...
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace tenon::trace {

// What events have in common: a name to show, and details by name.
struct Label {
  enum class Kind : uint8_t { kOther, kRun, kKernel, kRuntimeCall };

  std::string name;
  std::vector<std::pair<std::string, std::variant<int64_t, double, std::string>>> details;
  Kind kind = Kind::kOther;

  // A detail, or `otherwise` where there is none of that name and type.
  template <typename T> T detail(std::string_view key, T otherwise = {}) const {
    for (const auto &[detailName, value] : details)
      if (detailName == key)
        if (const T *found = std::get_if<T>(&value))
          return *found;
    return otherwise;
  }
};

struct Event {
  const Label *label = nullptr;
  int64_t begin = 0, end = 0; // nanoseconds since 1970
  int64_t bytes = -1;         // moved by the event, or -1
  uint64_t group = 0;         // of a kernel: the same on all threads that take part in one phase of a call; else 0
};

// The events of one thread, in the order of their ends.
struct ThreadEvents {
  int64_t thread = 0; // the system's number
  std::string name;
  std::vector<Event> events;
  int64_t dropped = 0; // beyond what a thread may record
};

// Nanoseconds since 1970. Follows the clock of the profilers, which is the system's.
int64_t now();

class Session {
public:
  // Null if a session is open.
  static std::shared_ptr<Session> start();
  // What runs when a session is stopped goes on recording into it, unseen.
  void stop();

  // Any thread. The label has to live as long as the session: it belongs to the session, or to something kept. Events
  // of one group (not 0) that follow each other on a thread become one.
  void record(const Label &label, int64_t begin, int64_t end, int64_t bytes = -1, uint64_t group = 0);
  // A label of the session's own.
  const Label &label(std::string_view name);
  void keep(std::shared_ptr<const void> owner);
  // The first of `count` numbers of groups.
  uint64_t newGroups(uint64_t count) { return nextGroup_.fetch_add(count, std::memory_order_relaxed); }

  std::vector<ThreadEvents> events();

private:
  struct ThreadList;
  Session();
  ThreadList &listOfThread();

  const uint64_t number_;
  std::atomic<uint64_t> nextGroup_{1};
  std::mutex mutex_;
  std::deque<std::shared_ptr<ThreadList>> lists_;
  std::map<std::string, Label, std::less<>> labels_;
  std::map<const void *, std::shared_ptr<const void>> kept_;
};

namespace detail {
extern std::atomic<bool> isActive;
std::shared_ptr<Session> openSession();
} // namespace detail

// The open session, or null.
inline std::shared_ptr<Session> current() {
  return detail::isActive.load(std::memory_order_relaxed) ? detail::openSession() : nullptr;
}

class Span {
public:
  // `name` has to live as long as the span.
  explicit Span(std::string_view name, int64_t bytes = -1) : session_(current()), name_(name), bytes_(bytes) {
    if (session_)
      begin_ = now();
  }
  // `label` has to live as long as the session.
  explicit Span(const Label &label, int64_t bytes = -1) : session_(current()), label_(&label), bytes_(bytes) {
    if (session_)
      begin_ = now();
  }
  ~Span() {
    if (session_)
      session_->record(label_ ? *label_ : session_->label(name_), begin_, now(), bytes_);
  }
  Span(const Span &) = delete;
  Span &operator=(const Span &) = delete;

private:
  std::shared_ptr<Session> session_;
  std::string_view name_;
  const Label *label_ = nullptr;
  int64_t bytes_, begin_ = 0;
};

} // namespace tenon::trace
