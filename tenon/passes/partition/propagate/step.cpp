// Along each factor, the lists of axes of all tensors are combined into the longest one that none of them contradicts:
// each is a prefix of it, or goes on from it. This list is offered to each tensor, factor by factor. A tensor takes as
// much of it as neither its own closed dimensions, replicated and unreduced axes forbid, nor the axes that it has along
// other factors by then. So the order of factors decides who gets an axis: first those that a larger tensor has, of
// elementwise ops then those that are cut into more parts.
#include "tenon/passes/partition/propagate/step.h"

#include <numeric>

using llvm::ArrayRef;
using llvm::SmallVector;

namespace tenon::passes::propagate {
namespace {

//===- The list of a factor --------------------------------------------------------------------------------------===//

// The list that grows, and whether it still may: after a contradiction, or where the tensors to come only object, it
// may not.
struct Combined {
  Axes axes;
  bool canGrow = true;

  void add(ArrayRef<Atom> other);
};

void Combined::add(ArrayRef<Atom> other) {
  for (size_t i = 0;; ++i) {
    bool isLast = i + 1 == axes.size(), isOthersLast = i + 1 == other.size();
    if (i == axes.size()) { // no contradiction
      if (canGrow)
        axes.append(other.begin() + static_cast<ptrdiff_t>(i), other.end());
      return;
    }
    if (i == other.size())
      return;
    if (axes[i] == other[i])
      continue;
    if (axes[i].axis == other[i].axis && isPrefix(other[i], axes[i])) {
      // What follows a part of an axis in the other list is not the rest of that axis, or it would be one with it.
      if (isOthersLast)
        continue;
      axes[i] = other[i];
      axes.truncate(i + 1);
    } else if (axes[i].axis == other[i].axis && isPrefix(axes[i], other[i])) {
      if (canGrow && isLast) {
        axes[i] = other[i];
        continue;
      }
      axes.truncate(i + 1);
    } else {
      axes.truncate(i);
    }
    canGrow = false;
    return;
  }
}

Axes combine(const Projection &projection, size_t factor, PropagationDirection direction) {
  Combined combined;
  if (direction == PropagationDirection::NONE)
    return {};
  auto add = [&](ArrayRef<TensorCuts> tensors) {
    for (const TensorCuts &tensor : tensors)
      if (const FactorCut *cut = tensor.find(factor))
        combined.add(cut->axes);
  };
  bool isBackward = direction == PropagationDirection::BACKWARD;
  add(isBackward ? projection.results : projection.operands);
  combined.canGrow &= direction == PropagationDirection::BOTH;
  add(isBackward ? projection.operands : projection.results);
  return combined.axes;
}

//===- What a tensor takes of it ---------------------------------------------------------------------------------===//

// Cuts the list where `keep` gives none, or less than the axis. It is called with the parts before the axis.
void truncate(Axes &axes, llvm::function_ref<std::optional<Atom>(Atom axis, int64_t before)> keep) {
  int64_t before = 1;
  for (size_t i = 0; i < axes.size(); ++i) {
    std::optional<Atom> kept = keep(axes[i], before);
    if (!kept) {
      axes.truncate(i);
      return;
    }
    if (*kept != axes[i]) {
      axes[i] = *kept;
      axes.truncate(i + 1);
      return;
    }
    before *= kept->size;
  }
}

// How much of the axis the tensor may have along a factor, apart from its other factors.
std::optional<Atom> fitting(Atom axis, const TensorCuts &tensor, const FactorCut &cut, int64_t size, int64_t before) {
  auto prefix = prefixWithoutOverlap(axis, tensor.replicated);
  if (prefix)
    prefix = prefixWithoutOverlap(*prefix, tensor.unreduced);
  if (!prefix)
    return std::nullopt;
  if (llvm::any_of(cut.axes, [&](const Atom &own) { return own.contains(*prefix); }))
    return prefix; // it has that already
  if (!cut.isClosed && cut.overflow.empty()) {
    if (cut.isMinorMost)
      return prefix;
    // Only the last factor of a dimension may be cut unevenly.
    if (size % before == 0)
      if (int64_t common = std::gcd(size / before, prefix->size); common > 1)
        return Atom{prefix->axis, prefix->pre, common};
  }
  if (!cut.axes.empty() && isPrefix(cut.axes.back(), *prefix))
    return cut.axes.back();
  return std::nullopt;
}

// As much as overlaps no axes of the tensor's other factors.
std::optional<Atom> withoutConflict(Atom axis, const TensorCuts &tensor, size_t factor) {
  std::optional<Atom> prefix = axis;
  for (auto [i, cut] : llvm::enumerate(tensor.factors)) {
    if (i == factor || !cut)
      continue;
    prefix = prefixWithoutOverlap(*prefix, cut->overflow);
    if (prefix)
      prefix = prefixWithoutOverlap(*prefix, cut->axes);
    if (!prefix)
      return std::nullopt;
  }
  return prefix;
}

// Empty if the tensor is not to change along the factor.
Axes taken(const TensorCuts &tensor, size_t factor, const Axes &offered, int64_t size) {
  const FactorCut *cut = tensor.find(factor);
  if (!cut)
    return {};
  Axes axes = offered;
  truncate(axes, [&](Atom axis, int64_t before) { return fitting(axis, tensor, *cut, size, before); });
  if (!isStrictPrefix(cut->axes, axes))
    return {};
  truncate(axes, [&](Atom axis, int64_t) { return withoutConflict(axis, tensor, factor); });
  return axes;
}

//===- Who comes first -------------------------------------------------------------------------------------------===//

// The largest tensor that has the offered axes along a factor, the first of these.
struct Source {
  int64_t tensor = -1, size = -1;
};

SmallVector<Source> sourcesOf(const Projection &projection, ArrayRef<ir::Factor> factors, ArrayRef<Axes> offered) {
  SmallVector<Source> sources(factors.size());
  int64_t number = 0;
  for (const TensorCuts &tensor : llvm::concat<const TensorCuts>(projection.operands, projection.results)) {
    int64_t size = 1;
    for (auto [cut, factor] : llvm::zip_equal(tensor.factors, factors))
      if (cut)
        size *= factor.size;
    for (auto [i, cut] : llvm::enumerate(tensor.factors))
      if (cut && !offered[i].empty() && isPrefix(offered[i], cut->axes) && size > sources[i].size)
        sources[i] = {number, size};
    ++number;
  }
  return sources;
}

SmallVector<size_t> orderOf(const Projection &projection, ArrayRef<ir::Factor> factors, ArrayRef<Axes> offered,
                            bool isElementwise) {
  SmallVector<Source> sources = sourcesOf(projection, factors, offered);
  SmallVector<size_t> order = llvm::to_vector(llvm::seq<size_t>(0, factors.size()));
  auto rank = [&](size_t factor) {
    int64_t parts = isElementwise ? ir::partsOf(offered[factor]) : 0;
    return std::tuple(-sources[factor].size, -parts, sources[factor].tensor, factor);
  };
  llvm::sort(order, [&](size_t a, size_t b) { return rank(a) < rank(b); });
  return order;
}

bool extend(TensorCuts &tensor, size_t factor, const Axes &axes) {
  if (!tensor.factors[factor] || !isStrictPrefix(tensor.factors[factor]->axes, axes))
    return false;
  tensor.factors[factor]->axes = axes;
  return true;
}

} // namespace

void spread(Projection &projection, ArrayRef<ir::Factor> factors, ArrayRef<PropagationDirection> directions,
            bool isElementwise, llvm::BitVector &changedOperands, llvm::BitVector &changedResults) {
  changedOperands.resize(static_cast<unsigned>(projection.operands.size()));
  changedResults.resize(static_cast<unsigned>(projection.results.size()));
  SmallVector<Axes> offered;
  for (size_t factor = 0; factor < factors.size(); ++factor)
    offered.push_back(combine(projection, factor, directions[factor]));
  if (llvm::all_of(offered, [](const Axes &axes) { return axes.empty(); }))
    return;
  SmallVector<size_t> order = orderOf(projection, factors, offered, isElementwise);
  for (auto [i, result] : llvm::enumerate(projection.results))
    for (size_t factor : order)
      if (Axes axes = taken(result, factor, offered[factor], factors[factor].size); !axes.empty())
        if (extend(result, factor, axes))
          changedResults.set(static_cast<unsigned>(i));
  for (auto [i, operand] : llvm::enumerate(projection.operands))
    for (size_t factor : order) {
      Axes axes = taken(operand, factor, offered[factor], factors[factor].size);
      // What one operand has and the result cannot have is not worth giving to the other one.
      if (!axes.empty() && isElementwise)
        for (const TensorCuts &result : projection.results)
          if (const FactorCut *cut = result.find(factor); cut && isStrictPrefix(cut->axes, axes))
            axes = cut->axes;
      if (!axes.empty() && extend(operand, factor, axes))
        changedOperands.set(static_cast<unsigned>(i));
    }
}

} // namespace tenon::passes::propagate
