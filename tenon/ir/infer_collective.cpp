// Collectives: rules about replica groups, which are the same for all, and about shapes.
//
// Replica groups partition the processes of a grid of replicas and partitions. How many ids there must be depends on
// the grid, which a module may name (mhlo.num_replicas, mhlo.num_partitions); rules that need it are checked when it
// does. Groups of unequal size are padded with -1, which the specification's text does not provide for, but programs
// use.
#include "mlir/IR/BuiltinOps.h"
#include "tenon/ir/group_axes.h"
#include "tenon/ir/id_count.h"
#include "tenon/ir/infer.h"
#include "tenon/ir/sdy.h"
#include "llvm/ADT/SmallSet.h"

namespace tenon::stablehlo {

namespace {

/// The number of replicas and partitions, where the module says.
struct Grid {
  std::optional<int64_t> replicas, partitions;

  explicit Grid(mlir::Operation *op)
      : replicas(ir::numReplicas(op->getParentOfType<mlir::ModuleOp>())),
        partitions(ir::numPartitions(op->getParentOfType<mlir::ModuleOp>())) {}
  explicit Grid(const ir::ProcessGrid &grid) : replicas(grid.replicas), partitions(grid.partitions) {}

  std::optional<int64_t> processes() const {
    return replicas && partitions ? std::optional(narrow(WideSize(*replicas) * *partitions)) : std::nullopt;
  }
};

using ir::channelId;
using ir::Grouping;

/// A collective's groups, with the numbers of the rules that they are subject to.
struct Groups {
  ShapedType type;
  SmallVector<int64_t> ids;
  Grouping grouping;

  static std::optional<Groups> read(mlir::Operation *op, mlir::Attribute attribute, Grouping grouping) {
    if (auto axes = llvm::dyn_cast<ReplicaGroupMeshAxesAttr>(attribute)) {
      auto rows = ir::meshGroups(op, axes);
      if (!rows.ok() || rows->empty())
        return std::nullopt;
      auto type =
          RankedTensorType::get({static_cast<int64_t>(rows->size()), static_cast<int64_t>(rows->front().size())},
                                mlir::IntegerType::get(op->getContext(), 64));
      SmallVector<int64_t> ids;
      for (const auto &row : *rows)
        llvm::append_range(ids, row);
      return Groups{type, ids, grouping};
    }
    auto elements = llvm::dyn_cast<mlir::DenseIntElementsAttr>(attribute);
    if (!elements || elements.getType().getRank() != 2)
      return std::nullopt;
    return Groups{elements.getType(), llvm::to_vector(elements.getValues<int64_t>()), grouping};
  }

  /// The ids without padding.
  SmallVector<int64_t> members() const {
    return llvm::to_vector(llvm::make_filter_range(ids, [](int64_t id) { return id != -1; }));
  }

  std::optional<int64_t> expectedIds(const Grid &grid) const {
    return ir::idCount(grouping, grid.replicas, grid.partitions, grid.processes());
  }

  /// How many processes a group has; unknown for groups of all processes of an unknown grid.
  std::optional<int64_t> groupSize(const Grid &grid) const {
    std::optional<int64_t> size = ids.empty() ? expectedIds(grid) : std::optional(type.getDimSize(1));
    if (grouping != Grouping::CrossReplicaAndPartition)
      return size;
    return size && grid.partitions ? std::optional(narrow(WideSize(*size) * *grid.partitions)) : std::nullopt;
  }

