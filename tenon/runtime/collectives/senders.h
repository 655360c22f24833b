// Who sends to whom in a permutation of arrays: the routine permute.
#pragma once

#include "tenon/program/program.h"
#include "tenon/runtime/collectives/groups.h"
#include "tenon/status.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace tenon::runtime {

// As the attributes of a runtime call say: `axes`, `sources` and `map`, by axes of the grid (targets, sources, and
// factor, offset, wraps of ir/permutation.h), or `pairs` of processes.
class Senders {
public:
  static StatusOr<Senders> of(const program::RuntimeCall &runtimeCall);

  // The processes that meet with this one. By axes its group, of pairs all that send or receive; none, if the process
  // does neither. All members come to the meeting, whoever sends to whom, so that no cycle of waits can arise.
  StatusOr<std::vector<int64_t>> members(int64_t process) const;
  // The place among the members that sends to the one at `place`; none if nobody does.
  std::optional<size_t> sourceOf(size_t place) const {
    return sources_[place] < 0 ? std::nullopt : std::optional(static_cast<size_t>(sources_[place]));
  }

private:
  Status readPairs(const std::vector<int64_t> &pairs);
  Status readAxes(const std::vector<int64_t> &axes, const std::vector<int64_t> &map);

  std::optional<Groups> groups_;   // by axes
  std::vector<int64_t> processes_; // of pairs: in ascending order
  std::vector<int64_t> sources_;   // by place: that of the sender, or -1
};

} // namespace tenon::runtime
