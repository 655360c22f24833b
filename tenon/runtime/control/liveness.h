// Who lives, and who is waited for: decided from what has been heard by when. The caller tells the time, so that
// nothing here depends on how long anything takes.
#pragma once

#include "tenon/runtime/control/heartbeat.h"
#include "tenon/runtime/transport/exchange.h"

#include <optional>

namespace tenon::runtime {

struct LivenessOptions {
  // How long a process may be silent. 0: for ever.
  std::chrono::milliseconds peerTimeout{10'000};
  // When a warning says who is waited for.
  std::chrono::milliseconds warnAfter{20'000};
  // How long a collective may wait for a process that lives.
  std::chrono::milliseconds collectiveTimeout{30 * 60'000};
};

class Liveness {
public:
  using Time = std::chrono::steady_clock::time_point;

  // `watched`: whose heartbeats are to come. Others are known by name only.
  Liveness(const LivenessOptions &options, std::vector<std::string> names, const std::vector<Peer> &watched, Time now);

  void heard(Peer peer, std::vector<Activity> activities, Time now);
  // The process has ended as it meant to: its silence means nothing.
  void left(Peer peer);
  bool isWatched(Peer peer) const { return peers_[static_cast<size_t>(peer)].isWatched; }
  bool hasLeft(Peer peer) const { return peers_[static_cast<size_t>(peer)].hasLeft; }
  // What the peer did when it was last heard of, as the end of a sentence.
  std::string lastKnown(Peer peer, Time now) const;

  struct Verdict {
    // Why nothing can go on.
    std::optional<Status> failure;
    std::vector<std::string> warnings;
  };
  // To be asked about once a second or more often. `waiting`: of this process's transfers.
  Verdict check(const std::vector<Exchange::Waiting> &waiting, Time now);

private:
  struct State {
    std::string name;
    bool isWatched = false, hasLeft = false, hasWarned = false;
    std::optional<Time> lastHeard; // null: never
    std::vector<Activity> activities;
  };

  Status silence(const State &peer, Time now) const;
  bool isCompiling(const State &peer) const;

  const LivenessOptions options_;
  std::vector<State> peers_;
  Time start_, lastCheck_;
};

} // namespace tenon::runtime
