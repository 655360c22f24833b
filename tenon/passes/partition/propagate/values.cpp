#include "tenon/passes/partition/propagate/values.h"

#include "tenon/ir/stablehlo.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes::propagate {

//===- Edges -----------------------------------------------------------------------------------------------------===//

bool hasEdges(Operation *op) {
  return isa<sh::WhileOp, sh::CaseOp, sh::IfOp, sh::OptimizationBarrierOp, sdy::ManualComputationOp,
             sdy::NamedComputationOp>(op);
}

static bool hasBodyArguments(Operation *op) { return isa<sdy::ManualComputationOp, sdy::NamedComputationOp>(op); }

SmallVector<Value> edgeOwners(Operation *op) {
  SmallVector<Value> owners;
  if (hasBodyArguments(op))
    llvm::append_range(owners, op->getRegion(0).getArguments());
  llvm::append_range(owners, op->getResults());
  return owners;
}

static Value returnedBy(Region &region, unsigned number) { return region.front().getTerminator()->getOperand(number); }

SmallVector<Value> sourcesOf(sdy::DataFlowEdgeOp edge) {
  if (auto argument = dyn_cast<BlockArgument>(edge.getInput()))
    return {argument.getOwner()->getParentOp()->getOperand(argument.getArgNumber())};
  auto result = cast<OpResult>(edge.getInput());
  unsigned number = result.getResultNumber();
  Operation *op = result.getOwner();
  return llvm::TypeSwitch<Operation *, SmallVector<Value>>(op)
      .Case([&](sh::WhileOp loop) {
        return SmallVector<Value>{loop->getOperand(number), returnedBy(loop.getBody(), number)};
      })
      .Case<sh::CaseOp, sh::IfOp>([&](Operation *op) {
        return llvm::map_to_vector(op->getRegions(), [&](Region &branch) { return returnedBy(branch, number); });
      })
      .Case<sdy::ManualComputationOp, sdy::NamedComputationOp>(
          [&](Operation *op) { return SmallVector<Value>{returnedBy(op->getRegion(0), number)}; })
      .Default([&](Operation *op) { return SmallVector<Value>{op->getOperand(number)}; });
}

SmallVector<Value> otherTargetsOf(sdy::DataFlowEdgeOp edge) {
  auto loop = edge.getInput().getDefiningOp<sh::WhileOp>();
  if (!loop)
    return {};
  unsigned number = cast<OpResult>(edge.getInput()).getResultNumber();
  return {loop.getCond().getArgument(number), loop.getBody().getArgument(number)};
}

static sdy::DataFlowEdgeOp edgeBehind(Value owner) {
  return owner.hasOneUse() ? dyn_cast<sdy::DataFlowEdgeOp>(*owner.user_begin()) : sdy::DataFlowEdgeOp();
}

sdy::DataFlowEdgeOp edgeOfTarget(Value target) {
  auto argument = dyn_cast<BlockArgument>(target);
  if (!argument)
    return hasEdges(target.getDefiningOp()) ? edgeBehind(target) : sdy::DataFlowEdgeOp();
  Operation *op = argument.getOwner()->getParentOp();
  if (isa<sh::WhileOp>(op))
    return edgeBehind(op->getResult(argument.getArgNumber()));
  return hasEdges(op) ? edgeBehind(target) : sdy::DataFlowEdgeOp();
}

sdy::DataFlowEdgeOp edgeOfSource(OpOperand &source) {
  Operation *op = source.getOwner();
  bool isReturn = op->hasTrait<OpTrait::IsTerminator>();
  if (isReturn)
    op = op->getParentOp();
  if (!hasEdges(op) || (!isReturn && hasBodyArguments(op)))
    return {};
  unsigned number = source.getOperandNumber();
  return number < op->getNumResults() ? edgeBehind(op->getResult(number)) : sdy::DataFlowEdgeOp();
}

//===- Manual axes -----------------------------------------------------------------------------------------------===//

static bool isManual(const ir::Atom &atom, ArrayRef<int> manual) { return llvm::is_contained(manual, atom.axis); }

ir::Sharding withoutAxes(const ir::Sharding &sharding, ArrayRef<int> manual) {
  ir::Sharding free = sharding;
  auto drop = [&](ir::Axes &axes) {
    llvm::erase_if(axes, [&](const ir::Atom &atom) { return isManual(atom, manual); });
  };
  for (ir::DimCut &dim : free.dims)
    drop(dim.axes);
  drop(free.replicated);
  drop(free.unreduced);
  return free;
}

ir::Sharding withFreeAxes(const ir::Sharding &outer, const ir::Sharding &inner, ArrayRef<int> manual) {
  ir::Sharding sharding = outer;
  for (auto [dim, from] : llvm::zip_equal(sharding.dims, inner.dims)) {
    llvm::erase_if(dim.axes, [&](const ir::Atom &atom) { return !isManual(atom, manual); });
    dim.axes.append(from.axes);
    dim.isClosed = from.isClosed;
    dim.priority = from.priority;
  }
  return sharding;
}

SmallVector<int> ValueShardings::manualAxes(sdy::ManualComputationOp op, const ir::Mesh *mesh) {
  SmallVector<int> axes;
  for (StringAttr name : op.getManualAxes().getAxes())
    if (std::optional<int> axis = mesh->find(name.getValue()))
      axes.push_back(*axis);
  llvm::sort(axes);
  return axes;
}

