// Reshapes, broadcasts and transposes: composed with each other, turned into the simplest op that does the same, and
// removed where they do nothing. Front ends emit chains such as
//   %1 = broadcast_in_dim %0, dims = [0] : [N] -> [N,1]
//   %2 = broadcast_in_dim %1, dims = [0, 1] : [N,1] -> [N,M]
// which hide from fusion that %2 is one broadcast of %0. Arrays without elements are constants, however they are
// computed.

#include "tenon/ir/stablehlo.h"
#include "tenon/passes/passes.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {
namespace {

using ir::typeOf;

bool isIdentity(ArrayRef<int64_t> dims) {
  for (auto [i, dim] : llvm::enumerate(dims))
    if (dim != int64_t(i))
      return false;
  return true;
}

// Whether `to` is `from` with dimensions of size one inserted or removed. On success `map[i]` is the dimension of `to`
// that dimension i of `from` became, or -1 where it has size one and vanished.
bool onlyUnitDimsDiffer(ArrayRef<int64_t> from, ArrayRef<int64_t> to, SmallVectorImpl<int64_t> &map) {
  map.assign(from.size(), -1);
  size_t j = 0;
  for (size_t i = 0; i < from.size(); ++i) {
    if (from[i] == 1)
      continue;
    while (j < to.size() && to[j] == 1)
      ++j;
    if (j == to.size() || to[j] != from[i])
      return false;
    map[i] = j++;
  }
  for (; j < to.size(); ++j)
    if (to[j] != 1)
      return false;
  return true;
}

struct BroadcastPattern : OpRewritePattern<sh::BroadcastInDimOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(sh::BroadcastInDimOp op, PatternRewriter &rewriter) const override {
    RankedTensorType from = typeOf(op.getOperand()), to = typeOf(op.getResult());
    if (!from.hasStaticShape() || !to.hasStaticShape() || isa<quant::QuantizedType>(to.getElementType()))
      return failure();
    ArrayRef<int64_t> dims = op.getBroadcastDimensions();
    if (from == to && isIdentity(dims)) {
      rewriter.replaceOp(op, op.getOperand());
      return success();
    }
    SplatElementsAttr splat;
    if (matchPattern(op.getOperand(), m_Constant(&splat))) {
      rewriter.replaceOpWithNewOp<sh::ConstantOp>(op, splat.resizeSplat(to));
      return success();
    }
    if (auto inner = op.getOperand().getDefiningOp<sh::BroadcastInDimOp>()) {
      SmallVector<int64_t> composed;
      for (int64_t dim : inner.getBroadcastDimensions())
        composed.push_back(dims[dim]);
      // A dimension that the inner op expanded must not be pinned to size one by the outer one; the outer op's
      // operand dimension equals its result dimension or is one, and both cases compose.
      rewriter.replaceOpWithNewOp<sh::BroadcastInDimOp>(op, to, inner.getOperand(), composed);
      return success();
    }
    if (from.getNumElements() == to.getNumElements() && inOrder(from.getShape(), dims)) {
      rewriter.replaceOpWithNewOp<sh::ReshapeOp>(op, to, op.getOperand());
      return success();
    }
    if (auto reshape = op.getOperand().getDefiningOp<sh::ReshapeOp>())
      return throughReshape(op, reshape, rewriter);
    return failure();
  }

private:
  // Whether the dimensions larger than one keep their order, so that the broadcast moves no element.
  static bool inOrder(ArrayRef<int64_t> shape, ArrayRef<int64_t> dims) {
    int64_t last = -1;
    for (auto [size, dim] : llvm::zip(shape, dims)) {
      if (size == 1)
        continue;
      if (dim < last)
        return false;
      last = dim;
    }
    return true;
  }

  static LogicalResult throughReshape(sh::BroadcastInDimOp op, sh::ReshapeOp reshape, PatternRewriter &rewriter) {
    RankedTensorType source = typeOf(reshape.getOperand()), middle = typeOf(op.getOperand());
    SmallVector<int64_t> map;
    if (!source.hasStaticShape() || !onlyUnitDimsDiffer(source.getShape(), middle.getShape(), map))
      return failure();
    ArrayRef<int64_t> dims = op.getBroadcastDimensions();
    // Vanished unit dimensions need a place of their own in the result; drop them with a reshape instead.
    SmallVector<int64_t> kept, composed;
    for (auto [i, to] : llvm::enumerate(map))
      if (to >= 0) {
        kept.push_back(source.getDimSize(i));
        composed.push_back(dims[to]);
      }
    Value operand = reshape.getOperand();
    if (kept.size() != map.size()) {
      if (kept.size() == middle.getShape().size())
        return failure(); // already the form made here
      operand =
          sh::ReshapeOp::create(rewriter, op.getLoc(), RankedTensorType::get(kept, source.getElementType()), operand);
    }
    rewriter.replaceOpWithNewOp<sh::BroadcastInDimOp>(op, op.getType(), operand, composed);
    return success();
  }
};

