#include "tenon/ir/trip_count.h"

#include "tenon/ir/types.h"

#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using llvm::AddOverflow;
using llvm::isIntN;
namespace sh = tenon::stablehlo;

namespace tenon::ir {

static std::optional<int64_t> constantOf(Value value) {
  APInt number;
  if (!matchPattern(value, m_ConstantInt(&number)) || number.getSignificantBits() > 63)
    return std::nullopt;
  return number.getSExtValue();
}

// The number of what the loop compares with a bound to know whether it goes on.
static std::optional<unsigned> counterOf(sh::WhileOp loop) {
  auto compare = loop.getCond().front().getTerminator()->getOperand(0).getDefiningOp<sh::CompareOp>();
  if (!compare || compare.getComparisonDirection() != sh::ComparisonDirection::LT)
    return std::nullopt;
  auto counter = dyn_cast<BlockArgument>(compare.getLhs());
  if (!counter || counter.getOwner() != &loop.getCond().front())
    return std::nullopt;
  return counter.getArgNumber();
}

int64_t tripCount(sh::WhileOp loop) {
  std::optional<unsigned> counter = counterOf(loop);
  if (!counter)
    return 0;
  unsigned number = *counter;
  Block &body = loop.getBody().front();
  auto next = body.getTerminator()->getOperand(number).getDefiningOp<sh::AddOp>();
  if (!next)
    return 0;
  Value current = body.getArgument(number), step = next.getLhs() == current ? next.getRhs() : next.getLhs();
  if ((next.getLhs() != current && next.getRhs() != current) || constantOf(step) != 1 ||
      constantOf(loop->getOperand(number)) != 0)
    return 0;
  auto compare = loop.getCond().front().getTerminator()->getOperand(0).getDefiningOp<sh::CompareOp>();
  return constantOf(compare.getRhs()).value_or(0);
}

static std::optional<KnownRange> rangeOfCounter(BlockArgument argument) {
  auto loop = dyn_cast<sh::WhileOp>(argument.getOwner()->getParentOp());
  if (!loop || argument.getOwner() != &loop.getBody().front() || counterOf(loop) != argument.getArgNumber())
    return std::nullopt;
  int64_t trips = tripCount(loop);
  return trips > 0 ? std::optional(KnownRange{0, trips - 1}) : std::nullopt;
}

// Through so many sums of sums.
static std::optional<KnownRange> rangeThroughSums(Value value, int depth) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  auto element = type ? dyn_cast<IntegerType>(type.getElementType()) : nullptr;
  if (!element || type.getRank() != 0 || element.isUnsigned() || element.getWidth() < 2)
    return std::nullopt;
  if (auto argument = dyn_cast<BlockArgument>(value))
    return rangeOfCounter(argument);
  if (std::optional<int64_t> number = constantOf(value))
    return KnownRange{*number, *number};
  auto sum = value.getDefiningOp<sh::AddOp>();
  if (!sum || depth == 0)
    return std::nullopt;
  std::optional<KnownRange> a = rangeThroughSums(sum.getLhs(), depth - 1), b;
  if (a)
    b = rangeThroughSums(sum.getRhs(), depth - 1);
  KnownRange range;
  if (!b || AddOverflow(a->min, b->min, range.min) || AddOverflow(a->max, b->max, range.max) ||
      !isIntN(element.getWidth(), range.min) || !isIntN(element.getWidth(), range.max))
    return std::nullopt;
  return range;
}

std::optional<KnownRange> knownRange(Value value) {
  constexpr int kMostDepth = 3;
  return rangeThroughSums(value, kMostDepth);
}

} // namespace tenon::ir
