#include "tenon/ir/process_groups.h"

#include "tenon/ir/group_axes.h"
#include "tenon/ir/id_count.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/TypeSwitch.h"

#include <limits>
#include <numeric>
#include <string>

using llvm::SmallVector;

namespace tenon::ir {
namespace {

using Ids = SmallVector<int64_t, 8>;

std::optional<int64_t> count(mlir::ModuleOp module, llvm::StringRef name) {
  auto value = module ? module->getAttrOfType<mlir::IntegerAttr>(name) : mlir::IntegerAttr();
  if (!value)
    return std::nullopt;
  // Larger numbers are no valid grid either.
  return value.getValue().isSignedIntN(63) ? value.getValue().getSExtValue() : std::numeric_limits<int64_t>::max();
}

/// The rows of a two-dimensional attribute, or its elements as the one row; or the groups that axes of a mesh give.
StatusOr<SmallVector<Ids>> rowsOf(mlir::Operation *op, mlir::Attribute attribute) {
  if (auto axes = llvm::dyn_cast_or_null<stablehlo::ReplicaGroupMeshAxesAttr>(attribute))
    return meshGroups(op, axes);
  auto elements = llvm::dyn_cast_or_null<mlir::DenseIntElementsAttr>(attribute);
  if (!elements)
    return invalidArgument("groups must be lists of ids, or axes of a mesh");
  if (!elements.getElementType().isSignlessInteger(64))
    return invalidArgument("groups must be of 64-bit integers");
  SmallVector<Ids> rows;
  int64_t rowSize = elements.getType().getRank() == 2 ? elements.getType().getDimSize(1) : elements.size();
  for (auto [i, id] : llvm::enumerate(elements.getValues<int64_t>())) {
    if (static_cast<int64_t>(i) % rowSize == 0)
      rows.emplace_back();
    rows.back().push_back(id);
  }
  return rows;
}

/// The specification's four functions of these names.
ProcessGroups groupsOf(llvm::ArrayRef<Ids> ids, Grouping grouping, const ProcessGrid &grid) {
  ProcessGroups groups;
  for (const Ids &group : ids) {
    switch (grouping) {
    case Grouping::CrossReplica:
      for (int64_t partition = 0; partition < grid.partitions; ++partition)
        for (groups.emplace_back(); int64_t replica : group)
          groups.back().push_back(grid.process(replica, partition));
      break;
    case Grouping::CrossPartition:
      for (int64_t replica = 0; replica < grid.replicas; ++replica)
        for (groups.emplace_back(); int64_t partition : group)
          groups.back().push_back(grid.process(replica, partition));
      break;
    case Grouping::CrossReplicaAndPartition:
      groups.emplace_back();
      for (int64_t partition = 0; partition < grid.partitions; ++partition)
        for (int64_t replica : group)
          groups.back().push_back(grid.process(replica, partition));
      break;
    case Grouping::FlattenedIds:
      groups.emplace_back(group.begin(), group.end());
      break;
    }
  }
  return groups;
}

} // namespace

Status checkGrid(const ProcessGrid &grid) {
  auto isPossible = [](int64_t count) { return count >= 1 && count <= kMaxProcesses; };
  if (isPossible(grid.replicas) && isPossible(grid.partitions) && isPossible(grid.size()))
    return {};
  return invalidArgument("a grid has 1 to " + std::to_string(kMaxProcesses) + " processes, got " +
                         std::to_string(grid.replicas) + " x " + std::to_string(grid.partitions));
}

namespace {

StatusOr<ProcessGroups> groupsOf(llvm::ArrayRef<Ids> given, Grouping grouping, const ProcessGrid &grid,
                                 bool mustCover) {
  TENON_RETURN_IF_ERROR(checkGrid(grid));
  int64_t end = idCount(grouping, grid.replicas, grid.partitions, grid.size()), named = 0;
  SmallVector<bool> seen(end, false);
  SmallVector<Ids> ids;
  for (const Ids &group : given) {
    Ids &members = ids.emplace_back();
    llvm::copy_if(group, std::back_inserter(members), [](int64_t id) { return id >= 0; });
    for (int64_t id : members) {
      if (id >= end)
        return invalidArgument("replica_groups name " + std::to_string(id) + ", but the grid has only " +
                               std::to_string(end) + " of these");
      if (std::exchange(seen[id], true))
        return invalidArgument("replica_groups name " + std::to_string(id) + " twice");
    }
    named += static_cast<int64_t>(members.size());
    if (members.empty())
      ids.pop_back();
  }
  if (ids.empty() && mustCover) {
    std::iota(ids.emplace_back(end).begin(), ids.back().end(), int64_t(0));
    named = end;
  }
  if (mustCover && named != end)
    return invalidArgument("replica_groups name " + std::to_string(named) + " of the grid's " + std::to_string(end));
  return groupsOf(ids, grouping, grid);
}

} // namespace

std::optional<int64_t> numReplicas(mlir::ModuleOp module) { return count(module, "mhlo.num_replicas"); }
std::optional<int64_t> numPartitions(mlir::ModuleOp module) { return count(module, "mhlo.num_partitions"); }

ProcessGrid processGrid(mlir::Operation *op) {
  auto module = llvm::dyn_cast<mlir::ModuleOp>(op);
  if (!module)
    module = op->getParentOfType<mlir::ModuleOp>();
  return {numReplicas(module).value_or(1), numPartitions(module).value_or(1)};
}

Grouping threeWayGrouping(int64_t channelId, bool useGlobalDeviceIds) {
  if (useGlobalDeviceIds)
    return Grouping::FlattenedIds;
  return channelId > 0 ? Grouping::CrossReplicaAndPartition : Grouping::CrossReplica;
}

Grouping twoWayGrouping(int64_t channelId) { return channelId > 0 ? Grouping::CrossPartition : Grouping::CrossReplica; }

int64_t channelId(std::optional<stablehlo::ChannelHandleAttr> channel) { return channel ? channel->getHandle() : 0; }

StatusOr<ProcessGroups> processGroups(llvm::ArrayRef<Ids> ids, Grouping grouping, const ProcessGrid &grid) {
  return groupsOf(ids, grouping, grid, /*mustCover=*/true);
}

StatusOr<ProcessGroups> processGroups(mlir::Operation *collective, const ProcessGrid &grid) {
  Grouping grouping =
      llvm::TypeSwitch<mlir::Operation *, Grouping>(collective)
          .Case<stablehlo::AllGatherOp, stablehlo::AllReduceOp, stablehlo::ReduceScatterOp>(
              [](auto op) { return threeWayGrouping(channelId(op.getChannelHandle()), op.getUseGlobalDeviceIds()); })
          .Case([](stablehlo::CollectiveReduceOp op) {
            return op.getUseGlobalDeviceIds() ? Grouping::FlattenedIds
                                              : twoWayGrouping(channelId(op.getChannelHandle()));
          })
          .Case<stablehlo::AllToAllOp, stablehlo::CollectiveBroadcastOp>(
              [](auto op) { return twoWayGrouping(channelId(op.getChannelHandle())); })
          .Default([](mlir::Operation *) { return Grouping::CrossReplica; });
  TENON_ASSIGN_OR_RETURN(SmallVector<Ids> ids, rowsOf(collective, collective->getAttr("replica_groups")));
  bool mustCover = !llvm::isa<stablehlo::CollectiveBroadcastOp, stablehlo::CollectiveReduceOp>(collective);
  return groupsOf(ids, grouping, grid, mustCover);
}

StatusOr<ProcessGroups> processGroups(stablehlo::CustomCallOp call, const ProcessGrid &grid) {
  auto config = llvm::dyn_cast_or_null<mlir::DictionaryAttr>(call.getBackendConfigAttr());
  auto channel = config ? config.getAs<mlir::IntegerAttr>("channel_id") : nullptr;
  auto groups = config ? config.getAs<mlir::DenseIntElementsAttr>("replica_groups") : nullptr;
  if (!groups)
    return invalidArgument("backend_config must have replica_groups");
  TENON_ASSIGN_OR_RETURN(SmallVector<Ids> ids, rowsOf(call, groups));
  return processGroups(ids, twoWayGrouping(channel ? channel.getInt() : 0), grid);
}

StatusOr<ProcessPairs> processPairs(mlir::Operation *collective, const ProcessGrid &grid) {
  ProcessPairs pairs;
  auto permute = llvm::dyn_cast<stablehlo::CollectivePermuteOp>(collective);
  if (!permute) {
    TENON_ASSIGN_OR_RETURN(ProcessGroups groups, processGroups(collective, grid));
    for (const auto &group : groups)
      for (int64_t process : group)
        pairs.emplace_back(group.front(), process);
    return pairs;
  }
  TENON_ASSIGN_OR_RETURN(SmallVector<Ids> rows, rowsOf(permute, permute.getSourceTargetPairs()));
  TENON_RETURN_IF_ERROR(checkGrid(grid));
  bool acrossPartitions = twoWayGrouping(channelId(permute.getChannelHandle())) == Grouping::CrossPartition;
  int64_t end = acrossPartitions ? grid.partitions : grid.replicas;
  for (const Ids &row : rows) {
    for (int64_t id : row)
      if (id < 0 || id >= end)
        return invalidArgument("source_target_pairs name " + std::to_string(id) + ", but the grid has only " +
                               std::to_string(end) + " of these");
    for (int64_t other = 0; other < (acrossPartitions ? grid.replicas : grid.partitions); ++other)
      if (acrossPartitions)
        pairs.emplace_back(grid.process(other, row[0]), grid.process(other, row[1]));
      else
        pairs.emplace_back(grid.process(row[0], other), grid.process(row[1], other));
  }
  return pairs;
}

} // namespace tenon::ir
