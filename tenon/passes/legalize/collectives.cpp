// Collectives of a process that is alone in its grid: each gives what it is given, as nobody else contributes. Groups
// that name other processes are left as they are.

#include "tenon/ir/process_groups.h"
#include "tenon/ir/sdy.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/ir/tenon.h"
#include "tenon/passes/legalize/patterns.h"

#include "mlir/IR/IRMapping.h"

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
    if (!isAlone(op))
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
    if (!isAlone(op) || !namesOnlyZero(op.getReplicaGroups()) || given.getTypes() != op->getResultTypes())
      return failure();
    rewriter.replaceOp(op, given);
    return success();
  }
};

// A process that is nobody's target receives zeros.
struct PermutePattern : OpRewritePattern<sh::CollectivePermuteOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(sh::CollectivePermuteOp op, PatternRewriter &rewriter) const override {
    if (!isAlone(op) || !namesOnlyZero(op.getSourceTargetPairs()))
      return failure();
    bool receives = !op.getSourceTargetPairs().empty();
    rewriter.replaceOp(op, receives ? op.getOperand() : zerosOf(rewriter, op.getLoc(), op.getType()));
    return success();
  }
};

struct BroadcastPattern : OpRewritePattern<sh::CollectiveBroadcastOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(sh::CollectiveBroadcastOp op, PatternRewriter &rewriter) const override {
    if (!isAlone(op) || !namesOnlyZero(op.getReplicaGroups()))
      return failure();
    SmallVector<Value> given(op->getOperands().take_front(op->getNumResults()));
    if (cast<DenseIntElementsAttr>(op.getReplicaGroups()).empty())
      for (auto [value, type] : llvm::zip(given, op->getResultTypes()))
        value = zerosOf(rewriter, op.getLoc(), type);
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

// What async_start begins is done at once.
struct AsyncPattern : OpRewritePattern<sh::AsyncDoneOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(sh::AsyncDoneOp done, PatternRewriter &rewriter) const override {
    auto start = done.getOperand().getDefiningOp<sh::AsyncStartOp>();
    if (!start || !start->hasOneUse())
      return failure();
    Block &body = start.getBody().front();
    rewriter.setInsertionPoint(start);
    IRMapping mapping;
    mapping.map(body.getArguments(), start->getOperands());
    for (Operation &op : body.without_terminator())
      rewriter.clone(op, mapping);
    SmallVector<Value> results;
    for (Value value : body.getTerminator()->getOperands())
      results.push_back(mapping.lookupOrDefault(value));
    rewriter.replaceOp(done, results);
    rewriter.eraseOp(start);
    return success();
  }
};

} // namespace

bool isAlone(Operation *op) {
  ir::ProcessGrid grid = ir::processGrid(op);
  return grid.replicas == 1 && grid.partitions == 1;
}

bool isOfGrid(Operation *op) {
  return !isAlone(op) && !op->getParentOfType<ModuleOp>()->hasAttr(ir::kWholeArraysAttribute);
}

void populateCollectivePatterns(RewritePatternSet &patterns) {
  patterns.add<IdPattern<sh::ReplicaIdOp>, IdPattern<sh::PartitionIdOp>, IdentityPattern<sh::AllGatherOp>,
               IdentityPattern<sh::AllReduceOp>, IdentityPattern<sh::ReduceScatterOp>, IdentityPattern<sh::AllToAllOp>,
               IdentityPattern<sh::CollectiveReduceOp>, IdentityPattern<sh::CrossReplicaSumOp>, PermutePattern,
               BroadcastPattern, ConstantPattern, AsyncPattern>(patterns.getContext());
}

} // namespace tenon::passes
