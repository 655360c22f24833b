#include "tenon/passes/passes.h"

#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace tenon::passes {

LogicalResult simplify(ModuleOp module) {
  RewritePatternSet patterns(module.getContext());
  populateShapePatterns(patterns);
  populateElementwisePatterns(patterns);
  populateIndexingPatterns(patterns);
  populateReductionPatterns(patterns);
  populateDotPatterns(patterns);
  populateControlPatterns(patterns);
  populateConstantFoldPatterns(patterns);
  FrozenRewritePatternSet frozen(std::move(patterns));
  GreedyRewriteConfig config;
  config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  (void)applyPatternsGreedily(module, frozen, config); // not reaching a fixed point is no error
  IRRewriter rewriter(module.getContext());
  DominanceInfo dominance(module);
  eliminateCommonSubExpressions(rewriter, dominance, module);
  return success();
}

} // namespace tenon::passes
