// What a search for a redistribution computes with: parts of a mesh by number, and what moving an array between two
// placements on them costs. plan.h has the same in terms of a mesh's axes.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tenon::passes::redistribution {

/// Numbers of parts of the mesh, from major to minor.
using Parts = llvm::SmallVector<uint8_t, 8>;

/// How an array lies: the parts that cut each dimension, and those along which devices have summands, in ascending
/// order. Along the others there are copies.
struct Placement {
  llvm::SmallVector<Parts, 4> dims;
  Parts unreduced;
  bool operator==(const Placement &) const = default;
};

/// What each device does at a step. `dim` is the dimension that is cut less, `to` the one that is cut more; `parts` are
/// the last ones of a dimension that is cut by them, before or afterwards.
enum class MoveKind {
  kSlice,         // keeps its part along `to`
  kSplitSum,      // becomes one of several summands, all but the first of which are neutral
  kReduceScatter, // gets its part along `to` of the sum
  kAllReduce,     // gets the sum
  kAllToAll,      // gives its parts along `to`, gets those along `dim`
  kAllGather,     // gets all parts along `dim`
  kPermute,       // gets the part of another device
  kSpread,        // kAllToAll and kPermute in one: gives parts along `to` to several devices, gets those of several
};

/// How many devices there may be at most: each is sent something by itself, and programs must not grow with the mesh.
inline constexpr int64_t kMaxSpread = 4;

struct Step {
  MoveKind kind;
  int dim = -1, to = -1;
  Parts parts;
  Placement after;
};

/// An array between two placements.
struct Problem {
  llvm::SmallVector<int64_t, 8> partSizes;
  llvm::SmallVector<int64_t, 4> sizes; // of the array
  Placement source, target;

  int64_t tilesOf(llvm::ArrayRef<uint8_t> parts) const;
  /// The elements of a dimension that a device holds: those of the last ones may be padding.
  int64_t localSize(size_t dim, int64_t tiles) const { return (sizes[dim] + tiles - 1) / tiles; }
  int64_t localElements(const Placement &placement) const;
  /// The number of elements of the larger of source and target.
  int64_t elementBound() const;
  bool isUnused(const Placement &placement, uint8_t part) const;

  /// Fills in where the step leads; false if it cannot be done. A dimension whose tiles are not equal is cut further
  /// only if the tiles are cut, and not elements of one end up in another.
  bool apply(const Placement &before, Step &step) const;
  /// How many elements each device receives in a step that can be done.
  int64_t received(const Placement &before, const Step &step) const;

  /// Number of tiles of each dimension and of summands: equal for placements that differ in the order of devices.
  std::string profileOf(const Placement &placement) const;

private:
  bool canNest(size_t dim, int64_t outer, int64_t inner) const;
  bool isWorthCutting(size_t dim, int64_t tiles) const;
  bool cutMore(Placement &placement, const Step &step) const;
  bool cutLess(Placement &placement, const Step &step) const;
};

/// A short text that no other placement of the problem has.
std::string keyOf(const Placement &placement);

} // namespace tenon::passes::redistribution
