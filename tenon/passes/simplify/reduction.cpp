// Reductions over nothing, or over dimensions of size one; of arrays that were stacked to be reduced; by windows that
// hold whole dimensions; and of integers in more bits than are used.

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

//   reduce_window(x) with one window, of all elements, in some dimensions and of one element in the others
//     =>
//   reshape(reduce(x, across these dimensions))
//
// Windows are computed each for itself, element by element: in vectors across them, which gather what lies side by side
// in a window (pooling of whole images whose rows are innermost took 8 and 25 times as long so), or which read lines of
// memory so far apart that few of them stay in the L1 cache for the next vector (features innermost: up to 2 times as
// long, maxima up to 4). A reduction has vectors along its rows, or goes over rows together, and cuts long ones.
struct WholeWindowPattern : OpRewritePattern<sh::ReduceWindowOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(sh::ReduceWindowOp op, PatternRewriter &rewriter) const override {
    for (auto [input, init, result] : llvm::zip_equal(op.getInputs(), op.getInitValues(), op.getResults())) {
      RankedTensorType type = typeOf(input);
      if (!type.hasStaticShape() || !typeOf(result).hasStaticShape() || typeOf(init).getRank() != 0 ||
          type.getElementType() != ir::elementTypeOf(init) || type.getElementType() != ir::elementTypeOf(result))
        return failure();
    }
    SmallVector<int64_t> whole;
    int64_t rank = typeOf(op.getInputs()[0]).getRank();
    for (int64_t dim = 0; dim < rank; ++dim) {
      bool holdsAll = hasWholeWindow(op, dim);
      if (!holdsAll && !hasOwnWindows(op, dim))
        return failure();
      if (holdsAll)
        whole.push_back(dim);
    }
    if (whole.empty())
      return failure();
    SmallVector<Type> types;
    for (Value result : op.getResults())
      types.push_back(typeOf(result).clone(leftOf(typeOf(result).getShape(), whole)));
    auto reduce = sh::ReduceOp::create(rewriter, op.getLoc(), types, op.getInputs(), op.getInitValues(), whole);
    rewriter.inlineRegionBefore(op.getBody(), reduce.getBody(), reduce.getBody().end());
    SmallVector<Value> results;
    for (auto [result, sum] : llvm::zip_equal(op.getResults(), reduce.getResults()))
      results.push_back(sh::ReshapeOp::create(rewriter, op.getLoc(), result.getType(), sum));
    rewriter.replaceOp(op, results);
    return success();
  }

private:
  static int64_t at(std::optional<ArrayRef<int64_t>> values, int64_t dim) { return values ? (*values)[dim] : 1; }

  static std::pair<int64_t, int64_t> paddingAt(sh::ReduceWindowOp op, int64_t dim) {
    auto padding = op.getPadding();
    if (!padding)
      return {0, 0};
    auto values = padding->getValues<int64_t>();
    return {values[2 * dim], values[2 * dim + 1]};
  }

  // One window, which holds all elements, perhaps with padding on both sides, which takes no part.
  static bool hasWholeWindow(sh::ReduceWindowOp op, int64_t dim) {
    int64_t size = typeOf(op.getInputs()[0]).getDimSize(dim), width = op.getWindowDimensions()[dim];
    int64_t low = paddingAt(op, dim).first;
    return size > 0 && typeOf(op.getResult(0)).getDimSize(dim) == 1 && low >= 0 && width - low >= size &&
           at(op.getBaseDilations(), dim) == 1 && at(op.getWindowDilations(), dim) == 1;
  }

  // A window for each element.
  static bool hasOwnWindows(sh::ReduceWindowOp op, int64_t dim) {
    int64_t size = typeOf(op.getInputs()[0]).getDimSize(dim);
    return op.getWindowDimensions()[dim] == 1 && typeOf(op.getResult(0)).getDimSize(dim) == size &&
           at(op.getWindowStrides(), dim) == 1 && paddingAt(op, dim) == std::pair<int64_t, int64_t>(0, 0) &&
           at(op.getBaseDilations(), dim) == 1;
  }

  static SmallVector<int64_t> leftOf(ArrayRef<int64_t> shape, ArrayRef<int64_t> dims) {
    SmallVector<int64_t> left;
    for (auto [dim, size] : llvm::enumerate(shape))
      if (!llvm::is_contained(dims, static_cast<int64_t>(dim)))
        left.push_back(size);
    return left;
  }
};

