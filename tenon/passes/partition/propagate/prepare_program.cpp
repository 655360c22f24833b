// Calls become computations with edges, constants are copied, edges put in.
#include "tenon/passes/partition/propagate/prepare.h"

#include "tenon/ir/stablehlo.h"
#include "tenon/ir/traits.h"
#include "tenon/ir/types.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes::propagate {

//===- Calls -----------------------------------------------------------------------------------------------------===//

// The shardings of a function's arguments or results, open ones where others have one; none if none has.
static sdy::TensorShardingPerValueAttr shardingsOf(MLIRContext *context, TypeRange types,
                                                   llvm::function_ref<Attribute(unsigned)> attributeOf) {
  Attribute mesh;
  SmallVector<sdy::TensorShardingAttr> shardings;
  for (unsigned i = 0; i < types.size(); ++i) {
    auto sharding = dyn_cast_or_null<sdy::TensorShardingAttr>(attributeOf(i));
    shardings.push_back(sharding);
    if (sharding && !mesh)
      mesh = sharding.getMeshOrRef();
  }
  if (!mesh)
    return {};
  auto open = sdy::DimensionShardingAttr::get(context, {}, /*is_closed=*/false, std::nullopt);
  for (auto [sharding, type] : llvm::zip_equal(shardings, types)) {
    auto shaped = dyn_cast<RankedTensorType>(type);
    SmallVector<sdy::DimensionShardingAttr> dims(shaped ? shaped.getRank() : 0, open);
    if (!sharding)
      sharding = sdy::TensorShardingAttr::get(context, mesh, dims, {}, {});
  }
  return sdy::TensorShardingPerValueAttr::get(context, shardings);
}

static void importCall(Operation *call, func::FuncOp callee) {
  MLIRContext *context = call->getContext();
  OpBuilder builder(call);
  auto arguments =
      shardingsOf(context, callee.getArgumentTypes(), [&](unsigned i) { return callee.getArgAttr(i, "sdy.sharding"); });
  auto results = call->getAttrOfType<sdy::TensorShardingPerValueAttr>("sdy.sharding");
  if (!results)
    results = shardingsOf(context, callee.getResultTypes(),
                          [&](unsigned i) { return callee.getResultAttr(i, "sdy.sharding"); });
  auto computation = sdy::NamedComputationOp::create(builder, call->getLoc(), call->getResultTypes(), callee.getName(),
                                                     call->getOperands(), arguments, results);
  IRMapping mapping;
  callee.getBody().cloneInto(&computation.getBody(), mapping);
  computation.getBody().walk(
      [&](Operation *inlined) { inlined->setLoc(CallSiteLoc::get(inlined->getLoc(), call->getLoc())); });
  Operation *terminator = computation.getBody().front().getTerminator();
  OpBuilder atEnd(terminator);
  sdy::ReturnOp::create(atEnd, terminator->getLoc(), terminator->getOperands());
  terminator->erase();
  call->replaceAllUsesWith(computation);
  call->erase();
}

// The name of the function that an op calls; empty for other ops.
static StringRef calleeOf(Operation *op) {
  if (auto call = dyn_cast<func::CallOp>(op))
    return call.getCallee();
  auto composite = dyn_cast<sh::CompositeOp>(op);
  return composite ? composite.getDecomposition() : StringRef();
}

LogicalResult importCalls(func::FuncOp main) {
  SymbolTable symbols(main->getParentOfType<ModuleOp>());
  for (;;) {
    SmallVector<Operation *> calls;
    main.walk([&](Operation *op) {
      if (!calleeOf(op).empty())
        calls.push_back(op);
    });
    if (calls.empty())
      return success();
    for (Operation *call : calls) {
      auto callee = symbols.lookup<func::FuncOp>(calleeOf(call));
      if (!callee || callee.isExternal())
        return call->emitError("unknown function '") << calleeOf(call) << "'";
      if (callee.getArgumentTypes() != call->getOperandTypes() || callee.getResultTypes() != call->getResultTypes())
        return call->emitError("function '") << calleeOf(call) << "' has another type";
      for (auto outer = call->getParentOfType<sdy::NamedComputationOp>(); outer;
           outer = outer->getParentOfType<sdy::NamedComputationOp>())
        if (outer.getName() == callee.getName())
          return call->emitError("function '") << calleeOf(call) << "' calls itself";
      importCall(call, callee);
    }
  }
}

//===- Constants -------------------------------------------------------------------------------------------------===//

namespace {

class ConstantSplitter {
public:
  void run(func::FuncOp main) {
    main.walk([&](sdy::NamedComputationOp computation) { visit(computation.getBody()); }); // inner ones first
    visit(main.getBody());
  }

private:
  // Whether the op's results are constants where its operands are.
  bool keepsConstants(Operation *op) const {
    if (auto computation = dyn_cast<sdy::NamedComputationOp>(op))
      return !computations_.contains(computation.getName());
    return isPure(op) && !isa<sdy::ShardingConstraintOp>(op) && // which is kept, used or not
           (isa<sh::BroadcastInDimOp, sh::ReshapeOp, sh::SliceOp>(op) || op->hasTrait<ir::Elementwise>());
  }

  bool isConstant(Operation *op) const {
    return isa<sh::ConstantOp, sdy::ConstantOp, sh::IotaOp>(op) ||
           (keepsConstants(op) && llvm::all_of(op->getOperands(), [&](Value operand) {
              return operand.getDefiningOp() && constants_.contains(operand.getDefiningOp());
            }));
  }

