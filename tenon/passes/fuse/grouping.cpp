// Grouping goes through a block from its end to its start, so that every op is seen after all its users:
//
// - All users in one group that accepts the op: the op joins it, and its result never reaches memory.
// - Users in several groups: an op that costs nothing to repeat (a broadcast, an iota) joins each; another becomes one
//   more result of one of them if that makes no cycle (the moments of an optimiser next to the new weights).
// - Otherwise it starts a group of its own.
//
// A group is one of
//   loop      elementwise over one iteration space, with any element-moving ops above it
//   reduce    reductions of the same dimensions of the same shape, with a fused prologue and an elementwise epilogue
//   rows      reductions over the trailing dimensions whose results are used at the full shape again (softmax, norms):
//             everything that depends on a reduction must stay in its row, so that rows are independent
//   dot, convolution   a contraction with an epilogue (elementwise, in any order and shape of the same elements), and
//             conversions of its operands to wider types
//   update    dynamic_update_slice of a fused value
//
// Fusions that do not pay are refused: computing a small value again for each element of a larger one, gathers' tables,
// rows fusion with too few rows to occupy the workers.
//
// Groups that keep many large arrays for themselves are divided (wide_groups.cpp): the block is then grouped again with
// the ops of each part among themselves.

#include "tenon/passes/fuse/grouping.h"

