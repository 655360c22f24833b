// Replaces calls by the bodies they call. JAX emits a function for every jitted helper, scan body and composite; none
// of them is recursive, and one flat `main` is what fusion and memory planning want to see.
//
//   %0 = func.call @relu(%x)        =>      %0 = stablehlo.maximum %x, %zero

#include "tenon/ir/meaning.h"
#include "tenon/ir/sdy.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/ir/traits.h"
#include "tenon/passes/legalize/decompose/patterns.h"
#include "tenon/passes/partition/partition.h"
#include "tenon/passes/passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {
namespace {

// A composite that is named as one of our operations, with its attributes and regions, is that operation, of which we
// know more than its decomposition says: JAX's cumulative sums on GPUs are chlo.scan, decomposed into a loop.
bool restoreOp(sh::CompositeOp composite) {
  StringRef name = composite.getName();
  MLIRContext *context = composite.getContext();
  std::optional<RegisteredOperationName> found = RegisteredOperationName::lookup(name, context);
  bool isFunction = found && name.starts_with("stablehlo.") && found->hasTrait<ir::Elementwise>();
  if (!isFunction && !(found && name.starts_with("chlo.")))
    return false;
  OperationState state(composite.getLoc(), name, composite->getOperands(), composite->getResultTypes());
  if (auto attributes = composite.getCompositeAttributes())
    state.addAttributes(attributes.getValue());
  for (Region &region : composite->getRegions())
    state.addRegion()->takeBody(region);
  OpBuilder builder(composite);
  Operation *op = builder.create(state);
  if (failed(verify(op))) {
    for (auto [own, region] : llvm::zip(composite->getRegions(), op->getRegions()))
      own.takeBody(region);
    op->erase();
    return false;
  }
  composite->replaceAllUsesWith(op);
  composite->erase();
  return true;
}

class Inliner {
public:
  explicit Inliner(ModuleOp module) : symbols_(module) {}

  // Inlines every call below `function`, callees first, so that each body is cloned in its final form.
  LogicalResult run(func::FuncOp function) {
    if (done_.contains(function))
      return success();
    if (!active_.insert(function).second)
      return function.emitError("function '") << function.getName() << "' calls itself; recursion is not supported";
    SmallVector<Operation *> calls;
    function.walk([&](Operation *op) {
      if (isa<func::CallOp, sh::CompositeOp, sdy::ManualComputationOp, sdy::NamedComputationOp>(op))
        calls.push_back(op);
    });
    for (Operation *call : calls)
      if (failed(inlineCall(call)))
        return failure();
    active_.erase(function);
    done_.insert(function);
    return success();
  }

private:
  // Whether a computation does the same once for all devices as on each: it neither communicates nor knows its place.
  static bool isSameOnEachDevice(Operation *call) {
    if (isSingleProcess(call) || isa<sdy::NamedComputationOp>(call))
      return true;
    WalkResult result = call->walk([](Operation *op) {
      auto custom = dyn_cast<sh::CustomCallOp>(op);
      bool communicates = custom && custom.getCallTargetName() == "ragged_all_to_all"; // has no effect, JAX says
      return communicates || isa<sh::PartitionIdOp, sh::ReplicaIdOp>(op) ? WalkResult::interrupt()
                                                                         : WalkResult::advance();
    });
    return !result.wasInterrupted() && isMemoryEffectFree(call);
  }

  // Whether a dimension of unknown size is cut: then parts and whole arrays have equal types, and are not the same.
  static bool cutsUnknownSize(sdy::ManualComputationOp op) {
    auto isManual = [&](sdy::MeshAttr mesh, StringRef name) {
      return llvm::is_contained(op.getManualAxes().getAxes(), StringAttr::get(op.getContext(), name)) &&
             (!mesh || llvm::any_of(mesh.getAxes(), [&](sdy::MeshAxisAttr axis) {
               return axis.getName() == name && axis.getSize() > 1;
             }));
    };
    auto cuts = [&](sdy::TensorShardingAttr sharding, Type type) {
      auto array = dyn_cast<RankedTensorType>(type);
      if (!array || array.hasStaticShape())
        return false;
      return llvm::any_of(llvm::enumerate(sharding.getDimShardings()), [&](auto dimension) {
        return dimension.index() < static_cast<size_t>(array.getRank()) && array.isDynamicDim(dimension.index()) &&
               llvm::any_of(
                   dimension.value().getAxes(),
                   [&](sdy::AxisRefAttr axis) { return isManual(sdy::meshOf(op, sharding), axis.getName()); });
      });
    };
    auto anyCut = [&](sdy::TensorShardingPerValueAttr shardings, TypeRange types) {
      return llvm::any_of(llvm::zip(shardings.getShardings(), types),
                          [&](auto value) { return cuts(std::get<0>(value), std::get<1>(value)); });
    };
    return anyCut(op.getInShardings(), op->getOperandTypes()) || anyCut(op.getOutShardings(), op->getResultTypes());
  }

  // A body that stands in place. One that is written for one of several devices stays.
  static void inlineBody(Operation *call) {
    Block &body = call->getRegion(0).front();
    Operation *terminator = body.getTerminator();
    if (body.getArgumentTypes() != call->getOperandTypes() || terminator->getOperandTypes() != call->getResultTypes() ||
        !isSameOnEachDevice(call))
      return;
    if (auto manual = dyn_cast<sdy::ManualComputationOp>(call); manual && cutsUnknownSize(manual))
      return;
    for (auto [argument, operand] : llvm::zip(body.getArguments(), call->getOperands()))
      argument.replaceAllUsesWith(operand);
    call->replaceAllUsesWith(terminator->getOperands());
    call->getBlock()->getOperations().splice(call->getIterator(), body.getOperations(), body.begin(),
                                             terminator->getIterator());
    call->erase();
  }

