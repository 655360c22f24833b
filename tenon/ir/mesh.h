// Meshes of devices, and how arrays lie on them: plain structs that passes compute with. They are read from the
// attributes of the sdy dialect and written as such again; op_sharding.h has the same for XLA's notation.
//
// A mesh is a box of devices with named axes. An array's dimension is cut along a list of axes, major to minor, or of
// parts of axes. Nothing here goes through the devices, of which there may be thousands, but for what says so.
#pragma once

#include "tenon/ir/process_groups.h"
#include "tenon/ir/sdy.h"
#include "tenon/status.h"

#include "llvm/ADT/DenseMap.h"

#include <deque>
#include <optional>
#include <string>

namespace tenon::ir {

struct Mesh {
  struct Axis {
    std::string name;
    int64_t size = 1;
    bool operator==(const Axis &) const = default;
  };

  llvm::SmallVector<Axis, 4> axes; // major to minor
  // The devices in row-major order of the axes; empty if these are 0, 1, 2, ...
  llvm::SmallVector<int64_t> ids;

  int64_t size() const;
  /// Whether it is one device that is named, not a box: what is on it is nowhere else.
  bool isMaximal() const { return axes.empty() && ids.size() == 1; }
  std::optional<int> find(llvm::StringRef name) const;
  /// The device at a place, which counts in row-major order of the axes.
  int64_t device(int64_t place) const { return ids.empty() ? place : ids[place]; }
  bool operator==(const Mesh &) const = default;
};

/// A mesh axis, or a part of one. Written `"y":(2)4`: along an axis of size 16, coordinate c has the digit
/// c / (16 / (2 * 4)) % 4 of it. Of a whole axis, `pre` is 1 and `size` the axis's.
struct Atom {
  int axis = 0;
  int64_t pre = 1, size = 1;

  int64_t end() const { return pre * size; }
  bool overlaps(const Atom &other) const { return axis == other.axis && pre < other.end() && other.pre < end(); }
  bool contains(const Atom &other) const { return axis == other.axis && pre <= other.pre && other.end() <= end(); }
  bool operator==(const Atom &) const = default;
  /// By their place in the mesh.
  bool operator<(const Atom &other) const {
    return std::tie(axis, pre, size) < std::tie(other.axis, other.pre, other.size);
  }
};

/// Axes from major to minor. No two neighbours are parts of one axis that could be written as one.
using Axes = llvm::SmallVector<Atom, 2>;

/// The product of the sizes.
int64_t partsOf(llvm::ArrayRef<Atom> axes);
/// Adds an axis at the minor end, as a larger part where it continues the last one.
void append(Axes &axes, const Atom &atom);
bool overlapsAny(const Atom &atom, llvm::ArrayRef<Atom> axes);

struct DimCut {
  Axes axes;
  bool isClosed = false;           // nothing may be added
  std::optional<int64_t> priority; // 0 comes first, and is that of a dimension without one

  bool operator==(const DimCut &) const = default;
};

/// How an array lies on a mesh. Along axes that are not named, devices have copies.
struct Sharding {
  const Mesh *mesh = nullptr; // of a MeshTable
  llvm::SmallVector<DimCut, 4> dims;
  Axes replicated; // must not cut anything, by order of the mesh
  Axes unreduced;  // devices along these have summands of the array, or what its maximum or minimum is of
  sdy::ReductionOp reduction = sdy::ReductionOp::SUM;

  /// Cut nowhere. Its dimensions are open unless `isClosed`.
  static Sharding whole(const Mesh *mesh, int64_t rank, bool isClosed);

  bool operator==(const Sharding &) const = default;
};

/// The meshes of one module. Meshes that are equal have one address, which stays valid as long as the table.
class MeshTable {
public:
  explicit MeshTable(mlir::ModuleOp module);

  const Mesh *intern(Mesh mesh);

  /// What an attribute in that module says of an array of this rank. kInvalidArgument, with the reason, if it does not
  /// name a mesh, an axis or a part of one that is there, cuts by an axis twice or by parts of it that are no digits of
  /// one number, or is for another rank.
  StatusOr<Sharding> read(sdy::TensorShardingAttr attribute, int64_t rank);
  /// The attribute, which names the mesh as the module does, or spells it out where it does not.
  sdy::TensorShardingAttr write(const Sharding &sharding) const;

private:
  StatusOr<const Mesh *> meshOf(mlir::Attribute reference);

  mlir::ModuleOp module_;
  std::deque<Mesh> meshes_;
  llvm::DenseMap<mlir::Attribute, const Mesh *> byReference_;
  llvm::DenseMap<const Mesh *, mlir::Attribute> references_;
};

/// The axes of a mesh, each cut where an atom in any of the lists begins or ends, in the mesh's order: every atom given
/// is a run of them. None if these are no parts of their axis, or do not fit together.
std::optional<Axes> splitAxes(const Mesh &mesh, llvm::ArrayRef<llvm::ArrayRef<Atom>> lists);

/// The digit of an axis, or of a part of one, of the device at a place.
int64_t digitOf(const Mesh &mesh, const Atom &atom, int64_t place);

/// The axes along which this many devices lie one stride apart; none if they are no part of the mesh.
std::optional<Axes> axesOfRun(const Mesh &mesh, int64_t stride, int64_t count);

/// The places of the devices that differ from the one at `place` along these axes only, itself among them, in row-major
/// order of the axes as they are listed. Takes time in proportion to the group.
llvm::SmallVector<int64_t, 8> groupOf(const Mesh &mesh, llvm::ArrayRef<Atom> axes, int64_t place);
/// All such groups, as devices; in order of their first place. Takes time in proportion to the mesh.
ProcessGroups groupsAlong(const Mesh &mesh, llvm::ArrayRef<Atom> axes);
/// The axes along which these groups are groupsAlong, if there are such and the groups come in that order.
std::optional<Axes> axesOfGroups(const Mesh &mesh, const ProcessGroups &groups);

} // namespace tenon::ir
