// For each priority that the user gives, and in it for each of five priorities of ops, a list of ops to visit is worked
// off. An op whose operands' or results' shardings have changed comes next, unless it is still to come; so do the users
// of a value, the op that it comes from, and what is at the other ends of an edge and in its group. The order is part
// of the result, since whoever comes first takes an axis; it is Shardy's, which is that of MLIR's greedy rewriter.
#include "tenon/passes/partition/propagate/engine.h"

#include "tenon/ir/stablehlo.h"
#include "tenon/ir/traits.h"
#include "tenon/ir/types.h"
#include "tenon/passes/partition/framework_calls.h"
#include "tenon/passes/partition/partition.h"
#include "tenon/passes/partition/propagate/step.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <map>

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes::propagate {
namespace {

// Ops in the order in which they will be visited, from the back. None is there twice.
class Worklist {
public:
  void push(Operation *op) {
    if (places_.try_emplace(op, ops_.size()).second)
      ops_.push_back(op);
  }
  Operation *pop() {
    while (!ops_.empty()) {
      Operation *op = ops_.pop_back_val();
      if (!op)
        continue; // removed
      places_.erase(op);
      return op;
    }
    return nullptr;
  }
  void remove(Operation *op) {
    if (auto place = places_.find(op); place != places_.end()) {
      ops_[place->second] = nullptr;
      places_.erase(place);
    }
  }

private:
  SmallVector<Operation *> ops_;
  llvm::DenseMap<Operation *, size_t> places_;
};

//===- Directions ------------------------------------------------------------------------------------------------===//

constexpr int kOpPriorities = 5;

bool isElementwise(Operation *op) {
  if (auto bitcast = dyn_cast<sh::BitcastConvertOp>(op))
    return bitcast.getOperand().getType().getShape() == bitcast.getResult().getType().getShape();
  return op->hasTrait<ir::Elementwise>() && !isa<sdy::DataFlowEdgeOp>(op);
}

PropagationDirection operator|(PropagationDirection a, PropagationDirection b) {
  return static_cast<PropagationDirection>(static_cast<uint32_t>(a) | static_cast<uint32_t>(b));
}

// Ops that move axes without any communication come first. As long as an operand has other uses, these may want
// something else.
PropagationDirection passThroughDirection(Operation *op, bool alsoWithManyUses) {
  auto isMovedBetweenMemories = [](Operation *op) {
    auto call = dyn_cast<sh::CustomCallOp>(op);
    return call && (call.getCallTargetName() == "MoveToDevice" || call.getCallTargetName() == "MoveToHost");
  };
  bool isForward = isa<sh::DynamicSliceOp, sh::DynamicUpdateSliceOp>(op);
  if (!isForward && !isElementwise(op) && !isa<sh::ReshapeOp, sh::TransposeOp, sdy::DataFlowEdgeOp>(op) &&
      !isMovedBetweenMemories(op))
    return PropagationDirection::NONE;
  auto hasOtherUses = [](Value operand) { return !operand.hasOneUse() && !ir::isScalarTensor(operand.getType()); };
  if (!alsoWithManyUses && llvm::any_of(op->getOperands(), hasOtherUses))
    return PropagationDirection::NONE;
  return isForward ? PropagationDirection::FORWARD : PropagationDirection::BOTH;
}

PropagationDirection directionOf(Operation *op, const ir::Factor &factor, int opPriority) {
  if (auto barrier = dyn_cast<sdy::PropagationBarrierOp>(op))
    return barrier.getAllowedDirection();
  PropagationDirection direction = passThroughDirection(op, /*alsoWithManyUses=*/opPriority >= 1);
  // A broadcast is cheap, and can be done again for another sharding.
  PropagationDirection any =
      isa<sh::BroadcastInDimOp>(op) ? PropagationDirection::BACKWARD : PropagationDirection::BOTH;
  if (opPriority >= 2 && factor.type == ir::FactorType::kPassThrough)
    direction = direction | any;
  if (opPriority >= 3)
    direction = direction | any;
  if (opPriority >= 4)
    direction = PropagationDirection::BOTH;
  return direction;
}

//===- Engine ----------------------------------------------------------------------------------------------------===//

// An operand or result in a step.
struct Tensor {
  Value value;
  std::optional<ir::Sharding> sharding;
};

std::optional<ir::Sharding> copyOf(const ir::Sharding *sharding) {
  return sharding ? std::optional(*sharding) : std::nullopt;
}

// The mesh of all; null if there is none, or there are several.
const ir::Mesh *commonMesh(ArrayRef<Tensor> operands, ArrayRef<Tensor> results) {
  auto isEmpty = [](const ir::Mesh *mesh) { return mesh->axes.empty() && mesh->ids.empty(); };
  const ir::Mesh *common = nullptr;
  for (const Tensor &tensor : llvm::concat<const Tensor>(operands, results)) {
    if (!tensor.sharding)
      continue;
    const ir::Mesh *mesh = tensor.sharding->mesh;
    if (!common || isEmpty(common))
      common = mesh;
    else if (!isEmpty(mesh) && mesh != common)
      return nullptr;
  }
  return common;
}

class Engine {
public:
  Engine(ValueShardings &values, const Groups &groups) : values_(values), groups_(groups) {}

  LogicalResult spreadByOpPriorities() {
    for (opPriority_ = 0; opPriority_ < kOpPriorities; ++opPriority_) {
      spreadThroughResults();
      values_.main.walk<WalkOrder::PreOrder>([&](Operation *op) { preorder_.push_back(op); });
      for (Operation *op : llvm::reverse(preorder_))
        worklist_.push(op);
      preorder_.clear();
      while (Operation *op = worklist_.pop())
        if (!eraseIfDead(op))
          visit(op);
      spreadThroughResults();
    }
    return failure(isFailed_);
  }

private:
  using Set = llvm::function_ref<void(unsigned, const ir::Sharding &)>;

  //===- Visits --------------------------------------------------------------------------------------------------===//

  void visit(Operation *op) {
    if (auto edge = dyn_cast<sdy::DataFlowEdgeOp>(op))
      return visitEdge(edge);
    if (op->hasAttr(kAsksForShardings))
      return visitCall(cast<sh::CustomCallOp>(op));
    const ir::MaybeFactors &factors = factorsOf(op);
    if (!factors)
      return;
    std::vector<Tensor> operands = tensors(op->getOperands()), results = tensors(op->getResults());
    auto set = [&](const std::vector<Tensor> &tensors) {
      return [&](unsigned i, const ir::Sharding &sharding) { values_.set(tensors[i].value, sharding); };
    };
    step(op, *factors, operands, results, set(operands), set(results));
  }

  // The framework says how the results lie: from the operands, whenever more is known of these, unless users want them
  // in some way; then, once, from that.
  void visitCall(sh::CustomCallOp call) {
    std::vector<Tensor> operands = tensors(call->getOperands()), results = tensors(call->getResults());
    const ir::Mesh *mesh = commonMesh(operands, results);
    if (!mesh || isFailed_)
      return;
    auto isCut = [](const Tensor &tensor) { return tensor.sharding && isNews(*tensor.sharding, std::nullopt); };
    Answer &answer = answers_[call];
    auto isSaid = [&](size_t i) { return i < answer.results.size() && results[i].sharding == answer.results[i]; };
    bool areWanted = false;
    for (size_t i = 0; i < results.size(); ++i)
      areWanted |= isCut(results[i]) && !isSaid(i);
    std::vector<std::optional<ir::Sharding>> known;
    for (const Tensor &operand : operands)
      known.push_back(operand.sharding);
    if (areWanted ? answer.isOfUsers : llvm::none_of(operands, isCut) || known == answer.operands || answer.isOfUsers)
      return;
    answer.operands = std::move(known);
    answer.isOfUsers = areWanted;
    isFailed_ |= failed(ask(call, operands, results, mesh, answer));
    for (auto [result, sharding] : llvm::zip(results, answer.results))
      if (isNews(sharding, result.sharding)) {
        values_.set(result.value, sharding);
        announce(call, result.value, sharding);
      }
  }

  const ir::MaybeFactors &factorsOf(Operation *op) {
    auto [place, isNew] = factors_.try_emplace(op);
    if (isNew)
      place->second = std::make_unique<ir::MaybeFactors>(ir::findFactors(op));
    return *place->second;
  }

  std::vector<Tensor> tensors(ValueRange values) const {
    std::vector<Tensor> result;
    for (Value value : values)
      result.push_back({value, copyOf(values_.find(value))});
    return result;
  }

  // All ends have one sharding, that of a manual computation's without its manual axes.
  void visitEdge(sdy::DataFlowEdgeOp edge) {
    SmallVector<Value> sources = sourcesOf(edge);
    std::vector<Tensor> operands = tensors(sources), results = tensors(edge->getResults());
    SmallVector<int> manual;
    std::optional<ir::Sharding> outer;
    auto argument = dyn_cast<BlockArgument>(edge.getInput());
    auto computation = argument ? dyn_cast<sdy::ManualComputationOp>(argument.getOwner()->getParentOp())
                                : edge.getInput().getDefiningOp<sdy::ManualComputationOp>();
    if (computation && results[0].sharding) {
      ir::Sharding &own = *results[0].sharding;
      manual = ValueShardings::manualAxes(computation, own.mesh);
      outer = argument ? (*values_.readManual(computation, /*ofOperands=*/true))[argument.getArgNumber()] : own;
      own = argument ? withFreeAxes(*outer, own, manual) : withoutAxes(own, manual);
    }
    auto setSource = [&](unsigned i, const ir::Sharding &sharding) { values_.set(sources[i], sharding); };
    auto setTargets = [&](unsigned, const ir::Sharding &sharding) {
      if (!outer)
        return values_.set(edge.getResult(), sharding);
      values_.set(edge.getResult(), argument ? withoutAxes(sharding, manual) : withFreeAxes(*outer, sharding, manual));
    };
    step(edge, ir::identityFactors(edge.getType().getShape(), sources.size(), 1), operands, results, setSource,
         setTargets);
  }

  // What the function returns, and what is said of its results. Nobody is woken: this comes before and after the loop.
  void spreadThroughResults() {
    for (auto [i, value] : llvm::enumerate(values_.main.front().getTerminator()->getOperands())) {
      auto type = dyn_cast<RankedTensorType>(value.getType());
      if (!type || !type.hasStaticShape())
        continue;
      std::vector<Tensor> operands = tensors(value);
      std::vector<Tensor> results = {{Value(), values_.results[i]}};
      step(
          values_.main, ir::identityFactors(type.getShape(), 1, 1), operands, results,
          [&, value = value](unsigned, const ir::Sharding &sharding) { values_.set(value, sharding); },
          [&, i = i](unsigned, const ir::Sharding &sharding) { values_.results[i] = sharding; });
    }
  }

  // What the framework has said of a call's results, and from what.
  struct Answer {
    std::vector<std::optional<ir::Sharding>> operands;
    std::vector<ir::Sharding> results;
    bool isOfUsers = false;
  };

  LogicalResult ask(sh::CustomCallOp call, ArrayRef<Tensor> operands, ArrayRef<Tensor> results, const ir::Mesh *mesh,
                    Answer &answer) {
    auto pointers = [](ArrayRef<Tensor> tensors) {
      return llvm::map_to_vector(tensors,
                                 [](const Tensor &tensor) { return tensor.sharding ? &*tensor.sharding : nullptr; });
    };
    auto placed = partition::placedCall(call, pointers(operands), pointers(results));
    if (failed(placed))
      return failure();
    auto partitioner = program::findCallPartitioner(call.getCallTargetName().str());
    auto said = answer.isOfUsers ? partitioner->inferFromUsers(*placed) : partitioner->inferFromOperands(*placed);
    if (!said.ok())
      return call.emitError("the framework cannot say how its results lie: ") << said.status().message();
    auto shardings = partition::shardingsByAxes(call, *said, call->getResultTypes(), mesh);
    if (failed(shardings))
      return failure();
    answer.results = *std::move(shardings);
    for (ir::Sharding &sharding : answer.results)
      for (ir::DimCut &cut : sharding.dims)
        cut.isClosed = false;
    return success();
  }

  //===- Steps ---------------------------------------------------------------------------------------------------===//

  void step(Operation *op, const ir::Factors &factors, ArrayRef<Tensor> operands, ArrayRef<Tensor> results,
            Set setOperand, Set setResult) {
    const ir::Mesh *mesh = commonMesh(operands, results);
    if (!mesh || mesh->isMaximal() || factors.operands.size() != operands.size() ||
        factors.results.size() != results.size())
      return;
    Projection projection;
    auto project = [&](ArrayRef<Tensor> tensors, ArrayRef<ir::TensorFactors> dims, SmallVector<TensorCuts, 3> &cuts) {
      for (auto [tensor, numbers] : llvm::zip_equal(tensors, dims))
        cuts.push_back(propagate::project(numbers, factors.factors, tensor.sharding ? &*tensor.sharding : nullptr));
    };
    project(operands, factors.operands, projection.operands);
    project(results, factors.results, projection.results);
    bool isOfFunction = op == values_.main;
    SmallVector<PropagationDirection> directions;
    for (const ir::Factor &factor : factors.factors)
      directions.push_back(factor.isBlocked ? PropagationDirection::NONE
                           : isOfFunction   ? PropagationDirection::BOTH
                                            : directionOf(op, factor, opPriority_));
    llvm::BitVector changedOperands, changedResults;
    spread(projection, factors.factors, directions, isElementwise(op), changedOperands, changedResults);
    auto update = [&](const llvm::BitVector &changed, ArrayRef<Tensor> tensors, ArrayRef<ir::TensorFactors> dims,
                      ArrayRef<TensorCuts> cuts, Set set) {
      for (unsigned i : changed.set_bits()) {
        ir::Sharding sharding = unproject(cuts[i], dims[i], factors.factors, mesh);
        if (isNews(sharding, tensors[i].sharding)) {
          set(i, sharding);
          if (tensors[i].value)
            announce(op, tensors[i].value, sharding);
        }
      }
    };
    update(changedOperands, operands, factors.operands, projection.operands, setOperand);
    update(changedResults, results, factors.results, projection.results, setResult);
  }

  // Axes may get lost again on the way from factors to dimensions.
  static bool isNews(const ir::Sharding &sharding, const std::optional<ir::Sharding> &known) {
    if (known)
      return sharding != *known;
    return llvm::any_of(sharding.dims, [](const ir::DimCut &dim) { return !dim.axes.empty(); });
  }

  void announce(Operation *op, Value value, const ir::Sharding &sharding) {
    Value carrier = ValueShardings::carrierOf(value);
    if (!carrier)
      return;
    wakeAround(op, carrier);
    for (Value member : groups_.membersWith(carrier))
      if (member != carrier) {
        values_.set(member, sharding);
        wakeAround(op, member);
      }
  }

  //===- Who is to be visited ------------------------------------------------------------------------------------===//

  void wake(Operation *visited, Operation *op) {
    if (op != visited && visited != values_.main)
      worklist_.push(op);
  }

  void wakeAround(Operation *visited, Value carrier) {
    if (auto edge = carrier.getDefiningOp<sdy::DataFlowEdgeOp>())
      for (Value target : otherTargetsOf(edge))
        wakeUsers(visited, target);
    Operation *defining = carrier.getDefiningOp();
    wake(visited, defining ? defining : carrier.getParentBlock()->getParentOp());
    wakeUsers(visited, carrier);
  }

  void wakeUsers(Operation *visited, Value value) {
    for (OpOperand &use : value.getUses()) {
      Operation *user = use.getOwner();
      // The arguments of manual and named computations are not woken: Shardy does not, and who comes when is the
      // result.
      if (sdy::DataFlowEdgeOp edge = edgeOfSource(use))
        wake(visited, edge);
      else
        wake(visited, user->hasTrait<OpTrait::IsTerminator>() ? user->getParentOp() : user);
    }
  }

  // Wakes those that the op's operands come from if they have few users, since then they may be next.
  bool eraseIfDead(Operation *op) {
    bool isAnnotation = isa<sdy::DataFlowEdgeOp, sdy::ShardingConstraintOp, sdy::ShardingGroupOp>(op);
    if (isAnnotation || op == values_.main || !isOpTriviallyDead(op))
      return false;
    for (Value operand : op->getOperands()) {
      llvm::SmallPtrSet<Operation *, 2> others;
      for (Operation *user : operand.getUsers())
        if (user != op)
          others.insert(user);
      if (Operation *defining = operand.getDefiningOp(); defining && others.size() <= 1)
        worklist_.push(defining);
    }
    op->walk([&](Operation *inner) {
      worklist_.remove(inner);
      factors_.erase(inner);
      for (Value result : inner->getResults())
        values_.erase(result);
    });
    op->erase();
    return true;
  }

  ValueShardings &values_;
  const Groups &groups_;
  int opPriority_ = 0;
  Worklist worklist_;
  SmallVector<Operation *> preorder_;
  llvm::DenseMap<Operation *, std::unique_ptr<ir::MaybeFactors>> factors_;
  llvm::DenseMap<Operation *, Answer> answers_; // of calls that the framework cuts itself
  bool isFailed_ = false;
};

//===- User priorities -------------------------------------------------------------------------------------------===//

// A sharding with dimensions of later priorities.
struct Postponed {
  Value value;   // or, if null,
  size_t result; // a result of the function
  ir::Sharding original;
};

// Takes out what is of later priorities: their axes are kept free for them.
ir::Sharding atFirst(const ir::Sharding &original) {
  ir::Sharding sharding = original;
  for (ir::DimCut &dim : sharding.dims) {
    if (dim.priority.value_or(0) > 0) {
      sharding.replicated.append(dim.axes);
      dim = {{}, /*isClosed=*/true, std::nullopt};
    }
    dim.priority.reset();
  }
  llvm::sort(sharding.replicated);
  return sharding;
}

void putBack(ir::Sharding &sharding, const ir::Sharding &original, int64_t priority) {
  for (auto [dim, wanted] : llvm::zip_equal(sharding.dims, original.dims)) {
    if (wanted.priority.value_or(0) != priority)
      continue;
    dim = wanted;
    dim.priority.reset();
    llvm::erase_if(sharding.replicated, [&](const ir::Atom &atom) { return llvm::is_contained(wanted.axes, atom); });
  }
}

} // namespace

LogicalResult spreadAll(ValueShardings &values, const Groups &groups) {
  std::map<int64_t, std::vector<Postponed>> postponed;
  auto prepare = [&](ir::Sharding &sharding, Value value, size_t result) {
    llvm::SmallDenseSet<int64_t> priorities;
    for (const ir::DimCut &dim : sharding.dims)
      if (dim.priority.value_or(0) > 0)
        priorities.insert(*dim.priority);
    for (int64_t priority : priorities)
      postponed[priority].push_back({value, result, sharding});
    sharding = atFirst(sharding);
  };
  for (auto &[value, sharding] : values.byCarrier)
    prepare(sharding, value, 0);
  for (auto [i, sharding] : llvm::enumerate(values.results))
    if (sharding)
      prepare(*sharding, Value(), i);
  Engine engine(values, groups);
  if (failed(engine.spreadByOpPriorities()))
    return failure();
  for (const auto &[priority, list] : postponed) {
    for (const Postponed &entry : list) {
      auto found = values.byCarrier.find(entry.value);
      if (entry.value && found == values.byCarrier.end())
        continue; // of an op that is no longer there
      putBack(entry.value ? found->second : *values.results[entry.result], entry.original, priority);
    }
    if (failed(engine.spreadByOpPriorities()))
      return failure();
  }
  return success();
}

} // namespace tenon::passes::propagate
