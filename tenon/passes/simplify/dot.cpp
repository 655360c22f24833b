// Transposes around dot_general move into its dimension numbers, where they cost nothing: the matmul kernel reads and
// writes any strides. Gradients of dense layers come as transpose(dot_general(...)).

#include "tenon/ir/stablehlo.h"
#include "tenon/passes/passes.h"

#include "mlir/IR/PatternMatch.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {
namespace {

using ir::typeOf;

sh::DotDimensionNumbersAttr numbersWith(sh::DotDimensionNumbersAttr from, bool lhs, ArrayRef<int64_t> permutation) {
  auto renumber = [&](ArrayRef<int64_t> dims) {
    SmallVector<int64_t> result;
    for (int64_t dim : dims)
      result.push_back(permutation[dim]);
    return result;
  };
  MLIRContext *context = from.getContext();
  if (lhs)
    return sh::DotDimensionNumbersAttr::get(
        context, renumber(from.getLhsBatchingDimensions()), from.getRhsBatchingDimensions(),
        renumber(from.getLhsContractingDimensions()), from.getRhsContractingDimensions());
  return sh::DotDimensionNumbersAttr::get(context, from.getLhsBatchingDimensions(),
                                          renumber(from.getRhsBatchingDimensions()), from.getLhsContractingDimensions(),
                                          renumber(from.getRhsContractingDimensions()));
}

// dot_general(transpose(x), y): x directly, if its free dimensions keep their order.
struct TransposedOperandPattern : OpRewritePattern<sh::DotGeneralOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(sh::DotGeneralOp op, PatternRewriter &rewriter) const override {
    auto numbers = op.getDotDimensionNumbers();
    for (bool lhs : {true, false}) {
      auto transpose = (lhs ? op.getLhs() : op.getRhs()).getDefiningOp<sh::TransposeOp>();
      if (!transpose)
        continue;
      ArrayRef<int64_t> batch = lhs ? numbers.getLhsBatchingDimensions() : numbers.getRhsBatchingDimensions();
      ArrayRef<int64_t> contracting =
          lhs ? numbers.getLhsContractingDimensions() : numbers.getRhsContractingDimensions();
      SmallVector<int64_t> permutation(transpose.getPermutation());
      int64_t last = -1;
      bool ordered = true;
      for (int64_t i = 0; i < int64_t(permutation.size()); ++i) {
        if (llvm::is_contained(batch, i) || llvm::is_contained(contracting, i))
          continue;
        ordered &= permutation[i] > last;
        last = permutation[i];
      }
      if (!ordered)
        continue;
      rewriter.modifyOpInPlace(op, [&] {
        op->setOperand(lhs ? 0 : 1, transpose.getOperand());
        op.setDotDimensionNumbersAttr(numbersWith(numbers, lhs, permutation));
      });
      return success();
    }
    return failure();
  }
};

// transpose(dot_general(x, y)) where the transpose exchanges x's and y's free dimensions: dot_general(y, x).
struct TransposedResultPattern : OpRewritePattern<sh::TransposeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(sh::TransposeOp op, PatternRewriter &rewriter) const override {
    auto dot = op.getOperand().getDefiningOp<sh::DotGeneralOp>();
    if (!dot || !dot->hasOneUse() || dot.getAlgorithm())
      return failure();
    auto numbers = dot.getDotDimensionNumbers();
    int64_t batch = numbers.getLhsBatchingDimensions().size(),
            contracting = numbers.getLhsContractingDimensions().size();
    int64_t m = typeOf(dot.getLhs()).getRank() - batch - contracting;
    int64_t n = typeOf(dot.getRhs()).getRank() - batch - contracting;
    SmallVector<int64_t> expected;
    for (int64_t i = 0; i < batch; ++i)
      expected.push_back(i);
    for (int64_t i = 0; i < n; ++i)
      expected.push_back(batch + m + i);
    for (int64_t i = 0; i < m; ++i)
      expected.push_back(batch + i);
    if (op.getPermutation() != ArrayRef<int64_t>(expected))
      return failure();
    auto swapped = sh::DotDimensionNumbersAttr::get(
        op.getContext(), numbers.getRhsBatchingDimensions(), numbers.getLhsBatchingDimensions(),
        numbers.getRhsContractingDimensions(), numbers.getLhsContractingDimensions());
    ArrayAttr precision = dot.getPrecisionConfigAttr();
    if (precision && precision.size() == 2)
      precision = rewriter.getArrayAttr({precision[1], precision[0]});
    rewriter.replaceOpWithNewOp<sh::DotGeneralOp>(op, op.getType(), dot.getRhs(), dot.getLhs(), swapped, precision,
                                                  sh::DotAlgorithmAttr());
    return success();
  }
};

} // namespace

void populateDotPatterns(RewritePatternSet &patterns) {
  patterns.add<TransposedOperandPattern, TransposedResultPattern>(patterns.getContext());
}

} // namespace tenon::passes
