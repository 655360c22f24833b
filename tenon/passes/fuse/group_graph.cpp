#include "tenon/passes/fuse/group_graph.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <algorithm>

using namespace mlir;

namespace tenon::passes {
namespace {

constexpr int64_t kMaxVisited = 3000; // beyond this many ops a search gives up

} // namespace

void GroupSpans::add(int first, int last) {
  for (size_t i = first + 1; i < latest_.size(); i += i & -i)
    latest_[i] = std::max(latest_[i], last);
}

int GroupSpans::latest(int position) const {
  int last = -1;
  for (size_t i = position + 1; i > 0; i -= i & -i)
    last = std::max(last, latest_[i]);
  return last;
}

int GroupSpans::limit(int position) const {
  for (int last = latest(position); last > position; last = latest(position))
    position = last;
  return position;
}

GroupGraph::GroupGraph(Block &block) : spans_(0) {
  for (Operation &op : block)
    positions_.try_emplace(&op, positions_.size());
  for (Operation &op : block) {
    firstUser_.push_back(static_cast<int>(users_.size()));
    for (Operation *user : op.getUsers())
      if (Operation *inBlock = block.findAncestorOpInBlock(*user))
        users_.push_back(positions_.at(inBlock));
  }
  firstUser_.push_back(static_cast<int>(users_.size()));
  nextEffect_.assign(positions_.size(), -1);
  seenOps_.assign(positions_.size(), 0);
  int effect = -1;
  for (Operation &op : block.without_terminator())
    if (!isMemoryEffectFree(&op)) {
      int position = positions_.at(&op);
      if (effect >= 0)
        nextEffect_[effect] = position;
      effect = position;
    }
  clear();
}

ArrayRef<int> GroupGraph::groupsOf(Operation *op) const {
  auto found = positions_.find(op);
  return found == positions_.end() ? ArrayRef<int>() : ArrayRef<int>(groups_[found->second]);
}

ArrayRef<int> GroupGraph::usersOf(int position) const {
  return ArrayRef(users_).slice(firstUser_[position], firstUser_[position + 1] - firstUser_[position]);
}

void GroupGraph::clear() {
  groups_.assign(positions_.size(), {});
  roots_.clear();
  spans_ = GroupSpans(static_cast<int>(positions_.size()));
}

void GroupGraph::setRoots(int group, ArrayRef<Operation *> roots, Operation *last) {
  if (static_cast<size_t>(group) >= roots_.size())
    roots_.resize(group + 1);
  roots_[group].clear();
  for (Operation *root : roots)
    roots_[group].push_back(positionOf(root));
  if (!roots.empty())
    spans_.add(*llvm::min_element(roots_[group]), positionOf(last));
}

// What comes too late in the block to lead back is not looked at, so that the search stays near the group however long
// the program is.
void GroupGraph::push(int position) {
  if (position > limit_ || seenOps_[position] == search_)
    return;
  seenOps_[position] = search_;
  ++seen_;
  worklist_.push_back(position);
}

void GroupGraph::pushUsers(int position) {
  if (int after = nextEffect_[position]; after >= 0)
    push(after);
  for (int user : usersOf(position))
    push(user);
}

void GroupGraph::pushUsersOutside(int position, int group, int inside) {
  if (int after = nextEffect_[position]; after >= 0)
    push(after);
  for (int user : usersOf(position)) {
    if (!isOf(group, user) && (inside < 0 || !isOf(inside, user))) {
      push(user);
      continue;
    }
    // Other groups may have copies of this user, and go on from them to their roots.
    for (int other : groups_[user])
      if (other != group && other != inside)
        for (int root : roots_[other])
          push(root);
  }
}

bool GroupGraph::leadsBack(ArrayRef<Operation *> ops, int group, Operation *last, int inside) {
  ++search_;
  seen_ = 0;
  worklist_.clear();
  seenGroups_.resize(roots_.size(), 0);
  limit_ = spans_.limit(positionOf(last));
  for (Operation *op : ops)
    pushUsersOutside(positionOf(op), group, inside);
  while (!worklist_.empty()) {
    int current = worklist_.back();
    worklist_.pop_back();
    ++searched_;
    if (isOf(group, current) || seen_ > kMaxVisited)
      return true;
    pushUsers(current);
    // A group is entered and left as a whole.
    for (int entered : groups_[current])
      if (seenGroups_[entered] != search_) {
        seenGroups_[entered] = search_;
        for (int root : roots_[entered])
          pushUsers(root);
      }
  }
  return false;
}

} // namespace tenon::passes