//   convert(reduce(convert(x), 0, add))  =>  reduce(x, 0, add)
//
// Sums, products and combinations of bits wrap, so that the low bits of what they give depend on the low bits of what
// they take alone. A vector holds several times as many elements of the narrower type: packed bits are sums of bytes,
// which numpy's promotion makes in the widest integers.
struct TruncatedReducePattern : OpRewritePattern<sh::ConvertOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(sh::ConvertOp op, PatternRewriter &rewriter) const override {
    auto reduce = op.getOperand().getDefiningOp<sh::ReduceOp>();
    if (!reduce || !reduce->hasOneUse() || reduce.getInputs().size() != 1)
      return failure();
    auto widened = reduce.getInputs()[0].getDefiningOp<sh::ConvertOp>();
    DenseIntElementsAttr init;
    if (!widened || !matchPattern(reduce.getInitValues()[0], m_Constant(&init)) || !init.isSplat())
      return failure();
    auto from = dyn_cast<IntegerType>(ir::elementTypeOf(widened.getOperand()));
    auto wide = dyn_cast<IntegerType>(ir::elementTypeOf(op.getOperand()));
    auto to = dyn_cast<IntegerType>(ir::elementTypeOf(op.getResult()));
    if (!from || !wide || from != to || ir::isBool(from) || from.getWidth() < 8 || from.getWidth() >= wide.getWidth() ||
        wide != ir::elementTypeOf(reduce.getInputs()[0]) || !wraps(reduce.getBody().front()))
      return failure();
    Location loc = reduce.getLoc();
    auto start =
        DenseElementsAttr::get(RankedTensorType::get({}, to), init.getSplatValue<APInt>().trunc(to.getWidth()));
    auto narrow =
        sh::ReduceOp::create(rewriter, loc, TypeRange{op.getType()}, ValueRange{widened.getOperand()},
                             ValueRange{sh::ConstantOp::create(rewriter, loc, start)}, reduce.getDimensions());
    Block &body = narrow.getBody().emplaceBlock();
    Type scalar = RankedTensorType::get({}, to);
    body.addArguments({scalar, scalar}, {loc, loc});
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(&body);
    OperationState state(loc, reduce.getBody().front().front().getName(), body.getArguments(), scalar);
    sh::ReturnOp::create(rewriter, loc, rewriter.create(state)->getResults());
    rewriter.replaceOp(op, narrow.getResults());
    return success();
  }

private:
  // Whether the body is one operation on its arguments whose low bits depend on theirs alone.
  static bool wraps(Block &body) {
    Operation &op = body.front();
    return llvm::hasNItems(body.without_terminator(), 1) && body.getNumArguments() == 2 &&
           body.getTerminator()->getOperand(0) == op.getResult(0) &&
           isa<sh::AddOp, sh::MultiplyOp, sh::AndOp, sh::OrOp, sh::XorOp>(op) && op.getOperand(0) != op.getOperand(1) &&
           llvm::all_of(op.getOperands(),
                        [&](Value operand) { return llvm::is_contained(body.getArguments(), operand); });
  }
};

} // namespace

void populateReductionPatterns(RewritePatternSet &patterns) {
  patterns.add<UnitReducePattern, StackedReducePattern, WholeWindowPattern, TruncatedReducePattern>(
      patterns.getContext());
}

} // namespace tenon::passes
