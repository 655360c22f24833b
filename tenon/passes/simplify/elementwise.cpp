// Algebra of elementwise ops. Only identities that keep every bit are used: x + 0.0 is not one of them for x = -0.0,
// x * 0.0 not for infinities and NaN. (The arc tangent is another function for the same values, which rounds
// otherwise.)

#include "tenon/ir/chlo.h"
#include "tenon/ir/stablehlo.h"
#include "tenon/ir/trip_count.h"
#include "tenon/passes/passes.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
namespace sh = tenon::stablehlo;

namespace tenon::passes {
namespace {

// The value all elements of a constant have.
std::optional<APFloat> splatFloat(Value value) {
  SplatElementsAttr splat;
  if (!matchPattern(value, m_Constant(&splat)) || !isa<FloatType>(splat.getElementType()))
    return std::nullopt;
  return splat.getSplatValue<APFloat>();
}

std::optional<APInt> splatInt(Value value) {
  SplatElementsAttr splat;
  if (!matchPattern(value, m_Constant(&splat)) || !isa<IntegerType>(splat.getElementType()))
    return std::nullopt;
  return splat.getSplatValue<APInt>();
}

bool isZeroInt(Value value) {
  auto constant = splatInt(value);
  return constant && constant->isZero();
}

bool isOne(Value value) {
  if (auto constant = splatInt(value))
    return constant->isOne() && constant->getBitWidth() > 1;
  auto constant = splatFloat(value);
  return constant && constant->isExactlyValue(1.0);
}

struct AddPattern : OpRewritePattern<sh::AddOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(sh::AddOp op, PatternRewriter &rewriter) const override {
    for (auto [value, other] : {std::pair(op.getLhs(), op.getRhs()), std::pair(op.getRhs(), op.getLhs())}) {
      auto constant = splatFloat(other);
      if (isZeroInt(other) || (constant && constant->isNegZero())) {
        rewriter.replaceOp(op, value);
        return success();
      }
    }
    return failure();
  }
};

struct SubtractPattern : OpRewritePattern<sh::SubtractOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(sh::SubtractOp op, PatternRewriter &rewriter) const override {
    auto constant = splatFloat(op.getRhs());
    if (!isZeroInt(op.getRhs()) && !(constant && constant->isPosZero()))
      return failure();
    rewriter.replaceOp(op, op.getLhs());
    return success();
  }
};

struct MultiplyPattern : OpRewritePattern<sh::MultiplyOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(sh::MultiplyOp op, PatternRewriter &rewriter) const override {
    for (auto [value, other] : {std::pair(op.getLhs(), op.getRhs()), std::pair(op.getRhs(), op.getLhs())})
      if (isOne(other)) {
        rewriter.replaceOp(op, value);
        return success();
      }
    return failure();
  }
};

// x / 2^k is x * 2^-k, bit for bit, while both are normal numbers: division costs ten times a multiplication.
struct DividePattern : OpRewritePattern<sh::DivideOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(sh::DivideOp op, PatternRewriter &rewriter) const override {
    if (isOne(op.getRhs())) {
      rewriter.replaceOp(op, op.getLhs());
      return success();
    }
    auto divisor = splatFloat(op.getRhs());
    if (!divisor || !isa<Float32Type, Float64Type>(getElementTypeOrSelf(op.getType())))
      return failure();
    APFloat inverse(divisor->getSemantics());
    if (!divisor->getExactInverse(&inverse) || inverse.isDenormal())
      return failure();
    auto type = cast<ShapedType>(op.getType());
    Value factor = sh::ConstantOp::create(rewriter, op.getLoc(), SplatElementsAttr::get(type, inverse));
    rewriter.replaceOpWithNewOp<sh::MultiplyOp>(op, op.getLhs(), factor);
    return success();
  }
};

// atan2(x, 1) is the arc tangent of x, NaN, infinities and signed zeros included, which is cheaper by itself. JAX's own
// arc tangent arrives as this.
struct Atan2Pattern : OpRewritePattern<sh::Atan2Op> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(sh::Atan2Op op, PatternRewriter &rewriter) const override {
    if (!isOne(op.getRhs()) || op.getLhs().getType() != op.getType())
      return failure();
    rewriter.replaceOpWithNewOp<tenon::chlo::AtanOp>(op, op.getType(), op.getLhs());
    return success();
  }
};

