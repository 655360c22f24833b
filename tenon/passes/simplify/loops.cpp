// While loops: what does not change leaves the loop.
//
//   %0:2 = while(%w = %weights, %x = %init) cond { ... } do { ...; return %w, %x2 }
//     =>
//   %0 = while(%x = %init) cond { ... } do { ... %weights ...; return %x2 }
//
// jax.lax.scan passes every constant and the whole input through the carried values. A captured value needs no buffer
// of the loop's own and no copy, and lets fusion and matmul see that it is an argument. What is computed of such values
// alone may leave the loop (invariants.h). Carried values that nobody reads are dropped.

#include "tenon/ir/stablehlo.h"
#include "tenon/passes/passes.h"
#include "tenon/passes/simplify/few_steps.h"
#include "tenon/passes/simplify/invariants.h"
#include "tenon/passes/simplify/scalarize.h"
#include "tenon/passes/simplify/step_products.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {
namespace {

// Builds the loop again without the carried values in `drop` (their uses must be gone already).
sh::WhileOp dropCarried(sh::WhileOp loop, const llvm::BitVector &drop, RewriterBase &rewriter) {
  SmallVector<Value> inits;
  SmallVector<Type> types;
  for (unsigned i = 0; i < drop.size(); ++i)
    if (!drop[i]) {
      inits.push_back(loop->getOperand(i));
      types.push_back(loop->getResult(i).getType());
    }
  rewriter.setInsertionPoint(loop);
  OperationState state(loop.getLoc(), sh::WhileOp::getOperationName(), inits, types, loop->getAttrs());
  state.addRegion()->takeBody(loop.getCond());
  state.addRegion()->takeBody(loop.getBody());
  auto result = cast<sh::WhileOp>(rewriter.create(state));
  result.getCond().front().eraseArguments(drop);
  result.getBody().front().eraseArguments(drop);
  Operation *terminator = result.getBody().front().getTerminator();
  rewriter.modifyOpInPlace(terminator, [&] { terminator->eraseOperands(drop); });
  for (unsigned i = 0, next = 0; i < drop.size(); ++i)
    if (!drop[i])
      rewriter.replaceAllUsesWith(loop->getResult(i), result->getResult(next++));
  rewriter.eraseOp(loop);
  return result;
}

struct WhilePattern : OpRewritePattern<sh::WhileOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(sh::WhileOp loop, PatternRewriter &rewriter) const override {
    Block &cond = loop.getCond().front(), &body = loop.getBody().front();
    Operation *terminator = body.getTerminator();
    unsigned count = loop->getNumOperands();
    llvm::BitVector drop(count);
    for (unsigned i = 0; i < count; ++i) {
      Value next = terminator->getOperand(i), init = loop->getOperand(i);
      if (next != body.getArgument(i) && next != init)
        continue;
      if (init.getType() != loop->getResult(i).getType())
        continue;
      rewriter.replaceAllUsesWith(cond.getArgument(i), init);
      rewriter.replaceAllUsesWith(body.getArgument(i), init);
      rewriter.replaceAllUsesWith(loop->getResult(i), init);
      drop.set(i);
    }
    mergeEqual(loop, drop, rewriter);
    markUnread(loop, drop);
    if (drop.none())
      return failure();
    // Dropped values may still feed themselves; their arguments are replaced.
    for (unsigned i : drop.set_bits())
      if (!body.getArgument(i).use_empty())
        rewriter.replaceAllUsesWith(body.getArgument(i), loop->getOperand(i));
    dropCarried(loop, drop, rewriter);
    return success();
  }

private:
  // Two carried values that start equal and continue equal are one (scan counts its steps twice).
  static void mergeEqual(sh::WhileOp loop, llvm::BitVector &drop, PatternRewriter &rewriter) {
    Block &cond = loop.getCond().front(), &body = loop.getBody().front();
    Operation *terminator = body.getTerminator();
    for (unsigned i = 0; i < drop.size(); ++i)
      for (unsigned j = i + 1; j < drop.size(); ++j) {
        if (drop[i] || drop[j] || loop->getOperand(i) != loop->getOperand(j) ||
            !sameStep(body, terminator->getOperand(i), i, terminator->getOperand(j), j))
          continue;
        rewriter.replaceAllUsesWith(cond.getArgument(j), cond.getArgument(i));
        rewriter.replaceAllUsesWith(body.getArgument(j), body.getArgument(i));
        rewriter.replaceAllUsesWith(loop->getResult(j), loop->getResult(i));
        drop.set(j);
      }
  }

