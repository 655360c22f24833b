// Ops of many steps on floats of few bits, computed in f32 and rounded once: factorisations and solves of anything
// narrower, normalisations of floats below 16 bits, which could not hold what lies between.

#include "tenon/ir/stablehlo.h"
#include "tenon/passes/legalize/patterns.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {
namespace {

template <typename Op> struct WidenPattern : OpRewritePattern<Op> {
  WidenPattern(MLIRContext *context, unsigned below) : OpRewritePattern<Op>(context), below(below) {}

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    auto element = dyn_cast<FloatType>(getElementTypeOrSelf(op->getResult(0).getType()));
    if (!element || element.getWidth() >= below)
      return failure();
    auto wideOf = [&](Type type) { return cast<RankedTensorType>(type).clone(rewriter.getF32Type()); };
    SmallVector<Value> operands, results;
    for (Value operand : op->getOperands())
      operands.push_back(sh::ConvertOp::create(rewriter, op->getLoc(), wideOf(operand.getType()), operand));
    Operation *wide = rewriter.clone(*op);
    wide->setOperands(operands);
    for (OpResult result : wide->getResults()) {
      Type type = result.getType();
      result.setType(wideOf(type));
      results.push_back(sh::ConvertOp::create(rewriter, op->getLoc(), type, result));
    }
    rewriter.replaceOp(op, results);
    return success();
  }

  unsigned below;
};

} // namespace

void populateNarrowFloatPatterns(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<WidenPattern<sh::CholeskyOp>, WidenPattern<sh::TriangularSolveOp>>(context, 32U);
  patterns.add<WidenPattern<sh::BatchNormInferenceOp>, WidenPattern<sh::BatchNormTrainingOp>,
               WidenPattern<sh::BatchNormGradOp>>(context, 16U);
}

} // namespace tenon::passes