//===- Shardings -------------------------------------------------------------------------------------------------===//

static int64_t rankOf(Type type) {
  auto shaped = dyn_cast<RankedTensorType>(type);
  return shaped ? shaped.getRank() : 0;
}

FailureOr<ir::Sharding> ValueShardings::read(Operation *op, sdy::TensorShardingAttr attribute, Type type) {
  auto sharding = meshes.read(attribute, rankOf(type));
  if (!sharding.ok())
    return op->emitError() << "impossible sharding: " << sharding.status().message();
  auto drop = [](ir::Axes &axes) { llvm::erase_if(axes, [](const ir::Atom &atom) { return atom.size == 1; }); };
  for (ir::DimCut &dim : sharding->dims) {
    drop(dim.axes);
    if (dim.axes.empty() && dim.isClosed)
      dim.priority.reset();
  }
  drop(sharding->replicated);
  drop(sharding->unreduced);
  return *std::move(sharding);
}

FailureOr<std::vector<ir::Sharding>> ValueShardings::readManual(sdy::ManualComputationOp op, bool ofOperands) {
  ArrayRef<sdy::TensorShardingAttr> attributes =
      ofOperands ? op.getInShardings().getShardings() : op.getOutShardings().getShardings();
  TypeRange types = ofOperands ? TypeRange(op->getOperandTypes()) : TypeRange(op->getResultTypes());
  if (attributes.size() != types.size())
    return op.emitError("has ") << attributes.size() << " shardings of " << types.size() << " values";
  std::vector<ir::Sharding> shardings;
  for (auto [attribute, type] : llvm::zip_equal(attributes, types)) {
    auto sharding = read(op, attribute, type);
    if (failed(sharding))
      return failure();
    if (isa<RankedTensorType>(type)) {
      SmallVector<ir::Atom> unused;
      ir::Axes used = sharding->replicated;
      used.append(sharding->unreduced);
      for (const ir::DimCut &dim : sharding->dims)
        used.append(dim.axes);
      for (int axis : manualAxes(op, sharding->mesh)) {
        int64_t size = sharding->mesh->axes[axis].size;
        // What is left of the axis between the parts that are used.
        SmallVector<ir::Atom> parts;
        llvm::copy_if(used, std::back_inserter(parts), [&](const ir::Atom &atom) { return atom.axis == axis; });
        llvm::sort(parts);
        int64_t pre = 1;
        for (const ir::Atom &part : parts) {
          if (part.pre > pre)
            unused.push_back({axis, pre, part.pre / pre});
          pre = part.end();
        }
        if (pre < size)
          unused.push_back({axis, pre, size / pre});
      }
      unused.append(sharding->replicated.begin(), sharding->replicated.end());
      llvm::sort(unused);
      sharding->replicated.clear();
      for (const ir::Atom &atom : unused)
        ir::append(sharding->replicated, atom);
    }
    shardings.push_back(*std::move(sharding));
  }
  return shardings;
}

Value ValueShardings::carrierOf(Value value) {
  if (sdy::DataFlowEdgeOp edge = edgeOfTarget(value))
    return edge.getResult();
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument)
    return value;
  Operation *op = argument.getOwner()->getParentOp();
  return isa<func::FuncOp>(op) ? value : Value();
}

const ir::Sharding *ValueShardings::find(Value value) const {
  Value carrier = carrierOf(value);
  auto found = carrier ? byCarrier.find(carrier) : byCarrier.end();
  return found == byCarrier.end() ? nullptr : &found->second;
}

void ValueShardings::set(Value value, ir::Sharding sharding) {
  if (Value carrier = carrierOf(value))
    byCarrier[carrier] = std::move(sharding);
}

LogicalResult ValueShardings::load() {
  for (BlockArgument argument : main.getArguments())
    if (auto attribute = main.getArgAttrOfType<sdy::TensorShardingAttr>(argument.getArgNumber(), "sdy.sharding")) {
      auto sharding = read(main, attribute, argument.getType());
      if (failed(sharding))
        return failure();
      set(argument, *sharding);
    }
  for (auto [i, type] : llvm::enumerate(main.getResultTypes())) {
    results.emplace_back();
    if (auto attribute = main.getResultAttrOfType<sdy::TensorShardingAttr>(i, "sdy.sharding")) {
      auto sharding = read(main, attribute, type);
      if (failed(sharding))
        return failure();
      results.back() = *sharding;
    }
  }
  WalkResult walk = main.walk([&](Operation *op) {
    SmallVector<sdy::TensorShardingAttr> attributes;
    if (auto perValue = op->getAttrOfType<sdy::TensorShardingPerValueAttr>("sdy.sharding"))
      attributes.assign(perValue.getShardings().begin(), perValue.getShardings().end());
    else if (isa<sdy::ShardingConstraintOp, sdy::ReshardOp>(op))
      attributes = {op->getAttrOfType<sdy::TensorShardingAttr>("sharding")};
    if (attributes.size() != op->getNumResults())
      return WalkResult::advance(); // none, or of an op that has no results and is on one device
    for (auto [attribute, result] : llvm::zip_equal(attributes, op->getResults())) {
      auto sharding = read(op, attribute, result.getType());
      if (failed(sharding))
        return WalkResult::interrupt();
      set(result, *sharding);
    }
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

} // namespace tenon::passes::propagate
