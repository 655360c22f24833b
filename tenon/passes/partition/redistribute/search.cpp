#include "tenon/passes/partition/redistribute/search.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/Sequence.h"

#include <limits>
#include <queue>
#include <unordered_map>

using llvm::ArrayRef;
using llvm::SmallVector;

namespace tenon::passes::redistribution {
namespace {

//===- Steps -----------------------------------------------------------------------------------------------------===//

// The steps that are worth trying. Several parts go in one step only where that is not the same as one after the other:
// in exchanges and sums, and, as tiles of unequal dimensions need not nest, where the source or the target has them one
// behind the other.
class Steps {
public:
  explicit Steps(const Problem &problem) : problem_(problem) {
    for (size_t part = 0; part < problem.partSizes.size(); ++part)
      runs_.push_back({static_cast<uint8_t>(part)});
    for (const Placement *end : {&problem.source, &problem.target})
      for (const Parts &parts : end->dims)
        for (size_t first = 0; first < parts.size(); ++first)
          for (size_t last = first + 2; last <= parts.size(); ++last)
            if (Parts run{ArrayRef<uint8_t>(parts).slice(first, last - first)}; !llvm::is_contained(runs_, run))
              runs_.push_back(std::move(run));
  }

  using Visit = llvm::function_ref<void(const Placement &next, const Step &step, int64_t received)>;
  void from(const Placement &placement, Visit visit) const;
  // Those that lead to the placement; `next` is where from.
  void to(const Placement &placement, Visit visit) const;

private:
  static bool areIn(ArrayRef<uint8_t> all, ArrayRef<uint8_t> parts) {
    return llvm::all_of(parts, [&](uint8_t part) { return llvm::is_contained(all, part); });
  }
  bool areUnused(const Placement &placement, ArrayRef<uint8_t> parts) const {
    return llvm::all_of(parts, [&](uint8_t part) { return problem_.isUnused(placement, part); });
  }
  // Whether there may be sums at all, of any parts once devices are permuted.
  bool haveSums() const { return !problem_.source.unreduced.empty(); }

  void subsetsOf(ArrayRef<uint8_t> parts, llvm::function_ref<void(const Parts &)> visit) const {
    for (size_t mask = 1; mask < size_t(1) << parts.size(); ++mask) {
      Parts subset;
      for (auto [i, part] : llvm::enumerate(parts))
        if (mask >> i & 1)
          subset.push_back(part);
      visit(subset);
    }
  }

