// Decides which ops of a block become one kernel. See grouping.cpp for the rules.
#pragma once

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
};

// How far along the block a path through groups can begin and still lead back. Values lead on to later ops; a group
// leads from its last member back to the users of its first root, since it is entered and left as a whole.
class GroupSpans {
public:
  explicit GroupSpans(int positions) : latest_(positions + 1, -1) {}
  // A group with a root at `first` and a member at `last`. Groups grow: what was added before stays.
  void add(int first, int last);
  // The last position from which a path may lead to `position` or an earlier one.
  int limit(int position) const;

private:
  // The largest `last` of the spans with first <= position, as a Fenwick tree of maxima.
  int latest(int position) const;
  std::vector<int> latest_;
};

class FusionGrouping {
public:
  FusionGrouping(mlir::Block &block, const FuseOptions &options);

  const std::vector<FusionGroup> &groups() const { return groups_; }
  // How many ops the searches for cycles have looked at, as a measure of work.
  int64_t searched() const { return searched_; }

private:
  void visitBlock();
  void visit(mlir::Operation *op);
  int startGroup(mlir::Operation *op);
  void addMember(mlir::Operation *op, int group, bool asRoot);
  bool mayJoin(mlir::Operation *op, const FusionGroup &group) const;
  bool mayJoinLoop(mlir::Operation *op, const FusionGroup &group) const;
  bool mayJoinReduce(mlir::Operation *op, const FusionGroup &group, bool &rows) const;
  bool mayJoinContract(mlir::Operation *op, const FusionGroup &group) const;
  // Whether a user of one of `ops` outside of the group leads back into it. `inside`: a group whose members are not
  // outside either, or -1.
  bool wouldCycle(llvm::ArrayRef<mlir::Operation *> ops, int group, int inside = -1) const;
  void noteSpan(const FusionGroup &group);
  bool isBroadcastIn(mlir::Operation *op, int group) const;
  void mergeGroups(llvm::SmallVectorImpl<int> &candidates);
  void mergeSiblings();
  void mergeReaders(mlir::Value array);
  bool readsForResults(int group, mlir::Value array) const;
  bool mayMerge(int first, int second) const;
  bool reaches(int from, int to) const;
  void mergeInto(int target, int source);
  bool contains(int group, mlir::Operation *op) const;
  // Whether the op and the group are not of different parts of a group that would be too wide.
  bool isOfPart(mlir::Operation *op, int group) const;

  mlir::Block &block_;
  mutable int64_t searched_ = 0;
  llvm::DenseMap<mlir::Operation *, int> positions_;
  GroupSpans spans_{0};
  // For each op with effects the next one: they keep their order, as if the one used the other.
  llvm::DenseMap<mlir::Operation *, mlir::Operation *> nextEffect_;
  const FuseOptions &options_;
  llvm::DenseMap<mlir::Operation *, int> parts_; // of the members of groups that were too wide
  std::vector<FusionGroup> groups_;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<int, 1>> membership_;
};

} // namespace tenon::passes
