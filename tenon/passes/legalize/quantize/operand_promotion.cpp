// Products of one kind of elements with sums of another: operands of the lesser kind (integers summed as floats) are
// converted first, and sums into a lesser kind (floats into integers) last, so that everybody after sees one kind.

#include "tenon/ir/stablehlo.h"
#include "tenon/ir/types.h"
#include "tenon/passes/legalize/decompose/patterns.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {
namespace {

using ir::typeOf;

ir::NumberKind kindOf(Value value) { return ir::numberKind(typeOf(value).getElementType()); }
unsigned width(Value value) { return ir::partWidth(typeOf(value).getElementType()); }

// contraction(i8, i8) -> f32: contraction(f32, f32) -> f32 of the converted operands. Not in narrower floats: products
// that have no place in those would be infinite before they are summed.
template <typename Contraction> struct MixedKindsPattern : OpRewritePattern<Contraction> {
  using OpRewritePattern<Contraction>::OpRewritePattern;

  LogicalResult matchAndRewrite(Contraction op, PatternRewriter &rewriter) const override {
    Type to = typeOf(op.getResult()).getElementType();
    if (ir::isFloat(to) && width(op.getResult()) < 32)
      to = rewriter.getF32Type();
    return success(convertOperands(
        rewriter, op, [&](Value operand) { return kindOf(operand) < kindOf(op.getResult()) ? to : Type(); }));
  }
};

// dot_general(f32, f32) -> i32: dot_general(f32, f32) -> f32, whose result is converted; converting each product first
// would drop fractions and imaginary parts.
struct ConvertedSumPattern : OpRewritePattern<sh::DotGeneralOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(sh::DotGeneralOp op, PatternRewriter &rewriter) const override {
    ir::NumberKind lhs = kindOf(op.getLhs()), rhs = kindOf(op.getRhs());
    if (std::max(lhs, rhs) <= kindOf(op.getResult()))
      return failure();
    bool ofRhs = lhs == rhs ? width(op.getRhs()) > width(op.getLhs()) : rhs > lhs;
    RankedTensorType type = op.getType();
    Operation *sum = rewriter.clone(*op);
    sum->getResult(0).setType(type.clone(typeOf(ofRhs ? op.getRhs() : op.getLhs()).getElementType()));
    rewriter.replaceOpWithNewOp<sh::ConvertOp>(op, type, sum->getResult(0));
    return success();
  }
};

} // namespace

bool convertOperands(PatternRewriter &rewriter, Operation *op, llvm::function_ref<Type(Value)> elementFor) {
  bool converted = false;
  for (OpOperand &operand : op->getOpOperands()) {
    Type element = elementFor(operand.get());
    if (!element)
      continue;
    Value value = sh::ConvertOp::create(rewriter, op->getLoc(), typeOf(operand.get()).clone(element), operand.get());
    rewriter.modifyOpInPlace(op, [&] { operand.set(value); });
    converted = true;
  }
  return converted;
}

void populateMixedKindPatterns(RewritePatternSet &patterns) {
  patterns.add<ConvertedSumPattern, MixedKindsPattern<sh::DotGeneralOp>, MixedKindsPattern<sh::ConvolutionOp>>(
      patterns.getContext());
}

} // namespace tenon::passes
