// How many ids the groups of a collective have among them.
#pragma once

#include "tenon/ir/process_groups.h"

namespace tenon::ir {

/// How many ids of a grouping there are in a grid of so many replicas and partitions, which make so many processes: a
/// number, or an optional one where the grid may be unknown.
template <typename Count> Count idCount(Grouping grouping, Count replicas, Count partitions, Count processes) {
  switch (grouping) {
  case Grouping::CrossReplica:
  case Grouping::CrossReplicaAndPartition:
    return replicas;
  case Grouping::CrossPartition:
    return partitions;
  case Grouping::FlattenedIds:
    return processes;
  }
  llvm_unreachable("all groupings are handled");
}

} // namespace tenon::ir
