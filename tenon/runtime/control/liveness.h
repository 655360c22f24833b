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
  // How long what a process has sent before its end, and what others say of that, may take to come.
  std::chrono::milliseconds endTimeout{500};
};

class Liveness {
public:
  using Time = std::chrono::steady_clock::time_point;

  // `watched`: whose heartbeats are to come. Others are known by name only.
  Liveness(const LivenessOptions &options, std::vector<std::string> names, const std::vector<Peer> &watched, Time now);

  void heard(Peer peer, std::vector<Activity> activities, Time now);
  // The process has ended as it meant to: its silence means nothing, and who waits for it then waits in vain.
  void left(Peer peer, Time now);
  // Its connection for frames has ended. What its other connection, or process 0, says of it counts: it may have ended
  // since another one has failed.
  void framesEnded(Peer peer, Time now);
  // The kernel says that it has ended. It may have said before that it means to.
  void processEnded(Peer peer, Time now);
  bool isWatched(Peer peer) const { return peers_[static_cast<size_t>(peer)].isWatched; }
  bool hasLeft(Peer peer) const { return peers_[static_cast<size_t>(peer)].hasLeft; }
  // What the peer did when it was last heard of, as the end of a sentence.
  std::string lastKnown(Peer peer, Time now) const;
  // That it has ended, and has not said so; `why`: what the network says of it.
  Status withoutAWord(Peer peer, const Status &why, Time now) const;

  struct Verdict {
    // Why nothing can go on.
    std::optional<Status> failure;
    std::vector<std::string> warnings;
    // Processes with which no transfer can go on, and why.
    std::vector<std::pair<Peer, Status>> lost;
  };
  // To be asked about once a second or more often, and when nextEnd() says. `waiting`: of this process's transfers.
  Verdict check(const std::vector<Exchange::Waiting> &waiting, Time now);
  // When the end of a process counts of which something is known.
  std::optional<Time> nextEnd() const;

private:
  struct State {
    std::string name;
    bool isWatched = false, hasLeft = false, hasWarned = false;
    std::optional<Time> lastHeard; // null: never
    std::vector<Activity> activities;
  };

  struct Ending {
    enum class Sign : uint8_t { kGoodbye, kFramesEnded, kProcessEnded };
    Peer peer = 0;
    Sign sign = Sign::kGoodbye;
    Time since;
  };

  Status silence(const State &peer, Time now) const;
  bool isCompiling(const State &peer) const;
  void checkEndings(Verdict &verdict, Time now);
  void checkWaiting(const std::vector<Exchange::Waiting> &waiting, Verdict &verdict, Time now);

  const LivenessOptions options_;
  std::vector<State> peers_;
  std::vector<Ending> ending_;
  Time start_, lastCheck_;
};

} // namespace tenon::runtime
