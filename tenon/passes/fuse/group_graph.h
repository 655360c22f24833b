// A block as a graph of its ops' positions, with the groups that its ops are in so far, for the search for cycles.
//
// The search looks at thousands of ops for one question where a program has no structure. It works on numbers in arrays
// therefore, and not on use lists.
#pragma once

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <vector>

namespace tenon::passes {

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

class GroupGraph {
public:
  // The block's ops, their operands and their effects stay as they are.
  explicit GroupGraph(mlir::Block &block);

  // The op is one of the block.
  int positionOf(mlir::Operation *op) const { return positions_.at(op); }
  // The groups that have the op as a member. None for ops that are not of the block.
  llvm::ArrayRef<int> groupsOf(mlir::Operation *op) const;
  bool contains(int group, mlir::Operation *op) const { return llvm::is_contained(groupsOf(op), group); }

  // Takes all members out of their groups.
  void clear();
  void addMember(int group, mlir::Operation *op) { groups_[positionOf(op)].push_back(group); }
  void removeMember(int group, mlir::Operation *op) { llvm::erase(groups_[positionOf(op)], group); }
  // The members whose results leave the group, and its last member in the block. To be said anew when either changes.
  void setRoots(int group, llvm::ArrayRef<mlir::Operation *> roots, mlir::Operation *last);

  // Whether a user of one of `ops` outside of the group leads back into it; after thousands of ops a search gives up
  // and says that it does. `last`: the group's last member in the block. `inside`: a group whose members are not
  // outside either, or -1.
  bool leadsBack(llvm::ArrayRef<mlir::Operation *> ops, int group, mlir::Operation *last, int inside = -1);
  // How many ops all searches have looked at, as a measure of work.
  int64_t searched() const { return searched_; }

private:
  bool isOf(int group, int position) const { return llvm::is_contained(groups_[position], group); }
  llvm::ArrayRef<int> usersOf(int position) const;
  // Notes the op as one that a path of the search in progress leads to.
  void push(int position);
  void pushUsers(int position);
  // The same, for users outside of both groups.
  void pushUsersOutside(int position, int group, int inside);

  llvm::DenseMap<mlir::Operation *, int> positions_;
  // For each position the positions of the ops that use it, from firstUser_[position] on to that of the next one.
  std::vector<int> firstUser_, users_;
  // For each op with effects the next one: they keep their order, as if the one used the other. Others have -1.
  std::vector<int> nextEffect_;
  std::vector<llvm::SmallVector<int, 1>> groups_; // of each position
  std::vector<llvm::SmallVector<int, 1>> roots_;  // positions of each group's roots
  GroupSpans spans_;

  // The search in progress: what it has come by has its number.
  int search_ = 0, limit_ = 0;
  int64_t seen_ = 0, searched_ = 0;
  std::vector<int> seenOps_, seenGroups_;
  std::vector<int> worklist_;
};

} // namespace tenon::passes
