#include "tenon/passes/simplify/few_steps.h"

#include "tenon/ir/traits.h"
#include "tenon/ir/trip_count.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {
namespace {

constexpr int64_t kMostSteps = 8;
constexpr int64_t kMostOps = 320; // of all steps

// Whether the op is arithmetic, or changes the shape on the way to it.
bool isOfElements(Operation &op) {
  if (op.getNumRegions() != 0 || !isPure(&op))
    return false;
  return op.hasTrait<ir::Elementwise>() || op.hasTrait<OpTrait::ConstantLike>() ||
         isa<sh::BroadcastInDimOp, sh::ReshapeOp, sh::SliceOp, sh::IotaOp>(op);
}

bool isLarge(Type type, const CostModel &costs) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() && tensor.getNumElements() >= costs.unrolledArray;
}

bool pays(sh::WhileOp loop, int64_t steps, const CostModel &costs) {
  Block &body = loop.getBody().front();
  auto ops = int64_t(std::distance(body.begin(), body.end()));
  auto isLargeHere = [&](Type type) { return isLarge(type, costs); };
  if (steps < 1 || steps > kMostSteps || steps * ops > kMostOps || llvm::none_of(loop->getResultTypes(), isLargeHere))
    return false;
  TypeRange types = loop->getResultTypes();
  if (loop->getOperandTypes() != types || body.getArgumentTypes() != types ||
      body.getTerminator()->getOperandTypes() != types)
    return false;
  return llvm::all_of(body.without_terminator(), isOfElements) &&
         llvm::all_of(loop.getCond().front().without_terminator(), isOfElements);
}

} // namespace

void unrollFewSteps(sh::WhileOp loop, const CostModel &costs) {
  int64_t steps = ir::tripCount(loop);
  if (!pays(loop, steps, costs))
    return;
  OpBuilder builder(loop);
  Block &body = loop.getBody().front();
  SmallVector<Value> carried(loop->getOperands());
  for (int64_t step = 0; step < steps; ++step) {
    IRMapping mapping;
    mapping.map(body.getArguments(), carried);
    for (Operation &op : body.without_terminator())
      builder.clone(op, mapping);
    for (auto [value, next] : llvm::zip(carried, body.getTerminator()->getOperands()))
      value = mapping.lookupOrDefault(next);
  }
  loop->replaceAllUsesWith(carried);
  loop->erase();
}

} // namespace tenon::passes
