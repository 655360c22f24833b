// Transposes around dot_general move into its dimension numbers, where they cost nothing: the matmul kernel reads and
// writes any strides. Gradients of dense layers come as transpose(dot_general(...)).

#include "tenon/ir/stablehlo.h"
#include "tenon/passes/passes.h"

#include "mlir/IR/PatternMatch.h"

#include <algorithm>

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

// Whether the algorithm, if one is asked for, is the same with the operands exchanged.
bool treatsOperandsAlike(sh::DotGeneralOp dot) {
  sh::DotAlgorithmAttr algorithm = dot.getAlgorithmAttr();
  return !algorithm || (algorithm.getLhsPrecisionType() == algorithm.getRhsPrecisionType() &&
                        algorithm.getLhsComponentCount() == algorithm.getRhsComponentCount());
}

// transpose(dot_general(x, y)) whose last dimension is x's last one: dot_general(y, x), so that rows stay whole, with
// what is left of the transpose, if anything.
struct TransposedResultPattern : OpRewritePattern<sh::TransposeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(sh::TransposeOp op, PatternRewriter &rewriter) const override {
    auto dot = op.getOperand().getDefiningOp<sh::DotGeneralOp>();
    if (!dot || !dot->hasOneUse() || !treatsOperandsAlike(dot))
      return failure();
    auto numbers = dot.getDotDimensionNumbers();
    int64_t batch = numbers.getLhsBatchingDimensions().size(),
            contracting = numbers.getLhsContractingDimensions().size();
    int64_t m = typeOf(dot.getLhs()).getRank() - batch - contracting;
    int64_t n = typeOf(dot.getRhs()).getRank() - batch - contracting;
    if (m == 0 || n == 0 || op.getPermutation().back() != batch + m - 1)
      return failure();
    auto swapped = sh::DotDimensionNumbersAttr::get(
        op.getContext(), numbers.getRhsBatchingDimensions(), numbers.getLhsBatchingDimensions(),
        numbers.getRhsContractingDimensions(), numbers.getLhsContractingDimensions());
    ArrayAttr precision = dot.getPrecisionConfigAttr();
    if (precision && precision.size() == 2)
      precision = rewriter.getArrayAttr({precision[1], precision[0]});
    // Dimensions of the result exchanged, and where the transpose reads them then.
    SmallVector<int64_t> shape(typeOf(dot).getShape());
    std::rotate(shape.begin() + batch, shape.begin() + batch + m, shape.end());
    SmallVector<int64_t> permutation;
    for (int64_t dim : op.getPermutation())
      permutation.push_back(dim < batch ? dim : dim < batch + m ? dim + n : dim - m);
    Value exchanged = sh::DotGeneralOp::create(rewriter, dot.getLoc(), typeOf(dot).clone(shape), dot.getRhs(),
                                               dot.getLhs(), swapped, precision, dot.getAlgorithmAttr());
    rewriter.replaceOpWithNewOp<sh::TransposeOp>(op, op.getType(), exchanged, permutation);
    return success();
  }
};

} // namespace

void populateDotPatterns(RewritePatternSet &patterns) {
  patterns.add<TransposedOperandPattern, TransposedResultPattern>(patterns.getContext());
}

} // namespace tenon::passes
