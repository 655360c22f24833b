#include "tenon/ir/stablehlo.h"
#include "tenon/passes/passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace sh = tenon::stablehlo;

namespace tenon::passes {

namespace {

constexpr llvm::StringLiteral kComputation = "tenon.computation";

// CSE would give a computation (of a reduce, sort or the like) a value from around it in the place of an equal one of
// its own, and kernels take none but constants (ir::capturesValue). So ops of a computation get the number of
// computations around it while CSE compares ops. Equal computations of different ops stay equal, and so do such ops.
void separateComputations(ModuleOp module) {
  Builder builder(module.getContext());
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op->getNumRegions() == 0 || isa<ModuleOp, func::FuncOp, sh::WhileOp, sh::IfOp, sh::CaseOp>(op))
      return;
    auto around = op->getAttrOfType<IntegerAttr>(kComputation);
    IntegerAttr mark = builder.getI64IntegerAttr(around ? around.getInt() + 1 : 0);
    for (Region &region : op->getRegions())
      region.walk([&](Operation *inner) {
        if (!inner->hasTrait<OpTrait::ConstantLike>() && !inner->hasTrait<OpTrait::IsTerminator>())
          inner->setDiscardableAttr(kComputation, mark);
      });
  });
}

void joinComputations(ModuleOp module) {
  module.walk([](Operation *op) { op->removeDiscardableAttr(kComputation); });
}

} // namespace

LogicalResult simplify(ModuleOp module) {
  RewritePatternSet patterns(module.getContext());
  populateShapePatterns(patterns);
  populateElementwisePatterns(patterns);
  populateIndexingPatterns(patterns);
  populateReductionPatterns(patterns);
  populateDotPatterns(patterns);
  populateConvolutionPatterns(patterns);
  populateControlPatterns(patterns);
  populateBranchPatterns(patterns);
  populateConstantFoldPatterns(patterns);
  FrozenRewritePatternSet frozen(std::move(patterns));
  GreedyRewriteConfig config;
  config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  (void)applyPatternsGreedily(module, frozen, config); // not reaching a fixed point is no error
  IRRewriter rewriter(module.getContext());
  DominanceInfo dominance(module);
  separateComputations(module);
  eliminateCommonSubExpressions(rewriter, dominance, module);
  joinComputations(module);
  return success();
}

} // namespace tenon::passes
