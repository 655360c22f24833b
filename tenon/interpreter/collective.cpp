// Collectives and communication of one process of a grid. What other processes give comes through Options::exchange.
#include "tenon/interpreter/element_function.h"
#include "tenon/interpreter/ops.h"

namespace tenon::interpreter {

namespace {

const ir::ProcessGrid &gridOf(Invocation &call) { return call.evaluator().options().grid; }
int64_t processOf(Invocation &call) { return call.evaluator().options().process; }

// The operands of each of the members, in their order.
llvm::FailureOr<std::vector<std::vector<Value>>> exchange(Invocation &call, llvm::ArrayRef<int64_t> members) {
  if (members.size() == 1) {
    std::vector<std::vector<Value>> own;
    own.emplace_back(call.operands().begin(), call.operands().end());
    return own;
  }
  const ExchangeHandler &handler = call.evaluator().options().exchange;
  if (!handler)
    return call.fail("communicates with other processes, but is run as one alone", StatusCode::kFailedPrecondition);
  auto given = handler(call.op(), members, call.operands());
  if (!given.ok())
    return call.fail(given.status().message(), given.status().code());
  return *std::move(given);
}

// The group of this process, and what its members give.
struct Group {
  int64_t place = 0; // of this process
  std::vector<std::vector<Value>> given;

