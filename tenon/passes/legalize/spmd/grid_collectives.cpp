// Collectives of a grid of several processes: what moves between processes is left to the runtime
// (runtime/collectives/collectives.h), and everything else is ordinary ops, which fuse as such.
//
//   all_reduce(x : T[4], add) over groups of 2
//     =>  s = tenon.gather_group(x) : T[2,4];  map(s[0], s[1], add)
//
// Large arrays are reduced in pieces, one for each process of a group, which then collect the pieces: each process
// moves and adds up all of the array twice rather than once for each process of the group.
//
//   all_reduce(x : T[786432], add) over groups of 3
//     =>  p = tenon.exchange_group(reshape(x) : T[3,262144]);  q = map(map(p[0], p[1], add), p[2], add);
//         reshape(tenon.gather_group(q))
//
// A reduction goes through its group in the group's order, in all processes and both ways: its bits do not depend on
// the way, nor on who comes first.

#include "tenon/ir/process_groups.h"
#include "tenon/ir/tenon.h"
#include "tenon/ir/types.h"
#include "tenon/passes/legalize/decompose/array_builder.h"
#include "tenon/passes/legalize/decompose/patterns.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {
namespace {

using ir::typeOf;

// Arrays of at least this size are reduced in pieces. On two cores four processes take 1.24 ms for 1 MiB, 1.94 ms
// whole, and 12 against 27 ms for 16 MiB; below, the second meeting costs more than it saves.
constexpr int64_t kPiecewiseBytes = 512 << 10;

// Builds the code of one collective.
class GroupBuilder : public ArrayBuilder {
public:
  GroupBuilder(PatternRewriter &rewriter, Operation *op, ir::ProcessGroups groups = {})
      : ArrayBuilder(rewriter, op->getLoc()), rewriter_(rewriter), name_(op->getName().stripDialect()),
        groups_(std::move(groups)) {}

  // The size of the largest group. Groups may differ in size in all_reduce only.
  int64_t size() const {
    size_t size = 0;
    for (const auto &group : groups_)
      size = std::max(size, group.size());
    return static_cast<int64_t>(size);
  }
  bool areEqual() const {
    return llvm::all_of(groups_, [&](const auto &group) { return static_cast<int64_t>(group.size()) == size(); });
  }

  Value gather(Value value) {
    SmallVector<int64_t> sizes{size()};
    llvm::append_range(sizes, typeOf(value).getShape());
    return call(ir::kGatherGroupTarget, value, typeOf(value).clone(sizes), groupAttributes(groups_));
  }
  Value groupSize() { return question(ir::kGroupSizeTarget, groups_); }
  // The place of this process in its one of the groups; -1 where it is in none.
  Value placeIn(const ir::ProcessGroups &some) { return question(ir::kGroupPlaceTarget, some); }
  Value exchange(Value parts) { return call(ir::kExchangeGroupTarget, parts, typeOf(parts), groupAttributes(groups_)); }

  // Takes the slices along dimension 0 together, in their order, as a balanced tree: pairs, then pairs of pairs, ...
  using Combine = llvm::function_ref<Value(Value, Value)>;
  Value fold(Value stacked, Combine combine) {
    int64_t count = typeOf(stacked).getDimSize(0), width = 1;
    while (width < count)
      width *= 2;
    return fold(stacked, combine, areEqual() ? Value() : groupSize(), 0, width);
  }

  Value allReduce(Value value, Combine combine) {
    RankedTensorType type = typeOf(value);
    if (ir::storedBytes(type) < kPiecewiseBytes || !areEqual() || size() <= 2)
      return fold(gather(value), combine);
    int64_t elements = type.getNumElements(), pieces = size(), each = (elements + pieces - 1) / pieces;
    Value flat = padded(reshape(value, {elements}), pieces * each);
    Value piece = fold(exchange(reshape(flat, {pieces, each})), combine);
    Value all = reshape(gather(piece), {pieces * each});
    return reshape(ArrayBuilder::slice(all, {0}, {elements}), type.getShape());
  }

