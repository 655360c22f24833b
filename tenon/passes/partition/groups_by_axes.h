// Lists of devices in collectives, which grow with the mesh, become axes. Private to partition/.
#pragma once

#include "tenon/passes/partition/report.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tenon::passes::partition {

/// Names groups of the program's collectives by axes of the mesh, or of the devices as a line, and permutations by
/// axes as well, where they are such. Others keep their lists.
void nameGroupsByAxes(mlir::func::FuncOp main, const ir::Mesh &mesh, Recorder &recorder);

/// Makes the groups along the partitions' axes, of ids that replicas have too, those of each replica, in a program for
/// several replicas.
void addReplicas(mlir::func::FuncOp main, int64_t replicas);

} // namespace tenon::passes::partition
