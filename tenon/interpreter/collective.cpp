// Collectives and communication of one process of a grid. What other processes give comes through Options::exchange.
#include "tenon/interpreter/element_function.h"
#include "tenon/interpreter/ops.h"
#include "tenon/interpreter/permute.h"
#include "tenon/interpreter/promote.h"
#include "tenon/ir/permutation.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"

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

// No group where a collective leaves this process out.
llvm::FailureOr<std::optional<Group>> groupIfAny(Invocation &call) {
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
    return std::optional(Group{self - members.begin(), *std::move(given)});
  }
  return std::optional<Group>();
}

llvm::FailureOr<Group> groupOf(Invocation &call) {
  llvm::FailureOr<std::optional<Group>> group = groupIfAny(call);
  if (llvm::failed(group))
    return llvm::failure();
  if (!*group)
    return call.fail("has no group with this process");
  return **std::move(group);
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

// Takes the arrays of all members together, element by element, as elements of this type: in the members' order, as a
// balanced tree of pairs, pairs of pairs, and so on.
using Combine = llvm::function_ref<llvm::FailureOr<Scalar>(Scalar, Scalar)>;
llvm::FailureOr<Tensor> reduced(Invocation &call, const Group &group, unsigned operand, mlir::Type element,
                                Combine combine) {
  std::vector<Tensor> partial;
  for (int64_t member = 0; member < group.size(); ++member) {
    llvm::FailureOr<Tensor> own = promoted(call, group.operand(member, operand), element);
    if (llvm::failed(own))
      return own;
    if (member > 0 && own->shape() != partial.front().shape())
      return call.fail("processes give arrays of different shapes");
    partial.push_back(*std::move(own));
  }
  for (size_t distance = 1; distance < partial.size(); distance *= 2)
    for (size_t at = 0; at + distance < partial.size(); at += 2 * distance)
      for (int64_t i = 0; i < partial[at].size(); ++i) {
        llvm::FailureOr<Scalar> value = combine(partial[at].get(i), partial[at + distance].get(i));
        if (llvm::failed(value))
          return llvm::failure();
        partial[at].set(i, *value);
      }
  return partial.front();
}

llvm::FailureOr<Tensor> reduced(Invocation &call, const Group &group, unsigned operand, mlir::Region &computation) {
  ElementFunction body(computation, call);
  if (llvm::failed(body.check(2, 1)))
    return llvm::failure();
  mlir::Type element = llvm::cast<mlir::RankedTensorType>(computation.getArgument(0).getType()).getElementType();
  return reduced(call, group, operand, element, [&](Scalar a, Scalar b) -> llvm::FailureOr<Scalar> {
    Scalar value[1];
    if (llvm::failed(body({a, b}, value)))
      return llvm::failure();
    return value[0];
  });
}

// A tensor in the shape of operand i filled with zeros, or with zero points if the type is quantized.
llvm::FailureOr<Tensor> zeros(Invocation &call, unsigned i) {
  llvm::FailureOr<Tensor> result = call.make(call.tensor(i).shape(), call.elementOf(i));
  auto quantized = llvm::dyn_cast<mlir::quant::UniformQuantizedType>(call.elementOf(i));
  if (llvm::succeeded(result))
    for (int64_t at = 0; at < result->size(); ++at)
      result->set(at, quantized ? Scalar::ofInt(std::clamp(quantized.getZeroPoint(), quantized.getStorageTypeMin(),
                                                           quantized.getStorageTypeMax()))
                                : zeroOf(result->elementType()));
  return result;
}

LogicalResult yieldZeros(Invocation &call) {
  for (unsigned i = 0; i < call.op()->getNumResults(); ++i)
    if (llvm::FailureOr<Tensor> result = zeros(call, i); llvm::failed(result) || llvm::failed(call.yield(*result)))
      return llvm::failure();
  return llvm::success();
}

// Gives the operands of this process's source, or zeros without a source. All processes that send or receive meet.
LogicalResult yieldSource(Invocation &call, const StatusOr<ir::ProcessPairs> &pairs) {
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
    return yieldZeros(call);
  auto given = exchange(call, members);
  if (llvm::failed(given))
    return llvm::failure();
  if (source < 0)
    return yieldZeros(call);
  const std::vector<Value> &values = (*given)[llvm::find(members, source) - members.begin()];
  for (unsigned i = 0; i < call.op()->getNumResults(); ++i)
    (void)call.yield(values[i]);
  return llvm::success();
}

// Gives, of each operand, what `combine` makes of the group's.
template <typename Combine> LogicalResult yieldOfGroup(Invocation &call, Combine combine) {
  llvm::FailureOr<Group> group = groupOf(call);
  if (llvm::failed(group))
    return llvm::failure();
  for (unsigned i = 0; i < call.op()->getNumOperands(); ++i) {
    llvm::FailureOr<Tensor> result = combine(*group, i);
    if (llvm::failed(result) || llvm::failed(call.yield(*std::move(result))))
      return llvm::failure();
  }
  return llvm::success();
}

LogicalResult yieldPlace(Invocation &call, int64_t id) {
  return call.yield(Tensor::scalar(call.elementOf(0), Scalar::ofUnsigned(static_cast<uint64_t>(id))));
}

} // namespace