template <typename Op, bool negative> struct ExtremumPattern : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  // max(x, -inf) and min(x, +inf) are x, NaN included.
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    for (auto [value, other] : {std::pair(op.getLhs(), op.getRhs()), std::pair(op.getRhs(), op.getLhs())}) {
      auto constant = splatFloat(other);
      if (constant && constant->isInfinity() && constant->isNegative() == negative) {
        rewriter.replaceOp(op, value);
        return success();
      }
    }
    return failure();
  }
};

bool isAllOnes(Value value) {
  auto constant = splatInt(value);
  return constant && constant->isAllOnes();
}

// And with ones, or with zeros.
template <typename Op, bool isNeutral(Value)> struct BitsPattern : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    for (auto [value, other] : {std::pair(op.getLhs(), op.getRhs()), std::pair(op.getRhs(), op.getLhs())})
      if (isNeutral(other)) {
        rewriter.replaceOp(op, value);
        return success();
      }
    return failure();
  }
};

struct SelectPattern : OpRewritePattern<sh::SelectOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(sh::SelectOp op, PatternRewriter &rewriter) const override {
    Value chosen;
    if (auto predicate = splatInt(op.getPred()))
      chosen = predicate->isZero() ? op.getOnFalse() : op.getOnTrue();
    else if (op.getOnTrue() == op.getOnFalse())
      chosen = op.getOnTrue();
    else if (isAllOnes(op.getOnTrue()) && isZeroInt(op.getOnFalse())) // a triangle of a mask
      chosen = op.getPred();
    if (!chosen || chosen.getType() != op.getType())
      return failure();
    rewriter.replaceOp(op, chosen);
    return success();
  }
};

struct ConvertPattern : OpRewritePattern<sh::ConvertOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(sh::ConvertOp op, PatternRewriter &rewriter) const override {
    if (op.getOperand().getType() == op.getType()) {
      rewriter.replaceOp(op, op.getOperand());
      return success();
    }
    // Through a wider float and back: bf16 -> f32 -> bf16. (False is NaN as f8E8M0FNU, which is true.)
    auto inner = op.getOperand().getDefiningOp<sh::ConvertOp>();
    if (!inner || inner.getOperand().getType() != op.getType())
      return failure();
    Type outer = getElementTypeOrSelf(op.getType()), middle = getElementTypeOrSelf(inner.getType());
    bool widens = (isa<BFloat16Type, Float16Type>(outer) && isa<Float32Type, Float64Type>(middle)) ||
                  (outer.isF32() && middle.isF64()) ||
                  (outer.isInteger(1) && isa<FloatType, IntegerType>(middle) && !isa<Float8E8M0FNUType>(middle));
    if (!widens)
      return failure();
    rewriter.replaceOp(op, inner.getOperand());
    return success();
  }
};

// The remainder that is compared with zero, and the comparison.
struct RemainderTest {
  sh::RemainderOp remainder;
  sh::CompareOp compare;
};
std::optional<RemainderTest> testOfRemainder(Value value, sh::ComparisonDirection direction) {
  auto compare = value.getDefiningOp<sh::CompareOp>();
  if (!compare || compare.getComparisonDirection() != direction || !isZeroInt(compare.getRhs()))
    return std::nullopt;
  auto remainder = compare.getLhs().getDefiningOp<sh::RemainderOp>();
  return remainder ? std::optional(RemainderTest{remainder, compare}) : std::nullopt;
}

bool isSigned(Value value) {
  auto type = dyn_cast<IntegerType>(getElementTypeOrSelf(value.getType()));
  return type && !type.isUnsigned() && type.getWidth() > 1;
}