  // Whether `a` computes from argument i what `b` computes from argument j: the same value, or one op each.
  static bool sameStep(Block &body, Value a, unsigned i, Value b, unsigned j) {
    if (a == b)
      return true;
    Operation *left = a.getDefiningOp(), *right = b.getDefiningOp();
    if (!left || !right || left->getNumRegions() || left->getName() != right->getName() || left->getNumResults() != 1 ||
        left->getAttrDictionary() != right->getAttrDictionary() || left->getResultTypes() != right->getResultTypes() ||
        left->getNumOperands() != right->getNumOperands() || !isPure(left))
      return false;
    for (auto [x, y] : llvm::zip(left->getOperands(), right->getOperands())) {
      Attribute first, second;
      bool sameConstant =
          matchPattern(x, m_Constant(&first)) && matchPattern(y, m_Constant(&second)) && first == second;
      if (x != y && !sameConstant && !(x == body.getArgument(i) && y == body.getArgument(j)))
        return false;
    }
    return true;
  }

  // Marks carried values that have no use but their own next value.
  static void markUnread(sh::WhileOp loop, llvm::BitVector &drop) {
    Block &cond = loop.getCond().front(), &body = loop.getBody().front();
    Operation *terminator = body.getTerminator();
    for (unsigned i = 0; i < drop.size(); ++i) {
      if (drop[i] || !loop->getResult(i).use_empty() || !cond.getArgument(i).use_empty())
        continue;
      if (onlyFeeds(body.getArgument(i), terminator, i))
        drop.set(i);
    }
  }

  // Whether every use of `argument`, directly or through pure ops, ends in operand `index` of the terminator.
  static bool onlyFeeds(Value argument, Operation *terminator, unsigned index) {
    SmallVector<Value> worklist{argument};
    llvm::DenseSet<Operation *> visited;
    while (!worklist.empty()) {
      for (OpOperand &use : worklist.pop_back_val().getUses()) {
        Operation *user = use.getOwner();
        if (user == terminator) {
          if (use.getOperandNumber() != index)
            return false;
          continue;
        }
        if (user->getBlock() != terminator->getBlock() || !isPure(user))
          return false;
        if (visited.insert(user).second) {
          if (visited.size() > 64)
            return false;
          llvm::append_range(worklist, user->getResults());
        }
      }
    }
    return true;
  }
};

} // namespace

void populateControlPatterns(RewritePatternSet &patterns) { patterns.add<WhilePattern>(patterns.getContext()); }

LogicalResult simplifyLoops(ModuleOp module, const CostModel &costs) {
  // Innermost first, so that a value leaves the whole nest.
  SmallVector<sh::WhileOp> loops;
  module.walk([&](sh::WhileOp loop) { loops.push_back(loop); });
  llvm::for_each(loops, hoistInvariants);
  llvm::for_each(loops, [&](sh::WhileOp loop) { hoistStepProducts(loop, costs); });
  llvm::for_each(loops, [&](sh::WhileOp loop) { scalarize(loop, costs); });
  loops.clear();
  module.walk([&](sh::WhileOp loop) { loops.push_back(loop); });
  llvm::for_each(loops, [&](sh::WhileOp loop) { unrollFewSteps(loop, costs); });
  return success();
}

} // namespace tenon::passes
