// Divides groups that would keep too much in memory. See wide_groups.cpp.
#pragma once

#include "tenon/passes/fuse/grouping.h"

#include "mlir/IR/Block.h"
#include "llvm/ADT/DenseMap.h"

namespace tenon::passes {

// The grouping's data about a block.
struct GroupedBlock {
  mlir::Block &block;
  llvm::ArrayRef<FusionGroup> groups;
  const GroupGraph &graph;
  const CostModel &costs;
};

// The members of the groups to be divided, each with the number of its part, from 1 on. Ops of different parts are not
// to be in one group.
using FusionParts = llvm::DenseMap<mlir::Operation *, int>;
FusionParts partsOfWideGroups(const GroupedBlock &grouped);

} // namespace tenon::passes
