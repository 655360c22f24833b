// Moving an array from one way of lying on a mesh to another.
#pragma once

#include "tenon/passes/partition/local/places.h"
#include "tenon/passes/partition/redistribute/plan.h"

namespace tenon::passes::partition {

using redistribution::Planner;

/// Gives the device's part of an array that lies as `to` says, of its part as `from` says, by the moves that the
/// planner finds. Any two shardings will do, of different meshes of the same devices too, and with dimensions that are
/// cut unevenly. Summands along `from`'s unreduced axes are combined, in a way of this kind, and where only `to` is
/// unreduced, all but the first device along the axes have the kind's neutral element.
mlir::Value redistribute(mlir::OpBuilder &builder, Planner &planner, mlir::Value local,
                         mlir::RankedTensorType globalType, const ir::Sharding &from, const ir::Sharding &to,
                         SumKind kind = SumKind::kAdd);

/// The bytes that a device receives when that is done.
int64_t redistributionBytes(Planner &planner, mlir::RankedTensorType globalType, const ir::Sharding &from,
                            const ir::Sharding &to);

/// Whether nothing is to be done: both cut every dimension along the same axes of one mesh.
bool liesAlike(const ir::Sharding &a, const ir::Sharding &b);

} // namespace tenon::passes::partition
