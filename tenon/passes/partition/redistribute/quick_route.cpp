#include "tenon/passes/partition/redistribute/search.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using llvm::ArrayRef;

namespace tenon::passes::redistribution {
namespace {

bool startsWith(ArrayRef<uint8_t> parts, ArrayRef<uint8_t> prefix) {
  return parts.size() >= prefix.size() && parts.take_front(prefix.size()) == prefix;
}

// Takes one kind of step after the other; each method says whether it has taken any.
class QuickRoute {
public:
  explicit QuickRoute(const Problem &problem) : problem_(problem), now_(problem.source) {}

  std::vector<Step> find() {
    // Every turn brings parts to where they belong, or frees some; only tiles that do not nest can keep it from that.
    for (size_t turn = 0; now_ != problem_.target && turn < 4 * problem_.partSizes.size() + 4; ++turn)
      if (!splitSums() && !extend(MoveKind::kSlice) && !extend(MoveKind::kReduceScatter) && !finishSums() &&
          !permute() && !exchange() && !gatherMisplaced())
        gatherUnfinished();
    if (now_ != problem_.target)
      gatherAndSlice();
    return std::move(steps_);
  }

private:
  bool take(Step step) {
    if (step.parts.empty() || !problem_.apply(now_, step))
      return false;
    now_ = step.after;
    steps_.push_back(std::move(step));
    return true;
  }

  // Sums that the target does not have any more.
  Parts unwantedSums() const {
    Parts parts = now_.unreduced;
    llvm::erase_if(parts, [&](uint8_t part) { return llvm::is_contained(problem_.target.unreduced, part); });
    return parts;
  }

  bool splitSums() {
    Parts parts = problem_.target.unreduced;
    llvm::erase_if(parts, [&](uint8_t part) { return !problem_.isUnused(now_, part); });
    return take({MoveKind::kSplitSum, -1, -1, parts, {}});
  }

  // Cuts dimensions as the target does, by parts that are free, or those of sums.
  bool extend(MoveKind kind) {
    bool isTaken = false;
    Parts sums = unwantedSums();
    for (auto [dim, wanted] : llvm::enumerate(problem_.target.dims)) {
      if (!startsWith(wanted, now_.dims[dim]))
        continue;
      auto next = ArrayRef(wanted).drop_front(now_.dims[dim].size()).take_while([&](uint8_t part) {
        return kind == MoveKind::kSlice ? problem_.isUnused(now_, part) : llvm::is_contained(sums, part);
      });
      isTaken |= take({kind, -1, static_cast<int>(dim), Parts(next), {}});
    }
    return isTaken;
  }

  bool finishSums() { return take({MoveKind::kAllReduce, -1, -1, unwantedSums(), {}}); }

  bool permute() {
    if (problem_.profileOf(now_) != problem_.profileOf(problem_.target))
      return false;
    now_ = problem_.target;
    steps_.push_back({MoveKind::kPermute, -1, -1, {}, now_});
    return true;
  }

  bool exchange() {
    auto rank = static_cast<int>(now_.dims.size());
    for (int from : llvm::seq(rank))
      for (int to : llvm::seq(rank))
        for (size_t count = now_.dims[from].size(); from != to && count > 0; --count) {
          ArrayRef<uint8_t> wanted = problem_.target.dims[to], last = ArrayRef(now_.dims[from]).take_back(count);
          if (startsWith(wanted, now_.dims[to]) && startsWith(wanted.drop_front(now_.dims[to].size()), last) &&
              take({MoveKind::kAllToAll, from, to, Parts(last), {}}))
            return true;
        }
    return false;
  }

  bool gatherMisplaced() {
    for (auto [dim, wanted] : llvm::enumerate(problem_.target.dims)) {
      const Parts &parts = now_.dims[dim];
      size_t common = 0;
      while (common < parts.size() && common < wanted.size() && parts[common] == wanted[common])
        ++common;
      for (size_t kept = common + 1; common < parts.size() && kept-- > 0;)
        if (take({MoveKind::kAllGather, static_cast<int>(dim), -1, Parts(ArrayRef(parts).drop_front(kept)), {}}))
          return true;
    }
    return false;
  }

  bool gather(size_t dim) { return take({MoveKind::kAllGather, static_cast<int>(dim), -1, now_.dims[dim], {}}); }

  // Where the tiles so far do not nest in the target's.
  void gatherUnfinished() {
    for (auto [dim, wanted] : llvm::enumerate(problem_.target.dims))
      if (now_.dims[dim] != wanted && gather(dim))
        return;
  }

  void gatherAndSlice() {
    finishSums();
    for (size_t dim = 0; dim < now_.dims.size(); ++dim)
      gather(dim);
    for (auto [dim, wanted] : llvm::enumerate(problem_.target.dims))
      take({MoveKind::kSlice, -1, static_cast<int>(dim), wanted, {}});
    splitSums();
  }

  const Problem &problem_;
  Placement now_;
  std::vector<Step> steps_;
};

} // namespace

Cost costOf(const Problem &problem, ArrayRef<Step> steps) {
  Cost cost;
  const Placement *before = &problem.source;
  for (const Step &step : steps) {
    int64_t meetings = step.kind == MoveKind::kSpread ? problem.tilesOf(step.parts) : 1;
    cost = cost + Cost{problem.received(*before, step), meetings};
    before = &step.after;
  }
  return cost;
}

Route findQuickRoute(const Problem &problem) {
  Route route;
  route.steps = QuickRoute(problem).find();
  route.cost = costOf(problem, route.steps);
  route.isExact = false;
  int64_t most = 0, bound = problem.elementBound();
  for (const Step &step : route.steps)
    most = std::max(most, problem.localElements(step.after));
  route.memoryFactor = most <= bound ? 1 : most <= 2 * bound ? 2 : 0;
  return route;
}

} // namespace tenon::passes::redistribution
