// Constraints and groups.
#include "tenon/passes/partition/propagate/prepare.h"

#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tenon::passes::propagate {

//===- Constraints -----------------------------------------------------------------------------------------------===//

namespace {

class ConstraintApplier {
public:
  explicit ConstraintApplier(ValueShardings &values) : values_(values) {}

  LogicalResult run() {
    values_.main.walk([&](sdy::ManualComputationOp op) {
      auto in = values_.readManual(op, /*ofOperands=*/true);
      isBroken_ |= failed(in);
      if (succeeded(in))
        manual_[op] = *std::move(in);
    });
    if (isBroken_)
      return failure();
    values_.main.walk([&](Operation *op) {
      if (auto constraint = dyn_cast<sdy::ShardingConstraintOp>(op))
        visit(constraint);
      else if (auto manual = dyn_cast<sdy::ManualComputationOp>(op))
        visit(manual);
    });
    return success();
  }

private:
  const ir::Sharding &shardingOf(sdy::ShardingConstraintOp op) const { return *values_.find(op.getResult()); }

  void visit(sdy::ShardingConstraintOp constraint) {
    Value input = constraint.getInput();
    if (sdy::ShardingConstraintOp last = endOfChain(constraint))
      input.replaceUsesWithIf(last.getResult(), [&](OpOperand &use) {
        Operation *user = use.getOwner();
        return user != constraint && !isa<func::ReturnOp>(user) && last->getBlock() == user->getBlock() &&
               last->isBeforeInBlock(user);
      });
    apply(input, shardingOf(constraint), [&] {
      if (Operation *defining = input.getDefiningOp())
        constraint->moveAfter(defining);
      else
        constraint->moveBefore(input.getParentBlock(), input.getParentBlock()->begin());
      return constraint;
    });
  }

  void visit(sdy::ManualComputationOp manual) {
    for (auto [operand, wanted] : llvm::zip_equal(llvm::to_vector(manual->getOperands()), manual_[manual])) {
      Value input = operand;
      const ir::Sharding &sharding = wanted;
      apply(input, sharding, [&] {
        OpBuilder builder(manual.getContext());
        builder.setInsertionPointAfterValue(input);
        auto constraint = sdy::ShardingConstraintOp::create(builder, manual.getLoc(), input.getType(), input,
                                                            values_.meshes.write(sharding));
        values_.set(constraint.getResult(), sharding);
        return constraint;
      });
    }
  }

  // What flows out of an edge gets a constraint behind it instead, which does not bind the other ends of the edge. The
  // sharding may be one of values_, which move when there are more of them.
  void apply(Value input, const ir::Sharding &sharding,
             llvm::function_ref<sdy::ShardingConstraintOp()> constraintAfter) {
    if (!isApplicable(input, sharding))
      return;
    if (!input.getDefiningOp<sdy::DataFlowEdgeOp>() && !edgeOfTarget(input))
      return values_.set(input, sharding);
    // Summands do not spread; the edge has them at once.
    if (!sharding.unreduced.empty()) {
      auto rank = static_cast<int64_t>(sharding.dims.size());
      ir::Sharding open = ir::Sharding::whole(sharding.mesh, rank, /*isClosed=*/false);
      open.unreduced = sharding.unreduced;
      open.reduction = sharding.reduction;
      values_.set(input, std::move(open));
    }
    sdy::ShardingConstraintOp constraint = constraintAfter();
    input.replaceAllUsesExcept(constraint.getResult(), constraint);
  }

  bool isApplicable(Value input, const ir::Sharding &sharding) const {
    if (!ValueShardings::carrierOf(input) || values_.find(input))
      return false;
    if (!llvm::all_of(sharding.dims, [](const ir::DimCut &dim) { return dim.isClosed; }))
      return false;
    return llvm::none_of(input.getUses(), [&](OpOperand &use) {
      if (auto other = dyn_cast<sdy::ShardingConstraintOp>(use.getOwner()))
        return shardingOf(other) != sharding;
      if (auto manual = dyn_cast<sdy::ManualComputationOp>(use.getOwner()))
        return manual_.lookup(manual)[use.getOperandNumber()] != sharding;
      return false;
    });
  }

  static bool isConstrained(Value value, Operation *but = nullptr) {
    return llvm::any_of(value.getUsers(), [&](Operation *user) {
      return user != but && isa<sdy::ShardingConstraintOp, sdy::ManualComputationOp>(user);
    });
  }