struct ReshapePattern : OpRewritePattern<sh::ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(sh::ReshapeOp op, PatternRewriter &rewriter) const override {
    RankedTensorType to = typeOf(op.getResult());
    if (op.getOperand().getType() == to) {
      rewriter.replaceOp(op, op.getOperand());
      return success();
    }
    if (auto inner = op.getOperand().getDefiningOp<sh::ReshapeOp>()) {
      rewriter.replaceOpWithNewOp<sh::ReshapeOp>(op, to, inner.getOperand());
      return success();
    }
    DenseElementsAttr constant;
    if (matchPattern(op.getOperand(), m_Constant(&constant)) && to.hasStaticShape()) {
      rewriter.replaceOpWithNewOp<sh::ConstantOp>(op,
                                                  constant.isSplat() ? constant.resizeSplat(to) : constant.reshape(to));
      return success();
    }
    // reshape(broadcast(scalar)) is a broadcast of the scalar.
    if (auto broadcast = op.getOperand().getDefiningOp<sh::BroadcastInDimOp>();
        broadcast && typeOf(broadcast.getOperand()).getRank() == 0 && to.hasStaticShape()) {
      rewriter.replaceOpWithNewOp<sh::BroadcastInDimOp>(op, to, broadcast.getOperand(), ArrayRef<int64_t>{});
      return success();
    }
    return failure();
  }
};

struct TransposePattern : OpRewritePattern<sh::TransposeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(sh::TransposeOp op, PatternRewriter &rewriter) const override {
    ArrayRef<int64_t> permutation = op.getPermutation();
    if (isIdentity(permutation)) {
      rewriter.replaceOp(op, op.getOperand());
      return success();
    }
    if (auto inner = op.getOperand().getDefiningOp<sh::TransposeOp>()) {
      SmallVector<int64_t> composed;
      for (int64_t dim : permutation)
        composed.push_back(inner.getPermutation()[dim]);
      rewriter.replaceOpWithNewOp<sh::TransposeOp>(op, op.getType(), inner.getOperand(), composed);
      return success();
    }
    SplatElementsAttr splat;
    RankedTensorType to = typeOf(op.getResult());
    if (!to.hasStaticShape())
      return failure();
    if (matchPattern(op.getOperand(), m_Constant(&splat))) {
      rewriter.replaceOpWithNewOp<sh::ConstantOp>(op, splat.resizeSplat(to));
      return success();
    }
    // Moving only dimensions of size one moves no element.
    int64_t last = -1;
    for (int64_t dim : permutation) {
      if (typeOf(op.getOperand()).getDimSize(dim) == 1)
        continue;
      if (dim < last)
        return failure();
      last = dim;
    }
    rewriter.replaceOpWithNewOp<sh::ReshapeOp>(op, to, op.getOperand());
    return success();
  }
};

// Ops that computed only empty arrays are dead afterwards, so library routines never see sizes of zero.
struct NoElementsPattern : RewritePattern {
  explicit NoElementsPattern(MLIRContext *context) : RewritePattern(MatchAnyOpTypeTag(), 2, context) {}

  static bool hasNoElements(Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return type && type.hasStaticShape() && type.getNumElements() == 0 &&
           !isa<quant::QuantizedType>(type.getElementType());
  }

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (isa<sh::ConstantOp>(op))
      return failure();
    bool changed = false;
    for (Value result : op->getResults()) {
      if (result.use_empty() || !hasNoElements(result))
        continue;
      rewriter.setInsertionPointAfter(op);
      auto type = cast<RankedTensorType>(result.getType());
      auto constant =
          sh::ConstantOp::create(rewriter, op->getLoc(), type, DenseElementsAttr::getFromRawBuffer(type, {}));
      rewriter.replaceAllUsesWith(result, constant);
      changed = true;
    }
    return success(changed);
  }
};

} // namespace

void populateShapePatterns(RewritePatternSet &patterns) {
  patterns.add<BroadcastPattern, ReshapePattern, TransposePattern, NoElementsPattern>(patterns.getContext());
}

} // namespace tenon::passes
