// Collectives of a grid of several processes: what moves between processes is left to the runtime
// (runtime/collectives/collectives.h), and everything else is ordinary ops, which fuse as such.
//
//   all_gather(x : T[4,2], dimension 1) over groups of 3
//     =>  s = tenon.gather_group(x) : T[3,4,2];  reshape(transpose(s))
//     or, of rows that are worth a copy each, tenon.gather_group(x) {dimension = 1} : T[4,6]
//
// Arrays that one op moves are moved in one meeting of the processes. all_reduce and reduce_scatter stay as they are:
// the runtime applies their computation, wherever the arrays of the other processes lie, or they are expanded later
// (group_reductions.cpp). Others that reduce become these.

#include "tenon/ir/group_axes.h"
#include "tenon/ir/tenon.h"
#include "tenon/ir/types.h"
#include "tenon/passes/legalize/decompose/patterns.h"
#include "tenon/passes/legalize/spmd/group_builder.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {
namespace {

using ir::typeOf;

// Whether the collective is for here: of a grid, of arrays of known sizes, and not in a computation.
bool isExpandable(Operation *op) {
  return isSpmd(op) && !isInComputation(op) &&
         llvm::all_of(op->getOperandTypes(), [](Type type) { return cast<ShapedType>(type).hasStaticShape(); });
}

// Whether the groups, which are those of a collective, are of the sizes that it is for.
bool fits(Operation *op, const GroupBuilder &builder) {
  if (auto split = dyn_cast<sh::AllToAllOp>(op); split && static_cast<int64_t>(split.getSplitCount()) != builder.size())
    return false;
  return isa<sh::CrossReplicaSumOp>(op) || builder.areEqual();
}

// A pattern of `Op` with groups; `build` gives what takes the place of the results.
template <typename Op> struct GroupPattern : OpRewritePattern<Op> {
  using Build = SmallVector<Value> (*)(GroupBuilder &, Op);
  GroupPattern(MLIRContext *context, Build build) : OpRewritePattern<Op>(context), build(build) {}

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    if (!isExpandable(op))
      return failure();
    StatusOr<ir::ProcessGroups> groups = ir::processGroups(op, ir::processGrid(op));
    if (!groups.ok()) // verifyCompilable says why
      return failure();
    GroupBuilder builder(rewriter, op, *std::move(groups));
    if (!fits(op, builder))
      return failure();
    rewriter.replaceOp(op, build(builder, op));
    return success();
  }

  Build build;
};

SmallVector<Value> sum(GroupBuilder &builder, sh::CrossReplicaSumOp op) {
  auto scalar = RankedTensorType::get({}, typeOf(op.getOperand()).getElementType());
  Region computation;
  Block &body = computation.emplaceBlock();
  body.addArguments({scalar, scalar}, {op.getLoc(), op.getLoc()});
  OpBuilder inner(op.getContext());
  inner.setInsertionPointToEnd(&body);
  Value sum = sh::AddOp::create(inner, op.getLoc(), body.getArgument(0), body.getArgument(1));
  sh::ReturnOp::create(inner, op.getLoc(), sum);
  return builder.allReduce(op.getOperand(), computation);
}
// Whether what lies together of a gathered array along a dimension and those behind it is worth being copied as the
// pieces that processes have of it: of less, a loop over all elements is faster. It is the same for all sizes of
// groups.
bool areRowsLong(RankedTensorType gathered, int64_t dimension) {
  constexpr int64_t kBytes = 512;
  int64_t rows = 1;
  for (int64_t size : gathered.getShape().take_front(dimension))
    rows *= size;
  return rows == 1 || (rows > 1 && ir::storedBytes(gathered) / rows >= kBytes);
}
SmallVector<Value> allGather(GroupBuilder &builder, sh::AllGatherOp op) {
  auto dimension = static_cast<int64_t>(op.getAllGatherDim());
  if (llvm::all_of(op->getResults(), [&](Value result) { return areRowsLong(typeOf(result), dimension); }))
    return builder.gatherAlong(op.getOperands(), dimension);
  SmallVector<Value> results;
  for (Value stacked : builder.gather(op.getOperands()))
    results.push_back(builder.join(stacked, op.getAllGatherDim()));
  return results;
}
SmallVector<Value> allToAll(GroupBuilder &builder, sh::AllToAllOp op) {
  SmallVector<Value> parts, results;
  for (Value operand : op.getOperands())
    parts.push_back(builder.split(operand, op.getSplitDimension()));
  for (Value stacked : builder.exchange(parts))
    results.push_back(builder.join(stacked, op.getConcatDimension()));
  return results;
}

