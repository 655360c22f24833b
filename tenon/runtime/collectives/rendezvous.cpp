#include "tenon/runtime/collectives/rendezvous.h"

#include "tenon/runtime/core/wait_until.h"

#include <algorithm>
#include <cassert>

namespace tenon::runtime {

struct Rendezvous::Meeting {
  std::vector<int64_t> members;
  std::vector<Part> parts;   // of a member that is not there, without words
  std::vector<bool> present; // in the order of members
  size_t arrived = 0, read = 0, left = 0;

  bool isComplete() const { return arrived == members.size(); }
};

Rendezvous::Rendezvous(std::vector<std::string> names) {
  for (std::string &name : names)
    processes_.push_back({std::move(name), std::nullopt});
}

Rendezvous::~Rendezvous() { assert(meetings_.empty() && "a process is still waiting"); }

std::list<Rendezvous::Meeting>::iterator Rendezvous::join(std::span<const int64_t> members, int64_t self, Part part) {
  // A meeting that is complete is one that the others are still reading in; this is the next.
  auto found = std::find_if(meetings_.begin(), meetings_.end(), [&](const Meeting &meeting) {
    return !meeting.isComplete() &&
           std::equal(members.begin(), members.end(), meeting.members.begin(), meeting.members.end());
  });
  if (found == meetings_.end()) {
    found = meetings_.emplace(meetings_.end());
    found->members.assign(members.begin(), members.end());
    found->parts.resize(members.size());
    found->present.resize(members.size());
  }
  size_t at = static_cast<size_t>(std::find(members.begin(), members.end(), self) - members.begin());
  assert(at < members.size() && !found->present[at]);
  found->parts[at] = std::move(part);
  found->present[at] = true;
  ++found->arrived;
  return found;
}

std::string Rendezvous::describeWaits() const {
  std::string text;
  auto add = [&](int64_t process, const std::string &what) {
    text += "\n  " + processes_[static_cast<size_t>(process)].name + ": " + what;
  };
  for (const Meeting &meeting : meetings_)
    for (size_t i = 0; i < meeting.members.size(); ++i)
      if (meeting.present[i] && !meeting.isComplete())
        add(meeting.members[i], meeting.parts[i].what);
  for (const Other &other : others_)
    add(other.process, other.what);
  return text;
}

void Rendezvous::noticeDeadlock() {
  auto waits = waiting_ + static_cast<int64_t>(others_.size());
  if (!deadlock_.ok() || waits == 0 || waits + ended_ < static_cast<int64_t>(processes_.size()))
    return;
  for (const Other &other : others_)
    if (other.isReady())
      return;
  const char *who = ended_ ? "all processes that have not ended wait:" : "all processes wait for each other:";
  deadlock_ = failedPrecondition(who + describeWaits());
  changed_.notify_all();
}

Status Rendezvous::hindrance(const Meeting &meeting) const {
  const std::string *what = nullptr;
  for (size_t i = 0; i < meeting.members.size(); ++i) {
    const Process &process = processes_[static_cast<size_t>(meeting.members[i])];
    if (!meeting.present[i] && process.ended)
      return process.ended->ok() ? failedPrecondition(process.name + " has ended, and others of its group wait for it")
                                 : Status(StatusCode::kAborted, process.name + " failed: " + process.ended->message());
    if (meeting.present[i] && !what)
      what = &meeting.parts[i].what;
    if (meeting.present[i] && meeting.parts[i].what != *what)
      return invalidArgument("processes of a group do different things:\n  " + *what + "\n  " + process.name + ": " +
                             meeting.parts[i].what);
  }
  return deadlock_;
}

Status Rendezvous::sleep(std::unique_lock<std::mutex> &lock, const std::function<bool()> &isOver, const Wait &wait) {
  if (runtime::waitUntil(changed_, lock, wait, isOver))
    return {};
  if (wait.stop.stop_requested())
    return {StatusCode::kCancelled, "the run has been cancelled while it waited for other processes"};
  return {StatusCode::kDeadlineExceeded, "the run takes longer than it may: it waits for other processes"};
}

Status Rendezvous::awaitMembers(std::unique_lock<std::mutex> &lock, Meeting &meeting, const Wait &wait) {
  Status hindered;
  ++waiting_;
  noticeDeadlock();
  Status status = sleep(lock, [&] { return meeting.isComplete() || !(hindered = hindrance(meeting)).ok(); }, wait);
  if (meeting.isComplete()) // whoever came last has counted us out
    return {};
  --waiting_;
  return status.ok() ? hindered : status;
}

Status Rendezvous::meet(std::span<const int64_t> members, int64_t self, Part part, const Read &read, const Wait &wait) {
  for (int64_t member : members)
    if (member < 0 || member >= static_cast<int64_t>(processes_.size()))
      return invalidArgument("there is no process " + std::to_string(member) + " in this run");
  std::unique_lock lock(mutex_);
  auto meeting = join(members, self, std::move(part));
  Status status = hindrance(*meeting);
  if (status.ok() && meeting->isComplete()) {
    waiting_ -= static_cast<int64_t>(members.size()) - 1;
    changed_.notify_all();
  } else if (status.ok()) {
    status = awaitMembers(lock, *meeting, wait);
  }
  if (!status.ok()) {
    size_t at = static_cast<size_t>(std::find(members.begin(), members.end(), self) - members.begin());
    meeting->present[at] = false;
    if (--meeting->arrived == 0)
      meetings_.erase(meeting);
    return status;
  }
  lock.unlock();
  status = read(meeting->parts);
  lock.lock();
  ++meeting->read;
  changed_.notify_all();
  changed_.wait(lock, [&] { return meeting->read == members.size(); });
  if (++meeting->left == members.size())
    meetings_.erase(meeting);
  return status;
}

Status Rendezvous::waitUntil(int64_t self, std::string what, const std::function<bool()> &isReady,
                             const std::function<Status()> &go, const Wait &wait) {
  std::unique_lock lock(mutex_);
  auto entry = others_.insert(others_.end(), {self, std::move(what), isReady});
  noticeDeadlock();
  Status status = sleep(lock, [&] { return isReady() || !deadlock_.ok(); }, wait);
  others_.erase(entry);
  if (!status.ok())
    return status;
  if (!isReady())
    return deadlock_;
  status = go();
  changed_.notify_all();
  return status;
}

void Rendezvous::leave(int64_t process, const Status &status) {
  std::lock_guard lock(mutex_);
  Process &left = processes_[static_cast<size_t>(process)];
  left.ended = status;
  ++ended_;
  noticeDeadlock();
  if (firstError_.ok() && !status.ok())
    firstError_ = Status(status.code(), left.name + ": " + status.message());
  changed_.notify_all();
}

Status Rendezvous::firstError() const {
  std::lock_guard lock(mutex_);
  return firstError_;
}

} // namespace tenon::runtime
