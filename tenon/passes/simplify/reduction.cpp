// Reductions over nothing, or over dimensions of size one; and of arrays that were stacked to be reduced.

#include "tenon/ir/stablehlo.h"
#include "tenon/passes/passes.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {
namespace {

using ir::typeOf;

// Whether `init` leaves any x unchanged under the single op of `body` (x + 0 counts: it only turns -0 into +0 and
// JAX's own reduction of one element does the same).
bool isNeutral(Block &body, Value init) {
  if (!llvm::hasNItems(body.without_terminator(), 1) || body.getNumArguments() != 2)
    return false;
  Operation &op = body.front();
  if (body.getTerminator()->getOperand(0) != op.getResult(0) || op.getNumOperands() != 2)
    return false;
  SplatElementsAttr constant;
  if (!matchPattern(init, m_Constant(&constant)))
    return false;
  Type type = constant.getElementType();
  if (isa<FloatType>(type)) {
    APFloat value = constant.getSplatValue<APFloat>();
    return (isa<sh::AddOp>(op) && value.isZero()) || (isa<sh::MultiplyOp>(op) && value.isExactlyValue(1.0)) ||
           (isa<sh::MaximumOp>(op) && value.isInfinity() && value.isNegative()) ||
           (isa<sh::MinimumOp>(op) && value.isInfinity() && !value.isNegative());
  }
  if (isa<IntegerType>(type)) {
    APInt value = constant.getSplatValue<APInt>();
    return (isa<sh::AddOp, sh::OrOp, sh::XorOp>(op) && value.isZero()) || (isa<sh::MultiplyOp>(op) && value.isOne()) ||
           (isa<sh::AndOp>(op) && value.isAllOnes());
  }
  return false;
}

struct UnitReducePattern : OpRewritePattern<sh::ReduceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(sh::ReduceOp op, PatternRewriter &rewriter) const override {
    if (op.getInputs().size() != 1)
      return failure();
    RankedTensorType from = typeOf(op.getInputs()[0]), to = cast<RankedTensorType>(op.getResult(0).getType());
    if (!from.hasStaticShape() || from.getElementType() != to.getElementType())
      return failure();
    for (int64_t dim : op.getDimensions())
      if (from.getDimSize(dim) != 1)
        return failure();
    // Over no dimension at all, too, the initial value enters once.
    if (!isNeutral(op.getBody().front(), op.getInitValues()[0]))
      return failure();
    rewriter.replaceOpWithNewOp<sh::ReshapeOp>(op, to, op.getInputs()[0]);
    return success();
  }
};

//   reduce(concatenate([x], [y], [z], ...), add over the dimension joined)  =>  ((x + y) + (z + ...))
//
// A reduction is any tree that keeps the order, and one that reads the arrays where they are needs no copy of them.
struct StackedReducePattern : OpRewritePattern<sh::ReduceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(sh::ReduceOp op, PatternRewriter &rewriter) const override {
    constexpr int64_t kLeastElements = 1024; // below, code for each array costs more than copies
    if (op.getInputs().size() != 1 || op.getDimensions().size() != 1)
      return failure();
    auto stack = op.getInputs()[0].getDefiningOp<sh::ConcatenateOp>();
    auto to = cast<RankedTensorType>(op.getResult(0).getType());
    int64_t dim = op.getDimensions()[0];
    if (!stack || !stack->hasOneUse() || static_cast<int64_t>(stack.getDimension()) != dim || !to.hasStaticShape() ||
        to.getNumElements() < kLeastElements || !isa<FloatType, IntegerType, ComplexType>(to.getElementType()) ||
        ir::elementTypeOf(op.getInputs()[0]) != to.getElementType())
      return failure();
    for (Value piece : stack.getInputs())
      if (!typeOf(piece).hasStaticShape() || typeOf(piece).getDimSize(dim) != 1)
        return failure();
    if (!isNeutral(op.getBody().front(), op.getInitValues()[0]))
      return failure();
    Operation *combine = &op.getBody().front().front();
    // Sums and products of narrow floats round once.
    bool isNarrow = isa<FloatType>(to.getElementType()) && to.getElementTypeBitWidth() < 32 &&
                    isa<sh::AddOp, sh::MultiplyOp>(combine);
    Type type = isNarrow ? to.clone(rewriter.getF32Type()) : Type(to);
    Value result = fold(rewriter, combine, to, type, stack.getInputs());
    if (isNarrow)
      result = sh::ConvertOp::create(rewriter, op.getLoc(), to, result);
    rewriter.replaceOp(op, result);
    return success();
  }

private:
  static Value fold(PatternRewriter &rewriter, Operation *combine, Type to, Type type, ValueRange pieces) {
    Location loc = combine->getLoc();
    if (pieces.size() == 1) {
      Value piece = sh::ReshapeOp::create(rewriter, loc, to, pieces[0]);
      return type == to ? piece : sh::ConvertOp::create(rewriter, loc, type, piece);
    }
    size_t half = llvm::bit_ceil(pieces.size()) / 2;
    Value left = fold(rewriter, combine, to, type, pieces.take_front(half));
    Value right = fold(rewriter, combine, to, type, pieces.drop_front(half));
    OperationState state(loc, combine->getName(), ValueRange{left, right}, type);
    return rewriter.create(state)->getResult(0);
  }
};

} // namespace

void populateReductionPatterns(RewritePatternSet &patterns) {
  patterns.add<UnitReducePattern, StackedReducePattern>(patterns.getContext());
}

} // namespace tenon::passes