// collective_permute, and collective_broadcast from each group's first process.
template <typename Op> struct PairsPattern : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    if (!isExpandable(op) || op->hasAttr("has_dynamic_root"))
      return failure();
    StatusOr<ir::ProcessPairs> pairs = ir::processPairs(op, ir::processGrid(op));
    if (!pairs.ok()) // verifyCompilable says why
      return failure();
    GroupBuilder builder(rewriter, op);
    if (pairs->empty()) {
      SmallVector<Value> nothing;
      for (unsigned i = 0; i < op->getNumResults(); ++i)
        nothing.push_back(nothingOf(rewriter, op, i));
      rewriter.replaceOp(op, nothing);
      return success();
    }
    // Processes that nobody sends to receive zeros. The value they must have instead is subtracted before the exchange
    // and added after it, or, of types without zero, put in its place.
    SmallVector<Value> given(op->getOperands()), nothing(op->getNumResults());
    for (auto [i, operand] : llvm::enumerate(given)) {
      if (hasNoZero(operand) || op->hasAttr(ir::kZeroPointsAttribute))
        nothing[i] = nothingOf(rewriter, op, i);
      if (nothing[i] && !hasNoZero(operand))
        operand = builder.subtract(operand, nothing[i]);
    }
    SmallVector<Value> results = builder.permute(given, *pairs);
    for (auto [sent, other] : llvm::zip_equal(results, nothing))
      if (other)
        sent = hasNoZero(sent) ? orNothing(builder, sent, other, *pairs) : builder.add(sent, other);
    rewriter.replaceOp(op, results);
    return success();
  }

private:
  static bool hasNoZero(Value value) { return isa<Float8E8M0FNUType>(typeOf(value).getElementType()); }

  // The array that this process is sent, or the other for a process that nobody sends to.
  static Value orNothing(GroupBuilder &builder, Value sent, Value nothing, const ir::ProcessPairs &pairs) {
    ir::ProcessGroups targets(1);
    for (auto [source, target] : pairs)
      targets.front().push_back(target);
    Value isTarget = builder.compare(builder.placeIn(targets), sh::ComparisonDirection::GE, builder.i32(0));
    return builder.select(builder.broadcast(isTarget, typeOf(sent).getShape(), {}), sent, nothing);
  }
};

// All processes meet: those that are in no group as groups of their own.
ir::ProcessGroups completed(ir::ProcessGroups groups, const ir::ProcessGrid &grid) {
  llvm::DenseSet<int64_t> named;
  for (const auto &group : groups)
    named.insert(group.begin(), group.end());
  for (int64_t process = 0; process < grid.size(); ++process)
    if (!named.contains(process))
      groups.push_back({process});
  return groups;
}

// collective_reduce to, and collective_broadcast from, the process of each group that is its root. Everybody else, and
// who is in no group, has nothing.
template <typename Op> struct RootedGroupPattern : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    constexpr bool isReduce = std::is_same_v<Op, sh::CollectiveReduceOp>;
    if (!isExpandable(op) || (!isReduce && !op.getHasDynamicRoot()))
      return failure();
    StatusOr<ir::ProcessGroups> groups = ir::processGroups(op, ir::processGrid(op));
    if (!groups.ok()) // verifyCompilable says why
      return failure();
    GroupBuilder builder(rewriter, op, completed(*groups, ir::processGrid(op)));
    using enum sh::ComparisonDirection;
    Value place = builder.placeIn(*groups), zero = builder.i32(0), isOutside = builder.compare(place, LT, zero);
    ValueRange data = op->getOperands().take_front(op->getNumResults());
    SmallVector<Value> results;
    if constexpr (isReduce)
      results = llvm::to_vector(builder.allReduce(data, op.getComputation()));
    else
      results = builder.gather(data);
    for (unsigned i = 0; i < op->getNumResults(); ++i) {
      Value nothing = nothingOf(rewriter, op, i), &result = results[i];
      Value root = op.getHasDynamicRoot() ? checkedRoot(rewriter, op, i, builder.groupSize(), isOutside) : zero;
      ArrayRef<int64_t> sizes = typeOf(op->getOperand(i)).getShape();
      if constexpr (isReduce) {
        Value isRoot = builder.compare(place, EQ, root);
        result = builder.select(builder.broadcast(isRoot, sizes, {}), result, nothing);
      } else {
        result = builder.reshape(builder.line(result, 0, root), sizes);
        result = builder.select(builder.broadcast(isOutside, sizes, {}), nothing, result);
      }
    }
    rewriter.replaceOp(op, results);
    return success();
  }
};