  const Problem &problem_;
  std::vector<Parts> runs_;
};

void Steps::from(const Placement &placement, Visit visit) const {
  auto rank = static_cast<int>(placement.dims.size());
  auto attempt = [&](Step step) {
    if (problem_.apply(placement, step))
      visit(step.after, step, problem_.received(placement, step));
  };
  for (const Parts &run : runs_) {
    bool isUnused = areUnused(placement, run), isSum = areIn(placement.unreduced, run);
    for (int dim = 0; dim < rank && (isUnused || isSum); ++dim)
      attempt({isUnused ? MoveKind::kSlice : MoveKind::kReduceScatter, -1, dim, run, {}});
    if (isUnused && run.size() == 1 && areIn(problem_.target.unreduced, run))
      attempt({MoveKind::kSplitSum, -1, -1, run, {}});
  }
  subsetsOf(placement.unreduced, [&](const Parts &parts) { attempt({MoveKind::kAllReduce, -1, -1, parts, {}}); });
  for (int dim = 0; dim < rank; ++dim)
    for (size_t count = 1; count <= placement.dims[dim].size(); ++count) {
      Parts last(ArrayRef(placement.dims[dim]).take_back(count));
      attempt({MoveKind::kAllGather, dim, -1, last, {}});
      for (int to = 0; to < rank; ++to)
        if (to != dim)
          attempt({MoveKind::kAllToAll, dim, to, last, {}});
    }
}

void Steps::to(const Placement &placement, Visit visit) const {
  auto rank = static_cast<int>(placement.dims.size());
  auto attempt = [&](const Placement &before, Step step) {
    if (problem_.apply(before, step) && step.after == placement)
      visit(before, step, problem_.received(before, step));
  };
  for (const Parts &run : runs_)
    for (int dim = 0; dim < rank && areUnused(placement, run); ++dim) {
      Placement before = placement;
      llvm::append_range(before.dims[dim], run);
      attempt(before, {MoveKind::kAllGather, dim, -1, run, {}});
    }
  auto withSums = [&](Placement before, ArrayRef<uint8_t> parts) {
    llvm::append_range(before.unreduced, parts);
    llvm::sort(before.unreduced);
    return before;
  };
  Parts unused;
  for (uint8_t part = 0; part < problem_.partSizes.size() && haveSums(); ++part)
    if (problem_.isUnused(placement, part))
      unused.push_back(part);
  subsetsOf(unused, [&](const Parts &parts) {
    attempt(withSums(placement, parts), {MoveKind::kAllReduce, -1, -1, parts, {}});
  });
  for (uint8_t part : placement.unreduced) {
    Placement before = placement;
    llvm::erase(before.unreduced, part);
    attempt(before, {MoveKind::kSplitSum, -1, -1, {part}, {}});
  }
  for (int dim = 0; dim < rank; ++dim)
    for (size_t count = 1; count <= placement.dims[dim].size(); ++count) {
      Parts last(ArrayRef(placement.dims[dim]).take_back(count));
      Placement before = placement;
      before.dims[dim].truncate(before.dims[dim].size() - count);
      attempt(before, {MoveKind::kSlice, -1, dim, last, {}});
      if (haveSums())
        attempt(withSums(before, last), {MoveKind::kReduceScatter, -1, dim, last, {}});
      for (int from = 0; from < rank; ++from)
        if (from != dim) {
          Placement other = before;
          llvm::append_range(other.dims[from], last);
          attempt(other, {MoveKind::kAllToAll, from, dim, last, {}});
        }
    }
}

//===- Search ----------------------------------------------------------------------------------------------------===//

constexpr Cost kNever{std::numeric_limits<int64_t>::max() / 4, 0};

// The last parts of a dimension that have this product; 0 if there are none.
size_t partsWithProduct(const Problem &problem, const Parts &parts, int64_t product) {
  int64_t tiles = 1;
  for (size_t count = 1; count <= parts.size(); ++count) {
    tiles *= problem.partSizes[parts[parts.size() - count]];
    if (tiles >= product)
      return tiles == product ? count : 0;
  }
  return 0;
}

// The placements that are reached from one end, the cheapest first.
class Side {
public:
  struct Node {
    Placement placement;
    Cost cost;
    int parent = -1;
    Step step;
    bool isSettled = false;
  };

  // Where an exchange that is one with a permutation can meet the other side: what both sides must agree in, besides
  // the profile behind the exchange, are its dimension and number. Of the side of the target there is no exchange.
  struct Spread {
    int node;
    Step exchange;
  };
  using Spreads = std::unordered_map<std::string, Spread>;

  Side(const Problem &problem, const Steps &steps, bool isForward, int64_t bound)
      : problem_(problem), steps_(steps), isForward_(isForward), bound_(bound) {
    reach(isForward ? problem.source : problem.target, {}, -1, {}, kNever);
  }

  // The least that anything costs that is not settled.
  Cost frontier() {
    while (!queue_.empty() && nodes_[queue_.top().second].isSettled)
      queue_.pop();
    return queue_.empty() ? kNever : queue_.top().first;
  }

  // Settles the next node, and reaches others by less than `limit`.
  int settle(const Cost &limit) {
    int number = queue_.top().second;
    queue_.pop();
    nodes_[number].isSettled = true;
    byProfile_.try_emplace(problem_.profileOf(nodes_[number].placement), number);
    least_ = std::min(least_, permuted(number));
    Placement placement = nodes_[number].placement;
    Cost cost = nodes_[number].cost;
    news_.clear();
    auto visit = [&](const Placement &next, const Step &step, int64_t received) {
      if (problem_.localElements(next) > bound_)
        return;
      reach(next, cost + Cost{received, 1}, number, step, limit);
      if (isForward_ && step.kind == MoveKind::kAllToAll)
        addSpread(next, step.to, problem_.tilesOf(step.parts), {number, step});
    };
    for (int to = 0; !isForward_ && to < static_cast<int>(placement.dims.size()); ++to)
      for (int64_t count = 2; count <= kMaxSpread; ++count)
        if (partsWithProduct(problem_, placement.dims[to], count))
          addSpread(placement, to, count, {number, {}});
    if (isForward_)
      steps_.from(placement, visit);
    else
      steps_.to(placement, visit);
    return number;
  }