  // The computation, of two scalars, on each two elements.
  Value apply(Region &computation, Value lhs, Value rhs) {
    auto dimensions = llvm::to_vector(llvm::seq<int64_t>(0, typeOf(lhs).getRank()));
    auto map = sh::MapOp::create(builder, loc, lhs.getType(), ValueRange{lhs, rhs}, dimensions);
    IRMapping mapping;
    computation.cloneInto(&map.getComputation(), mapping);
    return map;
  }

  // Dimension `dimension` in as many equal parts as a group has processes, which become dimension 0.
  Value split(Value value, int64_t dimension) {
    SmallVector<int64_t> sizes(typeOf(value).getShape()), order{dimension};
    sizes[dimension] /= size();
    sizes.insert(sizes.begin() + dimension, size());
    for (int64_t i = 0; i < static_cast<int64_t>(sizes.size()); ++i)
      if (i != dimension)
        order.push_back(i);
    return transpose(reshape(value, sizes), order);
  }
  // The slices along dimension 0, one behind the other along `dimension`.
  Value join(Value stacked, int64_t dimension) {
    SmallVector<int64_t> order, sizes(typeOf(stacked).getShape().drop_front());
    for (int64_t i = 1; i < typeOf(stacked).getRank(); ++i)
      order.push_back(i);
    order.insert(order.begin() + dimension, 0);
    sizes[dimension] *= typeOf(stacked).getDimSize(0);
    return reshape(transpose(stacked, order), sizes);
  }

  Value permute(Value value, const ir::ProcessPairs &pairs) {
    SmallVector<int64_t> flat;
    for (auto [source, target] : pairs)
      flat.append({source, target});
    return call(ir::kPermuteTarget, value, value.getType(),
                attributes({builder.getNamedAttr("pairs", builder.getDenseI64ArrayAttr(flat))}));
  }

  Value exchangeRows(ValueRange operands, Type result) {
    return call(ir::kExchangeRowsTarget, operands, result, groupAttributes(groups_));
  }

  // A routine of the runtime. What takes an operand is a meeting with other processes: never dropped, nor moved past
  // another.
  Value call(StringRef target, ValueRange operands, Type type, DictionaryAttr attributes) {
    OperationState state(loc, sh::CustomCallOp::getOperationName());
    state.addOperands(operands);
    state.addAttribute("call_target_name", builder.getStringAttr(target));
    state.addAttribute("has_side_effect", builder.getBoolAttr(!operands.empty()));
    if (attributes) {
      state.addAttribute("backend_config", attributes);
      state.addAttribute("api_version", sh::CustomCallApiVersionAttr::get(
                                            builder.getContext(), sh::CustomCallApiVersion::API_VERSION_TYPED_FFI));
    }
    state.addTypes(type);
    return builder.create(state)->getResult(0);
  }

private:
  // `width` slices, a power of two, from `first` on, as many of them as there are. Of a group of `members` (null: all
  // slices), those that it has: the same tree as that of a group of its own size.
  Value fold(Value stacked, Combine combine, Value members, int64_t first, int64_t width) {
    if (width == 1)
      return slice(stacked, first);
    int64_t middle = first + width / 2;
    Value left = fold(stacked, combine, members, first, width / 2);
    if (middle >= typeOf(stacked).getDimSize(0))
      return left;
    Value both = combine(left, fold(stacked, combine, members, middle, width / 2));
    if (!members)
      return both;
    Value hasMore = compare(i32(middle), sh::ComparisonDirection::LT, members);
    return select(broadcast(hasMore, typeOf(both).getShape(), {}), both, left);
  }

  // All members of a meeting must name the same op.
  DictionaryAttr attributes(SmallVector<NamedAttribute> entries) {
    entries.push_back(builder.getNamedAttr("op", builder.getStringAttr(name_)));
    return builder.getDictionaryAttr(entries);
  }