#include "tenon/ir/captures.h"
#include "tenon/ir/element_time.h"
#include "tenon/ir/elementwise_loop.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/ir/tenon.h"
#include "tenon/ir/traits.h"
#include "tenon/passes/fuse/rules.h"
#include "tenon/passes/fuse/wide_groups.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {
namespace {

using ir::elementTypeOf;
using ir::shapeOf;

constexpr size_t kMaxMembers = 512;
constexpr size_t kMaxRoots = 16;
constexpr size_t kMaxSiblings = 64;

// The op of `block` that holds the use, or null for a use outside it.
Operation *userIn(Block &block, Operation *user) { return block.findAncestorOpInBlock(*user); }

ArrayRef<int64_t> reducedShape(Operation *reduce) { return shapeOf(reduce->getOperand(0)); }
ArrayRef<int64_t> reducedDims(Operation *reduce) { return cast<sh::ReduceOp>(reduce).getDimensions(); }

bool reducesTrailing(Operation *reduce) {
  SmallVector<int64_t> dims(reducedDims(reduce));
  llvm::sort(dims);
  int64_t rank = reducedShape(reduce).size();
  for (auto [i, dim] : llvm::enumerate(dims))
    if (dim != rank - int64_t(dims.size()) + int64_t(i))
      return false;
  return !dims.empty();
}

// Whether the shapes are one but for dimensions of size one.
bool isSameShape(ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  return a == b || withoutUnitDims(a) == withoutUnitDims(b);
}

// Whether the two reduce the same rows, of the same shape, give or take unit dimensions where those trail.
bool reduceSameRows(Operation *a, Operation *b) {
  if (reducedShape(a) == reducedShape(b) && reducedDims(a) == reducedDims(b))
    return true;
  return reducesTrailing(a) && reducesTrailing(b) && isSameShape(reducedShape(a), reducedShape(b)) &&
         isSameShape(shapeOf(a->getResult(0)), shapeOf(b->getResult(0)));
}

// Whether `op`, a broadcast of a value that has the rows' shape (give or take unit dimensions), puts each row's value
// at its row of the full shape.
bool broadcastsRows(sh::BroadcastInDimOp op, ArrayRef<int64_t> full, ArrayRef<int64_t> rowShape) {
  ArrayRef<int64_t> shape = shapeOf(op.getResult());
  if (!isSameShape(shape, full))
    return false;
  SmallVector<int64_t> expected, actual;
  for (size_t i = 0; i < shape.size() && expected.size() < rowShape.size(); ++i)
    if (shape[i] != 1)
      expected.push_back(i);
  for (auto [size, dim] : llvm::zip(shapeOf(op.getOperand()), op.getBroadcastDimensions()))
    if (size != 1)
      actual.push_back(dim);
  return expected == actual;
}

// Whether `op` repeats a value along a dimension that is kept, so that it is not of the reduction's rows, though it may
// have as many elements as there are rows.
bool repeatsAcrossRows(sh::BroadcastInDimOp op, Operation *reduce) {
  ArrayRef<int64_t> shape = shapeOf(op.getResult()), dims = op.getBroadcastDimensions(),
                    operand = shapeOf(op.getOperand());
  if (shape != reducedShape(reduce))
    return false;
  return llvm::any_of(llvm::seq<int64_t>(0, shape.size()), [&](int64_t dim) {
    const int64_t *from = llvm::find(dims, dim);
    bool isRepeated = shape[dim] > 1 && (from == dims.end() || operand[from - dims.begin()] == 1);
    return isRepeated && !llvm::is_contained(reducedDims(reduce), dim);
  });
}

// Whether `op` is row-shaped arithmetic on the result of a reduction of rows of `full`: when the reduction joins, the
// group becomes one of rows (a norm's rsqrt, seen before its variance).
bool comesFromRows(Operation *op, ArrayRef<int64_t> full, int64_t leastRows) {
  SmallVector<int64_t> rowShape = withoutUnitDims(shapeOf(op->getResult(0)));
  SmallVector<Operation *> worklist{op};
  llvm::DenseSet<Operation *> seen{op};
  while (!worklist.empty() && seen.size() < 32)
    for (Value operand : worklist.pop_back_val()->getOperands()) {
      Operation *source = operand.getDefiningOp();
      if (!source || source->getBlock() != op->getBlock() || !seen.insert(source).second)
        continue;
      if (isa<sh::ReduceOp>(source)) {
        if (reducedShape(source) == full && reducesTrailing(source) &&
            withoutUnitDims(shapeOf(source->getResult(0))) == rowShape &&
            ShapedType::getNumElements(rowShape) >= leastRows)
          return true;
      } else if (source->hasTrait<ir::Elementwise>() || isa<sh::ReshapeOp, sh::BroadcastInDimOp>(source)) {
        if (withoutUnitDims(shapeOf(source->getResult(0))) == rowShape)
          worklist.push_back(source);
      }
    }
  return false;
}

// Whether a dot or convolution fusion of results of so many elements takes the op behind its contraction.
bool mayFollowContract(Operation *op, int64_t elements) {
  if (isa<sh::BroadcastInDimOp>(op))
    return true;
  return (op->hasTrait<ir::Elementwise>() || isa<sh::ReshapeOp>(op)) && elementsOf(op->getResult(0)) == elements;
}

// Whether the value of the elementwise op takes so many ops that wait for each other that their kernel wants several
// vectors side by side: random bits do.
bool isLongChain(Operation *op) {
  constexpr size_t kMostOps = 32;
  SmallVector<Operation *> worklist{op};
  llvm::SmallPtrSet<Operation *, kMostOps> seen{op};
  while (!worklist.empty() && seen.size() <= kMostOps)
    for (Value operand : worklist.pop_back_val()->getOperands()) {
      Operation *source = operand.getDefiningOp();
      if (source && source->hasTrait<ir::Elementwise>() && seen.insert(source).second)
        worklist.push_back(source);
    }
  return seen.size() > kMostOps;
}

// The time of one element of the op's result, and of what it is computed of by such ops as fusions have. Simple ones
// count half: beside long ones, and in kernels that wait for memory, they take less than by themselves. Of what is
// joined a place may read one part, so that the parts are not looked at; joining takes time by itself.
double chainNanoseconds(Operation *op, const CostModel &costs) {
  constexpr size_t kMostOps = 64;
  SmallVector<Operation *> worklist{op};
  llvm::SmallPtrSet<Operation *, 32> seen{op};
  double elements = elementsOf(op->getResult(0)), nanoseconds = 0;
  while (!worklist.empty()) {
    Operation *current = worklist.pop_back_val();
    if (current->hasTrait<ir::Elementwise>()) {
      double share = double(elementsOf(current->getResult(0))) / std::max<double>(1, elements);
      bool isSimple =
          ir::elementCost(current->getName()).value_or(ir::ElementCost::kSimple) == ir::ElementCost::kSimple;
      nanoseconds += ir::elementwiseNanoseconds(current, costs) * std::min<double>(1, share) / (isSimple ? 2 : 1);
    }
    if (isa<sh::ConcatenateOp>(current) && current != op)
      nanoseconds += costs.joinedElement;
    for (Value operand : current->getOperands()) {
      Operation *source = operand.getDefiningOp();
      if (source && source->getBlock() == op->getBlock() && roleOf(source) == OpRole::kLoop &&
          !isa<sh::ConcatenateOp>(current) && seen.size() < kMostOps && seen.insert(source).second)
        worklist.push_back(source);
    }
  }
  return nanoseconds;
}

} // namespace