  int find(const Placement &placement) const {
    auto found = byKey_.find(keyOf(placement));
    return found == byKey_.end() ? -1 : found->second;
  }
  // The cheapest settled node of such a profile.
  int findLike(const Placement &placement) const {
    auto found = byProfile_.find(problem_.profileOf(placement));
    return found == byProfile_.end() ? -1 : found->second;
  }
  const Node &node(int number) const { return nodes_[number]; }
  // The cheapest settled ones, by key, and those keys that the last node that was settled has.
  const Spreads &spreads() const { return spreads_; }
  const std::vector<std::pair<std::string, Spread>> &news() const { return news_; }
  // What a permutation at this node costs with what is before it, and the least of that of those that are settled.
  Cost permuted(int number) const {
    return nodes_[number].cost + Cost{problem_.localElements(nodes_[number].placement), 1};
  }
  Cost leastPermuted() const { return least_; }

private:
  void addSpread(const Placement &behind, int to, int64_t count, Spread spread) {
    if (count > kMaxSpread)
      return;
    std::string key = problem_.profileOf(behind) + '/' + std::to_string(to) + '/' + std::to_string(count);
    spreads_.try_emplace(key, spread);
    news_.emplace_back(std::move(key), std::move(spread));
  }

  void reach(const Placement &placement, const Cost &cost, int parent, const Step &step, const Cost &limit) {
    if (limit <= cost)
      return;
    auto [found, isNew] = byKey_.try_emplace(keyOf(placement), static_cast<int>(nodes_.size()));
    if (isNew)
      nodes_.push_back({placement, cost, parent, step});
    else if (Node &node = nodes_[found->second]; cost < node.cost)
      node = {placement, cost, parent, step};
    else
      return;
    queue_.emplace(cost, found->second);
  }

  const Problem &problem_;
  const Steps &steps_;
  bool isForward_;
  int64_t bound_;
  Cost least_ = kNever;
  std::vector<Node> nodes_; // in the order in which they are found, so that ties are always broken in the same way
  std::unordered_map<std::string, int> byKey_, byProfile_;
  Spreads spreads_;
  std::vector<std::pair<std::string, Spread>> news_;
  using Entry = std::pair<Cost, int>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue_;
};

// Both sides, and where they meet most cheaply.
class Search {
public:
  Search(const Problem &problem, const Steps &steps, int64_t bound)
      : problem_(problem), forward_(problem, steps, true, bound), backward_(problem, steps, false, bound) {}

  // Something that costs less than `best`, which has been found otherwise; the cheapest, unless it is given up.
  std::optional<Route> run(Cost best) {
    best_ = best;
    Route route;
    for (; route.isExact; ++route.visited) {
      Cost ahead = forward_.frontier(), behind = backward_.frontier();
      if (best_ <= ahead + behind && best_ <= forward_.leastPermuted() + behind &&
          best_ <= ahead + backward_.leastPermuted())
        break;
      route.isExact = route.visited < kMaxVisited;
      if (ahead <= behind)
        meet(forward_, backward_, forward_.settle(best_));
      else
        meet(backward_, forward_, backward_.settle(best_));
    }
    isExact_ = route.isExact;
    visited_ = route.visited;
    if (ahead_ < 0)
      return std::nullopt;
    route.steps = steps();
    route.cost = best_;
    return route;
  }
  bool isExact() const { return isExact_; }
  int64_t visited() const { return visited_; }

private:
  void meet(const Side &side, const Side &other, int number) {
    const Side::Node &node = side.node(number);
    if (int same = other.find(node.placement); same >= 0)
      consider(&side == &forward_, number, same, other.node(same).cost + node.cost, std::nullopt);
    if (int like = other.findLike(node.placement); like >= 0)
      consider(&side == &forward_, number, like, side.permuted(number) + other.node(like).cost,
               Step{MoveKind::kPermute, -1, -1, {}, {}});
    for (const auto &[key, own] : side.news())
      if (auto found = other.spreads().find(key); found != other.spreads().end()) {
        const Step &exchange = &side == &forward_ ? own.exchange : found->second.exchange;
        Step spread{MoveKind::kSpread, exchange.dim, exchange.to, exchange.parts, {}};
        const Placement &before = forward_.node(&side == &forward_ ? own.node : found->second.node).placement;
        Cost cost{problem_.received(before, spread), problem_.tilesOf(spread.parts)};
        consider(&side == &forward_, own.node, found->second.node,
                 side.node(own.node).cost + cost + other.node(found->second.node).cost, std::move(spread));
      }
  }