// JAX's, which no dialect has as an op.
struct RaggedAllToAllPattern : OpRewritePattern<sh::CustomCallOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(sh::CustomCallOp op, PatternRewriter &rewriter) const override {
    if (op.getCallTargetName() != "ragged_all_to_all" || op->getNumOperands() != 6 || op->getNumResults() != 1 ||
        !(isSingleProcess(op) || isSpmd(op)) || isInComputation(op))
      return failure();
    StatusOr<ir::ProcessGroups> groups = ir::processGroups(op, ir::processGrid(op));
    if (!groups.ok()) // stays a target that nobody knows
      return failure();
    GroupBuilder builder(rewriter, op, *std::move(groups));
    rewriter.replaceOp(op, builder.exchangeRows(op->getOperands(), op->getResult(0).getType()));
    return success();
  }
};

// Gives an op that stays groups by axes of the grid, where there are such: these take the same room in the program,
// however many processes there are.
template <typename Op> struct AxesPattern : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    auto given = dyn_cast<sh::ReplicaGroupMeshAxesAttr>(op.getReplicaGroups());
    bool isNormal = given && isa<sh::MeshAttr>(given.getMesh()) && op.getUseGlobalDeviceIds();
    if (isNormal || !isService(op))
      return failure();
    ir::ProcessGrid grid = ir::processGrid(op);
    auto axes = ir::meshAxes(op.getContext(), *ir::processGroups(op, grid), grid.size());
    if (!axes)
      return failure();
    rewriter.modifyOpInPlace(op, [&] {
      op.setReplicaGroupsAttr(*axes);
      op.setChannelHandleAttr(anyChannel(op.getContext()));
      op.setUseGlobalDeviceIds(true);
    });
    return success();
  }
};

template <typename Op> struct PlacePattern : OpRewritePattern<Op> {
  PlacePattern(MLIRContext *context, StringRef target) : OpRewritePattern<Op>(context), target(target) {}

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    if (!isSpmd(op))
      return failure();
    GroupBuilder builder(rewriter, op);
    rewriter.replaceOp(op, builder.place(target, op.getType()));
    return success();
  }

  StringRef target;
};

} // namespace

bool isService(Operation *op) {
  if (!isa<sh::AllReduceOp, sh::ReduceScatterOp>(op) || !isExpandable(op))
    return false;
  StatusOr<ir::ProcessGroups> groups = ir::processGroups(op, ir::processGrid(op));
  auto hasSizeOfFirst = [&](const auto &group) { return group.size() == groups->front().size(); };
  return groups.ok() && (isa<sh::AllReduceOp>(op) || llvm::all_of(*groups, hasSizeOfFirst));
}

void populateGridCollectivePatterns(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<GroupPattern<sh::AllGatherOp>>(context, allGather);
  patterns.add<GroupPattern<sh::AllToAllOp>>(context, allToAll);
  patterns.add<GroupPattern<sh::CrossReplicaSumOp>>(context, sum);
  patterns.add<RaggedAllToAllPattern, PairsPattern<sh::CollectivePermuteOp>, PairsPattern<sh::CollectiveBroadcastOp>,
               RootedGroupPattern<sh::CollectiveBroadcastOp>, RootedGroupPattern<sh::CollectiveReduceOp>>(context);
  patterns.add<AxesPattern<sh::AllReduceOp>, AxesPattern<sh::ReduceScatterOp>>(context);
  patterns.add<PlacePattern<sh::ReplicaIdOp>>(context, ir::kReplicaIdTarget);
  patterns.add<PlacePattern<sh::PartitionIdOp>>(context, ir::kPartitionIdTarget);
}

} // namespace tenon::passes
