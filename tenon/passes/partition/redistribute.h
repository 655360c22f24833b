// Moving an array from one way of lying on a mesh to another.
#pragma once

#include "tenon/passes/partition/local/places.h"
#include "tenon/passes/partition/redistribute/plan.h"

namespace tenon::passes::partition {

using redistribution::Planner;

/// Gives the device's part of an array that lies as `to` says, of its part as `from` says, by the moves that the
/// planner finds. Any two shardings will do, of different meshes of the same devices too, and with dimensions that are
/// cut unevenly. Summands along `from`'s unreduced axes are combined as it says, and where only `to` is unreduced, all
/// but the first device along the axes have the neutral element of its kind. A `kind` is one that shardings cannot
/// name.
mlir::Value redistribute(mlir::OpBuilder &builder, Planner &planner, mlir::Value local,
                         mlir::RankedTensorType globalType, const ir::Sharding &from, const ir::Sharding &to,
                         std::optional<SumKind> kind = std::nullopt);

/// The bytes that a device receives when that is done.
int64_t redistributionBytes(Planner &planner, mlir::RankedTensorType globalType, const ir::Sharding &from,
                            const ir::Sharding &to);

/// Whether nothing is to be done: both cut every dimension along the same axes of one mesh, and have the same summands.
bool liesAlike(const ir::Sharding &a, const ir::Sharding &b);

/// Whether gathering alone brings an array from `own` to `wanted`, or nothing does.
bool isCutFurther(const ir::Sharding &own, const ir::Sharding &wanted);

} // namespace tenon::passes::partition