  Value slice(Value stacked, int64_t at) {
    SmallVector<int64_t> start(typeOf(stacked).getRank(), 0), limit(typeOf(stacked).getShape());
    start[0] = at;
    limit[0] = at + 1;
    return reshape(ArrayBuilder::slice(stacked, start, limit), typeOf(stacked).getShape().drop_front());
  }

  Value padded(Value flat, int64_t size) {
    RankedTensorType type = typeOf(flat);
    int64_t missing = size - type.getNumElements();
    if (!missing)
      return flat;
    Value zero = zerosOf(rewriter_, loc, type.clone(ArrayRef<int64_t>{}));
    return sh::PadOp::create(builder, loc, type.clone({size}), flat, zero, ArrayRef<int64_t>{0},
                             ArrayRef<int64_t>{missing}, ArrayRef<int64_t>{0});
  }

  Value question(StringRef target, const ir::ProcessGroups &some) {
    return call(target, {}, RankedTensorType::get({}, builder.getI32Type()), groupAttributes(some));
  }

  DictionaryAttr groupAttributes(const ir::ProcessGroups &groups) {
    SmallVector<int64_t> ids, sizes;
    for (const auto &group : groups) {
      llvm::append_range(ids, group);
      sizes.push_back(static_cast<int64_t>(group.size()));
    }
    return attributes({builder.getNamedAttr("groups", builder.getDenseI64ArrayAttr(ids)),
                       builder.getNamedAttr("sizes", builder.getDenseI64ArrayAttr(sizes))});
  }

  PatternRewriter &rewriter_;
  StringRef name_;
  ir::ProcessGroups groups_;
};

// Whether the collective is for here: of a grid, of arrays of known sizes, and not in a computation.
bool isExpandable(Operation *op) {
  return isSpmd(op) && !isInComputation(op) &&
         llvm::all_of(op->getOperandTypes(), [](Type type) { return cast<ShapedType>(type).hasStaticShape(); });
}

// A pattern of `Op` with groups; `build` gives what takes the place of each operand's result.
template <typename Op> struct GroupPattern : OpRewritePattern<Op> {
  using Build = Value (*)(GroupBuilder &, Op, Value operand);
  GroupPattern(MLIRContext *context, Build build) : OpRewritePattern<Op>(context), build(build) {}

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    if (!isExpandable(op))
      return failure();
    StatusOr<ir::ProcessGroups> groups = ir::processGroups(op, ir::processGrid(op));
    if (!groups.ok()) // verifyCompilable says why
      return failure();
    GroupBuilder builder(rewriter, op, *std::move(groups));
    if (!isa<sh::AllReduceOp, sh::CrossReplicaSumOp>(op) && !builder.areEqual())
      return failure();
    if (auto split = dyn_cast<sh::AllToAllOp>(*op);
        split && static_cast<int64_t>(split.getSplitCount()) != builder.size())
      return failure();
    SmallVector<Value> results;
    for (Value operand : op->getOperands())
      results.push_back(build(builder, op, operand));
    rewriter.replaceOp(op, results);
    return success();
  }

  Build build;
};

Value allReduce(GroupBuilder &builder, sh::AllReduceOp op, Value operand) {
  return builder.allReduce(operand, [&](Value a, Value b) { return builder.apply(op.getComputation(), a, b); });
}
Value sum(GroupBuilder &builder, sh::CrossReplicaSumOp, Value operand) {
  return builder.allReduce(operand, [&](Value a, Value b) { return builder.add(a, b); });
}
Value allGather(GroupBuilder &builder, sh::AllGatherOp op, Value operand) {
  return builder.join(builder.gather(operand), op.getAllGatherDim());
}
Value reduceScatter(GroupBuilder &builder, sh::ReduceScatterOp op, Value operand) {
  return builder.fold(builder.exchange(builder.split(operand, op.getScatterDimension())),
                      [&](Value a, Value b) { return builder.apply(op.getComputation(), a, b); });
}
Value allToAll(GroupBuilder &builder, sh::AllToAllOp op, Value operand) {
  return builder.join(builder.exchange(builder.split(operand, op.getSplitDimension())), op.getConcatDimension());
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
    SmallVector<Value> results;
    for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
      if (isa<Float8E8M0FNUType>(ir::typeOf(operand).getElementType())) { // has no zero
        results.push_back(orNothing(rewriter, builder, op, i, *pairs));
        continue;
      }
      // Processes that nobody sends to receive zeros. The value they must have instead is subtracted before the
      // exchange and added after it.
      Value nothing = op->hasAttr(ir::kZeroPointsAttribute) ? nothingOf(rewriter, op, i) : Value();
      Value sent = builder.permute(nothing ? builder.subtract(operand, nothing) : operand, *pairs);
      results.push_back(nothing ? builder.add(sent, nothing) : sent);
    }
    rewriter.replaceOp(op, results);
    return success();
  }