// Whether floors are wanted and not the integers towards zero: of a divisor c > 0,
//   sign(x) != 1 and x rem c != 0  =>  x rem c < 0
//   x rem c < 0 and x rem c != 0   =>  x rem c < 0
struct FlooredPattern : OpRewritePattern<sh::AndOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(sh::AndOp op, PatternRewriter &rewriter) const override {
    for (auto [first, second] : {std::pair(op.getLhs(), op.getRhs()), std::pair(op.getRhs(), op.getLhs())}) {
      std::optional<RemainderTest> test = testOfRemainder(second, sh::ComparisonDirection::NE);
      if (!test || !isSigned(test->remainder))
        continue;
      auto negative = testOfRemainder(first, sh::ComparisonDirection::LT);
      if (negative && negative->remainder == test->remainder) {
        rewriter.replaceOp(op, first);
        return success();
      }
      std::optional<APInt> divisor = splatInt(test->remainder.getRhs());
      auto signs = first.getDefiningOp<sh::CompareOp>();
      auto sign = signs ? signs.getLhs().getDefiningOp<sh::SignOp>() : sh::SignOp();
      if (!divisor || !divisor->isStrictlyPositive() || !sign ||
          signs.getComparisonDirection() != sh::ComparisonDirection::NE || !isOne(signs.getRhs()) ||
          sign.getOperand() != test->remainder.getLhs())
        continue;
      rewriter.replaceOpWithNewOp<sh::CompareOp>(op, op.getType(), test->remainder, test->compare.getRhs(),
                                                 sh::ComparisonDirection::LT, test->compare.getCompareTypeAttr());
      return success();
    }
    return failure();
  }
};

// Floored quotients by 2^k and their remainders:
//   x rem c < 0 ? x / c - 1 : x / c          =>  x >> k
//   x rem c < 0 ? x rem c + c : x rem c      =>  x & (c - 1)
struct FlooredPowerPattern : OpRewritePattern<sh::SelectOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(sh::SelectOp op, PatternRewriter &rewriter) const override {
    std::optional<RemainderTest> test = testOfRemainder(op.getPred(), sh::ComparisonDirection::LT);
    if (!test || !isSigned(test->remainder))
      return failure();
    Value x = test->remainder.getLhs(), c = test->remainder.getRhs();
    std::optional<APInt> divisor = splatInt(c);
    if (!divisor || !divisor->isStrictlyPositive() || !divisor->isPowerOf2() || op.getType() != x.getType())
      return failure();
    auto constant = [&](const APInt &value) -> Value {
      return sh::ConstantOp::create(rewriter, op.getLoc(),
                                    SplatElementsAttr::get(cast<ShapedType>(op.getType()), value));
    };
    auto quotient = op.getOnFalse().getDefiningOp<sh::DivideOp>();
    auto lower = op.getOnTrue().getDefiningOp<sh::SubtractOp>();
    if (quotient && lower && lower.getLhs() == quotient.getResult() && isOne(lower.getRhs()) &&
        quotient.getLhs() == x && quotient.getRhs() == c) {
      APInt bits(divisor->getBitWidth(), divisor->logBase2());
      rewriter.replaceOpWithNewOp<sh::ShiftRightArithmeticOp>(op, x, constant(bits));
      return success();
    }
    auto positive = op.getOnTrue().getDefiningOp<sh::AddOp>();
    if (op.getOnFalse() != test->remainder.getResult() || !positive ||
        positive.getLhs() != test->remainder.getResult() || positive.getRhs() != c)
      return failure();
    rewriter.replaceOpWithNewOp<sh::AndOp>(op, x, constant(*divisor - 1));
    return success();
  }
};

template <typename Op> struct InvolutionPattern : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    auto inner = op.getOperand().template getDefiningOp<Op>();
    // Without a sign, negate is NaN.
    if (!inner || isa<Float8E8M0FNUType>(getElementTypeOrSelf(op.getType())))
      return failure();
    rewriter.replaceOp(op, inner.getOperand());
    return success();
  }
};

// real(complex(a, b)) = a and imag(complex(a, b)) = b.
template <typename Op, unsigned part> struct ComplexPartPattern : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    auto complex = op.getOperand().template getDefiningOp<sh::ComplexOp>();
    if (!complex)
      return failure();
    rewriter.replaceOp(op, complex->getOperand(part));
    return success();
  }
};

// x < x and the like on integers.
struct ComparePattern : OpRewritePattern<sh::CompareOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(sh::CompareOp op, PatternRewriter &rewriter) const override {
    auto type = dyn_cast<RankedTensorType>(op.getType());
    if (op.getLhs() != op.getRhs() || !isa<IntegerType>(getElementTypeOrSelf(op.getLhs().getType())) || !type ||
        !type.hasStaticShape())
      return failure();
    auto direction = op.getComparisonDirection();
    bool value = direction == sh::ComparisonDirection::EQ || direction == sh::ComparisonDirection::LE ||
                 direction == sh::ComparisonDirection::GE;
    rewriter.replaceOpWithNewOp<sh::ConstantOp>(op, SplatElementsAttr::get(type, rewriter.getBoolAttr(value)));
    return success();
  }
};

