// Shardings in XLA's notation, "{devices=[2,1,4]<=[8] last_tile_dim_replicate}": as programs have them that were
// written without Shardy, and as frameworks are told them.
#pragma once

#include "tenon/ir/mesh.h"
#include "tenon/program/program.h"

namespace tenon::ir {

/// As tiles and their devices. `manual` are axes that the surrounding body is written for one device of. None if an
/// axis is named twice or is no part of the mesh, or devices have what a maximum or minimum is of.
std::optional<program::Sharding> toOpSharding(const Sharding &sharding, llvm::ArrayRef<Atom> manual = {});

/// A tiled sharding with places in `order`, a list of all devices, instead of devices, and as an iota. None if it is
/// not of these devices, or their places are not in the order of any iota. An empty order is that of the numbers.
std::optional<program::Sharding> asIota(const program::Sharding &sharding, llvm::ArrayRef<int64_t> order = {});

/// A mesh of that many devices by whose axes the shardings can be told: its axes are as few as allow all of them. None
/// if there is no such mesh of devices in their order; shardings that list their devices never have one.
std::optional<Mesh> meshForOpShardings(llvm::ArrayRef<program::Sharding> shardings, int64_t devices);

/// A sharding, and the axes that the surrounding body is written for one device of.
struct PartlyManualSharding {
  Sharding sharding;
  Axes manual;
};
/// The sharding of an array of this rank by the axes of a mesh whose devices are in their order. Its dimensions are
/// closed, but for those of an unknown sharding. kInvalidArgument if the mesh's axes do not allow it.
StatusOr<PartlyManualSharding> fromOpSharding(const program::Sharding &sharding, const Mesh *mesh, int64_t rank);

/// The mesh of a sharding that is one of no mesh with devices in their order: an axis for each dimension that is cut.
Mesh meshOfTiles(const program::Sharding &sharding);

} // namespace tenon::ir
