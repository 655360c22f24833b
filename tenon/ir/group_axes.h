// Groups of processes by axes of the grid, in place of lists: they take the same room whatever the grid's size.
#pragma once

#include "tenon/ir/process_groups.h"

#include "mlir/IR/Builders.h"

#include <optional>

namespace tenon::ir {

/// An axis of the grid: how many places it has, and how far apart the numbers of processes are that are neighbours
/// along it. A process is at place (number / stride) % size.
struct ProcessAxis {
  int64_t size, stride;
  bool operator==(const ProcessAxis &) const = default;
};
/// The axes, major to minor, along which the processes of a group differ; nothing for groups that no axes have as their
/// members in this order. The processes are those that the groups have: others may be left out. Axes that could be one
/// are one.
std::optional<llvm::SmallVector<ProcessAxis, 4>> groupAxes(const ProcessGroups &groups);

/// The ids that groups by the axes of a mesh name, those of one group after the other. Devices are numbered in the
/// mesh's order, or as it lists them; members differ along the axes, the last of which is the minor one.
/// kInvalidArgument for a mesh that is not there, axes that it does not have, and parts of axes that overlap.
StatusOr<llvm::SmallVector<llvm::SmallVector<int64_t, 8>>> meshGroups(mlir::Operation *op,
                                                                      stablehlo::ReplicaGroupMeshAxesAttr groups);
/// The same groups as axes of a mesh, for an op of global ids, where they have axes in a grid of so many processes.
std::optional<stablehlo::ReplicaGroupMeshAxesAttr> meshAxes(mlir::MLIRContext *context, const ProcessGroups &groups,
                                                            int64_t processes);

/// The groups as lists of ids, as replica_groups has them: a row each, shorter ones ending in -1.
mlir::DenseIntElementsAttr listAttribute(mlir::MLIRContext *context, const ProcessGroups &groups);

/// How a call of the runtime's library is told of groups (runtime/collectives/groups.h): `axes`, sizes and strides of
/// groupAxes if each process of the grid is in a group, or else the lists, `groups` one after the other and their
/// `sizes`.
mlir::DictionaryAttr groupAttributes(mlir::Builder &builder, const ProcessGroups &groups, const ProcessGrid &grid);

} // namespace tenon::ir