// What integers of the type may be; of so few bits that a range has them.
std::optional<ir::KnownRange> rangeOfType(Type type) {
  constexpr unsigned kMostBits = 32;
  auto integers = dyn_cast<IntegerType>(type);
  unsigned width = integers ? integers.getWidth() : 0;
  if (width < 2 || width > kMostBits)
    return std::nullopt;
  int64_t half = int64_t(1) << (width - 1);
  return integers.isUnsigned() ? ir::KnownRange{0, 2 * half - 1} : ir::KnownRange{-half, half - 1};
}

// The bounds of the numbers of an array: what is known of them, or what their type holds, or the one that they have
// been converted from.
std::optional<ir::KnownRange> rangeOf(Value value) {
  if (std::optional<ir::KnownRange> range = ir::knownRange(value))
    return range;
  std::optional<ir::KnownRange> range = rangeOfType(getElementTypeOrSelf(value.getType()));
  if (std::optional<APInt> bits = range ? splatInt(value) : std::nullopt) {
    int64_t number = range->min < 0 ? bits->getSExtValue() : int64_t(bits->getZExtValue());
    return ir::KnownRange{number, number};
  }
  while (isa_and_present<sh::ConvertOp, sh::ReshapeOp, sh::BroadcastInDimOp>(value.getDefiningOp()) && range) {
    value = value.getDefiningOp()->getOperand(0);
    std::optional<ir::KnownRange> source = rangeOfType(getElementTypeOrSelf(value.getType()));
    if (!source || source->min < range->min || source->max > range->max)
      break;
    range = source;
  }
  return range;
}

// A comparison of numbers whose bounds decide it, as whether the counter of a loop is negative, or a byte beyond the
// last row of 256: JAX asks that of every index.
struct CompareRangesPattern : OpRewritePattern<sh::CompareOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(sh::CompareOp op, PatternRewriter &rewriter) const override {
    std::optional<ir::KnownRange> x = rangeOf(op.getLhs()), y = x ? rangeOf(op.getRhs()) : std::nullopt;
    std::optional<bool> value = y ? decided(op.getComparisonDirection(), *x, *y) : std::nullopt;
    auto type = dyn_cast<RankedTensorType>(op.getType());
    if (!value || !type || !type.hasStaticShape())
      return failure();
    rewriter.replaceOpWithNewOp<sh::ConstantOp>(op, SplatElementsAttr::get(type, rewriter.getBoolAttr(*value)));
    return success();
  }

private:
  static std::optional<bool> decided(sh::ComparisonDirection direction, ir::KnownRange x, ir::KnownRange y) {
    using enum sh::ComparisonDirection;
    auto answer = [](bool isTrue, bool isFalse) { return isTrue || isFalse ? std::optional(isTrue) : std::nullopt; };
    bool isApart = x.max < y.min || y.max < x.min, isOne = x.min == x.max && y.min == y.max && x.min == y.min;
    switch (direction) {
    case LT:
      return answer(x.max < y.min, x.min >= y.max);
    case LE:
      return answer(x.max <= y.min, x.min > y.max);
    case GT:
      return answer(x.min > y.max, x.max <= y.min);
    case GE:
      return answer(x.min >= y.max, x.max < y.min);
    case EQ:
      return answer(isOne, isApart);
    case NE:
      return answer(isApart, isOne);
    }
    llvm_unreachable("all directions are decided");
  }
};

} // namespace

void populateElementwisePatterns(RewritePatternSet &patterns) {
  patterns
      .add<AddPattern, SubtractPattern, MultiplyPattern, DividePattern, Atan2Pattern,
           ExtremumPattern<sh::MaximumOp, true>, ExtremumPattern<sh::MinimumOp, false>,
           BitsPattern<sh::AndOp, isAllOnes>, BitsPattern<sh::OrOp, isZeroInt>, SelectPattern, ConvertPattern,
           FlooredPattern, FlooredPowerPattern, InvolutionPattern<sh::NegateOp>, InvolutionPattern<sh::NotOp>,
           ComplexPartPattern<sh::RealOp, 0>, ComplexPartPattern<sh::ImagOp, 1>, ComparePattern, CompareRangesPattern>(
          patterns.getContext());
}

} // namespace tenon::passes