LogicalResult evaluate(stablehlo::ReplicaIdOp, Invocation &call) {
  return yieldPlace(call, gridOf(call).replicaOf(processOf(call)));
}
LogicalResult evaluate(stablehlo::PartitionIdOp, Invocation &call) {
  return yieldPlace(call, gridOf(call).partitionOf(processOf(call)));
}

LogicalResult evaluate(stablehlo::AllGatherOp op, Invocation &call) {
  return yieldOfGroup(call, [&](const Group &group, unsigned i) {
    std::vector<Tensor> parts;
    for (int64_t member = 0; member < group.size(); ++member)
      parts.push_back(group.operand(member, i));
    return joined(call, parts, static_cast<int64_t>(op.getAllGatherDim()));
  });
}
LogicalResult evaluate(stablehlo::AllReduceOp op, Invocation &call) {
  return yieldOfGroup(call,
                      [&](const Group &group, unsigned i) { return reduced(call, group, i, op.getComputation()); });
}
LogicalResult evaluate(stablehlo::ReduceScatterOp op, Invocation &call) {
  return yieldOfGroup(call, [&](const Group &group, unsigned i) -> llvm::FailureOr<Tensor> {
    llvm::FailureOr<Tensor> whole = reduced(call, group, i, op.getComputation());
    if (llvm::failed(whole))
      return whole;
    return partOf(call, *whole, static_cast<int64_t>(op.getScatterDimension()), group.size(), group.place);
  });
}
LogicalResult evaluate(stablehlo::AllToAllOp op, Invocation &call) {
  return yieldOfGroup(call, [&](const Group &group, unsigned i) -> llvm::FailureOr<Tensor> {
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
  return yieldOfGroup(call, [&](const Group &group, unsigned i) -> llvm::FailureOr<Tensor> {
    MaybeKernel add = kernels::add(group.operand(0, i).elementType());
    if (!add)
      return call.fail("cannot add elements of this type");
    return reduced(call, group, i, call.elementOf(i),
                   [&](Scalar a, Scalar b) -> llvm::FailureOr<Scalar> { return (*add)(std::array{a, b}.data()); });
  });
}
// The place in the group of the process that has the i-th array to send, or is to have it: the first, or what the last
// operand says.
static llvm::FailureOr<int64_t> rootOf(Invocation &call, const Group &group, bool hasDynamicRoot, unsigned i) {
  if (!hasDynamicRoot)
    return 0;
  const Tensor &roots = group.operand(group.place, call.op()->getNumOperands() - 1);
  int64_t root = roots.size() == call.op()->getNumResults() ? roots.get(i).i : -1;
  if (root < 0 || root >= group.size())
    return call.fail("a root must be in [0, " + llvm::Twine(group.size()) + "), got " + llvm::Twine(root));
  return root;
}

// Gives, of each array, what `combine` makes of the group's and the root's place. Zeros to who is in no group, and
// where there is nothing.
template <typename Op, typename Combine> static LogicalResult yieldFromRoots(Op op, Invocation &call, Combine combine) {
  llvm::FailureOr<std::optional<Group>> group = groupIfAny(call);
  if (llvm::failed(group))
    return llvm::failure();
  if (!*group)
    return yieldZeros(call);
  for (unsigned i = 0; i < op->getNumResults(); ++i) {
    llvm::FailureOr<int64_t> root = rootOf(call, **group, op.getHasDynamicRoot(), i);
    if (llvm::failed(root))
      return llvm::failure();
    llvm::FailureOr<Tensor> result = combine(**group, i, *root);
    if (llvm::failed(result) || llvm::failed(call.yield(*std::move(result))))
      return llvm::failure();
  }
  return llvm::success();
}

LogicalResult evaluate(stablehlo::CollectiveReduceOp op, Invocation &call) {
  return yieldFromRoots(op, call, [&](const Group &group, unsigned i, int64_t root) -> llvm::FailureOr<Tensor> {
    llvm::FailureOr<Tensor> whole = reduced(call, group, i, op.getComputation());
    return llvm::failed(whole) || root == group.place ? whole : zeros(call, i);
  });
}
LogicalResult evaluate(stablehlo::CollectiveBroadcastOp op, Invocation &call) {
  return yieldFromRoots(op, call, [&](const Group &group, unsigned i, int64_t root) -> llvm::FailureOr<Tensor> {
    return group.operand(root, i);
  });
}
LogicalResult evaluate(stablehlo::CollectivePermuteOp op, Invocation &call) {
  return yieldSource(call, ir::processPairs(op, gridOf(call)));
}
LogicalResult evaluatePermute(stablehlo::CustomCallOp op, Invocation &call) {
  std::optional<ir::GroupPermutation> permutation = ir::readPermutation(op.getBackendConfigAttr());
  if (!permutation || op->getNumOperands() != op->getNumResults())
    return call.fail("must say by axes who sends to whom");
  return yieldSource(call, ir::pairsOf(*permutation, gridOf(call).size()));
}

static LogicalResult transfer(Invocation &call, llvm::ArrayRef<Value> inputs) {
  StatusOr<std::vector<Value>> results = call.evaluator().options().transfer(call.op(), inputs);
  if (!results.ok())
    return call.fail(results.status().message(), results.status().code());
  call.results().append(results->begin(), results->end());
  return call.yield(Token{});
}

// One process can only send to itself: payloads queue by channel.
LogicalResult evaluate(stablehlo::SendOp op, Invocation &call) {
  llvm::ArrayRef<Value> inputs = call.valuesOf(op.getInputs());
  if (call.evaluator().options().transfer)
    return transfer(call, inputs);
  if (op.getIsHostTransfer())
    return call.fail("the interpreter was given no host", StatusCode::kFailedPrecondition);
  call.evaluator().channel(op.getChannelHandle().getHandle()).emplace_back(inputs.begin(), inputs.end());
  return call.yield(Token{});
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
  return call.yield(Token{});
}

LogicalResult evaluate(stablehlo::InfeedOp op, Invocation &call) {
  if (op->getNumResults() == 1) // nothing but the token
    return call.yield(Token{});
  if (!call.evaluator().options().transfer)
    return call.fail("the interpreter was given no infeed", StatusCode::kFailedPrecondition);
  return transfer(call, {});
}
LogicalResult evaluate(stablehlo::OutfeedOp op, Invocation &call) {
  if (op.getInputs().empty())
    return call.yield(Token{});
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

} // namespace tenon::interpreter
