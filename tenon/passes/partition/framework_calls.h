// Between the arrays of a call that the framework cuts itself (program/call_partitioner.h) and what it is told of them.
#pragma once

#include "tenon/ir/mesh.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/program/call_partitioner.h"

namespace tenon::passes::partition {

/// A call as the framework is told of it. Of arrays without a sharding (null) it is told that they are the same on all
/// devices. Fails with a diagnostic.
mlir::FailureOr<program::PlacedCall> placedCall(stablehlo::CustomCallOp call,
                                                llvm::ArrayRef<const ir::Sharding *> operands,
                                                llvm::ArrayRef<const ir::Sharding *> results);

/// What the framework says of arrays of these types, by the axes of a mesh. Fails with a diagnostic at the call.
mlir::FailureOr<std::vector<ir::Sharding>> shardingsByAxes(stablehlo::CustomCallOp call,
                                                           llvm::ArrayRef<program::Sharding> said,
                                                           mlir::TypeRange types, const ir::Mesh *mesh);

} // namespace tenon::passes::partition
