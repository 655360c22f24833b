#include "tenon/passes/fuse/results.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace tenon::passes {

void eraseUnused(Block &body) {
  for (Operation *op = body.getTerminator()->getPrevNode(); op;) {
    Operation *previous = op->getPrevNode();
    if (op->use_empty())
      op->erase();
    op = previous;
  }
}

void keepUsedResults(ir::FusionOp fusion) {
  SmallVector<Value> yielded;
  SmallVector<OpResult> used;
  for (auto [result, value] : llvm::zip(fusion->getResults(), fusion.getYield()->getOperands()))
    if (!result.use_empty()) {
      used.push_back(result);
      yielded.push_back(value);
    }
  if (used.empty() || used.size() == fusion->getNumResults())
    return;
  OpBuilder builder(fusion);
  auto less = ir::FusionOp::create(builder, fusion.getLoc(), TypeRange(ValueRange(yielded)), fusion->getOperands(),
                                   fusion.getKind());
  IRMapping mapping;
  mapping.map(fusion.getBlock().getArguments(), less.getBlock().getArguments());
  OpBuilder inside = OpBuilder::atBlockEnd(&less.getBlock());
  for (Operation &op : fusion.getBlock().without_terminator())
    inside.clone(op, mapping);
  ir::YieldOp::create(inside, fusion.getLoc(),
                      llvm::map_to_vector(yielded, [&](Value value) { return mapping.lookup(value); }));
  eraseUnused(less.getBlock());
  for (auto [result, replacement] : llvm::zip(used, less->getResults()))
    result.replaceAllUsesWith(replacement);
  fusion.erase();
}

} // namespace tenon::passes