  int64_t size() const { return static_cast<int64_t>(given.size()); }
  const Tensor &operand(int64_t member, unsigned i) const { return given[member][i].tensor(); }
};

llvm::FailureOr<Group> groupOf(Invocation &call) {
  StatusOr<ir::ProcessGroups> groups = ir::processGroups(call.op(), gridOf(call));
  if (!groups.ok())
    return call.fail(groups.status().message(), groups.status().code());
  for (const auto &members : *groups) {
    const auto *self = llvm::find(members, processOf(call));
    if (self == members.end())
      continue;
    auto given = exchange(call, members);
    if (llvm::failed(given))
      return llvm::failure();
    return Group{self - members.begin(), *std::move(given)};
  }
  return call.fail("has no group with this process");
}

// Part `at` of `count` equal ones along a dimension.
llvm::FailureOr<Tensor> partOf(Invocation &call, const Tensor &tensor, int64_t dimension, int64_t count, int64_t at) {
  Dims shape(tensor.shape());
  if (shape[dimension] % count)
    return call.fail("cannot split " + llvm::Twine(shape[dimension]) + " into " + llvm::Twine(count) + " equal parts");
  shape[dimension] /= count;
  llvm::FailureOr<Tensor> part = call.make(shape, tensor.mlirElementType());
  if (llvm::failed(part))
    return part;
  Dims from;
  forEachIndex(shape, [&](llvm::ArrayRef<int64_t> index, int64_t position) {
    from.assign(index.begin(), index.end());
    from[dimension] += at * shape[dimension];
    part->set(position, tensor.get(tensor.positionOf(from)));
  });
  return part;
}

// One behind the other along a dimension; all have the shape of the first.
llvm::FailureOr<Tensor> joined(Invocation &call, llvm::ArrayRef<Tensor> parts, int64_t dimension) {
  Dims shape(parts[0].shape());
  int64_t size = shape[dimension];
  for (const Tensor &part : parts)
    if (part.shape() != parts[0].shape())
      return call.fail("processes give arrays of different shapes");
  shape[dimension] *= static_cast<int64_t>(parts.size());
  llvm::FailureOr<Tensor> result = call.make(shape, parts[0].mlirElementType());
  if (llvm::failed(result))
    return result;
  Dims from;
  forEachIndex(shape, [&](llvm::ArrayRef<int64_t> index, int64_t position) {
    from.assign(index.begin(), index.end());
    const Tensor &part = parts[from[dimension] / size];
    from[dimension] %= size;
    result->set(position, part.get(part.positionOf(from)));
  });
  return result;
}

// Takes the arrays of all members together, element by element, from the first member to the last.
using Combine = llvm::function_ref<llvm::FailureOr<Scalar>(Scalar, Scalar)>;
llvm::FailureOr<Tensor> reduced(Invocation &call, const Group &group, unsigned operand, Combine combine) {
  Tensor result = group.operand(0, operand);
  for (int64_t member = 1; member < group.size(); ++member) {
    const Tensor &next = group.operand(member, operand);
    if (next.shape() != result.shape())
      return call.fail("processes give arrays of different shapes");
    for (int64_t i = 0; i < result.size(); ++i) {
      llvm::FailureOr<Scalar> value = combine(result.get(i), next.get(i));
      if (llvm::failed(value))
        return llvm::failure();
      result.set(i, *value);
    }
  }
  return result;
}

llvm::FailureOr<Tensor> reduced(Invocation &call, const Group &group, unsigned operand, mlir::Region &computation) {
  ElementFunction body(computation, call);
  if (llvm::failed(body.check(2, 1)))
    return llvm::failure();
  return reduced(call, group, operand, [&](Scalar a, Scalar b) -> llvm::FailureOr<Scalar> {
    Scalar value[1];
    if (llvm::failed(body({a, b}, value)))
      return llvm::failure();
    return value[0];
  });
}

LogicalResult giveZeros(Invocation &call) {
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

// What this process's source gives; zeros without a source. All that send or receive meet, whoever sends to whom.
LogicalResult giveSource(Invocation &call) {
  StatusOr<ir::ProcessPairs> pairs = ir::processPairs(call.op(), gridOf(call));
  if (!pairs.ok())
    return call.fail(pairs.status().message(), pairs.status().code());
  llvm::SmallVector<int64_t> members;
  int64_t source = -1;
  for (auto [from, to] : *pairs) {
    members.append({from, to});
    if (to == processOf(call))
      source = from;
  }
  llvm::sort(members);
  members.erase(llvm::unique(members), members.end());
  if (!llvm::is_contained(members, processOf(call)))
    return giveZeros(call);
  auto given = exchange(call, members);
  if (llvm::failed(given))
    return llvm::failure();
  if (source < 0)
    return giveZeros(call);
  const std::vector<Value> &values = (*given)[llvm::find(members, source) - members.begin()];
  for (unsigned i = 0; i < call.op()->getNumResults(); ++i)
    (void)call.give(values[i]);
  return llvm::success();
}

// Gives, of each operand, what `combine` makes of the group's.
template <typename Combine> LogicalResult giveOfGroup(Invocation &call, Combine combine) {
  llvm::FailureOr<Group> group = groupOf(call);
  if (llvm::failed(group))
    return llvm::failure();
  for (unsigned i = 0; i < call.op()->getNumOperands(); ++i) {
    llvm::FailureOr<Tensor> result = combine(*group, i);
    if (llvm::failed(result) || llvm::failed(call.give(*std::move(result))))
      return llvm::failure();
  }
  return llvm::success();
}

LogicalResult givePlace(Invocation &call, int64_t id) {
  return call.give(Tensor::scalar(call.elementOf(0), Scalar::ofUnsigned(static_cast<uint64_t>(id))));
}

} // namespace

LogicalResult evaluate(stablehlo::ReplicaIdOp, Invocation &call) {
  return givePlace(call, gridOf(call).replicaOf(processOf(call)));
}
LogicalResult evaluate(stablehlo::PartitionIdOp, Invocation &call) {
  return givePlace(call, gridOf(call).partitionOf(processOf(call)));
}

LogicalResult evaluate(stablehlo::AllGatherOp op, Invocation &call) {
  return giveOfGroup(call, [&](const Group &group, unsigned i) {
    std::vector<Tensor> parts;
    for (int64_t member = 0; member < group.size(); ++member)
      parts.push_back(group.operand(member, i));
    return joined(call, parts, static_cast<int64_t>(op.getAllGatherDim()));
  });
}
LogicalResult evaluate(stablehlo::AllReduceOp op, Invocation &call) {
  return giveOfGroup(call,
                     [&](const Group &group, unsigned i) { return reduced(call, group, i, op.getComputation()); });
}
LogicalResult evaluate(stablehlo::ReduceScatterOp op, Invocation &call) {
  return giveOfGroup(call, [&](const Group &group, unsigned i) -> llvm::FailureOr<Tensor> {
    llvm::FailureOr<Tensor> whole = reduced(call, group, i, op.getComputation());
    if (llvm::failed(whole))
      return whole;
    return partOf(call, *whole, static_cast<int64_t>(op.getScatterDimension()), group.size(), group.place);
  });
}
LogicalResult evaluate(stablehlo::AllToAllOp op, Invocation &call) {
  return giveOfGroup(call, [&](const Group &group, unsigned i) -> llvm::FailureOr<Tensor> {
    if (group.size() != static_cast<int64_t>(op.getSplitCount()))
      return call.fail("splits into " + llvm::Twine(op.getSplitCount()) + " parts for a group of " +
                       llvm::Twine(group.size()));
    std::vector<Tensor> parts;
    for (int64_t member = 0; member < group.size(); ++member) {
      llvm::FailureOr<Tensor> part = partOf(call, group.operand(member, i),
                                            static_cast<int64_t>(op.getSplitDimension()), group.size(), group.place);
      if (llvm::failed(part))
        return part;
      parts.push_back(*std::move(part));
    }
    return joined(call, parts, static_cast<int64_t>(op.getConcatDimension()));
  });
}
LogicalResult evaluate(stablehlo::CrossReplicaSumOp op, Invocation &call) {
  return giveOfGroup(call, [&](const Group &group, unsigned i) -> llvm::FailureOr<Tensor> {
    MaybeKernel add = kernels::add(group.operand(0, i).elementType());
    if (!add)
      return call.fail("cannot add elements of this type");
    return reduced(call, group, i,
                   [&](Scalar a, Scalar b) -> llvm::FailureOr<Scalar> { return (*add)(std::array{a, b}.data()); });
  });
}
// The specification does not have it; what it means for several processes is not known.
LogicalResult evaluate(stablehlo::CollectiveReduceOp, Invocation &call) {
  return giveOfGroup(call, [&](const Group &group, unsigned i) -> llvm::FailureOr<Tensor> {
    if (group.size() != 1)
      return call.fail("is not supported between several processes", StatusCode::kUnimplemented);
    return group.operand(0, i);
  });
}
LogicalResult evaluate(stablehlo::CollectiveBroadcastOp op, Invocation &call) { return giveSource(call); }
LogicalResult evaluate(stablehlo::CollectivePermuteOp op, Invocation &call) { return giveSource(call); }

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
