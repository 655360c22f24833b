// Where the processes of one run of a grid meet to do a collective together, and where it is known which of them wait
// for each other. What they show each other is memory; those of other OS processes send it (Elsewhere).
//
//   Rendezvous rendezvous(names);                      // one for each run of the grid
//   rendezvous.meet(members, self, part, read, wait);  // each member, on its own thread, in a collective
//   rendezvous.leave(self, status);                    // each process, when its program has ended
//
// Nobody waits for ever: a process that ends without coming, and processes that all wait for each other, are errors of
// those that wait.
//
// A meeting takes no lock and makes no text while all goes well. The members of each group have a counter and a place
// each of their own; they come to its meetings in one order, so these need no names. Who waits watches the counter for
// some microseconds, if there are processors for all, then sleeps. Who has slept for a millisecond takes the lock of
// all, says what it waits for, and finds out whether that may still come.
#pragma once

#include "tenon/runtime/core/memory.h"
#include "tenon/runtime/core/wait.h"
#include "tenon/status.h"

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tenon::runtime {

class Transfer;

// What a member of a meeting is about to do: all must be about to do the same. Known by a number; the words are for
// errors.
class Purpose {
public:
  // `place`: the line of the user's source, which may differ.
  explicit Purpose(std::string text, std::string place = "");

  const std::string &text() const { return text_; }
  const std::string &place() const { return place_; }
  uint64_t number() const { return number_; }
  // "text at place".
  std::string sentence() const { return place_.empty() ? text_ : text_ + " at " + place_; }

private:
  std::string text_, place_;
  uint64_t number_; // depends on the text alone
};

class Rendezvous {
public:
  // What members in other OS processes need of a member's content, which is a table of arrays.
  struct Sent {
    // The sizes of the first arrays of the table; what is behind them is for members in the same OS process.
    std::vector<size_t> bytes;
    struct Range {
      size_t offset = 0, bytes = 0;
    };
    // What the member at place `to` needs of that at place `from`. Empty: all of all arrays.
    std::function<Range(size_t array, size_t from, size_t to)> range;
    // Whether anything of the member at a place is sent. Empty: of each.
    std::vector<bool> isSent;
  };
  // What a member brings.
  struct Part {
    // Outlives the rendezvous.
    const Purpose *purpose = nullptr;
    // What the others read; what it is, `purpose` says.
    const void *content = nullptr;
    // If not 0, content is so many bytes, at most mostCopied(), of which the others read a copy: nobody waits until
    // they have. With `sent`, it is a table of arrays of these sizes, which are copied one behind the other.
    size_t copied = 0;
    // If not 0, content is a table of so many bytes, of arrays that stay as they are until the member has come to the
    // next meeting of the same members: nobody waits until the others have read them.
    size_t staying = 0;
    // The number of what else is done at the meeting (joinedBy).
    uint64_t joined = 0;
    // Outlives the meeting. Null: nobody else can read the content.
    const Sent *sent = nullptr;
    // The member is in another OS process. Its content has the arrays of `sent` alone or, where each member is sent
    // something of its own, what was sent to the one at place p behind `p * sent->bytes.size()` others.
    bool isElsewhere = false;
  };
  // What has come from other OS processes.
  struct Received {
    Buffer memory;
    std::vector<const void *> table;
  };
  // The members in other OS processes.
  class Elsewhere {
  public:
    virtual ~Elsewhere() = default;
    // The number of the OS process that has a process of the grid, and of this one.
    virtual int32_t where(int64_t process) const = 0;
    virtual int32_t here() const = 0;
    // Called by the last member here of a meeting, of which all parts here are known, and which is the `turn`th of
    // these members: makes the parts of the others, in memory of `received`.
    virtual Status exchange(std::span<const int64_t> members, uint32_t turn, std::span<Part> parts, Received &received,
                            const Wait &wait) = 0;

    // What one process of the grid sends to another on a channel, where one of both is here. Those of a channel and two
    // processes go in order.
    struct Letter {
      int64_t channel = 0, source = 0, target = 0;
      uint64_t number = 0;   // among those
      std::string_view what; // in words; stays until the transfer has ended
    };
    virtual std::unique_ptr<Transfer> post(const Letter &letter,
                                           std::span<const std::span<const std::byte>> pieces) = 0;
    virtual std::unique_ptr<Transfer> take(const Letter &letter, std::span<std::byte> into) = 0;
    // Waits as process `self` of the grid.
    virtual Status await(int64_t self, const std::string &what, Transfer &transfer, const Wait &wait) = 0;
  };
  static constexpr size_t kCopiedBytes = 1024;
  // The same where all members are here and have to wait for processors: to sleep once more, until others have read,
  // costs more than to copy so much.
  static constexpr size_t kCopiedBytesOfMany = size_t(16) << 10;
  size_t mostCopied() const { return elsewhere_ || spins_ ? kCopiedBytes : kCopiedBytesOfMany; }
  using Read = std::function<Status(std::span<const Part> parts)>;

  // `names`: how errors call the processes, which are numbered in this order. `elsewhere`: null where all are here.
  explicit Rendezvous(std::vector<std::string> names, std::unique_ptr<Elsewhere> elsewhere = nullptr);
  ~Rendezvous();
  Rendezvous(const Rendezvous &) = delete;
  Rendezvous &operator=(const Rendezvous &) = delete;

  // Waits until all members (different processes, `self` among them) are there, and calls `read` with their parts, in
  // the order of `members`; several do so at once. Returns when all have read, so that contents may change again, with
  // what `read` returned. The calls of each process come from one thread.
  //
  // kInvalidArgument where members are about to do different things or do not exist, kFailedPrecondition where one has
  // ended or all processes wait, kAborted where one has failed, kCancelled and kDeadlineExceeded as `wait` says.
  Status meet(std::span<const int64_t> members, int64_t self, const Part &part, const Read &read,
              const Wait &wait = {});

  // What a process shows and reads at its next meeting besides what that is for, of which it has the tables follow its
  // own in the order of this list.
  struct Joined {
    uint64_t number = 0; // of the purpose
    std::vector<void *> table;
    Read read; // of parts whose contents are these tables
  };
  // Used by the process's own thread alone.
  std::vector<Joined> &joinedBy(int64_t process) { return processes_[static_cast<size_t>(process)].joined; }

  // Waits until others have read what process `self` has shown at its last meeting, if that stays (Part::staying): they
  // are about to. Called by its own thread, before what it has shown goes for another reason than the next meeting.
  void awaitReaders(int64_t self);

  // Memory that the processes here of a group have in common, which its first member names, as long as this lives. All
  // ask for as much. Null if there is none left.
  void *groupMemory(int64_t first, size_t bytes);

  // Null where all are here.
  Elsewhere *elsewhere() const { return elsewhere_.get(); }
  const std::string &nameOf(int64_t process) const { return processes_[static_cast<size_t>(process)].name; }
  int64_t count() const { return static_cast<int64_t>(processes_.size()); }
  // The OS process that has it.
  int32_t where(int64_t process) const { return elsewhere_ ? elsewhere_->where(process) : 0; }
  bool isHere(int64_t process) const { return !elsewhere_ || elsewhere_->where(process) == elsewhere_->here(); }

  // A purpose that lives as long as this.
  const Purpose &purpose(const std::string &text);

  // Waits as process `self` until `isReady`, for what others do in waitUntil, then calls `go` and returns its outcome.
  // Both are called with the lock held, `isReady` on any thread. `what`: for what it waits, in words; `awaited`: for
  // which process, -1 where it may be any.
  //
  // kFailedPrecondition where all processes wait, kCancelled and kDeadlineExceeded as `wait` says.
  Status waitUntil(int64_t self, std::string what, int64_t awaited, const std::function<bool()> &isReady,
                   const std::function<Status()> &go, const Wait &wait = {});

  // The process ends, and comes to no meeting any more. Once for each.
  void leave(int64_t process, const Status &status = {});

  // The first error that a process left with, behind its name.
  Status firstError() const;

  // A process here that waits for the others of a meeting, and has for some time, or for another one in waitUntil.
  struct Waiting {
    int64_t process = 0;
    std::string what;             // with the place
    uint64_t number = 0;          // of the purpose, or of these words
    uint32_t turn = 0;            // the number of the meeting among those of its members, or of the wait
    std::vector<int64_t> missing; // processes here that have not come to it
  };
  std::vector<Waiting> waiting() const;

private:
  class Group;
  struct Process {
    std::string name;
    std::optional<Status> ended;
    // The groups that it has met with, which are few. Used by its own thread alone.
    std::vector<Group *> groups;
    std::vector<Joined> joined;
    // The last meeting at which it has shown what stays.
    Group *stayingFor = nullptr;
    uint32_t stayingTurn = 0;
  };
  // A wait for a meeting that has lasted for some time.
  struct LongWait {
    int64_t process;
    Group *group;
    uint32_t turn;
  };
  // A wait that is not for a meeting.
  struct Other {
    int64_t process;
    std::string what;
    int64_t awaited;
    uint32_t turn; // which of these waits it is
    std::function<bool()> isReady;
  };

  Group &groupOf(std::span<const int64_t> members, int64_t self);
  // Waits until all members have come to the group's meeting, or it is known that they never will.
  Status awaitMembers(Group &group, int64_t self, size_t at, uint32_t turn, const Wait &wait);
  Status awaitLong(Group &group, int64_t self, uint32_t turn, const Wait &wait);
  // Why the meeting can't come about; success: it may. With the lock held.
  Status hindrance(const Group &group, uint32_t turn) const;
  Status mismatch(const Group &group, uint32_t turn) const;
  // All members here have come: gets the parts of the others.
  Status bringTogether(Group &group, uint32_t turn, const Wait &wait);
  int64_t countHere() const;
  // Ends all waits if nobody is left who would end one. With the lock held.
  void noticeDeadlock();
  std::string describeWaits() const;

  std::vector<Process> processes_;
  const std::unique_ptr<Elsewhere> elsewhere_;
  const int64_t here_; // how many processes are
  const bool spins_;   // there are processors for all of them
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::unordered_multimap<uint64_t, std::unique_ptr<Group>> groups_;
  std::list<LongWait> longWaits_;
  std::list<Other> others_;
  uint32_t othersSoFar_ = 0;
  std::unordered_map<std::string, Purpose> purposes_;
  std::unordered_map<int64_t, Buffer> groupMemory_;
  int64_t ended_ = 0; // processes that have left
  Status deadlock_, firstError_;
};

} // namespace tenon::runtime
