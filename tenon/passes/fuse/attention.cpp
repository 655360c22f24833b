// Puts three kernels into one: a product (the scores), rows of it (a softmax) and a product of these rows.
//
//   %s = dot(%q, %k)                        %o = tenon.fusion attention(%q, %k, %v) {
//   %p = tenon.fusion rows(%s)        =>      %s = dot(%q, %k)
//   %o = dot(%p, %v)                          %p = tenon.fusion rows(%s)
//                                             %o = dot(%p, %v)
//                                           }
//
// What is between them is as large as the square of a sequence's length. The kernel makes a block of its rows at a
// time, in the memory of a worker, so that it takes memory as the sequence is long. The parts stay fusions of their
// own: each is planned as it would be alone.

#include "tenon/passes/fuse/attention.h"

#include "tenon/ir/stablehlo.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {

bool isDot(Operation *op) {
  auto fusion = dyn_cast<ir::FusionOp>(op);
  return op->getNumResults() == 1 && (isa<sh::DotGeneralOp>(op) || (fusion && fusion.getKind() == ir::FusionKind::Dot));
}

namespace {

bool isRows(Operation *op) {
  auto fusion = dyn_cast<ir::FusionOp>(op);
  return fusion && fusion.getKind() == ir::FusionKind::Rows && op->getNumResults() == 1;
}

// The one op that uses the op's result, which is added to `chain` with the reshapes on the way; null if there are
// several or if it uses it twice.
Operation *onlyUser(Operation *op, SmallVectorImpl<Operation *> &chain) {
  while (op->getResult(0).hasOneUse()) {
    Operation *user = *op->getResult(0).user_begin();
    if (user->getBlock() != op->getBlock())
      return nullptr;
    chain.push_back(user);
    if (!isa<sh::ReshapeOp>(user))
      return user;
    op = user;
  }
  return nullptr;
}

// The ops from the scores' product to the other one, in order, or none.
SmallVector<Operation *> chainFrom(Operation *scores) {
  SmallVector<Operation *> chain{scores};
  if (!isDot(scores))
    return {};
  Operation *rows = onlyUser(scores, chain);
  if (!rows || !isRows(rows))
    return {};
  Operation *product = onlyUser(rows, chain);
  Value weights = chain[chain.size() - 2]->getResult(0);
  if (!product || !isDot(product) || !llvm::is_contained(product->getOperands().take_front(2), weights))
    return {};
  return chain;
}

// In place of the last of them. Returns false where the target has no such kernel.
bool join(ArrayRef<Operation *> chain, const FuseOptions &options) {
  Operation *last = chain.back();
  llvm::SetVector<Value> operands;
  for (Operation *op : chain)
    for (Value operand : op->getOperands())
      if (!llvm::is_contained(chain, operand.getDefiningOp()))
        operands.insert(operand);
  OpBuilder builder(last);
  auto fusion = ir::FusionOp::create(builder, last->getLoc(), last->getResultTypes(), operands.getArrayRef(),
                                     ir::FusionKind::Attention);
  IRMapping mapping;
  mapping.map(operands.getArrayRef(), fusion.getBlock().getArguments());
  builder.setInsertionPointToEnd(&fusion.getBlock());
  for (Operation *op : chain)
    builder.clone(*op, mapping);
  ir::YieldOp::create(builder, last->getLoc(), mapping.lookup(last->getResult(0)));
  if (!options.canEmit(fusion)) {
    fusion->erase();
    return false;
  }
  last->replaceAllUsesWith(fusion);
  for (Operation *op : llvm::reverse(chain))
    op->erase();
  return true;
}

} // namespace

void joinAttention(Block &block, const FuseOptions &options) {
  SmallVector<SmallVector<Operation *>> chains;
  for (Operation &op : block.without_terminator())
    if (SmallVector<Operation *> chain = chainFrom(&op); !chain.empty())
      chains.push_back(std::move(chain));
  // The product that ends a chain may begin another, of which nothing is left once the first is one kernel.
  SmallPtrSet<Operation *, 16> ends;
  for (ArrayRef<Operation *> chain : chains)
    if (!ends.contains(chain.front()) && join(chain, options))
      ends.insert(chain.back());
}

} // namespace tenon::passes
