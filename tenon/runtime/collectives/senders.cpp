#include "tenon/runtime/collectives/senders.h"

#include "tenon/program/attributes.h"

#include <algorithm>
#include <unordered_map>

namespace tenon::runtime {

using program::RuntimeCall;

StatusOr<Senders> Senders::of(const RuntimeCall &runtimeCall) {
  auto list = [&](const char *name) { return program::integerArrayAttribute(runtimeCall.attributes, name); };
  Senders senders;
  if (program::findAttribute(runtimeCall.attributes, "map")) {
    TENON_ASSIGN_OR_RETURN(senders.groups_, Groups::of(runtimeCall));
    TENON_ASSIGN_OR_RETURN(std::vector<int64_t> axes, list("sources"));
    TENON_ASSIGN_OR_RETURN(std::vector<int64_t> map, list("map"));
    TENON_RETURN_IF_ERROR(senders.readAxes(axes, map));
  } else {
    TENON_ASSIGN_OR_RETURN(std::vector<int64_t> pairs, list("pairs"));
    TENON_RETURN_IF_ERROR(senders.readPairs(pairs));
  }
  return senders;
}

Status Senders::readPairs(const std::vector<int64_t> &pairs) {
  if (pairs.size() % 2)
    return invalidArgument("permute takes pairs");
  processes_ = pairs;
  std::sort(processes_.begin(), processes_.end());
  processes_.erase(std::unique(processes_.begin(), processes_.end()), processes_.end());
  sources_.assign(processes_.size(), -1);
  for (size_t i = 0; i < pairs.size(); i += 2)
    sources_[placeIn(processes_, pairs[i + 1])] = static_cast<int64_t>(placeIn(processes_, pairs[i]));
  return {};
}

Status Senders::readAxes(const std::vector<int64_t> &axes, const std::vector<int64_t> &map) {
  if (map.size() != 3 || axes.size() % 2)
    return invalidArgument("a permutation along axes has a size and a stride of each, and a map of three numbers");
  // The group of the first process tells how far apart the members of any are.
  TENON_ASSIGN_OR_RETURN(std::vector<int64_t> members, groups_->ofProcess(0));
  auto size = static_cast<int64_t>(members.size());
  std::unordered_map<int64_t, int64_t> placeOf;
  for (int64_t place = 0; place < size; ++place)
    placeOf[members[static_cast<size_t>(place)]] = place;
  // A reflection's offset is the sum of two places.
  auto isWithin = [](int64_t number, int64_t most) { return number >= -most && number <= most; };
  if (groups_->smallest() != groups_->largest() || !isWithin(map[0], size) || !isWithin(map[1], 2 * size))
    return invalidArgument("the map of a permutation does not fit its groups of " + std::to_string(size));
  for (int64_t place = 0; place < size; ++place) {
    int64_t number = map[0] * place + map[1], source = 0;
    if (map[2])
      number = (number % size + size) % size;
    if (number < 0 || number >= size) {
      sources_.push_back(-1);
      continue;
    }
    for (size_t i = axes.size(); i > 0; i -= 2) {
      if (axes[i - 2] < 1 || axes[i - 1] < 1 || axes[i - 1] > members.back())
        return invalidArgument("the axes of a permutation are of impossible sizes");
      source += number % axes[i - 2] * axes[i - 1];
      number /= axes[i - 2];
    }
    auto found = placeOf.find(source);
    if (found == placeOf.end())
      return invalidArgument("the axes of a permutation lead out of its groups");
    sources_.push_back(found->second);
  }
  return {};
}

StatusOr<std::vector<int64_t>> Senders::members(int64_t process) const {
  if (groups_)
    return groups_->ofProcess(process);
  return std::binary_search(processes_.begin(), processes_.end(), process) ? processes_ : std::vector<int64_t>();
}

} // namespace tenon::runtime