  void visit(Region &region) {
    constants_.clear();
    scalarBroadcasts_.clear();
    region.walk<WalkOrder::PreOrder>([&](Operation *op) {
      visit(op);
      return isa<sdy::NamedComputationOp>(op) ? WalkResult::skip() : WalkResult::advance();
    });
    // All users have copies, but for scalars.
    for (Operation *op : scalarBroadcasts_)
      eraseIfUnused(op);
    for (Operation *op : llvm::reverse(constants_))
      eraseIfUnused(op);
  }

  void visit(Operation *op) {
    if (isa<sdy::ShardingGroupOp>(op))
      return;
    if (isConstant(op)) {
      constants_.insert(op);
      return;
    }
    if (!keepsConstants(op) && !op->hasTrait<OpTrait::IsTerminator>())
      if (auto computation = op->getParentOfType<sdy::NamedComputationOp>())
        computations_.insert(computation.getName());
    if (auto broadcast = dyn_cast<sh::BroadcastInDimOp>(op);
        broadcast && ir::isScalarTensor(broadcast.getOperand().getType())) {
      scalarBroadcasts_.insert(op);
      return;
    }
    for (OpOperand &operand : op->getOpOperands()) {
      Operation *defining = operand.get().getDefiningOp();
      if (!defining || ir::isScalarTensor(operand.get().getType()) ||
          (!constants_.contains(defining) && !scalarBroadcasts_.contains(defining)))
        continue;
      IRMapping copies;
      copy(cast<OpResult>(operand.get()), copies);
      operand.set(copies.lookup(operand.get()));
    }
  }

  // Copies what the value is computed from, and that, each op in front of the one it is a copy of.
  static void copy(OpResult value, IRMapping &copies) {
    if (ir::isScalarTensor(value.getType()) || copies.contains(value))
      return;
    Operation *op = value.getOwner();
    for (Value operand : op->getOperands())
      if (auto result = dyn_cast<OpResult>(operand))
        copy(result, copies);
    OpBuilder builder(op);
    builder.clone(*op, copies);
    for (Operation *user : value.getUsers())
      if (isa<sdy::ShardingGroupOp>(user))
        builder.clone(*user, copies);
  }

  static void eraseIfUnused(Operation *op) {
    if (!llvm::all_of(op->getUsers(), [](Operation *user) { return isa<sdy::ShardingGroupOp>(user); }))
      return;
    for (Operation *user : llvm::make_early_inc_range(op->getUsers()))
      user->erase();
    op->erase();
  }

  llvm::SetVector<Operation *> constants_, scalarBroadcasts_;
  llvm::StringSet<> computations_; // that are not constant though their operands are, by name
};

} // namespace

void splitConstants(func::FuncOp main) { ConstantSplitter().run(main); }

//===- Edges -----------------------------------------------------------------------------------------------------===//

static void addEdgesOf(Operation *op) {
  SmallVector<Value> owners = edgeOwners(op);
  for (Value owner : llvm::reverse(owners)) { // so that the edges come in order
    auto type = dyn_cast<RankedTensorType>(owner.getType());
    if (!type || !type.hasStaticShape())
      continue;
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfterValue(owner);
    auto edge = sdy::DataFlowEdgeOp::create(builder, owner.getLoc(), owner.getType(), owner, nullptr);
    owner.replaceAllUsesExcept(edge, edge);
  }
}

void addEdges(func::FuncOp main) {
  // Only ours are known to be where edges belong. Programs have none: Shardy, too, adds them for itself.
  main.walk([](sdy::DataFlowEdgeOp edge) {
    edge.getResult().replaceAllUsesWith(edge.getInput());
    edge.erase();
  });
  for (bool isNamed : {false, true})
    main.walk([&](Operation *op) {
      if (hasEdges(op) && isa<sdy::NamedComputationOp>(op) == isNamed)
        addEdgesOf(op);
    });
}

LogicalResult loadEdges(ValueShardings &values) {
  WalkResult walk = values.main.walk([&](Operation *op) {
    if (auto manual = dyn_cast<sdy::ManualComputationOp>(op)) {
      auto in = values.readManual(manual, /*ofOperands=*/true), out = values.readManual(manual, /*ofOperands=*/false);
      if (failed(in) || failed(out))
        return WalkResult::interrupt();
      for (auto [argument, sharding] : llvm::zip_equal(manual.getBody().getArguments(), *in))
        values.set(argument, withoutAxes(sharding, values.manualAxes(manual, sharding.mesh)));
      for (auto [result, sharding] : llvm::zip_equal(manual.getResults(), *out))
        values.set(result, sharding);
      return WalkResult::advance();
    }
    auto named = dyn_cast<sdy::NamedComputationOp>(op);
    if (!named)
      return WalkResult::advance();
    auto load = [&](std::optional<sdy::TensorShardingPerValueAttr> attributes, ValueRange owners) {
      if (!attributes)
        return success();
      for (auto [attribute, owner] : llvm::zip(attributes->getShardings(), owners)) {
        auto sharding = values.read(op, attribute, owner.getType());
        if (failed(sharding))
          return failure();
        values.set(owner, *sharding);
      }
      return success();
    };
    return failed(load(named.getInShardings(), named.getBody().getArguments())) ||
                   failed(load(named.getOutShardings(), named.getResults()))
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

} // namespace tenon::passes::propagate
