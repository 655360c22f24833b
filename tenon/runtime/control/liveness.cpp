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

void Liveness::left(Peer peer, Time now) {
  peers_[static_cast<size_t>(peer)].hasLeft = true;
  ending_.push_back({peer, Ending::Sign::kGoodbye, now});
}

void Liveness::framesEnded(Peer peer, Time now) { ending_.push_back({peer, Ending::Sign::kFramesEnded, now}); }

void Liveness::processEnded(Peer peer, Time now) { ending_.push_back({peer, Ending::Sign::kProcessEnded, now}); }

std::string Liveness::lastKnown(Peer peer, Time now) const {
  const State &state = peers_[static_cast<size_t>(peer)];
  if (!state.lastHeard)
    return state.isWatched ? "it was never heard of" : "what it does is not known here";
  std::string text = "last heard of " + seconds(now - *state.lastHeard) + " ago";
  for (const Activity &activity : state.activities)
    text += "\n    " + describe(activity);
  return text;
}

Status Liveness::withoutAWord(Peer peer, const Status &why, Time now) const {
  return {StatusCode::kAborted, peers_[static_cast<size_t>(peer)].name + " has ended without a word" +
                                    (why.ok() ? "" : " (" + why.message() + ")") + "; " + lastKnown(peer, now)};
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

std::optional<Liveness::Time> Liveness::nextEnd() const {
  std::optional<Time> next;
  for (const Ending &ending : ending_)
    if (!next || ending.since + options_.endTimeout < *next)
      next = ending.since + options_.endTimeout;
  return next;
}

void Liveness::checkEndings(Verdict &verdict, Time now) {
  for (const Ending &ending : ending_) {
    if (now - ending.since < options_.endTimeout)
      continue;
    const State &peer = peers_[static_cast<size_t>(ending.peer)];
    if (peer.hasLeft)
      verdict.lost.emplace_back(ending.peer,
                                Status(StatusCode::kAborted, peer.name + " has ended, and others wait for it"));
    else if (!peer.isWatched) // nor has process 0, which hears it, said anything
      verdict.lost.emplace_back(ending.peer, withoutAWord(ending.peer, {}, now));
    else if (!verdict.failure)
      verdict.failure = ending.sign == Ending::Sign::kProcessEnded
                            ? withoutAWord(ending.peer, {}, now)
                            : Status(StatusCode::kAborted,
                                     "the connection with " + peer.name + " has ended; " + lastKnown(ending.peer, now));
  }
  std::erase_if(ending_, [&](const Ending &ending) { return now - ending.since >= options_.endTimeout; });
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
  checkEndings(verdict, now);
  checkWaiting(waiting, verdict, now);
  return verdict;
}

void Liveness::checkWaiting(const std::vector<Exchange::Waiting> &waiting, Verdict &verdict, Time now) {
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
}

} // namespace tenon::runtime
