// Decides which ops of a block become one kernel. See grouping.cpp for the rules.
#pragma once

#include "tenon/passes/fuse/group_graph.h"
#include "tenon/passes/fuse/places.h"
#include "tenon/passes/passes.h"

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <vector>

namespace tenon::passes {

struct FusionGroup {
  llvm::SmallVector<mlir::Operation *> members;  // in reverse block order while grouping
  llvm::SmallVector<mlir::Operation *, 2> roots; // members whose results leave the group
  llvm::SmallVector<int64_t> fullShape; // iteration space of the elementwise part; of the reduced operand if any
  mlir::Operation *reduce = nullptr;    // one of the reductions; the others have its shape and dimensions
  mlir::Operation *contract = nullptr;  // dot_general or convolution
  mlir::Operation *update = nullptr;    // dynamic_update_slice
  bool rows = false;                    // a reduction's result is used at the full shape again, or reduced again
  int part = 0;                         // of which wide group (wide_groups.h)
  FusionPlaces places;
};

class FusionGrouping {
public:
  FusionGrouping(mlir::Block &block, const FuseOptions &options);

  const std::vector<FusionGroup> &groups() const { return groups_; }
  // How many ops the searches for cycles have looked at, as a measure of work.
  int64_t searched() const { return graph_.searched(); }

private:
  void visitBlock();
  void visit(mlir::Operation *op);
  int startGroup(mlir::Operation *op);
  void addMember(mlir::Operation *op, int group, bool asRoot);
  bool mayJoin(mlir::Operation *op, const FusionGroup &group) const;
  bool mayJoinLoop(mlir::Operation *op, const FusionGroup &group) const;
  int64_t stackedColumns(mlir::Operation *op, const FusionGroup &group) const;
  bool mayJoinReduce(mlir::Operation *op, const FusionGroup &group, bool &rows) const;
  bool mayJoinContract(mlir::Operation *op, const FusionGroup &group) const;
  bool isRepeatedInVain(mlir::Operation *op, const FusionGroup &group) const;
  mlir::Operation *broadcastIn(mlir::Operation *op, int group) const;
  void mergeGroups(llvm::SmallVectorImpl<int> &candidates);
  void mergeSiblings();
  void mergeReaders(mlir::Value array);
  bool readsForResults(int group, mlir::Value array) const;
  bool mayMerge(int first, int second);
  bool reaches(int from, int to);
  void mergeInto(int target, int source);
  // Whether the op and the group are not of different parts of a group that would be too wide.
  bool isOfPart(mlir::Operation *op, int group) const;

  mlir::Block &block_;
  GroupGraph graph_;
  const FuseOptions &options_;
  llvm::DenseMap<mlir::Operation *, int> parts_; // of the members of groups that were too wide
  std::vector<FusionGroup> groups_;
};

} // namespace tenon::passes
