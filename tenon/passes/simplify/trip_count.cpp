#include "tenon/passes/simplify/trip_count.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {

static std::optional<int64_t> constantOf(Value value) {
  APInt number;
  if (!matchPattern(value, m_ConstantInt(&number)) || number.getSignificantBits() > 63)
    return std::nullopt;
  return number.getSExtValue();
}

int64_t tripCount(sh::WhileOp loop) {
  auto compare = loop.getCond().front().getTerminator()->getOperand(0).getDefiningOp<sh::CompareOp>();
  if (!compare || compare.getComparisonDirection() != sh::ComparisonDirection::LT)
    return 0;
  auto counter = dyn_cast<BlockArgument>(compare.getLhs());
  if (!counter || counter.getOwner() != &loop.getCond().front())
    return 0;
  unsigned number = counter.getArgNumber();
  Block &body = loop.getBody().front();
  auto next = body.getTerminator()->getOperand(number).getDefiningOp<sh::AddOp>();
  if (!next)
    return 0;
  Value current = body.getArgument(number), step = next.getLhs() == current ? next.getRhs() : next.getLhs();
  if ((next.getLhs() != current && next.getRhs() != current) || constantOf(step) != 1 ||
      constantOf(loop->getOperand(number)) != 0)
    return 0;
  return constantOf(compare.getRhs()).value_or(0);
}

} // namespace tenon::passes
