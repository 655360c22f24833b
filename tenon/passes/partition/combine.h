// Collectives over the same groups of devices become one, so that devices meet once for them. Private to partition/.
#pragma once

#include "tenon/passes/partition/report.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tenon::passes::partition {

/// Makes one all_reduce of those in a block that have equal groups, computations and element types, where none needs
/// another's result and the operands have 32 MiB together at most; so, too, of all_gathers along one dimension, up to
/// 1 MiB, and of small reduce_scatters. It is where the last of them was; ops that need results of the others before
/// follow it. None is moved past an op with effects. All devices run the same program, so they meet in the same order
/// as before.
void combineCollectives(mlir::func::FuncOp main, Recorder &recorder);

} // namespace tenon::passes::partition