  LogicalResult check(const Rules &r, const Grid &grid, int uniqueRule, int sizeRule, int rangeRule) const {
    SmallVector<int64_t> used = members();
    if (failed(checkUnique(r, uniqueRule, "replica_groups", used)))
      return failure();
    if (used.empty()) // One group of all.
      return success();
    if (failed(checkInRange(r, rangeRule, "replica_groups", used, used.size())))
      return failure();
    std::optional<int64_t> expected = expectedIds(grid);
    if (sizeRule && expected && *expected != static_cast<int64_t>(used.size()))
      return r.broken(sizeRule) << "replica_groups must have " << *expected << " ids in this module, got "
                                << used.size();
    return success();
  }
};

} // namespace

/// The grouping of all_gather, all_reduce and reduce_scatter.
static FailureOr<Grouping> threeWayGrouping(const Rules &r, int rule, std::optional<ChannelHandleAttr> channel,
                                            bool useGlobalDeviceIds) {
  if (useGlobalDeviceIds && channelId(channel) <= 0)
    return r.broken(rule) << "channel_id must be > 0 when use_global_device_ids is set, got " << channelId(channel);
  return ir::threeWayGrouping(channelId(channel), useGlobalDeviceIds);
}

static LogicalResult checkReplicaGroups(const Rules &r, StringRef row, mlir::Operation *op, mlir::Attribute groups) {
  if (auto meshAxes = llvm::dyn_cast<ReplicaGroupMeshAxesAttr>(groups)) {
    Status status = ir::meshGroups(op, meshAxes).status();
    return status.ok() ? success() : LogicalResult(r.broken(r.mnemonic()) << status.message());
  }
  auto elements = llvm::dyn_cast<mlir::DenseIntElementsAttr>(groups);
  if (!elements || elements.getType().getRank() == 2)
    return success();
  return r.broken(r.mnemonic() + row) << "replica_groups must be 2-dimensional, got " << elements.getType();
}

static LogicalResult checkDimension(const Rules &r, int rule, Name name, int64_t dimension, ValueRange operands) {
  for (Value operand : operands)
    if (failed(checkInRange(r, rule, name, dimension, tensor(operand).getRank())))
      return failure();
  return success();
}

/// `(tensor<E>, tensor<E>) -> tensor<E>`, where each operand is promotable to E. Gives the operands' types with
/// elements E.
static FailureOr<SmallVector<Type>> checkComputation(const Rules &r, int rule, mlir::Region &region,
                                                     ValueRange operands) {
  SmallVector<Type> types;
  for (Value operand : operands) {
    FailureOr<SmallVector<Type>> elements = checkReducer(r, rule, "computation", region, operand);
    if (failed(elements))
      return failure();
    types.push_back(tensor(operand).clone(elements->front()));
  }
  return types;
}

/// The data of a collective: its operands except the last one if that has the roots (has_dynamic_root).
template <typename Op> static auto dataOf(Op op) {
  auto operands = op.getOperands();
  return operands.drop_back(op.getHasDynamicRoot() && !operands.empty() ? 1 : 0);
}

/// There is data, and with a dynamic root one i32 for each array of it.
template <typename Op> static LogicalResult checkRoots(const Rules &r, int rule, int dynamicRule, Op op) {
  auto count = static_cast<int64_t>(dataOf(op).size());
  if (count == 0)
    return r.broken(op.getHasDynamicRoot() ? dynamicRule : rule)
           << "there must be at least one operand" << (op.getHasDynamicRoot() ? " beside the roots" : "")
           << ", got none";
  if (!op.getHasDynamicRoot())
    return success();
  RankedTensorType roots = tensor(op.getOperands().back());
  if (roots.getRank() == 1 && roots.getElementType().isSignlessInteger(32) && compatible(roots.getDimSize(0), count))
    return success();
  return r.broken(dynamicRule) << "the last operand must have a root for each other one, of type "
                               << RankedTensorType::get({count}, mlir::IntegerType::get(roots.getContext(), 32))
                               << ", got " << roots;
}

//===- Ids -------------------------------------------------------------------------------------------------------===//

#define TENON_GIVES_ID(Op)                                                                                             \
  LogicalResult Op::inferReturnTypes(mlir::MLIRContext *context, std::optional<mlir::Location>, Adaptor,               \
                                     SmallVectorImpl<Type> &types) {                                                   \
    types.push_back(scalarOf(mlir::IntegerType::get(context, 32, mlir::IntegerType::Unsigned)));                       \
    return success();                                                                                                  \
  }                                                                                                                    \
  LogicalResult Op::verify() {                                                                                         \
    if (getType().getRank() == 0)                                                                                      \
      return success();                                                                                                \
    return emitOpError() << "result must be a 0-dimensional tensor, got " << getType();                                \
  }

TENON_GIVES_ID(PartitionIdOp)
TENON_GIVES_ID(ReplicaIdOp)

//===- all_gather and reduce_scatter -----------------------------------------------------------------------------===//

/// The type of the gathered array: the whole group's size in the dimension, dynamic where that isn't known.
static RankedTensorType gathered(RankedTensorType type, int64_t dimension, std::optional<int64_t> groupSize) {
  SmallVector<int64_t> shape(type.getShape());
  int64_t &size = shape[dimension];
  size = groupSize && !ShapedType::isDynamic(size) ? narrow(WideSize(size) * *groupSize) : ShapedType::kDynamic;
  return makeTensor(shape, type.getElementType());
}

/// A part for each of the group in the dimension; dynamic where that isn't known.
static FailureOr<RankedTensorType> scattered(RankedTensorType type, int64_t dimension,
                                             std::optional<int64_t> groupSize) {
  SmallVector<int64_t> shape(type.getShape());
  int64_t &size = shape[dimension];
  bool isKnown = groupSize && *groupSize > 0 && !ShapedType::isDynamic(size);
  if (isKnown && size % *groupSize != 0)
    return failure();
  size = isKnown ? size / *groupSize : ShapedType::kDynamic;
  return makeTensor(shape, type.getElementType());
}

/// How many processes each group of this grid has.
static std::optional<int64_t> groupSizeIn(mlir::Operation *op, const ir::ProcessGrid &grid, mlir::Attribute groups,
                                          std::optional<ChannelHandleAttr> channel, bool useGlobalDeviceIds) {
  std::optional<Groups> read = Groups::read(op, groups, ir::threeWayGrouping(channelId(channel), useGlobalDeviceIds));
  return read ? read->groupSize(Grid(grid)) : std::nullopt;
}

SmallVector<RankedTensorType> gatheredTypes(AllGatherOp op, const ir::ProcessGrid &grid) {
  std::optional<int64_t> count =
      groupSizeIn(op, grid, op.getReplicaGroups(), op.getChannelHandle(), op.getUseGlobalDeviceIds());
  return llvm::map_to_vector(op.getOperands(), [&](Value operand) {
    return gathered(tensor(operand), static_cast<int64_t>(op.getAllGatherDim()), count);
  });
}

FailureOr<RankedTensorType> scatteredType(ReduceScatterOp op, const ir::ProcessGrid &grid) {
  std::optional<int64_t> count =
      groupSizeIn(op, grid, op.getReplicaGroups(), op.getChannelHandle(), op.getUseGlobalDeviceIds());
  Type element = computationElements(op.getComputation(), op.getOperand()).front();
  return scattered(tensor(op.getOperand()).clone(element), static_cast<int64_t>(op.getScatterDimension()), count);
}

LogicalResult AllGatherOp::verify() {
  Rules r(*this);
  Grid grid(*this);
  int64_t dimension = getAllGatherDim();
  if (failed(checkReplicaGroups(r, "_i3", *this, getReplicaGroups())) ||
      failed(checkDimension(r, 1, "all_gather_dim", dimension, getOperands())))
    return failure();
  auto grouping = threeWayGrouping(r, 5, getChannelHandle(), getUseGlobalDeviceIds());
  if (failed(grouping))
    return failure();
  std::optional<Groups> groups = Groups::read(*this, getReplicaGroups(), *grouping);
  if (groups && failed(groups->check(r, grid, 2, 3, 4)))
    return failure();

  // The size may be another multiple than the group's size: old artifacts have such programs, and StableHLO reads them.
  // None of them can be run (ir::whyWithoutMeaning).
  SmallVector<Type> expected;
  for (auto [i, operand] : llvm::enumerate(getOperands())) {
    SmallVector<int64_t> shape(tensor(operand).getShape());
    int64_t size = std::exchange(shape[dimension], ShapedType::kDynamic);
    if (size == 0)
      return r.broken("all_gather_c6") << "operand " << i << " must not be empty in dimension " << dimension;
    expected.push_back(makeTensor(shape, tensor(operand).getElementType()));
  }
  if (failed(checkResults(r, *this, expected, 6, 6)))
    return failure();
  for (auto [operand, result] : llvm::zip_equal(getOperands(), getResults())) {
    int64_t size = tensor(operand).getDimSize(dimension), gathered = tensor(result).getDimSize(dimension);
    if (!ShapedType::isDynamic(size) && !ShapedType::isDynamic(gathered) && gathered % size != 0)
      return r.broken("all_gather_c6") << "the size of dimension " << dimension
                                       << " must be a multiple of the operand's " << size << ", got " << gathered;
  }
  return checkSameScale(r, *this, 6);
}

/// The number of processes of a group, if it is known and the result's size implies another.
std::optional<int64_t> missingGroupSize(AllGatherOp op) {
  Grouping grouping = ir::threeWayGrouping(channelId(op.getChannelHandle()), op.getUseGlobalDeviceIds());
  std::optional<Groups> groups = Groups::read(op, op.getReplicaGroups(), grouping);
  std::optional<int64_t> count = groups ? groups->groupSize(Grid(op)) : std::nullopt;
  auto dimension = static_cast<int64_t>(op.getAllGatherDim());
  for (auto [operand, result] : llvm::zip_equal(op.getOperands(), op.getResults())) {
    int64_t size = tensor(operand).getDimSize(dimension), gathered = tensor(result).getDimSize(dimension);
    if (count && !ShapedType::isDynamic(size) && !ShapedType::isDynamic(gathered) &&
        WideSize(size) * *count != gathered)
      return count;
  }
  return std::nullopt;
}

LogicalResult ReduceScatterOp::verify() {
  Rules r(*this);
  Grid grid(*this);
  RankedTensorType type = tensor(getOperand());
  int64_t dimension = getScatterDimension();
  if (failed(checkReplicaGroups(r, "_i3", *this, getReplicaGroups())) ||
      failed(checkDimension(r, 2, "scatter_dimension", dimension, getOperand())))
    return failure();
  auto grouping = threeWayGrouping(r, 6, getChannelHandle(), getUseGlobalDeviceIds());
  if (failed(grouping))
    return failure();
  std::optional<Groups> groups = Groups::read(*this, getReplicaGroups(), *grouping);
  if (groups && failed(groups->check(r, grid, 3, 4, 5)))
    return failure();
  FailureOr<SmallVector<Type>> computed = checkComputation(r, 7, getComputation(), getOperand());
  if (failed(computed))
    return failure();

  std::optional<int64_t> count = groups ? groups->groupSize(grid) : std::nullopt;
  FailureOr<RankedTensorType> expected = scattered(tensor(computed->front()), dimension, count);
  if (failed(expected))
    return r.broken("reduce_scatter_c1") << "the operand's dimension " << dimension
                                         << " must be a multiple of the group size " << *count << ", got "
                                         << type.getDimSize(dimension);
  return checkResults(r, *this, Type(*expected), 8, 8);
}

//===- all_reduce and its like -----------------------------------------------------------------------------------===//

#define TENON_RESULTS_ARE_OPERANDS(Op)                                                                                 \
  LogicalResult Op::inferReturnTypes(mlir::MLIRContext *, std::optional<mlir::Location>, Adaptor op,                   \
                                     SmallVectorImpl<Type> &types) {                                                   \
    llvm::append_range(types, op.getOperands().getTypes());                                                            \
    return success();                                                                                                  \
  }

TENON_RESULTS_ARE_OPERANDS(CollectivePermuteOp)
TENON_RESULTS_ARE_OPERANDS(CrossReplicaSumOp)

/// Appends the types of the operands with the element types that the computation has for them.
static void pushComputedTypes(mlir::Region &computation, ValueRange operands, SmallVectorImpl<Type> &types) {
  for (Value operand : operands)
    types.push_back(tensor(operand).clone(computationElements(computation, operand).front()));
}

LogicalResult AllReduceOp::inferReturnTypes(mlir::MLIRContext *, std::optional<mlir::Location>, Adaptor op,
                                            SmallVectorImpl<Type> &types) {
  pushComputedTypes(op.getComputation(), op.getOperands(), types);
  return success();
}

LogicalResult CollectiveReduceOp::inferReturnTypes(mlir::MLIRContext *, std::optional<mlir::Location>, Adaptor op,
                                                   SmallVectorImpl<Type> &types) {
  pushComputedTypes(op.getComputation(), dataOf(op), types);
  return success();
}

LogicalResult CollectiveBroadcastOp::inferReturnTypes(mlir::MLIRContext *, std::optional<mlir::Location>, Adaptor op,
                                                      SmallVectorImpl<Type> &types) {
  llvm::append_range(types, dataOf(op).getTypes());
  return success();
}

static LogicalResult checkSameTypes(const Rules &r, mlir::Operation *op, int rule) {
  return checkResults(r, op, SmallVector<Type>(op->getOperandTypes()), rule, rule);
}

LogicalResult AllReduceOp::verify() {
  Rules r(*this);
  if (failed(checkReplicaGroups(r, "_i2", *this, getReplicaGroups())))
    return failure();
  auto grouping = threeWayGrouping(r, 4, getChannelHandle(), getUseGlobalDeviceIds());
  if (failed(grouping))
    return failure();
  std::optional<Groups> groups = Groups::read(*this, getReplicaGroups(), *grouping);
  if (groups && failed(groups->check(r, Grid(*this), 1, 2, 3)))
    return failure();
  FailureOr<SmallVector<Type>> expected = checkComputation(r, 5, getComputation(), getOperands());
  return failed(expected) ? failure() : checkResults(r, *this, *expected, 7, 6);
}

LogicalResult CollectiveReduceOp::verify() {
  Rules r(*this);
  if (failed(checkReplicaGroups(r, "_i2", *this, getReplicaGroups())) ||
      failed(threeWayGrouping(r, 4, getChannelHandle(), getUseGlobalDeviceIds())))
    return failure();
  std::optional<Groups> groups = Groups::read(*this, getReplicaGroups(), Grouping::CrossReplica);
  if ((groups && failed(checkUnique(r, 1, "replica_groups", groups->members()))) || failed(checkRoots(r, 3, 3, *this)))
    return failure();
  FailureOr<SmallVector<Type>> expected = checkComputation(r, 4, getComputation(), dataOf(*this));
  return failed(expected) ? failure() : checkResults(r, *this, *expected, 4, 3);
}

LogicalResult CollectiveBroadcastOp::verify() {
  Rules r(*this);
  if (failed(checkReplicaGroups(r, "_i2", *this, getReplicaGroups())))
    return failure();
  std::optional<Groups> groups = Groups::read(*this, getReplicaGroups(), Grouping::CrossReplica);
  if ((groups && failed(checkUnique(r, 1, "replica_groups", groups->members()))) || failed(checkRoots(r, 3, 4, *this)))
    return failure();
  SmallVector<Type> expected(dataOf(*this).getTypes());
  if (failed(checkResults(r, *this, expected, 3, 3)))
    return failure();
  return checkSameScale(r, *this, 3);
}

LogicalResult CrossReplicaSumOp::verify() { return checkSameTypes(Rules(*this), *this, 1); }

LogicalResult CollectivePermuteOp::verify() {
  Rules r(*this);
  Grid grid(*this);
  auto pairs = getSourceTargetPairs();
  ShapedType type = pairs.getType();
  if (type.getRank() != 2 || type.getDimSize(1) != 2)
    return r.broken("collective_permute_c1") << "source_target_pairs must have shape [?, 2], got " << type.getShape();
  SmallVector<int64_t> columns[2];
  for (auto [i, id] : llvm::enumerate(pairs.getValues<int64_t>()))
    columns[i % 2].push_back(id);
  if (failed(checkUnique(r, 2, "sources", columns[0])) || failed(checkUnique(r, 3, "targets", columns[1])))
    return failure();
  std::optional<int64_t> end = channelId(getChannelHandle()) > 0 ? grid.partitions : grid.replicas;
  for (ArrayRef<int64_t> column : columns)
    if (failed(checkInRange(r, 4, "source_target_pairs", column, end.value_or(std::numeric_limits<int64_t>::max()))))
      return failure();
  if (failed(checkSameTypes(r, *this, 5)))
    return failure();
  return checkSameScale(r, *this, 5);
}

//===- all_to_all ------------------------------------------------------------------------------------------------===//

static LogicalResult infer(const Rules &r, AllToAllOp::Adaptor op, SmallVectorImpl<Type> &types) {
  int64_t split = op.getSplitDimension(), concat = op.getConcatDimension(), count = op.getSplitCount();
  if (failed(checkDimension(r, 1, "split_dimension", split, op.getOperands())) ||
      failed(checkDimension(r, 3, "concat_dimension", concat, op.getOperands())))
    return failure();
  if (count <= 0)
    return r.broken("all_to_all_c4") << "split_count must be > 0, got " << count;
  for (Value operand : op.getOperands()) {
    SmallVector<int64_t> shape(tensor(operand).getShape());
    if (!ShapedType::isDynamic(shape[split]) && shape[split] % count != 0)
      return r.broken("all_to_all_c2") << "the operand's dimension " << split << " must be a multiple of split_count "
                                       << count << ", got " << shape[split];
    // Equal dimensions are split and put together again: the sizes stay.
    if (split != concat) {
      if (!ShapedType::isDynamic(shape[split]))
        shape[split] /= count;
      if (!ShapedType::isDynamic(shape[concat]))
        shape[concat] = narrow(WideSize(shape[concat]) * count);
    }
    types.push_back(makeTensor(shape, tensor(operand).getElementType()));
  }
  return success();
}

LogicalResult AllToAllOp::inferReturnTypes(mlir::MLIRContext *, std::optional<mlir::Location> location, Adaptor adaptor,
                                           SmallVectorImpl<Type> &types) {
  return infer(Rules(location, getOperationName()), adaptor, types);
}

LogicalResult AllToAllOp::verify() {
  Rules r(*this);
  SmallVector<Type> types;
  if (failed(checkReplicaGroups(r, "_i5", *this, getReplicaGroups())) || failed(infer(r, Adaptor(*this), types)))
    return failure();
  Grouping grouping = ir::twoWayGrouping(channelId(getChannelHandle()));
  std::optional<Groups> groups = Groups::read(*this, getReplicaGroups(), grouping);
  if (groups && failed(groups->check(r, Grid(*this), 5, 6, 7)))
    return failure();
  auto count = static_cast<int64_t>(getSplitCount());
  if (groups && groups->ids.empty())
    return r.broken("all_to_all") << "replica_groups must be groups of split_count " << count << ", got none";
  if (groups && groups->type.getDimSize(1) != count)
    return r.broken("all_to_all") << "replica_groups must be groups of split_count " << count << ", got groups of "
                                  << groups->type.getDimSize(1);
  return checkResults(r, *this, types, 8, 8);
}

//===- Asynchronous operation ------------------------------------------------------------------------------------===//

LogicalResult AsyncStartOp::inferReturnTypes(mlir::MLIRContext *context, std::optional<mlir::Location>, Adaptor op,
                                             SmallVectorImpl<Type> &types) {
  types.push_back(FutureType::get(context, SmallVector<Type>(returnedTypes(op.getBody()))));
  return success();
}

LogicalResult checkBegun(AsyncStartOp op) {
  mlir::Block &block = op.getBody().front();
  // A body that only returns does nothing: main's futures are begun so (frontend/import/flatten_main.cpp).
  if (llvm::hasSingleElement(block))
    return success();
  if (llvm::hasNItems(block, 2) &&
      llvm::isa<AllGatherOp, AllReduceOp, AllToAllOp, CollectiveBroadcastOp, CollectivePermuteOp, CollectiveReduceOp,
                DynamicSliceOp, DynamicUpdateSliceOp, ReduceScatterOp, SliceOp>(block.front()))
    return success();
  return Rules(op).broken("async_start") << "body must be one collective, slice, dynamic_slice or "
                                            "dynamic_update_slice, and a return";
}

LogicalResult AsyncStartOp::verify() {
  Rules r(*this);
  SmallVector<Type> results(getType().getTypes());
  return checkBody(r, 1, "body", getBody(), SmallVector<Type>(getOperands().getTypes()), results);
}

LogicalResult AsyncDoneOp::inferReturnTypes(mlir::MLIRContext *, std::optional<mlir::Location>, Adaptor op,
                                            SmallVectorImpl<Type> &types) {
  llvm::append_range(types, llvm::cast<FutureType>(op.getOperand().getType()).getTypes());
  return success();
}

LogicalResult AsyncDoneOp::verify() {
  return checkResults(Rules(*this), *this, getOperand().getType().getTypes(), 1, 1);
}

} // namespace tenon::stablehlo
