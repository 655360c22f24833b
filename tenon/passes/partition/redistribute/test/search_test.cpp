// The steps that a search finds, against all paths of the graph of placements, which this file makes of the
// definition of each step, independently of the search.
#include "tenon/passes/partition/redistribute/search.h"

#include "llvm/ADT/STLExtras.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>
#include <map>
#include <random>
#include <set>

namespace tenon::passes::redistribution {
namespace {

using llvm::ArrayRef;
constexpr int64_t kNone = std::numeric_limits<int64_t>::max();

//===- All placements --------------------------------------------------------------------------------------------===//

void addPlacements(size_t parts, size_t rank, bool hasSums, Placement &begun, std::vector<bool> used,
                   std::set<std::string> &known, std::vector<Placement> &all) {
  if (!known.insert(keyOf(begun)).second)
    return;
  all.push_back(begun);
  for (size_t number = 0; number < parts; ++number) {
    if (used[number])
      continue;
    auto part = static_cast<uint8_t>(number);
    used[number] = true;
    for (Parts &dim : begun.dims) {
      dim.push_back(part);
      addPlacements(parts, rank, hasSums, begun, used, known, all);
      dim.pop_back();
    }
    if (hasSums) {
      Placement more = begun;
      more.unreduced.push_back(part);
      llvm::sort(more.unreduced);
      addPlacements(parts, rank, hasSums, more, used, known, all);
    }
    used[number] = false;
  }
}

std::vector<Placement> placementsOf(size_t parts, size_t rank, bool hasSums) {
  Placement none;
  none.dims.resize(rank);
  std::set<std::string> known;
  std::vector<Placement> all;
  addPlacements(parts, rank, hasSums, none, std::vector<bool>(parts), known, all);
  return all;
}

//===- All paths -------------------------------------------------------------------------------------------------===//

// What `longer` has behind `shorter`; nothing if it does not begin like that.
std::optional<Parts> behind(ArrayRef<uint8_t> longer, ArrayRef<uint8_t> shorter) {
  if (longer.size() <= shorter.size() || longer.take_front(shorter.size()) != shorter)
    return std::nullopt;
  return Parts(longer.drop_front(shorter.size()));
}

Parts without(ArrayRef<uint8_t> parts, ArrayRef<uint8_t> others) {
  Parts rest;
  for (uint8_t part : parts)
    if (!llvm::is_contained(others, part))
      rest.push_back(part);
  return rest;
}

bool areUnused(const Problem &problem, const Placement &placement, ArrayRef<uint8_t> parts) {
  return llvm::all_of(parts, [&](uint8_t part) { return problem.isUnused(placement, part); });
}

// Whether one placement follows another by an exchange of few parts and a permutation.
bool isSpread(const Problem &problem, const Placement &from, const Placement &to) {
  auto has = [&](ArrayRef<uint8_t> parts, int64_t count) { // at the end
    int64_t tiles = 1;
    for (; tiles < count && !parts.empty(); parts = parts.drop_back())
      tiles *= problem.partSizes[parts.back()];
    return tiles == count;
  };
  for (size_t dim = 0; dim < from.dims.size(); ++dim)
    for (size_t other = 0; other < from.dims.size(); ++other)
      for (int64_t count = 2; other != dim && count <= kMaxSpread; ++count) {
        bool isOne = has(from.dims[dim], count) && has(to.dims[other], count) &&
                     problem.tilesOf(from.unreduced) == problem.tilesOf(to.unreduced);
        for (size_t i = 0; i < from.dims.size(); ++i)
          isOne &= problem.tilesOf(from.dims[i]) * (i == other ? count : 1) ==
                   problem.tilesOf(to.dims[i]) * (i == dim ? count : 1);
        if (isOne)
          return true;
      }
  return false;
}

// What the step costs that leads from one placement to another, of even sizes; kNone where no single one does.
int64_t simpleEdge(const Problem &problem, const Placement &from, const Placement &to) {
  int64_t elements = problem.localElements(from);
  if (problem.profileOf(from) == problem.profileOf(to))
    return elements;
  std::vector<size_t> differing;
  for (size_t dim = 0; dim < from.dims.size(); ++dim)
    if (from.dims[dim] != to.dims[dim])
      differing.push_back(dim);
  Parts finished = without(from.unreduced, to.unreduced), begun = without(to.unreduced, from.unreduced);
  if (differing.empty()) {
    if (begun.empty()) {
      int64_t count = problem.tilesOf(finished);
      return 2 * (elements / count) * (count - 1);
    }
    return finished.empty() && areUnused(problem, from, begun) && without(begun, problem.target.unreduced).empty()
               ? 0
               : kNone;
  }
  if (!begun.empty() || differing.size() > 2)
    return kNone;
  auto gained = behind(to.dims[differing[0]], from.dims[differing[0]]);
  auto lost = behind(from.dims[differing[0]], to.dims[differing[0]]);
  if (differing.size() == 2) {
    if (lost)
      gained = behind(to.dims[differing[1]], from.dims[differing[1]]);
    else
      lost = behind(from.dims[differing[1]], to.dims[differing[1]]);
    if (!gained || !lost || *gained != *lost || !finished.empty())
      return kNone;
    return elements - elements / problem.tilesOf(*gained);
  }
  if (gained && finished.empty())
    return areUnused(problem, from, *gained) ? 0 : kNone;
  if (gained) {
    Parts sorted = *gained;
    llvm::sort(sorted);
    return sorted == finished ? elements - elements / problem.tilesOf(*gained) : kNone;
  }
  return lost && finished.empty() ? elements * (problem.tilesOf(*lost) - 1) : kNone;
}

int64_t edge(const Problem &problem, const Placement &from, const Placement &to) {
  int64_t spread = isSpread(problem, from, to) ? problem.localElements(from) : kNone;
  return std::min(simpleEdge(problem, from, to), spread);
}

// The least that is received on a path from the source to each placement, on which no device holds more than so much.
std::vector<int64_t> leastReceived(const Problem &problem, const std::vector<Placement> &all, int64_t bound) {
  std::vector<int64_t> least(all.size(), kNone);
  std::vector<bool> isSettled(all.size());
  for (size_t i = 0; i < all.size(); ++i)
    if (all[i] == problem.source)
      least[i] = 0;
  for (;;) {
    size_t next = all.size();
    for (size_t i = 0; i < all.size(); ++i)
      if (!isSettled[i] && least[i] != kNone && (next == all.size() || least[i] < least[next]))
        next = i;
    if (next == all.size())
      return least;
    isSettled[next] = true;
    for (size_t i = 0; i < all.size(); ++i)
      if (!isSettled[i] && problem.localElements(all[i]) <= bound)
        if (int64_t cost = edge(problem, all[next], all[i]); cost != kNone)
          least[i] = std::min(least[i], least[next] + cost);
  }
}

Problem problemOf(ArrayRef<int64_t> partSizes, size_t rank) {
  Problem problem;
  problem.partSizes.assign(partSizes.begin(), partSizes.end());
  int64_t devices = 1;
  for (int64_t size : partSizes)
    devices *= size;
  problem.sizes.assign(rank, devices * devices); // so that nothing is rounded
  return problem;
}

// Whether it is the first of those that are alike but for the order of dimensions, and of parts of equal size.
bool isCanonical(const Problem &problem, const Placement &placement) {
  llvm::SmallVector<Parts, 4> dims = placement.dims;
  if (!llvm::is_sorted(dims, [](const Parts &a, const Parts &b) { return a.size() > b.size(); }))
    return false;
  Parts seen;
  for (const Parts &parts : dims)
    llvm::append_range(seen, parts);
  llvm::append_range(seen, placement.unreduced);
  for (auto [i, part] : llvm::enumerate(seen))
    for (uint8_t lower = 0; lower < part; ++lower)
      if (problem.partSizes[lower] == problem.partSizes[part] &&
          !llvm::is_contained(ArrayRef(seen).take_front(i), lower))
        return false;
  return true;
}

std::string toString(const Problem &problem) {
  std::string text = "parts of size ";
  for (int64_t size : problem.partSizes)
    text += std::to_string(size) + ' ';
  for (const Placement *end : {&problem.source, &problem.target}) {
    text += end == &problem.source ? "from " : "to ";
    llvm::SmallVector<Parts> all(end->dims.begin(), end->dims.end());
    all.push_back(end->unreduced);
    for (const Parts &parts : all) {
      for (uint8_t part : parts)
        text += std::to_string(part) + ' ';
      text += "| ";
    }
  }
  return text;
}

// The steps of a route lead from the source to the target, each by itself, within the bound.
void check(const Problem &problem, const Route &route) {
  const Placement *before = &problem.source;
  int64_t most = route.memoryFactor ? route.memoryFactor * problem.elementBound() : kNone;
  for (const Step &step : route.steps) {
    if (step.kind == MoveKind::kPermute) {
      EXPECT_EQ(problem.profileOf(*before), problem.profileOf(step.after));
    } else if (step.kind == MoveKind::kSpread) {
      Step exchange{MoveKind::kAllToAll, step.dim, step.to, step.parts, {}};
      ASSERT_TRUE(problem.apply(*before, exchange));
      EXPECT_EQ(problem.profileOf(exchange.after), problem.profileOf(step.after));
    } else {
      Step again = step;
      ASSERT_TRUE(problem.apply(*before, again));
      EXPECT_EQ(again.after, step.after);
    }
    EXPECT_LE(problem.localElements(step.after), most);
    before = &step.after;
  }
  EXPECT_EQ(*before, problem.target);
}

struct Tally {
  int64_t pairs = 0, visited = 0, most = 0, quickIsWorse = 0;
};

// All pairs from a source.
void compare(Problem &problem, const std::vector<Placement> &all, size_t source, bool isSampled, std::mt19937 &random,
             Tally &tally) {
  problem.source = all[source];
  // Targets share a graph if the same may be held in it, and the same sums begin.
  std::map<std::pair<int64_t, std::string>, std::vector<int64_t>> graphs;
  for (size_t target = 0; target < all.size(); ++target) {
    if (isSampled && random() % 40 != 0)
      continue;
    problem.target = all[target];
    auto [graph, isNew] = graphs.try_emplace({problem.elementBound(), keyOf({{}, problem.target.unreduced})});
    if (isNew)
      graph->second = leastReceived(problem, all, problem.elementBound());
    int64_t expected = graph->second[target];
    Route route = findRoute(problem);
    ASSERT_TRUE(route.isExact);
    ASSERT_EQ(route.memoryFactor, 1) << toString(problem);
    ASSERT_EQ(route.cost.elements, expected) << toString(problem);
    check(problem, route);
    Route quick = findQuickRoute(problem);
    check(problem, quick);
    ++tally.pairs;
    tally.visited += route.visited;
    tally.most = std::max(tally.most, route.visited);
    tally.quickIsWorse += quick.cost.elements > route.cost.elements;
  }
}

TEST(RedistributionSearch, FindsTheLeastOfAllPaths) {
  bool isWhole = std::getenv("TENON_TEST_WHOLE");
  std::mt19937 random(3);
  Tally tally;
  const std::vector<std::vector<int64_t>> meshes = {{2},    {3},       {8},       {2, 2},    {2, 4},
                                                    {2, 3}, {4, 4},    {2, 8},    {3, 4},    {2, 6},
                                                    {3, 5}, {2, 2, 2}, {2, 2, 3}, {2, 4, 2}, {2, 2, 2, 2}};
  for (const auto &mesh : meshes)
    for (bool hasSums : {false, true}) {
      if (hasSums && mesh.size() == 4)
        continue; // takes minutes, and has nothing that is not in three parts
      Problem problem = problemOf(mesh, 3);
      std::vector<Placement> all = placementsOf(mesh.size(), 3, hasSums);
      for (size_t source = 0; source < all.size(); ++source)
        if (isCanonical(problem, all[source]) && (isWhole || mesh.size() < 3 || random() % 8 == 0))
          compare(problem, all, source, !isWhole && mesh.size() > 2, random, tally);
    }
  auto record = [](const char *name, int64_t number) { testing::Test::RecordProperty(name, std::to_string(number)); };
  record("pairs", tally.pairs);
  record("most_visited", tally.most);
  record("visited", tally.visited);
  record("quick_order_is_worse", tally.quickIsWorse);
  EXPECT_GT(tally.quickIsWorse, 0);
}

// Where tiles are not equal, or there are many parts, nothing tells what is best; but what is found must be possible.
TEST(RedistributionSearch, FindsPossibleSteps) {
  std::mt19937 random(5);
  auto below = [&](size_t end) { return std::uniform_int_distribution<size_t>(0, end - 1)(random); };
  for (int turn = 0; turn < 400; ++turn) {
    Problem problem;
    size_t parts = turn % 20 == 0 ? 10 : 1 + below(4), rank = 1 + below(3);
    for (size_t i = 0; i < parts; ++i)
      problem.partSizes.push_back(static_cast<int64_t>(2 + below(2)));
    for (size_t i = 0; i < rank; ++i)
      problem.sizes.push_back(static_cast<int64_t>(below(turn % 2 ? 10 : 40)));
    for (Placement *end : {&problem.source, &problem.target}) {
      Parts order;
      for (size_t i = 0; i < parts; ++i)
        order.push_back(static_cast<uint8_t>(i));
      std::shuffle(order.begin(), order.end(), random);
      end->dims.resize(rank);
      for (uint8_t part : order)
        if (size_t at = below(rank + 2); at < rank)
          end->dims[at].push_back(part);
        else if (at == rank)
          end->unreduced.push_back(part);
      llvm::sort(end->unreduced);
    }
    check(problem, findQuickRoute(problem));
    Route route = findRoute(problem);
    check(problem, route);
    EXPECT_LE(route.cost.elements, route.memoryFactor == 0 ? findQuickRoute(problem).cost.elements : kNone);
  }
}

} // namespace
} // namespace tenon::passes::redistribution