  // `between`: what leads from one to the other, if they are not the same.
  void consider(bool isForward, int number, int other, const Cost &cost, std::optional<Step> between) {
    if (best_ <= cost)
      return;
    best_ = cost;
    ahead_ = isForward ? number : other;
    behind_ = isForward ? other : number;
    between_ = std::move(between);
  }

  std::vector<Step> steps() const {
    std::vector<Step> steps;
    for (int number = ahead_; forward_.node(number).parent >= 0; number = forward_.node(number).parent)
      steps.insert(steps.begin(), forward_.node(number).step);
    if (between_) {
      steps.push_back(*between_);
      steps.back().after = backward_.node(behind_).placement;
    }
    for (int number = behind_; backward_.node(number).parent >= 0; number = backward_.node(number).parent)
      steps.push_back(backward_.node(number).step);
    return steps;
  }

  const Problem &problem_;
  Side forward_, backward_;
  Cost best_;
  int ahead_ = -1, behind_ = -1; // where they meet
  std::optional<Step> between_;
  bool isExact_ = true;
  int64_t visited_ = 0;
};

// Whether two steps, one after the other, are one; the first becomes that.
bool join(const Problem &problem, const Placement &before, Step &first, const Step &second) {
  if (first.kind != second.kind || first.dim != second.dim || first.to != second.to)
    return false;
  Step both = first;
  switch (first.kind) {
  case MoveKind::kSlice:
  case MoveKind::kReduceScatter:
  case MoveKind::kSplitSum:
    llvm::append_range(both.parts, second.parts);
    break;
  case MoveKind::kAllGather:
    both.parts.insert(both.parts.begin(), second.parts.begin(), second.parts.end());
    break;
  default:
    return false;
  }
  if (!problem.apply(before, both) || both.after != second.after)
    return false;
  first = std::move(both);
  return true;
}

void joinSteps(const Problem &problem, Route &route) {
  std::vector<Step> joined;
  for (Step &step : route.steps) {
    const Placement &before = joined.size() < 2 ? problem.source : joined[joined.size() - 2].after;
    if (joined.empty() || !join(problem, before, joined.back(), step))
      joined.push_back(std::move(step));
  }
  route.steps = std::move(joined);
  route.cost = costOf(problem, route.steps);
}

} // namespace

Route findRoute(const Problem &problem) {
  Route quick = findQuickRoute(problem);
  if (problem.source == problem.target)
    quick.isExact = true;
  if (quick.isExact || problem.partSizes.size() > kMaxParts)
    return quick;
  Steps steps(problem);
  int64_t bound = problem.elementBound();
  for (int factor : {1, 2, 0}) {
    bool quickFits = factor == 0 || (quick.memoryFactor != 0 && quick.memoryFactor <= factor);
    Search search(problem, steps, factor == 0 ? std::numeric_limits<int64_t>::max() : factor * bound);
    std::optional<Route> found = search.run(quickFits ? quick.cost : kNever);
    if (!found && !quickFits)
      continue;
    Route route = found ? std::move(*found) : quick;
    route.memoryFactor = factor;
    route.isExact = search.isExact();
    route.visited = search.visited();
    joinSteps(problem, route);
    return route;
  }
  return quick;
}

} // namespace tenon::passes::redistribution
