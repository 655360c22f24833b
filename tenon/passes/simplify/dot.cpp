// Transposes around dot_general move into its dimension numbers, where they cost nothing: the matmul kernel reads and
// writes any strides. Gradients of dense layers come as transpose(dot_general(...)). And products are in an order in
// which what reads them finds elements side by side.

#include "tenon/passes/simplify/dot.h"

#include "tenon/ir/stablehlo.h"
#include "tenon/ir/tf32.h"
#include "tenon/passes/passes.h"

#include "mlir/IR/PatternMatch.h"

#include <algorithm>

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {

using ir::typeOf;

sh::DotDimensionNumbersAttr numbersWith(sh::DotDimensionNumbersAttr from, bool lhs, ArrayRef<int64_t> places) {
  auto renumber = [&](ArrayRef<int64_t> dims) {
    SmallVector<int64_t> result;
    for (int64_t dim : dims)
      result.push_back(places[dim]);
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

namespace {

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

// How the dimensions of a product are made up: `batch` of them, then `m` of the lhs and `n` of the rhs.
struct ResultDims {
  explicit ResultDims(sh::DotGeneralOp dot) {
    auto numbers = dot.getDotDimensionNumbers();
    batch = int64_t(numbers.getLhsBatchingDimensions().size());
    int64_t contracting = int64_t(numbers.getLhsContractingDimensions().size());
    m = typeOf(dot.getLhs()).getRank() - batch - contracting;
    n = typeOf(dot.getRhs()).getRank() - batch - contracting;
  }
  // Where a dimension is when the operands are exchanged.
  int64_t exchanged(int64_t dim) const { return dim < batch ? dim : dim < batch + m ? dim + n : dim - m; }

  int64_t batch, m, n;
};

// The product of the rhs and the lhs.
Value exchangeOperands(sh::DotGeneralOp dot, PatternRewriter &rewriter) {
  auto numbers = dot.getDotDimensionNumbers();
  auto swapped = sh::DotDimensionNumbersAttr::get(
      dot.getContext(), numbers.getRhsBatchingDimensions(), numbers.getLhsBatchingDimensions(),
      numbers.getRhsContractingDimensions(), numbers.getLhsContractingDimensions());
  ArrayAttr precision = dot.getPrecisionConfigAttr();
  if (precision && precision.size() == 2)
    precision = rewriter.getArrayAttr({precision[1], precision[0]});
  ResultDims dims(dot);
  SmallVector<int64_t> shape(typeOf(dot).getShape());
  std::rotate(shape.begin() + dims.batch, shape.begin() + dims.batch + dims.m, shape.end());
  auto exchanged = sh::DotGeneralOp::create(rewriter, dot.getLoc(), typeOf(dot).clone(shape), dot.getRhs(),
                                            dot.getLhs(), swapped, precision, dot.getAlgorithmAttr());
  ir::copyTf32Operands(dot, exchanged);
  return exchanged;
}

// transpose(dot_general(x, y)) whose last dimension is x's last one: dot_general(y, x), so that rows stay whole, with
// what is left of the transpose, if anything.
struct TransposedResultPattern : OpRewritePattern<sh::TransposeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(sh::TransposeOp op, PatternRewriter &rewriter) const override {
    auto dot = op.getOperand().getDefiningOp<sh::DotGeneralOp>();
    if (!dot || !dot->hasOneUse() || !treatsOperandsAlike(dot))
      return failure();
    ResultDims dims(dot);
    if (dims.m == 0 || dims.n == 0 || op.getPermutation().back() != dims.batch + dims.m - 1)
      return failure();
    auto permutation = llvm::map_to_vector(op.getPermutation(), [&](int64_t dim) { return dims.exchanged(dim); });
    rewriter.replaceOpWithNewOp<sh::TransposeOp>(op, op.getType(), exchangeOperands(dot, rewriter), permutation);
    return success();
  }
};

// dot_general(dot_general(x, y), z) whose batches are the last dimension of y, of which the product's elements lie side
// by side: the inner one is dot_general(y, x), which has those of each batch together.
struct BatchedProductPattern : OpRewritePattern<sh::DotGeneralOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(sh::DotGeneralOp op, PatternRewriter &rewriter) const override {
    for (bool lhs : {true, false})
      if (succeeded(exchangeInner(op, lhs, rewriter)))
        return success();
    return failure();
  }

private:
  static LogicalResult exchangeInner(sh::DotGeneralOp op, bool lhs, PatternRewriter &rewriter) {
    auto numbers = op.getDotDimensionNumbers();
    auto dot = (lhs ? op.getLhs() : op.getRhs()).getDefiningOp<sh::DotGeneralOp>();
    if (!dot || !dot->hasOneUse() || !treatsOperandsAlike(dot))
      return failure();
    ArrayRef<int64_t> batch = lhs ? numbers.getLhsBatchingDimensions() : numbers.getRhsBatchingDimensions();
    ArrayRef<int64_t> summed = lhs ? numbers.getLhsContractingDimensions() : numbers.getRhsContractingDimensions();
    ResultDims dims(dot);
    int64_t rank = dims.batch + dims.m + dims.n;
    if (dims.m == 0 || dims.n == 0 || !llvm::is_contained(batch, rank - 1) ||
        llvm::is_contained(batch, dims.batch + dims.m - 1))
      return failure();
    // Free dimensions keep their order if they are of one operand.
    auto isFree = [&](int64_t dim) { return !llvm::is_contained(batch, dim) && !llvm::is_contained(summed, dim); };
    auto isFreeOfLhs = llvm::any_of(llvm::seq(dims.batch, dims.batch + dims.m), isFree);
    if (isFreeOfLhs && llvm::any_of(llvm::seq(dims.batch + dims.m, rank), isFree))
      return failure();
    auto permutation = llvm::map_to_vector(llvm::seq(rank), [&](int64_t dim) { return dims.exchanged(dim); });
    Value exchanged = exchangeOperands(dot, rewriter);
    rewriter.modifyOpInPlace(op, [&] {
      op->setOperand(lhs ? 0 : 1, exchanged);
      op.setDotDimensionNumbersAttr(numbersWith(numbers, lhs, permutation));
    });
    return success();
  }
};

} // namespace

void populateDotPatterns(RewritePatternSet &patterns) {
  patterns.add<TransposedOperandPattern, TransposedResultPattern, BatchedProductPattern>(patterns.getContext());
}

} // namespace tenon::passes
