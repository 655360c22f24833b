#include "tenon/runtime/control/deadlock.h"

#include <algorithm>

namespace tenon::runtime {

uint64_t meetingId(uint64_t launch, uint64_t ordinal, uint64_t hash) {
  uint64_t id = 0xcbf29ce484222325;
  for (uint64_t number : {launch, ordinal, hash}) {
    id = (id ^ number) * 0x9e3779b97f4a7c15;
    id ^= id >> 29;
  }
  return id;
}

struct DeadlockDetector::Node {
  Peer process = 0;
  const OpenMeeting *meeting = nullptr;
};

namespace {

const OpenMeeting *findMeeting(const WaitReport &report, uint64_t id) {
  auto found = std::find_if(report.meetings.begin(), report.meetings.end(),
                            [&](const OpenMeeting &meeting) { return meeting.id == id; });
  return found == report.meetings.end() ? nullptr : &*found;
}

uint64_t countOf(const WaitReport &report, Peer peer, uint64_t Traffic::*count) {
  for (const Traffic &traffic : report.traffic)
    if (traffic.peer == peer)
      return traffic.*count;
  return 0;
}

} // namespace

// Who waits for whom at the moment between two rounds.
class DeadlockDetector::Graph {
public:
  Graph(const Reports &last, const Reports &now) : last_(last), now_(now) {
    for (const auto &[process, report] : now) {
      auto before = last.find(process);
      if (before == last.end())
        continue;
      for (const OpenMeeting &meeting : report.meetings)
        if (const OpenMeeting *then = findMeeting(before->second, meeting.id))
          add(process, meeting, *then);
    }
  }

  // Nodes that each wait for the next one, and the last for the first; empty: there are none.
  std::vector<size_t> circle() {
    state_.assign(nodes_.size(), State::kNew);
    for (size_t start = 0; start < nodes_.size(); ++start)
      if (std::vector<size_t> found = circleFrom(start); !found.empty())
        return found;
    return {};
  }

  const Node &node(size_t number) const { return nodes_[number]; }
  // A device of the second node's that the first one waits for.
  uint32_t awaitedDevice(size_t from, size_t to) const {
    for (const OpenMeeting::Awaited &awaited : nodes_[from].meeting->awaited)
      if (nextOf(from, awaited) == to)
        return awaited.device;
    return 0;
  }

private:
  enum class State : uint8_t { kNew, kOnPath, kDone };
  static constexpr size_t kNone = SIZE_MAX;

  void add(Peer process, const OpenMeeting &meeting, const OpenMeeting &then) {
    for (uint32_t device : meeting.devices)
      if (std::find(then.devices.begin(), then.devices.end(), device) != then.devices.end())
        nodeOfDevice_[{process, device}] = nodes_.size();
    nodes_.push_back({process, &meeting});
  }

  // The node in which a device that is waited for waits itself, if it surely has not come to the first one's meeting.
  size_t nextOf(size_t from, const OpenMeeting::Awaited &awaited) const {
    auto found = nodeOfDevice_.find({awaited.process, awaited.device});
    if (found == nodeOfDevice_.end())
      return kNone;
    const Node &node = nodes_[from], &other = nodes_[found->second];
    if (other.process == node.process)
      return found->second == from ? kNone : found->second;
    // It is at the same meeting, whose members there have sent nothing as long as one of them is missing.
    if (other.meeting->id == node.meeting->id)
      return std::any_of(other.meeting->awaited.begin(), other.meeting->awaited.end(),
                         [&](const OpenMeeting::Awaited &each) { return each.process == other.process; })
                 ? found->second
                 : kNone;
    bool hasComeIn = countOf(now_.at(node.process), other.process, &Traffic::received) >=
                     countOf(last_.at(other.process), node.process, &Traffic::sent);
    return hasComeIn ? found->second : kNone;
  }

  // Depth first, without recursion, since chains may be as long as there are devices.
  std::vector<size_t> circleFrom(size_t start) {
    std::vector<std::pair<size_t, size_t>> path; // nodes, and which of the devices that they wait for is next
    auto enter = [&](size_t node) {
      state_[node] = State::kOnPath;
      path.emplace_back(node, 0);
    };
    if (state_[start] == State::kNew)
      enter(start);
    while (!path.empty()) {
      auto &[node, next] = path.back();
      if (next == nodes_[node].meeting->awaited.size()) {
        state_[node] = State::kDone;
        path.pop_back();
        continue;
      }
      size_t other = nextOf(node, nodes_[node].meeting->awaited[next++]);
      if (other == kNone || state_[other] == State::kDone)
        continue;
      if (state_[other] == State::kNew) {
        enter(other);
        continue;
      }
      std::vector<size_t> circle;
      for (const auto &[each, at] : path)
        if (each == other || !circle.empty())
          circle.push_back(each);
      return circle;
    }
    return {};
  }

  const Reports &last_, &now_;
  std::vector<Node> nodes_;
  std::map<std::pair<Peer, uint32_t>, size_t> nodeOfDevice_;
  std::vector<State> state_;
};

void DeadlockDetector::left(Peer process) { isGone_[static_cast<size_t>(process)] = true; }

std::optional<std::string> DeadlockDetector::report(Peer process, WaitReport report) {
  if (report.round != round_)
    return std::nullopt;
  now_.insert_or_assign(process, std::move(report));
  for (Peer peer = 0; peer < static_cast<Peer>(names_.size()); ++peer)
    if (!isGone_[static_cast<size_t>(peer)] && !now_.contains(peer))
      return std::nullopt;
  return endRound();
}

std::optional<std::string> DeadlockDetector::endRound() {
  Graph graph(last_, now_);
  std::vector<size_t> circle = graph.circle();
  std::string text;
  for (size_t i = 0; i < circle.size(); ++i) {
    size_t next = circle[(i + 1) % circle.size()];
    const Node &node = graph.node(circle[i]), &other = graph.node(next);
    text += "\n  " + names_[static_cast<size_t>(node.process)] + ": device " +
            std::to_string(node.meeting->devices.front()) + " waits for device " +
            std::to_string(graph.awaitedDevice(circle[i], next)) +
            (other.process == node.process ? "" : " of process " + std::to_string(other.process)) + " in " +
            node.meeting->what;
  }
  last_ = std::move(now_);
  now_.clear();
  ++round_;
  if (circle.empty())
    return std::nullopt;
  return "deadlock: each of these waits for the next one's later call, and the last for the first's; all processes "
         "must launch the same programs in the same order:" +
         text;
}

} // namespace tenon::runtime
