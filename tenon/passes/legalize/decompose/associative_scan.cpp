// A chlo.scan that may be computed in any order, by one op and from what changes nothing, is a reduce_window over all
// that is before each element: cumulative sums of JAX on GPUs, from 0.11 on.
#include "tenon/ir/chlo.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/ir/types.h"
#include "tenon/passes/legalize/decompose/patterns.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {
namespace {

using ir::typeOf;

// The scalar that all carries begin with, if it is a constant.
TypedAttr initialScalar(Value init) {
  while (auto broadcast = init.getDefiningOp<sh::BroadcastInDimOp>())
    init = broadcast.getOperand();
  DenseElementsAttr constant;
  if (!matchPattern(init, m_Constant(&constant)) || !constant.isSplat())
    return nullptr;
  return dyn_cast<TypedAttr>(constant.getSplatValue<Attribute>());
}

// Whether the value may count more than once: a window is padded with it.
bool isRepeatable(Operation *op, TypedAttr value) {
  if (isa<sh::MaximumOp, sh::MinimumOp, sh::AndOp, sh::OrOp>(op))
    return true;
  auto floats = dyn_cast<FloatAttr>(value);
  auto integers = dyn_cast<IntegerAttr>(value);
  if (isa<sh::AddOp>(op))
    return floats ? floats.getValue().isZero() : integers && integers.getValue().isZero();
  if (isa<sh::MultiplyOp>(op))
    return floats ? floats.getValue().isExactlyValue(1) : integers && integers.getValue().isOne();
  return false;
}

// The op of two arguments that is all of the body, whose result is output and carry.
Operation *onlyOp(chlo::ScanOp scan) {
  Block &body = scan.getBody().front();
  Operation *end = body.getTerminator();
  if (body.getNumArguments() != 2 || end->getNumOperands() != 2 || end->getOperand(0) != end->getOperand(1))
    return nullptr;
  Operation *op = end->getOperand(0).getDefiningOp();
  if (!isa_and_nonnull<sh::AddOp, sh::MultiplyOp, sh::MaximumOp, sh::MinimumOp, sh::AndOp, sh::OrOp>(op))
    return nullptr;
  bool isOfBoth = llvm::equal(op->getOperands(), body.getArguments()) ||
                  llvm::equal(llvm::reverse(op->getOperands()), body.getArguments());
  return isOfBoth ? op : nullptr;
}

struct AssociativeScanPattern : OpRewritePattern<chlo::ScanOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(chlo::ScanOp scan, PatternRewriter &rewriter) const override {
    if (!scan.getIsAssociative().value_or(false) || scan.getInputs().size() != 1 || scan->getNumResults() != 2)
      return failure();
    Value input = scan.getInputs()[0], init = scan.getInits()[0];
    auto type = dyn_cast<RankedTensorType>(input.getType());
    Operation *op = onlyOp(scan);
    TypedAttr initial = initialScalar(init);
    const int64_t dimension = scan.getDimension();
    if (!op || !initial || !type || !type.hasStaticShape() || type.getDimSize(dimension) == 0 ||
        scan->getResult(0).getType() != type || initial.getType() != type.getElementType() ||
        typeOf(init).getElementType() != type.getElementType() || !isRepeatable(op, initial))
      return failure();
    Value sums = buildWindow(scan, op, initial, rewriter);
    rewriter.replaceOp(scan, {sums, last(scan, sums, rewriter)});
    return success();
  }

private:
  static Value buildWindow(chlo::ScanOp scan, Operation *op, TypedAttr initial, PatternRewriter &rewriter) {
    RankedTensorType type = typeOf(scan.getInputs()[0]);
    auto scalar = RankedTensorType::get({}, type.getElementType());
    const auto dimension = static_cast<int64_t>(scan.getDimension());
    const int64_t size = type.getDimSize(dimension);
    SmallVector<int64_t> widths(type.getRank(), 1), padding(2 * type.getRank(), 0);
    widths[dimension] = size;
    padding[2 * dimension + (scan.getIsReverse() ? 1 : 0)] = size - 1;
    Value start = sh::ConstantOp::create(rewriter, scan.getLoc(), DenseElementsAttr::get(scalar, initial));
    DenseI64ArrayAttr none;
    auto window = sh::ReduceWindowOp::create(
        rewriter, scan.getLoc(), TypeRange{type}, ValueRange{scan.getInputs()[0]}, ValueRange{start},
        rewriter.getDenseI64ArrayAttr(widths), none, none, none,
        DenseIntElementsAttr::get(RankedTensorType::get({type.getRank(), 2}, rewriter.getI64Type()),
                                  ArrayRef<int64_t>(padding)));
    OpBuilder::InsertionGuard guard(rewriter);
    Block *body = rewriter.createBlock(&window.getBody(), {}, {scalar, scalar}, {scan.getLoc(), scan.getLoc()});
    OperationState same(op->getLoc(), op->getName(), body->getArguments(), scalar);
    sh::ReturnOp::create(rewriter, scan.getLoc(), rewriter.create(same)->getResult(0));
    return window->getResult(0);
  }

  // What is carried out of the last step.
  static Value last(chlo::ScanOp scan, Value sums, PatternRewriter &rewriter) {
    RankedTensorType type = typeOf(sums);
    const auto dimension = static_cast<int64_t>(scan.getDimension());
    SmallVector<int64_t> start(type.getRank(), 0), limit(type.getShape()), ones(type.getRank(), 1);
    start[dimension] = scan.getIsReverse() ? 0 : type.getDimSize(dimension) - 1;
    limit[dimension] = start[dimension] + 1;
    Value slice = sh::SliceOp::create(rewriter, scan.getLoc(), sums, start, limit, ones);
    return sh::ReshapeOp::create(rewriter, scan.getLoc(), scan->getResult(1).getType(), slice);
  }
};

} // namespace

void populateAssociativeScanPatterns(RewritePatternSet &patterns) {
  patterns.add<AssociativeScanPattern>(patterns.getContext(), /*benefit=*/2);
}

} // namespace tenon::passes
