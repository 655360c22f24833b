// The groups of processes that a collective splits a grid into, and the meetings of their members.
#pragma once

#include "tenon/program/program.h"
#include "tenon/runtime/collectives/rendezvous.h"
#include "tenon/runtime/core/runtime_call.h"
#include "tenon/status.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tenon::runtime {

// The process groups of a runtime call, by axes of the grid or as lists (ir::groupAttributes). What it costs to find
// the members of a group depends on its size alone, unless there are lists.
class Groups {
public:
  Groups() = default;
  static StatusOr<Groups> of(const program::RuntimeCall &runtimeCall);

  // The processes of this one's group, in its order. kFailedPrecondition for one that is in none.
  StatusOr<std::vector<int64_t>> ofProcess(int64_t process) const;
  size_t largest() const { return largest_; }
  size_t smallest() const { return smallest_; }

private:
  struct Axis {
    int64_t size, stride;
  };

  Status readAxes(const std::vector<int64_t> &numbers);
  Status readLists(const program::RuntimeCall &runtimeCall);

  std::vector<Axis> axes_; // major to minor
  std::vector<std::vector<int64_t>> lists_;
  bool areLists_ = false;
  size_t smallest_ = 1, largest_ = 1;
};

// The place of a process among those of its group, which has it.
size_t placeIn(const std::vector<int64_t> &group, int64_t process);

// Whether members of one OS process may have one memory for a result of the collective.
bool mayShareResults(const program::RuntimeCall &runtimeCall);

// The members of a meeting in this OS process that have one memory for a result, and the place of one among them: each
// writes a part.
struct Sharers {
  size_t count = 0, place = 0;

  // Those that have it where the member at `place` has; `entry`: of the result in the tables that all show.
  static Sharers of(std::span<const Rendezvous::Part> parts, size_t place, size_t entry);
};

// The meetings of a routine.
class Meeting {
public:
  using Sent = Rendezvous::Sent;

  // The meeting of a collective, by its name and what it takes. `range`: what members in other OS processes need of the
  // operands, if not all (Rendezvous::Sent).
  static StatusOr<Meeting> of(const program::RuntimeCall &runtimeCall, decltype(Sent::range) range = {});

  // What a member reads: each part's content is an array of pointers to what is shown. It may be called when the
  // runtime call has returned, with buffers that are the same, so it keeps nothing of that by reference.
  using Read = std::function<Status(const CallBuffers &call, std::span<const Rendezvous::Part> parts)>;

  // Shows the operands to the other members, and reads theirs, now or at the next meeting, as the call's attributes say
  // (program/meetings.h). A process that is alone meets nobody.
  Status meet(const CallBuffers &call, const std::vector<int64_t> &members, Read read) const;
  // Shows another table of arrays, which the others read in place. `sent`: what of it those in other OS processes need;
  // null: the operands, which it begins with.
  Status meet(const CallBuffers &call, const std::vector<int64_t> &members, std::span<void *const> content,
              const Rendezvous::Read &read, const Sent *sent = nullptr) const;

  // Shows nothing: all have come then.
  Status come(const CallBuffers &call, const std::vector<int64_t> &members) const;

  // Shows the operands and, behind them, the results, into which members here may write for each other.
  Status meetWithResults(const CallBuffers &call, const std::vector<int64_t> &members, Read read) const;

  // The size of operand i.
  size_t bytes(size_t i) const { return sent_.bytes[i]; }
  size_t arrays() const { return sent_.bytes.size(); }
  // What the member at place `to` may read of an operand of the one at place `from`: where its range of it begins.
  const void *shown(std::span<const Rendezvous::Part> parts, size_t array, size_t from, size_t to) const;

private:
  explicit Meeting(Purpose purpose) : purpose_(std::move(purpose)) {}
  Status meetWithCopies(const CallBuffers &call, const std::vector<int64_t> &members,
                        const Rendezvous::Read &read) const;
  // Whether the attributes say when these members meet: all are here, and there are others.
  static bool areOthersHere(const CallBuffers &call, const std::vector<int64_t> &members);
  Status meetTogether(const CallBuffers &call, const std::vector<int64_t> &members, std::vector<void *> shown,
                      Read read) const;
  static Status meet(const CallBuffers &call, const std::vector<int64_t> &members, const Rendezvous::Part &part,
                     const Rendezvous::Read &read);

  Purpose purpose_;
  Sent sent_;
  size_t total_ = 0;
  bool meetsWithNext_ = false, operandsStay_ = false;
};

} // namespace tenon::runtime
