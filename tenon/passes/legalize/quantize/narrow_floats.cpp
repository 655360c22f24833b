// Formats that differ from the elements': ops of many steps on floats of few bits are computed in f32 and rounded once
// (factorisations, solves and normalisations, whose intermediate values those could not hold), and a product's operands
// are rounded to the formats that its algorithm names.

#include "tenon/ir/stablehlo.h"
#include "tenon/ir/tf32.h"
#include "tenon/passes/legalize/decompose/patterns.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {
namespace {

template <typename Op> struct WidenPattern : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    auto element = dyn_cast<FloatType>(getElementTypeOrSelf(op->getResult(0).getType()));
    if (!element || element.getWidth() >= 32)
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
};

// f8E8M0FNU has no zero that padding could be filled with. Both operands go the same way, since they have to be of one
// type.
struct ZerolessPattern : OpRewritePattern<sh::ConvolutionOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(sh::ConvolutionOp op, PatternRewriter &rewriter) const override {
    auto isZeroless = [](Value operand) { return isa<Float8E8M0FNUType>(getElementTypeOrSelf(operand)); };
    if (llvm::none_of(op->getOperands(), isZeroless))
      return failure();
    return success(convertOperands(rewriter, op, [&](Value) { return rewriter.getF32Type(); }));
  }
};

// Several primitive operations stand for higher precision and are not imitated. What is left is a product as exact as
// its types, whatever a user allows for products of which the framework asks for nothing.
struct AlgorithmPattern : OpRewritePattern<sh::DotGeneralOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(sh::DotGeneralOp op, PatternRewriter &rewriter) const override {
    std::optional<sh::DotAlgorithmAttr> algorithm = op.getAlgorithm();
    if (!algorithm)
      return failure();
    bool isSingle = algorithm->getNumPrimitiveOperations() == 1;
    Value lhs = isSingle ? rounded(op.getLhs(), algorithm->getLhsPrecisionType(), rewriter) : op.getLhs();
    Value rhs = isSingle ? rounded(op.getRhs(), algorithm->getRhsPrecisionType(), rewriter) : op.getRhs();
    bool isTf32 = isSingle && isRoundedToTf32(op.getLhs(), algorithm->getLhsPrecisionType()) &&
                  isRoundedToTf32(op.getRhs(), algorithm->getRhsPrecisionType());
    auto dot =
        rewriter.replaceOpWithNewOp<sh::DotGeneralOp>(op, op.getType(), lhs, rhs, op.getDotDimensionNumbers(),
                                                      ir::highestPrecision(op.getContext()), sh::DotAlgorithmAttr());
    if (isTf32)
      dot->setDiscardableAttr(ir::kTf32OperandsAttribute, rewriter.getUnitAttr());
    return success();
  }

private:
  static bool isRoundedToTf32(Value operand, Type format) {
    return format.isTF32() && getElementTypeOrSelf(operand).isF32();
  }
  static Value rounded(Value operand, Type format, PatternRewriter &rewriter) {
    auto type = cast<RankedTensorType>(operand.getType());
    auto from = dyn_cast<FloatType>(type.getElementType()), to = dyn_cast<FloatType>(format);
    if (!from || !to || from == to)
      return operand;
    if (to.isTF32())
      return sh::ReducePrecisionOp::create(rewriter, operand.getLoc(), type, operand, 8, 10);
    if (to.getWidth() >= from.getWidth())
      return operand;
    Value narrow = sh::ConvertOp::create(rewriter, operand.getLoc(), type.clone(to), operand);
    return sh::ConvertOp::create(rewriter, operand.getLoc(), type, narrow);
  }
};

} // namespace

void populateNarrowFloatPatterns(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<AlgorithmPattern, ZerolessPattern, WidenPattern<sh::CholeskyOp>, WidenPattern<sh::TriangularSolveOp>,
               WidenPattern<sh::BatchNormInferenceOp>, WidenPattern<sh::BatchNormTrainingOp>,
               WidenPattern<sh::BatchNormGradOp>>(context);
}

} // namespace tenon::passes
