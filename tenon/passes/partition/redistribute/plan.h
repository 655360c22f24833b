// How an array gets from one sharding to another: a list of moves, each one collective or less.
//
//   [{"x"}, {}] -> [{}, {"x"}] on <["x"=2, "y"=4]>    all_to_all of dimension 0 to 1 along "x"
//   [{"x"}, {}] -> [{"y":(1)2}, {}]                   permute
//
// The mesh's axes are split where an axis begins or ends in either sharding, search.h finds the moves by which devices
// receive the least, and local sizes are as redistribution finds them and leaves them: the size of the whole array
// divided by the tiles, rounded up, with anything as padding at the end of the last tiles.
#pragma once

#include "tenon/ir/mesh.h"
#include "tenon/ir/permutation.h"
#include "tenon/passes/partition/redistribute/search.h"

#include <map>
#include <memory>

namespace tenon::passes::redistribution {

/// Where an array is cut, and along which axes devices have summands.
struct Cut {
  llvm::SmallVector<ir::Axes, 4> dims;
  ir::Axes unreduced;
  bool operator==(const Cut &) const = default;
};

struct Move {
  MoveKind kind;
  int dim = -1, to = -1;          // as a Step's
  ir::Axes axes;                  // of a group, the last one minor; none of a permutation
  const ir::Mesh *mesh = nullptr; // whose these are
  Cut before, after;              // in the same axes
  int64_t received = 0;           // elements, by each device
};

struct Plan {
  std::vector<Move> moves;
  int64_t received = 0;
  bool isExact = true;  // no other moves of these kinds bring less
  int memoryFactor = 1; // as a Route's
  int64_t visited = 0;  // placements; 0 of a plan that was known

  std::shared_ptr<const ir::Mesh> line; // the devices' numbers as one axis, where moves are on that
};

/// Makes plans, and remembers them for arrays that differ in size only, where tiles divide that.
class Planner {
public:
  /// The plan for an array of these sizes. The shardings' meshes are boxes of the same devices. Parts of an axis in one
  /// sharding fit together (ir::splitAxes), but not necessarily with those in the other.
  Plan plan(const ir::Sharding &from, const ir::Sharding &to, llvm::ArrayRef<int64_t> sizes);

private:
  Route route(const Problem &problem);
  std::map<std::string, Route> routes_;
};

/// What a device holds of an array of these sizes.
llvm::SmallVector<int64_t> localSizes(llvm::ArrayRef<int64_t> sizes, const Cut &cut);
Cut cutOf(const ir::Sharding &sharding);

/// Who sends to whom in a permutation; none on a mesh that lists its devices.
std::optional<ir::GroupPermutation> permutationByAxes(const Move &move);

/// kSpread in turns, as many as the axes have devices. In turn i a device sends its part along `to` of number own + i,
/// where `own` is its number along the axes, and gets what belongs at number received - i along `dim`, where `received`
/// is its number along other axes. Numbers wrap around.
struct Spread {
  ir::Axes received;
  std::vector<ir::GroupPermutation> turns;
};
/// None on a mesh that lists its devices; otherwise an exchange (exchangeOf) and a permutation of what it leaves do it.
std::optional<Spread> spreadByAxes(const Move &move);
Move exchangeOf(const Move &spread);
Move permutationAfterExchange(const Move &spread);
/// The place from which the device at each place gets its array. Takes time in proportion to the mesh.
std::vector<int64_t> permutationOf(const Move &move);

/// The parts that all axes of a mesh consist of, if each axis of the cuts is a run of them.
std::optional<ir::Axes> partsOf(const ir::Mesh &mesh, llvm::ArrayRef<const Cut *> cuts);

} // namespace tenon::passes::redistribution