  // The last one of several constraints in a row, each the only use of the one before, of a value that has no sharding
  // and no other constraint. None if this is not the first one of such.
  sdy::ShardingConstraintOp endOfChain(sdy::ShardingConstraintOp first) const {
    if (first.getInput().getDefiningOp<sdy::ShardingConstraintOp>() || values_.find(first.getInput()) ||
        isConstrained(first.getInput(), first))
      return {};
    sdy::ShardingConstraintOp last = first;
    while (last->hasOneUse() && isa<sdy::ShardingConstraintOp>(*last->user_begin()))
      last = cast<sdy::ShardingConstraintOp>(*last->user_begin());
    return last == first || isConstrained(last.getResult()) ? sdy::ShardingConstraintOp() : last;
  }

  ValueShardings &values_;
  llvm::DenseMap<Operation *, std::vector<ir::Sharding>> manual_; // of operands
  bool isBroken_ = false;
};

} // namespace

LogicalResult applyConstraints(ValueShardings &values) { return ConstraintApplier(values).run(); }

//===- Groups ----------------------------------------------------------------------------------------------------===//

static bool saysNothing(const ir::Sharding &sharding) {
  return sharding.replicated.empty() && sharding.unreduced.empty() &&
         llvm::all_of(sharding.dims, [](const ir::DimCut &dim) { return dim.axes.empty() && !dim.isClosed; });
}

// Gives all members the sharding that the first has that has one.
static void unify(SmallVector<Value> &members, ValueShardings &values) {
  std::optional<ir::Sharding> common;
  bool differs = false;
  for (Value member : members)
    if (const ir::Sharding *own = values.find(member); own && (members.size() == 1 || !saysNothing(*own))) {
      differs |= common && *common != *own;
      if (!common)
        common = *own;
    }
  if (!common)
    return;
  for (Value &member : members) {
    if (!differs) {
      values.set(member, *common);
      continue;
    }
    OpBuilder builder(values.main.getContext());
    builder.setInsertionPointAfterValue(member);
    auto open = ir::Sharding::whole(common->mesh, static_cast<int64_t>(common->dims.size()), /*isClosed=*/false);
    auto constraint = sdy::ShardingConstraintOp::create(builder, member.getLoc(), member.getType(), member,
                                                        values.meshes.write(open));
    values.set(constraint.getResult(), open);
    member.replaceAllUsesExcept(constraint.getResult(), constraint);
    member = constraint.getResult();
  }
}

LogicalResult Groups::build(ValueShardings &values) {
  llvm::EquivalenceClasses<int64_t> classes;
  SmallVector<sdy::ShardingGroupOp> ops;
  llvm::DenseMap<Value, int64_t> first;
  llvm::DenseMap<int64_t, std::pair<Operation *, Type>> places;
  WalkResult walk = values.main.walk([&](sdy::ShardingGroupOp op) {
    auto id = static_cast<int64_t>(op.getGroupId());
    std::pair<Operation *, Type> place = {op->getParentOfType<sdy::ManualComputationOp>(), op.getInput().getType()};
    auto known = places.try_emplace(id, place).first->second;
    if (known.first != place.first)
      return op.emitError("a group's values are in one body"), WalkResult::interrupt();
    if (cast<RankedTensorType>(known.second).getShape() != cast<RankedTensorType>(place.second).getShape())
      return op.emitError("a group's values have one shape"), WalkResult::interrupt();
    ops.push_back(op);
    classes.unionSets(first.try_emplace(op.getInput(), id).first->second, id);
    return WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return failure();
  llvm::DenseMap<int64_t, size_t> numbers;
  for (sdy::ShardingGroupOp op : ops) {
    int64_t leader = classes.getLeaderValue(static_cast<int64_t>(op.getGroupId()));
    size_t number = numbers.try_emplace(leader, groups_.size()).first->second;
    if (number == groups_.size())
      groups_.emplace_back();
    if (!llvm::is_contained(groups_[number], op.getInput()))
      groups_[number].push_back(op.getInput());
  }
  for (auto [number, members] : llvm::enumerate(groups_)) {
    unify(members, values);
    for (Value &member : members) {
      if (Value carrier = ValueShardings::carrierOf(member))
        member = carrier;
      groupOf_[member] = number;
    }
  }
  return success();
}

ArrayRef<Value> Groups::membersWith(Value carrier) const {
  auto found = groupOf_.find(carrier);
  return found == groupOf_.end() ? ArrayRef<Value>() : ArrayRef<Value>(groups_[found->second]);
}

} // namespace tenon::passes::propagate