private:
  // The array that this process is sent, or nothingOf() for a process that nobody sends to.
  static Value orNothing(PatternRewriter &rewriter, GroupBuilder &builder, Op op, unsigned i,
                         const ir::ProcessPairs &pairs) {
    if (pairs.empty())
      return nothingOf(rewriter, op, i);
    ir::ProcessGroups targets(1);
    for (auto [source, target] : pairs)
      targets.front().push_back(target);
    Value operand = op->getOperand(i), nothing = nothingOf(rewriter, op, i), sent = builder.permute(operand, pairs);
    Value isTarget = builder.compare(builder.placeIn(targets), sh::ComparisonDirection::GE, builder.i32(0));
    return builder.select(builder.broadcast(isTarget, ir::typeOf(operand).getShape(), {}), sent, nothing);
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
    SmallVector<Value> results;
    for (unsigned i = 0; i < op->getNumResults(); ++i) {
      Value operand = op->getOperand(i), nothing = nothingOf(rewriter, op, i), result;
      Value root = op.getHasDynamicRoot() ? checkedRoot(rewriter, op, i, builder.groupSize(), isOutside) : zero;
      ArrayRef<int64_t> sizes = ir::typeOf(operand).getShape();
      if constexpr (isReduce) {
        result = builder.allReduce(operand, [&](Value a, Value b) { return builder.apply(op.getComputation(), a, b); });
        Value isRoot = builder.compare(place, EQ, root);
        result = builder.select(builder.broadcast(isRoot, sizes, {}), result, nothing);
      } else {
        result = builder.reshape(builder.line(builder.gather(operand), 0, root), sizes);
        result = builder.select(builder.broadcast(isOutside, sizes, {}), nothing, result);
      }
      results.push_back(result);
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

template <typename Op> struct PlacePattern : OpRewritePattern<Op> {
  PlacePattern(MLIRContext *context, StringRef target) : OpRewritePattern<Op>(context), target(target) {}

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    if (!isSpmd(op))
      return failure();
    GroupBuilder builder(rewriter, op);
    rewriter.replaceOp(op, builder.call(target, {}, op.getType(), nullptr));
    return success();
  }

  StringRef target;
};

} // namespace

void populateGridCollectivePatterns(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<GroupPattern<sh::AllReduceOp>>(context, allReduce);
  patterns.add<GroupPattern<sh::AllGatherOp>>(context, allGather);
  patterns.add<GroupPattern<sh::ReduceScatterOp>>(context, reduceScatter);
  patterns.add<GroupPattern<sh::AllToAllOp>>(context, allToAll);
  patterns.add<GroupPattern<sh::CrossReplicaSumOp>>(context, sum);
  patterns.add<RaggedAllToAllPattern, PairsPattern<sh::CollectivePermuteOp>, PairsPattern<sh::CollectiveBroadcastOp>,
               RootedGroupPattern<sh::CollectiveBroadcastOp>, RootedGroupPattern<sh::CollectiveReduceOp>>(context);
  patterns.add<PlacePattern<sh::ReplicaIdOp>>(context, ir::kReplicaIdTarget);
  patterns.add<PlacePattern<sh::PartitionIdOp>>(context, ir::kPartitionIdTarget);
}

} // namespace tenon::passes