FusionGrouping::FusionGrouping(Block &block, const FuseOptions &options)
    : block_(block), graph_(block), options_(options) {
  visitBlock();
  parts_ = partsOfWideGroups({block, groups_, graph_, options.costs});
  if (!parts_.empty())
    visitBlock();
  mergeSiblings();
}

void FusionGrouping::visitBlock() {
  groups_.clear();
  graph_.clear();
  for (Operation &op : llvm::reverse(block_))
    visit(&op);
}

bool FusionGrouping::isOfPart(Operation *op, int group) const {
  return isCheap(op, options_.costs) || groups_[group].part == parts_.lookup(op) || !parts_.contains(op);
}

int FusionGrouping::startGroup(Operation *op) {
  FusionGroup group;
  OpRole role = roleOf(op);
  Value shaped = role == OpRole::kReduce   ? op->getOperand(0)
                 : role == OpRole::kUpdate ? op->getOperand(1)
                                           : op->getResult(0);
  group.fullShape.assign(shapeOf(shaped).begin(), shapeOf(shaped).end());
  group.part = parts_.lookup(op);
  groups_.push_back(std::move(group));
  addMember(op, groups_.size() - 1, /*asRoot=*/true);
  return groups_.size() - 1;
}

void FusionGrouping::addMember(Operation *op, int index, bool asRoot) {
  FusionGroup &group = groups_[index];
  OpRole role = roleOf(op);
  if (role == OpRole::kReduce) {
    bool rows = false;
    if (!group.members.empty())
      mayJoinReduce(op, group, rows);
    group.rows |= rows;
    group.reduce = op;
    group.fullShape.assign(reducedShape(op).begin(), reducedShape(op).end());
  }
  if (role == OpRole::kContract)
    group.contract = op;
  if (role == OpRole::kUpdate)
    group.update = op;
  group.members.push_back(op);
  group.places.add(op, asRoot);
  if (asRoot) {
    group.roots.push_back(op);
    graph_.setRoots(index, group.roots, group.members.front()); // members are added from the last to the first
  }
  graph_.addMember(index, op);
}

