// Collectives and communication of the sequential interpreter. Its process is alone in a 1 x 1 grid, so each group has
// one member: the op has its one-member meaning, and groups that name other processes are an error.
#include "tenon/interpreter/ops.h"

namespace tenon::interpreter {

LogicalResult evaluate(stablehlo::ReplicaIdOp, Invocation &call) {
  return call.give(Tensor::scalar(call.elementOf(0), Scalar::ofUnsigned(0)));
}
LogicalResult evaluate(stablehlo::PartitionIdOp, Invocation &call) {
  return call.give(Tensor::scalar(call.elementOf(0), Scalar::ofUnsigned(0)));
}

// Succeeds for no groups or the single group [[0]].
static LogicalResult checkAlone(Invocation &call, mlir::Attribute groups) {
  auto elements = llvm::dyn_cast_or_null<mlir::DenseIntElementsAttr>(groups);
  if (!elements)
    return call.fail("replica groups by mesh axes are not in the sequential interpreter", StatusCode::kUnimplemented);
  for (int64_t id : elements.getValues<int64_t>())
    if (id != 0)
      return call.fail("communicates with other processes, which is not in the sequential interpreter",
                       StatusCode::kUnimplemented);
  return llvm::success();
}

static LogicalResult giveOperands(Invocation &call, mlir::Attribute groups) {
  if (llvm::failed(checkAlone(call, groups)))
    return llvm::failure();
  for (unsigned i = 0; i < call.op()->getNumResults(); ++i)
    (void)call.give(call.operands()[i]);
  return llvm::success();
}

LogicalResult evaluate(stablehlo::AllGatherOp op, Invocation &call) {
  return giveOperands(call, op.getReplicaGroups());
}
// A reduction of one member has no step, and so no use for the computation.
LogicalResult evaluate(stablehlo::AllReduceOp op, Invocation &call) {
  return giveOperands(call, op.getReplicaGroups());
}
LogicalResult evaluate(stablehlo::ReduceScatterOp op, Invocation &call) {
  return giveOperands(call, op.getReplicaGroups());
}
LogicalResult evaluate(stablehlo::AllToAllOp op, Invocation &call) {
  if (op.getSplitCount() != 1)
    return call.fail("splits between several processes, which is not in the sequential interpreter",
                     StatusCode::kUnimplemented);
  return giveOperands(call, op.getReplicaGroups());
}
LogicalResult evaluate(stablehlo::CollectiveReduceOp op, Invocation &call) {
  return giveOperands(call, op.getReplicaGroups());
}
LogicalResult evaluate(stablehlo::CrossReplicaSumOp op, Invocation &call) {
  return giveOperands(call, op.getReplicaGroups());
}

static LogicalResult giveZeros(Invocation &call) {
  for (unsigned i = 0; i < call.op()->getNumResults(); ++i) {
    llvm::FailureOr<Tensor> zeros = call.make(call.tensor(i).shape(), call.elementOf(i));
    if (llvm::failed(zeros))
      return llvm::failure();
    for (int64_t at = 0; at < zeros->size(); ++at)
      zeros->set(at, zeroOf(zeros->elementType()));
    (void)call.give(*zeros);
  }
  return llvm::success();
}

// A process in no group receives zeros.
LogicalResult evaluate(stablehlo::CollectiveBroadcastOp op, Invocation &call) {
  auto groups = llvm::dyn_cast<mlir::DenseIntElementsAttr>(op.getReplicaGroups());
  if (groups && groups.empty())
    return giveZeros(call);
  return giveOperands(call, op.getReplicaGroups());
}
// A process that is nobody's target receives zeros.
LogicalResult evaluate(stablehlo::CollectivePermuteOp op, Invocation &call) {
  if (op.getSourceTargetPairs().empty())
    return giveZeros(call);
  return giveOperands(call, op.getSourceTargetPairs());
}

static LogicalResult transfer(Invocation &call, llvm::ArrayRef<Value> inputs) {
  StatusOr<std::vector<Value>> results = call.evaluator().options().transfer(call.op(), inputs);
  if (!results.ok())
    return call.fail(results.status().message(), results.status().code());
  call.results().append(results->begin(), results->end());
  return call.give(Token{});
}

// One process can only send to itself: payloads queue by channel.
LogicalResult evaluate(stablehlo::SendOp op, Invocation &call) {
  llvm::ArrayRef<Value> inputs = call.valuesOf(op.getInputs());
  if (call.evaluator().options().transfer)
    return transfer(call, inputs);
  if (op.getIsHostTransfer())
    return call.fail("the interpreter was given no host", StatusCode::kFailedPrecondition);
  call.evaluator().channel(op.getChannelHandle().getHandle()).emplace_back(inputs.begin(), inputs.end());
  return call.give(Token{});
}
LogicalResult evaluate(stablehlo::RecvOp op, Invocation &call) {
  if (call.evaluator().options().transfer)
    return transfer(call, {});
  if (op.getIsHostTransfer())
    return call.fail("the interpreter was given no host", StatusCode::kFailedPrecondition);
  std::deque<Values> &queue = call.evaluator().channel(op.getChannelHandle().getHandle());
  if (queue.empty())
    return call.fail("waits for a message that this process has not sent: other processes are not in the sequential "
                     "interpreter",
                     StatusCode::kUnimplemented);
  call.results().append(queue.front().begin(), queue.front().end());
  queue.pop_front();
  return call.give(Token{});
}

LogicalResult evaluate(stablehlo::InfeedOp op, Invocation &call) {
  if (op->getNumResults() == 1) // nothing but the token
    return call.give(Token{});
  if (!call.evaluator().options().transfer)
    return call.fail("the interpreter was given no infeed", StatusCode::kFailedPrecondition);
  return transfer(call, {});
}
LogicalResult evaluate(stablehlo::OutfeedOp op, Invocation &call) {
  if (op.getInputs().empty())
    return call.give(Token{});
  if (!call.evaluator().options().transfer)
    return call.fail("the interpreter was given no outfeed", StatusCode::kFailedPrecondition);
  return transfer(call, call.valuesOf(op.getInputs()));
}

// A mesh is a declaration; a group of equal shardings asks for nothing here.
LogicalResult evaluate(sdy::MeshOp, Invocation &) { return llvm::success(); }
LogicalResult evaluate(sdy::ShardingGroupOp, Invocation &) { return llvm::success(); }
LogicalResult evaluate(sdy::ReturnOp, Invocation &call) {
  call.results().append(call.operands().begin(), call.operands().end());
  return llvm::success();
}
static LogicalResult runBody(Invocation &call, mlir::Region &body) {
  Values operands(call.operands().begin(), call.operands().end());
  return call.evaluator().runRegion(body, std::move(operands), nullptr, call.results());
}
// With a single shard the body's shapes are the whole ones; others fail the check of the results' types.
LogicalResult evaluate(sdy::ManualComputationOp op, Invocation &call) {
  for (auto [value, arg] : llvm::zip(call.operands(), op.getBody().getArguments()))
    if (value.tensor().shape() != llvm::cast<mlir::ShapedType>(arg.getType()).getShape())
      return call.fail("is written for several shards, which are not in the sequential interpreter",
                       StatusCode::kUnimplemented);
  return runBody(call, op.getBody());
}
LogicalResult evaluate(sdy::NamedComputationOp op, Invocation &call) { return runBody(call, op.getBody()); }

} // namespace tenon::interpreter
