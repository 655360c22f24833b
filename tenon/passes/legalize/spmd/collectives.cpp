// Collectives of a process that is alone in its grid: each gives what it is given, as nobody else contributes. Groups
// that name other processes are left as they are.

#include "tenon/ir/process_groups.h"
#include "tenon/ir/sdy.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/ir/tenon.h"
#include "tenon/passes/legalize/decompose/array_builder.h"
#include "tenon/passes/legalize/decompose/patterns.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {
namespace {

bool namesOnlyZero(Attribute ids) {
  auto elements = dyn_cast_or_null<DenseIntElementsAttr>(ids);
  return elements && llvm::all_of(elements.getValues<APInt>(), [](const APInt &id) { return id.isZero(); });
}

template <typename Op> struct IdPattern : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    if (!isSingleProcess(op))
      return failure();
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    rewriter.replaceOpWithNewOp<sh::ConstantOp>(op, cast<ElementsAttr>(rewriter.getZeroAttr(type)));
    return success();
  }
};

template <typename Op> struct IdentityPattern : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    ValueRange given = ValueRange(op->getOperands()).take_front(op->getNumResults());
    if (!isSingleProcess(op) || !namesOnlyZero(op.getReplicaGroups()) || given.getTypes() != op->getResultTypes())
      return failure();
    rewriter.replaceOp(op, given);
    return success();
  }
};

// A process that is nobody's target receives zeros.
struct PermutePattern : OpRewritePattern<sh::CollectivePermuteOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(sh::CollectivePermuteOp op, PatternRewriter &rewriter) const override {
    if (!isSingleProcess(op) || !namesOnlyZero(op.getSourceTargetPairs()))
      return failure();
    bool receives = !op.getSourceTargetPairs().empty();
    rewriter.replaceOp(op, receives ? op.getOperand() : nothingOf(rewriter, op, 0));
    return success();
  }
};

// collective_broadcast and collective_reduce: zeros where nobody is named. A root can only be the process itself, which
// is demanded where it is an operand.
template <typename Op> struct RootedPattern : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    if (!isSingleProcess(op) || !namesOnlyZero(op.getReplicaGroups()))
      return failure();
    SmallVector<Value> given(op->getOperands().take_front(op->getNumResults()));
    if (cast<DenseIntElementsAttr>(op.getReplicaGroups()).empty())
      for (auto [i, value] : llvm::enumerate(given))
        value = nothingOf(rewriter, op, i);
    else if (op.getHasDynamicRoot())
      for (unsigned i = 0; i < op->getNumResults(); ++i)
        checkedRoot(rewriter, op, i, ArrayBuilder(rewriter, op.getLoc()).i32(1));
    rewriter.replaceOp(op, given);
    return success();
  }
};

// Shardy's constants differ from others only in that no two are merged.
struct ConstantPattern : OpRewritePattern<sdy::ConstantOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(sdy::ConstantOp op, PatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<sh::ConstantOp>(op, op.getValue());
    return success();
  }
};

} // namespace

bool isSingleProcess(Operation *op) {
  ir::ProcessGrid grid = ir::processGrid(op);
  return grid.replicas == 1 && grid.partitions == 1;
}

bool isSpmd(Operation *op) {
  return !isSingleProcess(op) && !op->getParentOfType<ModuleOp>()->hasAttr(ir::kUnpartitionedAttribute);
}

Value checkedRoot(OpBuilder &opBuilder, Operation *op, int64_t i, Value groupSize, Value exempt) {
  ArrayBuilder builder(opBuilder, op->getLoc());
  Value root = builder.reshape(builder.slice(op->getOperands().back(), {i}, {i + 1}), {});
  Value holds = builder.logicalAnd(builder.compare(root, sh::ComparisonDirection::GE, builder.i32(0)),
                                   builder.compare(root, sh::ComparisonDirection::LT, groupSize));
  if (exempt)
    holds = builder.binary<sh::OrOp>(exempt, holds);
  OperationState state(op->getLoc(), sh::CustomCallOp::getOperationName());
  state.addOperands({holds, root, groupSize});
  state.addAttribute("call_target_name", opBuilder.getStringAttr("shape_assertion"));
  state.addAttribute("has_side_effect", opBuilder.getBoolAttr(true));
  state.addAttribute("error_message", opBuilder.getStringAttr("'" + op->getName().getStringRef() +
                                                              "' op a root must be in [0, {1}), got {0}"));
  opBuilder.create(state);
  return root;
}

Value nothingOf(PatternRewriter &rewriter, Operation *op, unsigned i) {
  Type type = op->getResult(i).getType();
  auto zeroPoints = op->getAttrOfType<DenseI64ArrayAttr>(ir::kZeroPointsAttribute);
  if (!zeroPoints || zeroPoints[i] == 0)
    return zerosOf(rewriter, op->getLoc(), type);
  ArrayBuilder builder(rewriter, op->getLoc());
  auto tensor = cast<RankedTensorType>(type);
  return builder.fill(tensor.getElementType(), tensor.getShape(), static_cast<double>(zeroPoints[i]));
}

void populateCollectivePatterns(RewritePatternSet &patterns) {
  patterns.add<IdPattern<sh::ReplicaIdOp>, IdPattern<sh::PartitionIdOp>, IdentityPattern<sh::AllGatherOp>,
               IdentityPattern<sh::AllReduceOp>, IdentityPattern<sh::ReduceScatterOp>, IdentityPattern<sh::AllToAllOp>,
               RootedPattern<sh::CollectiveReduceOp>, RootedPattern<sh::CollectiveBroadcastOp>,
               IdentityPattern<sh::CrossReplicaSumOp>, PermutePattern, ConstantPattern>(patterns.getContext());
}

} // namespace tenon::passes