void FusionGrouping::visit(Operation *op) {
  OpRole role = roleOf(op);
  if (role == OpRole::kOpaque || role == OpRole::kScalar || role == OpRole::kConstant)
    return;
  // No code generator takes computations that use values from around them; constants are copied in.
  if ((role != OpRole::kContract && !options_.canFuse(op)) || ir::capturesValue(op))
    return;

  // The groups that could take the op, those that need its result in memory, and whether some use is outside of any.
  SmallVector<int, 4> candidates, readers;
  bool usedOutside = false;
  for (OpOperand &use : op->getUses()) {
    Operation *user = userIn(block_, use.getOwner());
    ArrayRef<int> groupsOfUser = user == use.getOwner() ? graph_.groupsOf(user) : ArrayRef<int>();
    bool fusible = !groupsOfUser.empty() && mayFuseOperand(user, use.getOperandNumber());
    usedOutside |= !fusible;
    for (int group : groupsOfUser) {
      bool mayTake = fusible && isOfPart(op, group);
      usedOutside |= !mayTake;
      if (SmallVector<int, 4> &groups = mayTake ? candidates : readers; !llvm::is_contained(groups, group))
        groups.push_back(group);
    }
  }
  llvm::erase_if(candidates, [&](int group) { return llvm::is_contained(readers, group); });
  if (candidates.size() > 1 && role == OpRole::kLoop && !isCheap(op, options_.costs))
    mergeGroups(candidates);
  bool joinAll = !usedOutside && !candidates.empty() && (candidates.size() == 1 || isCheap(op, options_.costs)) &&
                 llvm::all_of(candidates, [&](int group) { return mayJoin(op, groups_[group]); });
  if (joinAll) {
    for (int group : candidates)
      addMember(op, group, /*asRoot=*/false);
    return;
  }
  // An update's loop is over its window or over the whole array, as it can be done in place or not: it has one result.
  if (role == OpRole::kLoop || role == OpRole::kReduce || role == OpRole::kContract)
    for (int group : candidates)
      if (groups_[group].roots.size() < kMaxRoots && mayJoin(op, groups_[group]) && !isCheap(op, options_.costs) &&
          !groups_[group].update &&
          (role != OpRole::kLoop || shapeOf(op->getResult(0)) == ArrayRef<int64_t>(groups_[group].fullShape)) &&
          !graph_.leadsBack(op, group, groups_[group].members.front())) {
        addMember(op, group, /*asRoot=*/true);
        return;
      }
  startGroup(op);
}

// Loops that give results of the block, all of which are there at its end anyway, and read the same array: the state of
// a simulation, each part of which is computed from several of the last step. Other loops might be far apart, and would
// keep arrays for longer than they are needed.
void FusionGrouping::mergeSiblings() {
  for (Value argument : block_.getArguments())
    mergeReaders(argument);
  for (Operation &op : block_.without_terminator())
    for (Value result : op.getResults())
      mergeReaders(result);
}

void FusionGrouping::mergeReaders(Value array) {
  if (!isa<RankedTensorType>(array.getType()) || !cast<ShapedType>(array.getType()).hasStaticShape() ||
      elementsOf(array) <= 1)
    return;
  SmallVector<int, 4> siblings;
  for (Operation *user : array.getUsers()) {
    if (!user->hasTrait<ir::Elementwise>() || siblings.size() >= kMaxSiblings)
      continue;
    for (int group : graph_.groupsOf(user)) // None, where it is in a region of an op of the block.
      if (!llvm::is_contained(siblings, group) && readsForResults(group, array))
        siblings.push_back(group);
  }
  mergeGroups(siblings);
}

// Whether the group reads the array, of its own space, from memory, and all that it computes are results of the block.
bool FusionGrouping::readsForResults(int group, Value array) const {
  Operation *source = array.getDefiningOp();
  return shapeOf(array) == ArrayRef<int64_t>(groups_[group].fullShape) && !(source && graph_.contains(group, source)) &&
         llvm::all_of(groups_[group].roots,
                      [&](Operation *root) { return llvm::is_contained(root->getUsers(), block_.getTerminator()); });
}

// Plain loops over the same space that share what they read become one loop with several results: `candidates` loses
// those that went into another.
void FusionGrouping::mergeGroups(SmallVectorImpl<int> &candidates) {
  for (unsigned i = 0; i < candidates.size(); ++i)
    for (unsigned j = i + 1; j < candidates.size();) {
      if (mayMerge(candidates[i], candidates[j])) {
        mergeInto(candidates[i], candidates[j]);
        candidates.erase(candidates.begin() + j);
      } else {
        ++j;
      }
    }
}

