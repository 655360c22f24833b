#include "tenon/ir/trip_count.h"

#include "tenon/ir/types.h"

#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using llvm::AddOverflow;
using llvm::isIntN;
using llvm::SubOverflow;
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

static std::optional<IterationNumber> sumOf(std::optional<IterationNumber> a, std::optional<IterationNumber> b,
                                            bool isDifference) {
  IterationNumber sum;
  if (!a || !b ||
      (isDifference
           ? SubOverflow(a->factor, b->factor, sum.factor) || SubOverflow(a->constant, b->constant, sum.constant)
           : AddOverflow(a->factor, b->factor, sum.factor) || AddOverflow(a->constant, b->constant, sum.constant)))
    return std::nullopt;
  return sum;
}

// What the loop carries and changes by a constant in each iteration.
static std::optional<IterationNumber> carriedNumber(BlockArgument argument, sh::WhileOp loop) {
  Block &body = loop.getBody().front();
  if (argument.getOwner() != &body)
    return std::nullopt;
  std::optional<int64_t> first = constantOf(loop->getOperand(argument.getArgNumber()));
  Operation *next = body.getTerminator()->getOperand(argument.getArgNumber()).getDefiningOp();
  if (!first || !isa_and_present<sh::AddOp, sh::SubtractOp>(next))
    return std::nullopt;
  bool isFirst = next->getOperand(0) == argument;
  std::optional<int64_t> step = constantOf(next->getOperand(isFirst ? 1 : 0));
  if (!step || (!isFirst && (isa<sh::SubtractOp>(next) || next->getOperand(1) != argument)))
    return std::nullopt;
  return sumOf(IterationNumber{0, *first}, IterationNumber{*step, 0}, isa<sh::SubtractOp>(next));
}

// Through so many sums of sums.
static std::optional<IterationNumber> numberThroughSums(Value value, sh::WhileOp loop, int depth) {
  if (!isa<RankedTensorType>(value.getType()) || !shapeOf(value).empty())
    return std::nullopt;
  if (auto argument = dyn_cast<BlockArgument>(value))
    return carriedNumber(argument, loop);
  if (std::optional<int64_t> number = constantOf(value))
    return IterationNumber{0, *number};
  Operation *sum = value.getDefiningOp();
  if (!isa<sh::AddOp, sh::SubtractOp>(sum) || depth == 0)
    return std::nullopt;
  return sumOf(numberThroughSums(sum->getOperand(0), loop, depth - 1),
               numberThroughSums(sum->getOperand(1), loop, depth - 1), isa<sh::SubtractOp>(sum));
}

std::optional<IterationNumber> iterationNumber(Value value, sh::WhileOp loop) {
  constexpr int kMostDepth = 3;
  return tripCount(loop) > 0 ? numberThroughSums(value, loop, kMostDepth) : std::nullopt;
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
  Operation *sum = value.getDefiningOp();
  if (!isa_and_present<sh::AddOp, sh::SubtractOp>(sum) || depth == 0)
    return std::nullopt;
  std::optional<KnownRange> a = rangeThroughSums(sum->getOperand(0), depth - 1), b;
  if (a)
    b = rangeThroughSums(sum->getOperand(1), depth - 1);
  KnownRange range;
  bool isDifference = isa<sh::SubtractOp>(sum);
  if (!b ||
      (isDifference ? SubOverflow(a->min, b->max, range.min) || SubOverflow(a->max, b->min, range.max)
                    : AddOverflow(a->min, b->min, range.min) || AddOverflow(a->max, b->max, range.max)) ||
      !isIntN(element.getWidth(), range.min) || !isIntN(element.getWidth(), range.max))
    return std::nullopt;
  return range;
}

std::optional<KnownRange> knownRange(Value value) {
  constexpr int kMostDepth = 3;
  return rangeThroughSums(value, kMostDepth);
}

} // namespace tenon::ir
