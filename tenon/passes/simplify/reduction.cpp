// Reductions over nothing, or over dimensions of size one.

#include "tenon/ir/stablehlo.h"
#include "tenon/passes/passes.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {
namespace {

RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

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

} // namespace

void populateReductionPatterns(RewritePatternSet &patterns) { patterns.add<UnitReducePattern>(patterns.getContext()); }

} // namespace tenon::passes
