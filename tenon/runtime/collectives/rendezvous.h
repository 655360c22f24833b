// Where the processes of one run of a grid meet to do a collective together, and where it is known which of them wait
// for each other. In one OS process: what they show each other is memory.
//
//   Rendezvous rendezvous(names);                      // one for each run of the grid
//   rendezvous.meet(members, self, part, read, wait);  // each member, on its own thread, in a collective
//   rendezvous.leave(self, status);                    // each process, when its program has ended
//
// Nobody waits for ever: a process that ends without coming, and processes that all wait for each other, are errors of
// those that wait.
#pragma once

#include "tenon/runtime/core/wait.h"
#include "tenon/status.h"

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tenon::runtime {

class Rendezvous {
public:
  // What a member brings.
  struct Part {
    // What the member is about to do, in words. All members of a meeting must be about to do the same.
    std::string what;
    // What the others read; what it is, `what` says.
    const void *content = nullptr;
  };
  using Read = std::function<Status(std::span<const Part> parts)>;

  // `names`: how errors call the processes, which are numbered in this order.
  explicit Rendezvous(std::vector<std::string> names);
  ~Rendezvous();
  Rendezvous(const Rendezvous &) = delete;
  Rendezvous &operator=(const Rendezvous &) = delete;

  // Waits until all members (different processes, `self` among them) are there, and calls `read` with their parts, in
  // the order of `members`; several do so at once. Returns when all have read, so that contents may change again, with
  // what `read` returned.
  //
  // kInvalidArgument where members are about to do different things or do not exist, kFailedPrecondition where one has
  // ended or all processes wait, kAborted where one has failed, kCancelled and kDeadlineExceeded as `wait` says.
  Status meet(std::span<const int64_t> members, int64_t self, Part part, const Read &read, const Wait &wait = {});

  // Waits as process `self` until `isReady`, for what others do in waitUntil, then calls `go` and returns its outcome.
  // Both are called with the lock held, `isReady` on any thread. `what`: for what it waits, in words.
  //
  // kFailedPrecondition where all processes wait, kCancelled and kDeadlineExceeded as `wait` says.
  Status waitUntil(int64_t self, std::string what, const std::function<bool()> &isReady,
                   const std::function<Status()> &go, const Wait &wait = {});

  // The process ends, and comes to no meeting any more. Once for each.
  void leave(int64_t process, const Status &status = {});

  // The first error that a process left with, behind its name.
  Status firstError() const;

private:
  struct Meeting;
  struct Process {
    std::string name;
    std::optional<Status> ended;
  };
  // A wait that is not for a meeting.
  struct Other {
    int64_t process;
    std::string what;
    std::function<bool()> isReady;
  };

  std::list<Meeting>::iterator join(std::span<const int64_t> members, int64_t self, Part part);
  // Waits, with the lock held, until all members of the meeting have come or it is known that they never will.
  Status awaitMembers(std::unique_lock<std::mutex> &lock, Meeting &meeting, const Wait &wait);
  Status sleep(std::unique_lock<std::mutex> &lock, const std::function<bool()> &isOver, const Wait &wait);
  // Why the meeting can't come about; success: it may.
  Status hindrance(const Meeting &meeting) const;
  // Ends all waits if nobody is left who would end one.
  void noticeDeadlock();
  std::string describeWaits() const;

  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<Process> processes_;
  std::list<Meeting> meetings_;
  std::list<Other> others_;
  int64_t waiting_ = 0, ended_ = 0; // in meetings that are not complete; that have left
  Status deadlock_, firstError_;
};

} // namespace tenon::runtime