  LogicalResult inlineCall(Operation *call) {
    if (isa<sdy::ManualComputationOp, sdy::NamedComputationOp>(call)) {
      inlineBody(call);
      return success();
    }
    if (auto composite = dyn_cast<sh::CompositeOp>(call); composite && restoreOp(composite))
      return success();
    StringRef name =
        isa<func::CallOp>(call) ? cast<func::CallOp>(call).getCallee() : cast<sh::CompositeOp>(call).getDecomposition();
    auto callee = symbols_.lookup<func::FuncOp>(name);
    if (!callee || callee.isExternal())
      return call->emitError("call of unknown function '") << name << "'";
    if (callee.getArgumentTypes() != call->getOperandTypes() || callee.getResultTypes() != call->getResultTypes())
      return call->emitError("the types of this call differ from those of function '") << name << "'";
    if (failed(run(callee)))
      return failure();
    IRMapping mapping;
    Block &body = callee.getBody().front();
    mapping.map(body.getArguments(), call->getOperands());
    OpBuilder builder(call);
    for (Operation &op : body.without_terminator())
      builder.clone(op, mapping)->walk([&](Operation *inlined) {
        inlined->setLoc(CallSiteLoc::get(inlined->getLoc(), call->getLoc()));
      });
    for (auto [result, returned] : llvm::zip(call->getResults(), body.getTerminator()->getOperands()))
      result.replaceAllUsesWith(mapping.lookupOrDefault(returned));
    call->erase();
    return success();
  }

  SymbolTable symbols_;
  llvm::DenseSet<Operation *> active_, done_;
};

// The value as this type, which need not know the same of its dimensions.
Value as(OpBuilder &builder, Type type, Value value) {
  if (value.getType() == type)
    return value;
  return sh::OptimizationBarrierOp::create(builder, value.getLoc(), TypeRange{type}, ValueRange{value})->getResult(0);
}

// Executes asynchronous operations where they are begun, so that they have ended when somebody waits for them.
// (StableHLO specification, "async_start": "the asynchrony is not guaranteed".)
void inlineAsync(func::FuncOp main) {
  SmallVector<sh::AsyncStartOp> starts;
  main.walk([&](sh::AsyncStartOp start) {
    // Others are custom calls that take a future.
    if (llvm::all_of(start->getUsers(), llvm::IsaPred<sh::AsyncDoneOp>))
      starts.push_back(start);
  });
  for (sh::AsyncStartOp start : starts) {
    OpBuilder builder(start);
    IRMapping mapping;
    Block &body = start.getBody().front();
    mapping.map(body.getArguments(), start->getOperands());
    for (Operation &op : body.without_terminator())
      builder.clone(op, mapping);
    SmallVector<Value> results;
    for (Value value : body.getTerminator()->getOperands())
      results.push_back(mapping.lookupOrDefault(value));
    for (Operation *done : llvm::make_early_inc_range(start->getUsers())) {
      for (auto [result, value] : llvm::zip(done->getResults(), results))
        result.replaceAllUsesWith(as(builder, result.getType(), value));
      done->erase();
    }
    start->erase();
  }
}

// Programs are not partitioned, so what only guides that is dropped.
void dropShardingOps(func::FuncOp main) {
  main.walk([](Operation *op) {
    if (isa<sdy::ShardingConstraintOp, sdy::ReshardOp, sdy::PropagationBarrierOp, sdy::DataFlowEdgeOp>(op))
      op->replaceAllUsesWith(op->getOperands().take_front(1));
    else if (!isa<sdy::ShardingGroupOp>(op))
      return;
    op->erase();
  });
}

// Refuses ops that are left and have no meaning where they stand. The passes that follow would take them for what they
// mean elsewhere.
LogicalResult refuseMeaningless(ModuleOp module) {
  WalkResult result = module.walk([](Operation *op) -> WalkResult {
    std::optional<std::string> reason = ir::whyWithoutMeaning(op);
    return reason ? WalkResult(op->emitError(*reason)) : WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

} // namespace

void restoreComposites(ModuleOp module) {
  module.walk([](sh::CompositeOp composite) { restoreOp(composite); });
}

LogicalResult inlineCalls(ModuleOp module) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  if (!main)
    return module.emitError("the module has no function 'main'");
  // Before: what an inlined function says of its arguments binds them, and not what they are called with.
  SmallVector<Attribute> shardings;
  describeShardings(main, shardings);
  Inliner inliner(module);
  if (failed(inliner.run(main)))
    return failure();
  inlineAsync(main);
  takeInspections(main, module);
  if (failed(callOnParts(main, shardings)))
    return failure();
  dropShardingOps(main);
  // refineShapes makes these windows' computations regions.
  llvm::DenseSet<Operation *> kept{main};
  WalkResult outcome = main.walk([&](sh::CustomCallOp call) {
    if (call.getCallTargetName() != "stablehlo.dynamic_reduce_window")
      return WalkResult::advance();
    for (auto name : call.getCalledComputations().getAsRange<FlatSymbolRefAttr>())
      if (auto function = module.lookupSymbol<func::FuncOp>(name.getAttr());
          function && kept.insert(function).second && failed(inliner.run(function)))
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  if (outcome.wasInterrupted())
    return failure();
  for (auto function : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
    if (!kept.contains(function))
      function.erase();
  return refuseMeaningless(module);
}

} // namespace tenon::passes