bool FusionGrouping::mayMerge(int first, int second) {
  const FusionGroup &a = groups_[first], &b = groups_[second];
  auto isLoop = [](const FusionGroup &group) { return !group.reduce && !group.contract && !group.update; };
  if (!isLoop(a) || !isLoop(b) || a.part != b.part || a.fullShape != b.fullShape ||
      a.roots.size() + b.roots.size() > kMaxRoots / 2 || a.members.size() + b.members.size() > kMaxMembers / 4)
    return false;
  return !reaches(first, second) && !reaches(second, first);
}

// Whether something the one group computes is used by the other through an op outside both.
bool FusionGrouping::reaches(int from, int to) {
  return graph_.leadsBack(groups_[from].members, to, groups_[to].members.front(), from);
}

void FusionGrouping::mergeInto(int target, int source) {
  FusionGroup &into = groups_[target], &from = groups_[source];
  for (Operation *op : from.members) {
    graph_.removeMember(source, op);
    if (graph_.contains(target, op))
      continue;
    graph_.addMember(target, op);
    into.members.push_back(op);
  }
  for (Operation *root : from.roots)
    if (!llvm::is_contained(into.roots, root))
      into.roots.push_back(root);
  into.places.merge(std::move(from.places));
  // Users first, as they were visited.
  llvm::stable_sort(into.members,
                    [&](Operation *a, Operation *b) { return graph_.positionOf(a) > graph_.positionOf(b); });
  graph_.setRoots(target, into.roots, into.members.front());
  graph_.setRoots(source, {}, nullptr);
  from.members.clear();
  from.roots.clear();
}

bool FusionGrouping::mayJoin(Operation *op, const FusionGroup &group) const {
  if (group.members.size() >= kMaxMembers)
    return false;
  switch (roleOf(op)) {
  case OpRole::kLoop:
    return mayJoinLoop(op, group);
  case OpRole::kReduce: {
    bool rows = false;
    return mayJoinReduce(op, group, rows);
  }
  case OpRole::kContract:
    return mayJoinContract(op, group);
  default:
    return false;
  }
}

bool FusionGrouping::mayJoinLoop(Operation *op, const FusionGroup &group) const {
  int index = static_cast<int>(&group - groups_.data());
  auto precedesContract = [&](Operation *user) { return llvm::is_contained(user->getUsers(), group.contract); };
  if (group.contract && precedesContract(op))
    return mayPrecedeContract(op) && llvm::none_of(op->getUsers(), [&](Operation *user) {
             return user != group.contract && graph_.contains(index, user);
           });
  // What a conversion before the contraction reads is in memory.
  if (group.contract && llvm::any_of(op->getUsers(), [&](Operation *user) {
        return graph_.contains(index, user) && precedesContract(user);
      }))
    return false;
  if (group.contract && !mayFollowContract(op, ShapedType::getNumElements(group.fullShape)))
    return false;
  // Kernels of long functions, and reductions, have fewer vectors side by side, with which random bits take 1.5 times
  // as long as these and the function one after the other.
  if (isa<sh::BitcastConvertOp>(op) && (group.reduce || llvm::any_of(group.members, ir::isLongFunction)) &&
      isLongChain(op))
    return false;
  if (isRepeatedInVain(op, group))
    return false;
  int64_t elements = elementsOf(op->getResult(0)), space = ShapedType::getNumElements(group.fullShape);
  if (elements >= space || isCheap(op, options_.costs))
    return true;
  // Smaller than the iteration space: fine under a pad or a concatenation, which use each element once. Under a
  // broadcast it would be computed again and again, unless each row computes its own value.
  Operation *broadcast = broadcastIn(op, index);
  if (!broadcast)
    return elements * std::max(options_.costs.joinedParts, stackedColumns(op, group)) >= space;
  if (!op->hasTrait<ir::Elementwise>() || isa<sh::GatherOp>(broadcast))
    return false;
  if (auto repeats = dyn_cast<sh::BroadcastInDimOp>(broadcast);
      repeats && group.reduce && repeatsAcrossRows(repeats, group.reduce))
    return false;
  if (group.reduce)
    return withoutUnitDims(shapeOf(op->getResult(0))) == withoutUnitDims(shapeOf(group.reduce->getResult(0)));
  return comesFromRows(op, group.fullShape, options_.costs.leastRows);
}

