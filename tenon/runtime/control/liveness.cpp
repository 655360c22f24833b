#include "tenon/runtime/control/liveness.h"

#include <algorithm>
#include <map>

namespace tenon::runtime {
namespace {

using std::chrono::milliseconds;

// Checks that are that far apart: this process itself was stopped, and has heard nobody meanwhile.
constexpr milliseconds kLongPause{3'000};

std::string seconds(std::chrono::steady_clock::duration duration) {
  auto tenths = std::chrono::duration_cast<milliseconds>(duration).count() / 100;
  return std::to_string(tenths / 10) + (tenths < 100 ? "." + std::to_string(tenths % 10) : "") + " s";
}

} // namespace

Liveness::Liveness(const LivenessOptions &options, std::vector<std::string> names, const std::vector<Peer> &watched,
                   Time now)
    : options_(options), start_(now), lastCheck_(now) {
  for (std::string &name : names)
    peers_.push_back({.name = std::move(name), .lastHeard = std::nullopt, .activities = {}});
  for (Peer peer : watched)
    peers_[static_cast<size_t>(peer)].isWatched = true;
}

void Liveness::heard(Peer peer, std::vector<Activity> activities, Time now) {
  State &state = peers_[static_cast<size_t>(peer)];
  state.lastHeard = now;
  state.activities = std::move(activities);
}

void Liveness::left(Peer peer) { peers_[static_cast<size_t>(peer)].hasLeft = true; }

std::string Liveness::lastKnown(Peer peer, Time now) const {
  const State &state = peers_[static_cast<size_t>(peer)];
  if (!state.lastHeard)
    return state.isWatched ? "it was never heard of" : "what it does is not known here";
  std::string text = "last heard of " + seconds(now - *state.lastHeard) + " ago";
  for (const Activity &activity : state.activities)
    text += "\n    " + describe(activity);
  return text;
}

Status Liveness::silence(const State &peer, Time now) const {
  Peer number = static_cast<Peer>(&peer - peers_.data());
  return {StatusCode::kAborted, peer.name + " has been silent for " + seconds(now - peer.lastHeard.value_or(start_)) +
                                    " (TENON_PEER_TIMEOUT): it is stopped, or cannot be reached; " +
                                    lastKnown(number, now)};
}

bool Liveness::isCompiling(const State &peer) const {
  return std::any_of(peer.activities.begin(), peer.activities.end(),
                     [](const Activity &activity) { return activity.state == Activity::State::kCompiling; });
}

Liveness::Verdict Liveness::check(const std::vector<Exchange::Waiting> &waiting, Time now) {
  if (auto pause = now - lastCheck_; pause > kLongPause) {
    start_ += pause;
    for (State &peer : peers_)
      if (peer.lastHeard)
        *peer.lastHeard += pause;
  }
  lastCheck_ = now;
  Verdict verdict;
  for (const State &peer : peers_)
    if (peer.isWatched && !peer.hasLeft && options_.peerTimeout.count() > 0 &&
        now - peer.lastHeard.value_or(start_) > options_.peerTimeout && !verdict.failure)
      verdict.failure = silence(peer, now);
  std::map<Peer, const Exchange::Waiting *> longest; // by the process that is waited for
  for (const Exchange::Waiting &each : waiting) {
    const Exchange::Waiting *&known = longest[each.peer];
    if (!known || each.since < known->since)
      known = &each;
  }
  for (State &peer : peers_)
    if (!longest.contains(static_cast<Peer>(&peer - peers_.data())))
      peer.hasWarned = false;
  for (const auto &[number, each] : longest) {
    State &peer = peers_[static_cast<size_t>(number)];
    auto duration = now - each->since;
    std::string text =
        each->description + " has waited " + seconds(duration) + " for " + peer.name + "; " + lastKnown(number, now);
    if (duration > options_.collectiveTimeout && !isCompiling(peer) && !verdict.failure)
      verdict.failure = Status(StatusCode::kDeadlineExceeded, text + " (TENON_COLLECTIVE_TIMEOUT)");
    if (duration > options_.warnAfter && !peer.hasWarned) {
      peer.hasWarned = true;
      verdict.warnings.push_back(text);
    }
  }
  return verdict;
}

} // namespace tenon::runtime
