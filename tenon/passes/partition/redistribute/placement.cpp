#include "tenon/passes/partition/redistribute/placement.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using llvm::ArrayRef;

namespace tenon::passes::redistribution {

int64_t Problem::tilesOf(ArrayRef<uint8_t> parts) const {
  int64_t tiles = 1;
  for (uint8_t part : parts)
    tiles *= partSizes[part];
  return tiles;
}

int64_t Problem::localElements(const Placement &placement) const {
  int64_t elements = 1;
  for (auto [dim, parts] : llvm::enumerate(placement.dims))
    elements *= localSize(dim, tilesOf(parts));
  return elements;
}

int64_t Problem::elementBound() const { return std::max(localElements(source), localElements(target)); }

bool Problem::isUnused(const Placement &placement, uint8_t part) const {
  return !llvm::is_contained(placement.unreduced, part) &&
         llvm::none_of(placement.dims, [&](const Parts &parts) { return llvm::is_contained(parts, part); });
}

// Whether tiles cut into `inner` are the tiles of a dimension that is cut into outer * inner. A dimension that is not
// cut is made to fit by padding.
bool Problem::canNest(size_t dim, int64_t outer, int64_t inner) const {
  return outer == 1 || inner * localSize(dim, outer * inner) == localSize(dim, outer);
}

// More tiles than elements only make work, but where they are asked for.
bool Problem::isWorthCutting(size_t dim, int64_t tiles) const {
  return tiles <= sizes[dim] || tiles == tilesOf(source.dims[dim]) || tiles == tilesOf(target.dims[dim]);
}

bool Problem::cutMore(Placement &placement, const Step &step) const {
  Parts &parts = placement.dims[step.to];
  int64_t outer = tilesOf(parts), inner = tilesOf(step.parts);
  parts.append(step.parts.begin(), step.parts.end());
  return canNest(step.to, outer, inner) && isWorthCutting(step.to, outer * inner);
}

bool Problem::cutLess(Placement &placement, const Step &step) const {
  Parts &parts = placement.dims[step.dim];
  if (parts.size() < step.parts.size() || ArrayRef(parts).take_back(step.parts.size()) != ArrayRef(step.parts))
    return false;
  parts.truncate(parts.size() - step.parts.size());
  return canNest(step.dim, tilesOf(parts), tilesOf(step.parts));
}

bool Problem::apply(const Placement &before, Step &step) const {
  Placement &after = step.after = before;
  auto areUnused = [&] { return llvm::all_of(step.parts, [&](uint8_t part) { return isUnused(before, part); }); };
  auto finishSum = [&] {
    size_t count = after.unreduced.size();
    llvm::erase_if(after.unreduced, [&](uint8_t part) { return llvm::is_contained(step.parts, part); });
    return after.unreduced.size() + step.parts.size() == count;
  };
  switch (step.kind) {
  case MoveKind::kSlice:
    return areUnused() && cutMore(after, step);
  case MoveKind::kSplitSum:
    if (!areUnused())
      return false;
    after.unreduced.append(step.parts.begin(), step.parts.end());
    llvm::sort(after.unreduced);
    return true;
  case MoveKind::kReduceScatter:
    return finishSum() && cutMore(after, step);
  case MoveKind::kAllReduce:
    return finishSum();
  case MoveKind::kAllToAll:
    return cutLess(after, step) && cutMore(after, step);
  case MoveKind::kAllGather:
    return cutLess(after, step);
  case MoveKind::kPermute: // search.cpp has these between placements of its own
  case MoveKind::kSpread:
    return false;
  }
  return false;
}

int64_t Problem::received(const Placement &before, const Step &step) const {
  int64_t elements = localElements(before), count = tilesOf(step.parts);
  // What a device keeps of its array when that is split, padded if it has to be.
  auto share = [&] {
    int64_t size = localSize(step.to, tilesOf(before.dims[step.to]));
    return size == 0 ? 0 : elements / size * ((size + count - 1) / count);
  };
  switch (step.kind) {
  case MoveKind::kSlice:
  case MoveKind::kSplitSum:
    return 0;
  case MoveKind::kReduceScatter:
  case MoveKind::kAllToAll:
    return share() * (count - 1);
  case MoveKind::kAllReduce:
    return 2 * ((elements + count - 1) / count) * (count - 1);
  case MoveKind::kAllGather:
    return elements * (count - 1);
  case MoveKind::kPermute:
    return elements;
  case MoveKind::kSpread:
    return share() * count;
  }
  return 0;
}

std::string Problem::profileOf(const Placement &placement) const {
  std::string profile;
  for (const Parts &parts : placement.dims)
    profile += std::to_string(tilesOf(parts)) + ',';
  return profile + std::to_string(tilesOf(placement.unreduced));
}

std::string keyOf(const Placement &placement) {
  std::string key;
  for (const Parts &parts : placement.dims) {
    key.append(parts.begin(), parts.end());
    key += '\xff';
  }
  key.append(placement.unreduced.begin(), placement.unreduced.end());
  return key;
}

} // namespace tenon::passes::redistribution