// The columns of the group's result if these are a few that are stacked along its last dimension, which loops compute
// one at a time in vectors across the rows, and the op may be computed so; otherwise one. Exponentials take less time
// in kernels that go over several vectors at once, and long functions of the same value, as a sine and a cosine, have
// more in common than what is in one column.
int64_t FusionGrouping::stackedColumns(Operation *op, const FusionGroup &group) const {
  constexpr int64_t kLeastRows = 256, kMostMembers = 100;
  int64_t columns = group.fullShape.empty() ? 1 : group.fullShape.back();
  if (group.reduce || group.contract || columns > options_.costs.stackedColumns ||
      ShapedType::getNumElements(group.fullShape) < kLeastRows * columns ||
      int64_t(group.members.size()) > kMostMembers || !elementTypeOf(op->getResult(0)).isIntOrFloat())
    return 1;
  auto isColumn = [](Value part) { return shapeOf(part).back() == 1; };
  auto isStack = [&](Operation *member) {
    auto stack = dyn_cast<sh::ConcatenateOp>(member);
    return stack && int64_t(stack.getDimension()) + 1 == int64_t(group.fullShape.size()) &&
           shapeOf(stack->getResult(0)) == ArrayRef<int64_t>(group.fullShape) &&
           llvm::all_of(stack.getInputs(), isColumn);
  };
  auto isShared = [](Value operand) { return llvm::count_if(operand.getUsers(), ir::isLongFunction) > 1; };
  bool isExponential = ir::elementCost(op->getName()) == ir::ElementCost::kExponential;
  if (isExponential || (ir::isLongFunction(op) && llvm::any_of(op->getOperands(), isShared)))
    return 1;
  return llvm::any_of(group.members, isStack) ? columns : 1;
}

// Whether the op's value, which would be computed for several places of it, takes longer to compute again than to store
// and to read: an exponential under the taps of a stencil. Threads of the hardware compute faster than they read.
bool FusionGrouping::isRepeatedInVain(Operation *op, const FusionGroup &group) const {
  const CostModel &costs = options_.costs;
  auto elements = double(elementsOf(op->getResult(0)));
  double again = group.contract || !costs.hasCores() ? 0 : group.places.evaluations(op) - elements;
  if (again <= 0)
    return false;
  double bytes = double(ir::storedBytes(cast<RankedTensorType>(op->getResult(0).getType())));
  double perByte = bytes < double(costs.fetchedArrayBytes) ? costs.keptByte : costs.storedByte;
  return again * chainNanoseconds(op, costs) > costs.storingKernel + bytes * perByte;
}

// The broadcast, or gather, that repeats the op's value inside the group; null: none does.
Operation *FusionGrouping::broadcastIn(Operation *op, int group) const {
  SmallVector<Operation *> worklist{op};
  llvm::DenseSet<Operation *> seen;
  while (!worklist.empty()) {
    Operation *current = worklist.pop_back_val();
    int64_t elements = elementsOf(current->getResult(0));
    for (Operation *user : current->getUsers()) {
      if (!graph_.contains(group, user) || !seen.insert(user).second)
        continue;
      bool larger = elementsOf(user->getResult(0)) > elements;
      if (isa<sh::BroadcastInDimOp, sh::GatherOp>(user) && larger)
        return user;
      if (!larger)
        worklist.push_back(user);
    }
  }
  return nullptr;
}

