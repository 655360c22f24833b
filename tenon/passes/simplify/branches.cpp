// Branches that are known to be taken stand in the place of their if or case.
//
// jax.export for several platforms asks for the platform in a case whose index is constant once the module is called;
// the branches of other platforms call what only those have (cuSOLVER, say), so they have to go before anybody looks.

#include "tenon/ir/stablehlo.h"
#include "tenon/passes/passes.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {
namespace {

// The region that runs, if that is known: of a case with an index out of range the last.
Region *takenRegion(Operation *op) {
  if (op->getNumRegions() == 1)
    return &op->getRegion(0);
  DenseElementsAttr index;
  if (!matchPattern(op->getOperand(0), m_Constant(&index)) || !index.isSplat())
    return nullptr;
  auto value = index.getSplatValue<APInt>();
  if (isa<sh::IfOp>(op))
    return &op->getRegion(value.isZero() ? 1 : 0);
  unsigned last = op->getNumRegions() - 1;
  return &op->getRegion(value.isNegative() || value.ugt(last) ? last : value.getZExtValue());
}

template <typename Op> struct BranchPattern : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    Region *taken = takenRegion(op);
    if (!taken)
      return failure();
    Operation *terminator = taken->front().getTerminator();
    if (terminator->getOperandTypes() != op->getResultTypes())
      return failure();
    SmallVector<Value> results(terminator->getOperands());
    rewriter.eraseOp(terminator);
    rewriter.inlineBlockBefore(&taken->front(), op);
    rewriter.replaceOp(op, results);
    return success();
  }
};

} // namespace

void populateBranchPatterns(RewritePatternSet &patterns) {
  patterns.add<BranchPattern<sh::IfOp>, BranchPattern<sh::CaseOp>>(patterns.getContext());
}

} // namespace tenon::passes
