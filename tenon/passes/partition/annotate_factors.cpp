// Says of every op which factors it has, in Shardy's notation and as its attribute, so that a program can be looked at
// and compared with what Shardy says:
//
//   %0 = stablehlo.transpose %x, dims = [1, 0] {sdy.sharding_rule = #sdy.op_sharding_rule<([j, i])->([i, j]) {i=4,
//   j=8}>}
#include "tenon/ir/factors.h"
#include "tenon/passes/passes.h"

using namespace mlir;

namespace tenon::passes {

LogicalResult annotateFactors(ModuleOp module) {
  module.walk([](Operation *op) {
    if (ir::MaybeFactors factors = ir::findFactors(op))
      op->setAttr("sdy.sharding_rule", sdy::OpShardingRuleAttr::get(op->getContext(), ir::toString(*factors)));
  });
  return success();
}

} // namespace tenon::passes