// Follows every use of the reduction inside the group: row-shaped arithmetic, a broadcast of each row's value over its
// row, and reductions of the same shape and dimensions are what keeps rows apart.
bool FusionGrouping::mayJoinReduce(Operation *op, const FusionGroup &group, bool &rows) const {
  if (group.contract || group.update)
    return false;
  ArrayRef<int64_t> full = reducedShape(op);
  if (group.reduce && !reduceSameRows(group.reduce, op))
    return false;
  SmallVector<int64_t> rowShape = withoutUnitDims(shapeOf(op->getResult(0)));
  int index = &group - groups_.data();

  SmallVector<Operation *> worklist{op};
  llvm::DenseSet<Operation *> seen{op};
  while (!worklist.empty()) {
    for (Operation *user : worklist.pop_back_val()->getUsers()) {
      if (!graph_.contains(index, user) || !seen.insert(user).second)
        continue;
      worklist.push_back(user);
      ArrayRef<int64_t> shape = shapeOf(user->getResult(0));
      if (isa<sh::ReduceOp>(user)) {
        rows = true;
        worklist.pop_back(); // its own users were checked when it joined
      } else if (auto broadcast = dyn_cast<sh::BroadcastInDimOp>(user)) {
        bool toRows = withoutUnitDims(shape) == rowShape;
        if (!toRows && !broadcastsRows(broadcast, full, rowShape))
          return false;
        rows |= !toRows;
      } else if (isa<sh::ReshapeOp>(user)) {
        if (withoutUnitDims(shape) != rowShape)
          return false;
      } else if (user->hasTrait<ir::Elementwise>()) {
        if (!isSameShape(shape, full) && withoutUnitDims(shape) != rowShape)
          return false;
      } else {
        return false;
      }
    }
  }
  for (Operation *root : group.roots) {
    ArrayRef<int64_t> shape = shapeOf(root->getResult(0));
    if (isSameShape(shape, full) && withoutUnitDims(shape) != rowShape)
      rows = true;
    else if (withoutUnitDims(shape) != rowShape)
      return false;
  }
  if (!rows && !group.rows)
    return true;
  rows = true;
  int64_t rowCount = ShapedType::getNumElements(rowShape);
  return reducesTrailing(op) &&
         (rowCount >= options_.costs.leastRows || ShapedType::getNumElements(full) <= options_.costs.smallElements);
}

// The contraction's result is used element for element, in any order and shape; whatever else its group computes is of
// that many elements, or broadcast to them.
bool FusionGrouping::mayJoinContract(Operation *op, const FusionGroup &group) const {
  if (group.contract || group.reduce || group.update || op->getNumResults() != 1)
    return false;
  // A library may add a bias.
  const bool isBias = group.members.size() == 2 && llvm::any_of(group.members, llvm::IsaPred<sh::AddOp>) &&
                      llvm::any_of(group.members, llvm::IsaPred<sh::BroadcastInDimOp>);
  if (!isBias && options_.standsAlone && options_.standsAlone(op))
    return false;
  int64_t elements = elementsOf(op->getResult(0));
  for (Operation *root : group.roots)
    if (elementsOf(root->getResult(0)) != elements)
      return false;
  llvm::DenseSet<Operation *> dependent{op};
  return llvm::all_of(llvm::reverse(group.members), [&](Operation *member) {
    bool depends = llvm::any_of(member->getOperands(), [&](Value operand) {
      return operand.getDefiningOp() && dependent.contains(operand.getDefiningOp());
    });
    if (depends)
      dependent.insert(member);
    if (isa<sh::BroadcastInDimOp>(member))
      return !depends;
    if (auto transpose = dyn_cast<sh::TransposeOp>(member))
      return depends && !putsBatchesLast(transpose, options_.costs);
    return mayFollowContract(member, elements);
  });
}

} // namespace tenon::passes
