// Finds the steps from one placement to another by which devices receive the least.
//
// The search is exact: placements are the vertices of a graph, steps its edges, and it goes from the source and from
// the target at the same time until the two cannot meet any more cheaply (Dijkstra's algorithm). A permutation of the
// devices is only tried where the two meet, since steps before and after it do not depend on which devices hold what:
// without this, permutations would be nearly all of the edges. So it is with an exchange that is one with a
// permutation.
#pragma once

#include "tenon/passes/partition/redistribute/placement.h"

namespace tenon::passes::redistribution {

/// Fewer elements received first, then fewer steps.
struct Cost {
  int64_t elements = 0, steps = 0;
  auto operator<=>(const Cost &) const = default;
  Cost operator+(const Cost &other) const { return {elements + other.elements, steps + other.steps}; }
};

struct Route {
  std::vector<Step> steps;
  Cost cost;
  bool isExact = true;  // nothing cheaper is there
  int memoryFactor = 1; // devices hold at most this many times what they hold at the worse end; 0: more than twice
  int64_t visited = 0;  // placements
};

/// The cheapest steps during which no device holds more than before or afterwards; if there are none, twice that, or
/// any. Above kMaxParts parts, or after kMaxVisited placements, the steps are those of findQuickRoute, or the best that
/// were found.
inline constexpr size_t kMaxParts = 8;
inline constexpr int64_t kMaxVisited = 2'000;
Route findRoute(const Problem &problem);

/// Steps in a fixed order, as Shardy takes them: slice, finish sums, permute, exchange, gather.
Route findQuickRoute(const Problem &problem);

/// The cost of steps from the source.
Cost costOf(const Problem &problem, llvm::ArrayRef<Step> steps);

} // namespace tenon::passes::redistribution
