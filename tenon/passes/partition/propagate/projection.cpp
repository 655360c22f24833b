#include "tenon/passes/partition/propagate/projection.h"

#include <numeric>

using llvm::ArrayRef;
using llvm::SmallVector;

namespace tenon::passes::propagate {
namespace {

// The axes of a dimension, from which factors take.
class AxisQueue {
public:
  explicit AxisQueue(ArrayRef<Atom> axes) : rest_(axes.rbegin(), axes.rend()) {}

  bool empty() const { return rest_.empty(); }

  // Takes of the axes as long as they have something in common with what is left of a factor. Returns what is left.
  int64_t fill(int64_t size, Axes &axes) {
    while (!rest_.empty()) {
      Atom &next = rest_.back();
      int64_t common = std::gcd(size, next.size);
      if (common == 1)
        break;
      axes.push_back({next.axis, next.pre, common});
      size /= common;
      if (common == next.size)
        rest_.pop_back();
      else
        next = {next.axis, next.pre * common, next.size / common};
    }
    return size;
  }

  void takeAll(Axes &axes) {
    for (; !rest_.empty(); rest_.pop_back())
      append(axes, rest_.back());
  }

private:
  SmallVector<Atom> rest_; // the next one last
};

void projectDim(const ir::DimFactors &numbers, ArrayRef<ir::Factor> factors, ArrayRef<Atom> axes, bool isClosed,
                TensorCuts &cuts) {
  AxisQueue queue(axes);
  for (auto [i, number] : llvm::enumerate(numbers)) {
    FactorCut &cut = cuts.factors[number].emplace();
    cut.isClosed = isClosed;
    cut.isMinorMost = number == numbers.back();
    if (cut.isMinorMost) {
      queue.takeAll(cut.axes);
      return;
    }
    if (queue.fill(factors[number].size, cut.axes) > 1 && !queue.empty()) {
      // The axis that follows has nothing in common with the rest of the factor. What is behind cannot be cut.
      queue.takeAll(cut.overflow);
      int64_t behind = numbers[i + 1];
      cuts.factors[behind] = FactorCut{{}, {}, /*isClosed=*/true, behind == numbers.back()};
      return;
    }
  }
}

} // namespace

TensorCuts project(const ir::TensorFactors &dims, ArrayRef<ir::Factor> factors, const ir::Sharding *sharding) {
  TensorCuts cuts;
  cuts.factors.resize(factors.size());
  for (auto [i, numbers] : llvm::enumerate(dims)) {
    ArrayRef<Atom> axes = sharding ? ArrayRef<Atom>(sharding->dims[i].axes) : ArrayRef<Atom>();
    projectDim(numbers, factors, axes, sharding && sharding->dims[i].isClosed, cuts);
  }
  if (sharding) {
    cuts.replicated = sharding->replicated;
    cuts.unreduced = sharding->unreduced;
    cuts.reduction = sharding->reduction;
  }
  return cuts;
}

// Adds the axes of a factor, of which only the first may continue the last one of the factor before.
static void appendAll(Axes &axes, ArrayRef<Atom> added) {
  for (const Atom &atom : added)
    append(axes, atom);
}

ir::Sharding unproject(const TensorCuts &cuts, const ir::TensorFactors &dims, ArrayRef<ir::Factor> factors,
                       const ir::Mesh *mesh) {
  ir::Sharding sharding;
  sharding.mesh = mesh;
  sharding.replicated = cuts.replicated;
  sharding.unreduced = cuts.unreduced;
  sharding.reduction = cuts.reduction;
  for (const ir::DimFactors &numbers : dims) {
    ir::DimCut &dim = sharding.dims.emplace_back();
    for (int64_t number : numbers) {
      const FactorCut &cut = *cuts.factors[number];
      dim.isClosed |= cut.isClosed;
      appendAll(dim.axes, cut.axes);
      appendAll(dim.axes, cut.overflow);
      if (!cut.overflow.empty() || ir::partsOf(cut.axes) < factors[number].size)
        break;
    }
  }
  return sharding;
}

bool isPrefix(ArrayRef<Atom> part, ArrayRef<Atom> whole) {
  if (part.empty())
    return true;
  return part.size() <= whole.size() && part.drop_back() == whole.take_front(part.size() - 1) &&
         isPrefix(part.back(), whole[part.size() - 1]);
}

// Whether there are common parts that both axes are made of.
static bool canCoexist(const Atom &a, const Atom &b) {
  auto [minPre, maxPre] = std::minmax(a.pre, b.pre);
  auto [minEnd, maxEnd] = std::minmax(a.end(), b.end());
  if (a.axis != b.axis)
    return true;
  if (minEnd <= maxPre)
    return maxPre % minEnd == 0;
  return maxPre % minPre == 0 && minEnd % maxPre == 0 && maxEnd % minEnd == 0;
}

std::optional<Atom> prefixWithoutOverlap(Atom axis, ArrayRef<Atom> others) {
  for (const Atom &other : others) {
    if (!canCoexist(axis, other))
      return std::nullopt;
    if (!axis.overlaps(other))
      continue;
    if (axis.pre >= other.pre)
      return std::nullopt;
    axis.size = other.pre / axis.pre;
  }
  return axis;
}

} // namespace tenon::passes::propagate
