// The processes of a grid of replicas and partitions, and the groups that a collective splits them into (StableHLO
// specification, "Parallel execution" and "Collective ops").
#pragma once

#include "tenon/ir/stablehlo.h"
#include "tenon/status.h"

#include <cstdint>
#include <utility>

namespace tenon::ir {

/// More than any machine has; a bound for programs that say anything.
inline constexpr int64_t kMaxProcesses = int64_t(1) << 20;

/// num_replicas x num_partitions. A process is known by its flattened id, replica_id * partitions + partition_id.
struct ProcessGrid {
  int64_t replicas = 1, partitions = 1;

  int64_t size() const { return replicas * partitions; }
  int64_t process(int64_t replica, int64_t partition) const { return replica * partitions + partition; }
  int64_t replicaOf(int64_t process) const { return process / partitions; }
  int64_t partitionOf(int64_t process) const { return process % partitions; }
};

/// The size of the grid that the module is for (mhlo.num_replicas, mhlo.num_partitions), if it says so.
std::optional<int64_t> numReplicas(mlir::ModuleOp module);
std::optional<int64_t> numPartitions(mlir::ModuleOp module);
/// The grid of the module that the op is in. Sizes that the module does not give are 1.
ProcessGrid processGrid(mlir::Operation *op);

/// Checks the grid that a module names, which may be anything. kInvalidArgument.
Status checkGrid(const ProcessGrid &grid);

/// Which processes the ids of replica_groups mean.
enum class Grouping { CrossReplica, CrossPartition, CrossReplicaAndPartition, FlattenedIds };

/// The grouping of all_gather, all_reduce and reduce_scatter.
Grouping threeWayGrouping(int64_t channelId, bool useGlobalDeviceIds);
/// The grouping of the other collectives, which have two modes.
Grouping twoWayGrouping(int64_t channelId);
/// 0 without one.
int64_t channelId(std::optional<stablehlo::ChannelHandleAttr> channel);

/// The groups of a collective, each a list of processes in the order that the collective takes them in. Ids below 0 are
/// padding; no ids at all are one group of all. kInvalidArgument, without the op's name, for an impossible grid, ids
/// that it does not have, that are named twice, and, but for collective_broadcast and collective_reduce, for ids that
/// no group has.
using ProcessGroups = llvm::SmallVector<llvm::SmallVector<int64_t, 8>, 4>;
StatusOr<ProcessGroups> processGroups(mlir::Operation *collective, const ProcessGrid &grid);
/// The groups of a custom call with replica_groups and channel_id in its backend_config, as JAX's ragged_all_to_all
/// has.
StatusOr<ProcessGroups> processGroups(stablehlo::CustomCallOp call, const ProcessGrid &grid);
/// The same of a list of lists of ids.
StatusOr<ProcessGroups> processGroups(llvm::ArrayRef<llvm::SmallVector<int64_t, 8>> ids, Grouping grouping,
                                      const ProcessGrid &grid);

/// The (source, target) pairs of processes of a collective_permute; of a collective_broadcast, the pairs of each
/// group's first process with all of its processes.
using ProcessPairs = llvm::SmallVector<std::pair<int64_t, int64_t>>;
StatusOr<ProcessPairs> processPairs(mlir::Operation *collective, const ProcessGrid &grid);

} // namespace tenon::ir
