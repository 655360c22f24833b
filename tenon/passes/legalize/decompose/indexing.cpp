// Sizes and tuples, which are known here, the deprecated gather of one dimension and gathers from nothing.

#include "tenon/ir/infer.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/passes/legalize/decompose/patterns.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {
namespace {

struct DimensionSizePattern : OpRewritePattern<sh::GetDimensionSizeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(sh::GetDimensionSizeOp op, PatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getOperand().getType());
    if (type.isDynamicDim(op.getDimension()))
      return failure();
    APInt size(32, type.getDimSize(op.getDimension()));
    rewriter.replaceOpWithNewOp<sh::ConstantOp>(
        op, SplatElementsAttr::get(cast<RankedTensorType>(op.getResult().getType()), size));
    return success();
  }
};

struct TupleElementPattern : OpRewritePattern<sh::GetTupleElementOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(sh::GetTupleElementOp op, PatternRewriter &rewriter) const override {
    auto tuple = op.getOperand().getDefiningOp<sh::TupleOp>();
    if (!tuple)
      return failure();
    rewriter.replaceOp(op, tuple->getOperand(op.getIndex()));
    return success();
  }
};

// The result is the operand with dimension `dim` replaced by those of the index behind the batch dimensions, which both
// share.
struct IndexSelectPattern : OpRewritePattern<sh::TorchIndexSelectOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(sh::TorchIndexSelectOp op, PatternRewriter &rewriter) const override {
    auto operand = cast<RankedTensorType>(op.getOperand().getType());
    auto index = cast<RankedTensorType>(op.getIndex().getType());
    int64_t dim = int64_t(op.getDim()), batch = sh::batchDims(op);
    auto result = cast<RankedTensorType>(op.getResult().getType());
    if (operand.getDimSize(dim) == 0 || !operand.hasStaticShape() || !index.hasStaticShape() ||
        !result.hasStaticShape())
      return failure();
    int64_t picked = index.getRank() - batch;
    SmallVector<int64_t> offsets, batching, slice(operand.getShape());
    for (int64_t d = batch; d < result.getRank(); ++d)
      if (d < dim || d >= dim + picked)
        offsets.push_back(d);
    for (int64_t d = 0; d < batch; ++d) {
      batching.push_back(d);
      slice[d] = 1;
    }
    slice[dim] = 1;
    auto numbers = sh::GatherDimensionNumbersAttr::get(op.getContext(), offsets, {dim}, batching, batching, {dim},
                                                       index.getRank());
    rewriter.replaceOpWithNewOp<sh::GatherOp>(op, result, op.getOperand(), op.getIndex(), numbers, slice);
    return success();
  }
};

// An empty operand has no slices to clamp to. Whoever asks for elements of them gets zeros.
struct EmptyGatherPattern : OpRewritePattern<sh::GatherOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(sh::GatherOp op, PatternRewriter &rewriter) const override {
    auto operand = cast<RankedTensorType>(op.getOperand().getType());
    auto result = cast<RankedTensorType>(op.getResult().getType());
    if (!operand.hasStaticShape() || operand.getNumElements() != 0 || !result.hasStaticShape())
      return failure();
    rewriter.replaceOp(op, zerosOf(rewriter, op.getLoc(), result));
    return success();
  }
};

} // namespace

Value zerosOf(PatternRewriter &rewriter, Location loc, Type type) {
  auto scalar = RankedTensorType::get({}, rewriter.getI1Type());
  Value zero = sh::ConstantOp::create(rewriter, loc, SplatElementsAttr::get(scalar, false));
  auto tensor = cast<RankedTensorType>(type);
  zero = sh::ConvertOp::create(rewriter, loc, scalar.clone(tensor.getElementType()), zero);
  return sh::BroadcastInDimOp::create(rewriter, loc, tensor, zero, ArrayRef<int64_t>{});
}

void populateIndexingLegalization(RewritePatternSet &patterns) {
  patterns.add<DimensionSizePattern, TupleElementPattern, IndexSelectPattern, EmptyGatherPattern>(
      patterns.getContext());
}

} // namespace tenon::passes
