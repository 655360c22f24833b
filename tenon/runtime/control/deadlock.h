// Whether devices of several processes wait for each other's later calls, so that none of them ever goes on: decided by
// process 0 from what all say of the meetings that their devices wait in.
//
// A device does one thing at a time, so one that waits in a meeting comes to no other. It waits for all members of its
// meeting; devices that wait for each other in a circle wait for ever. What processes say of themselves is not of one
// moment, and messages are on their way meanwhile. So process 0 numbers rounds: each says how it stands once it has
// heard of a round's number, and the next round begins when all have. What holds in two rounds of one device, the same
// wait, held at the moment between both, of all devices at once. And a device that is waited for has sent nothing that
// has not come yet where the waiting process has received, by the later round, as many messages as the other had sent
// by the earlier one.
#pragma once

#include "tenon/runtime/control/heartbeat.h"

#include <map>
#include <optional>

namespace tenon::runtime {

// Names a meeting by what all its members say of it.
uint64_t meetingId(uint64_t launch, uint64_t ordinal, uint64_t hash);

class DeadlockDetector {
public:
  // `names`: how errors call the processes.
  explicit DeadlockDetector(std::vector<std::string> names) : names_(std::move(names)), isGone_(names_.size()) {}

  uint64_t round() const { return round_; }
  // The process has ended: no report comes any more.
  void left(Peer process);
  // How a process stands, of a round that it names; those of earlier rounds mean nothing now. A deadlock, in words,
  // once there is one.
  std::optional<std::string> report(Peer process, WaitReport report);

private:
  using Reports = std::map<Peer, WaitReport>;
  struct Node; // a meeting that devices of one process wait in, before and after a moment
  class Graph;

  std::optional<std::string> endRound();

  const std::vector<std::string> names_;
  std::vector<bool> isGone_;
  uint64_t round_ = 1;
  Reports last_, now_; // of the round before, and of this one
};

} // namespace tenon::runtime
