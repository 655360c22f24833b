// The computations of reduce, sort and their like become straight-line: kernels run them in vectors.
//
//   stablehlo.if(%p) { return %a } { return %b }  =>  stablehlo.select %p, %a, %b

#include "tenon/ir/stablehlo.h"
#include "tenon/passes/legalize/decompose/patterns.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {

bool isInComputation(Operation *op) {
  for (Operation *parent = op->getParentOp(); parent; parent = parent->getParentOp())
    if (!isa<func::FuncOp, ModuleOp, sh::WhileOp, sh::IfOp, sh::CaseOp>(parent))
      return true;
  return false;
}

namespace {

// Ops of both branches run; those must not be able to tell.
struct SelectPattern : OpRewritePattern<sh::IfOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(sh::IfOp op, PatternRewriter &rewriter) const override {
    auto isPlain = [](Region &region) {
      return llvm::all_of(region.front().without_terminator(),
                          [](Operation &inner) { return inner.getNumRegions() == 0 && isPure(&inner); });
    };
    if (!isInComputation(op) || !llvm::all_of(op->getRegions(), isPlain))
      return failure();
    SmallVector<Value> onTrue = inlined(op.getTrueBranch(), op, rewriter);
    SmallVector<Value> onFalse = inlined(op.getFalseBranch(), op, rewriter);
    SmallVector<Value> results;
    for (auto [a, b] : llvm::zip(onTrue, onFalse))
      results.push_back(sh::SelectOp::create(rewriter, op.getLoc(), a.getType(), op.getPred(), a, b));
    rewriter.replaceOp(op, results);
    return success();
  }

private:
  static SmallVector<Value> inlined(Region &region, sh::IfOp op, PatternRewriter &rewriter) {
    Operation *terminator = region.front().getTerminator();
    SmallVector<Value> results(terminator->getOperands());
    rewriter.eraseOp(terminator);
    rewriter.inlineBlockBefore(&region.front(), op);
    return results;
  }
};

} // namespace

void populateComputationPatterns(RewritePatternSet &patterns) { patterns.add<SelectPattern>(patterns.getContext()); }

} // namespace tenon::passes
