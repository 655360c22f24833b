// Integer and boolean ops, and comparisons. Nothing traps: x / 0 is -1, INT_MIN / -1 is INT_MIN, and the remainders
// follow (x and 0). Shifts by the width or more give 0, or the sign.
#include "tenon/codegen/llvm/element/kind.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;
using tenon::codegen::math::C;

namespace tenon::codegen {

// y is neither 0 nor, with the smallest x, -1. Vectors have no integer division: the quotient of up to 32 bits is the
// truncated one of doubles (up to 16 bits, floats), which is too far from the next integer to be rounded to it.
Value *Integers::quotient(Value *x, Value *y) {
  if (!x->getType()->isVectorTy() || width == 64)
    return isUnsigned ? b.CreateUDiv(x, y) : b.CreateSDiv(x, y);
  Type *real = sameLanes(width <= 16 ? b.getFloatTy() : b.getDoubleTy(), x);
  auto cast = [&](Value *v) { return isUnsigned ? b.CreateUIToFP(v, real) : b.CreateSIToFP(v, real); };
  Value *q = b.CreateFDiv(cast(x), cast(y));
  return isUnsigned ? b.CreateFPToUI(q, x->getType()) : b.CreateFPToSI(q, x->getType());
}

// Whether every lane is a constant that anything can be divided by.
static bool isSafeDivisor(Value *y, bool isUnsigned) {
  for (unsigned lane = 0; lane < math::laneCount(y->getType()); ++lane) {
    auto *constant = dyn_cast<Constant>(y);
    if (constant && y->getType()->isVectorTy())
      constant = constant->getAggregateElement(lane);
    auto *number = dyn_cast_or_null<ConstantInt>(constant);
    if (!number || number->isZero() || (!isUnsigned && number->isMinusOne()))
      return false;
  }
  return true;
}

Value *Integers::quotientOrRemainder(Value *x, Value *y, bool remainder) {
  // Without the selects below, which IRBuilder does not fold, so that LLVM multiplies, shifts and masks.
  if (isSafeDivisor(y, isUnsigned)) {
    if (remainder)
      return isUnsigned ? b.CreateURem(x, y) : b.CreateSRem(x, y);
    return isUnsigned ? b.CreateUDiv(x, y) : b.CreateSDiv(x, y);
  }
  Value *one = constant(x, 1);
  Value *byZero = b.CreateICmpEQ(y, constant(y, 0));
  Value *unsafe = byZero;
  if (!isUnsigned) {
    int64_t smallest = width == 64 ? std::numeric_limits<int64_t>::min() : -(int64_t(1) << (width - 1));
    Value *overflows = b.CreateAnd(b.CreateICmpEQ(x, constant(x, smallest)), b.CreateICmpEQ(y, constant(y, -1)));
    unsafe = b.CreateOr(byZero, overflows);
  }
  Value *safe = b.CreateSelect(unsafe, one, y);
  Value *q = quotient(x, safe);
  if (!remainder)
    return b.CreateSelect(byZero, constant(x, -1), q);
  return b.CreateSelect(byZero, x, b.CreateSub(x, b.CreateMul(q, safe)));
}

// The amount, replaced by 0 where it is the width or more, and a mask of the lanes where it is less.
static std::pair<Value *, Value *> amountInRange(Integers &i, Value *amount) {
  Value *inRange = i.b.CreateICmpULT(amount, intConstant(amount, i.width));
  return {i.b.CreateSelect(inRange, amount, intConstant(amount, 0)), inRange};
}

Value *Integers::shiftLeft(Value *x, Value *amount) {
  auto [safe, inRange] = amountInRange(*this, zeroExtended(amount));
  return b.CreateSelect(inRange, b.CreateShl(x, safe), constant(x, 0));
}

Value *Integers::shiftRightLogical(Value *x, Value *amount) {
  auto [safe, inRange] = amountInRange(*this, zeroExtended(amount));
  return b.CreateSelect(inRange, b.CreateLShr(zeroExtended(x), safe), constant(x, 0));
}

Value *Integers::shiftRightArithmetic(Value *x, Value *amount) {
  amount = zeroExtended(amount);
  Value *inRange = b.CreateICmpULT(amount, constant(amount, width));
  Value *most = b.CreateSelect(inRange, amount, constant(amount, width - 1));
  return b.CreateAShr(signExtended(x), most);
}

// By squaring, modulo 2^width. Negative exponents: 0 but for bases 1, -1 and 0 (all ones, like 1 / 0).
Value *Integers::power(Value *x, Value *y) {
  if (auto *fixed = dyn_cast<Constant>(y)) {
    auto *splat = dyn_cast_or_null<ConstantInt>(fixed->getType()->isVectorTy() ? fixed->getSplatValue() : fixed);
    if (splat && (isUnsigned || !splat->isNegative()) && splat->getValue().ult(1 << 16)) {
      Value *result = nullptr, *square = x;
      for (uint64_t n = splat->getZExtValue(); n; n >>= 1, square = n ? b.CreateMul(square, square) : square)
        if (n & 1)
          result = result ? b.CreateMul(result, square) : square;
      return result ? result : constant(x, 1);
    }
  }
  auto body = [&](IRBuilderBase &inner, ArrayRef<Value *> arguments) {
    Value *base = arguments[0], *exponent = arguments[1];
    Value *one = constant(base, 1), *zero = constant(base, 0);
    Value *result = one, *square = base;
    for (unsigned i = 0; i < width; ++i) {
      Value *bit = inner.CreateTrunc(inner.CreateLShr(exponent, i), sameLanes(inner.getInt1Ty(), base));
      result = inner.CreateSelect(bit, inner.CreateMul(result, square), result);
      square = inner.CreateMul(square, square);
    }
    if (isUnsigned)
      return result;
    Value *odd = inner.CreateTrunc(exponent, sameLanes(inner.getInt1Ty(), base));
    Value *minusOne = constant(base, -1);
    Value *reciprocal = inner.CreateSelect(inner.CreateICmpEQ(base, one), one, zero);
    reciprocal = inner.CreateSelect(inner.CreateICmpEQ(base, zero), minusOne, reciprocal);
    Value *alternating = inner.CreateSelect(odd, minusOne, one);
    reciprocal = inner.CreateSelect(inner.CreateICmpEQ(base, minusOne), alternating, reciprocal);
    return inner.CreateSelect(inner.CreateICmpSLT(exponent, zero), reciprocal, result);
  };
  std::string name = (isUnsigned ? "power_u" : "power_s") + std::to_string(width);
  return math::callShared(b, name, {x, y}, x->getType(), body);
}

Value *Integers::mulhi(Value *x, Value *y) {
  if (width < 8) // the product fits the i8
    return isUnsigned ? b.CreateLShr(b.CreateMul(x, y), width) : b.CreateAShr(b.CreateMul(x, y), width);
  Type *wide = sameLanes(b.getIntNTy(2 * width), x);
  auto extend = [&](Value *v) { return isUnsigned ? b.CreateZExt(v, wide) : b.CreateSExt(v, wide); };
  return b.CreateTrunc(b.CreateLShr(b.CreateMul(extend(x), extend(y)), width), x->getType());
}

Value *Integers::minimum(Value *x, Value *y) {
  return b.CreateBinaryIntrinsic(isUnsigned ? Intrinsic::umin : Intrinsic::smin, x, y);
}

Value *Integers::maximum(Value *x, Value *y) {
  return b.CreateBinaryIntrinsic(isUnsigned ? Intrinsic::umax : Intrinsic::smax, x, y);
}

Value *Integers::abs(Value *x) { return isUnsigned ? x : b.CreateBinaryIntrinsic(Intrinsic::abs, x, b.getFalse()); }

Value *Integers::sign(Value *x) {
  Value *zero = constant(x, 0);
  Value *positive = b.CreateZExt(b.CreateICmpNE(x, zero), x->getType());
  Value *negative = b.CreateICmpSLT(x, zero);
  return isUnsigned ? positive : b.CreateSelect(negative, constant(x, -1), positive);
}

Value *Integers::popcnt(Value *x) { return b.CreateUnaryIntrinsic(Intrinsic::ctpop, zeroExtended(x)); }

Value *Integers::countLeadingZeros(Value *x) {
  Value *count = b.CreateBinaryIntrinsic(Intrinsic::ctlz, zeroExtended(x), b.getFalse());
  return width < 8 ? b.CreateSub(count, constant(x, 8 - width)) : count;
}

// --- Comparison ---

namespace {

// Integers whose signed order is IEEE's totalOrder.
Value *totalOrderKey(IRBuilderBase &b, mlir::Type type, Value *v) {
  unsigned width = v->getType()->getScalarSizeInBits();
  Value *bits = b.CreateBitCast(v, sameLanes(b.getIntNTy(width), v));
  if (isa<mlir::Float8E8M0FNUType>(type))
    return b.CreateXor(bits, 0x80); // no sign
  if (isSmallFloat(type))
    bits = b.CreateShl(bits, 8 - significantBits(type));
  Value *negative = b.CreateAShr(bits, width - 1);
  return b.CreateXor(bits, b.CreateLShr(negative, 1));
}

CmpInst::Predicate predicateOf(StringRef direction, bool isFloat, bool isSigned) {
  using P = CmpInst::Predicate;
  P real = StringSwitch<P>(direction)
               .Case("EQ", P::FCMP_OEQ)
               .Case("NE", P::FCMP_UNE)
               .Case("GE", P::FCMP_OGE)
               .Case("GT", P::FCMP_OGT)
               .Case("LE", P::FCMP_OLE)
               .Default(P::FCMP_OLT);
  if (isFloat)
    return real;
  return StringSwitch<P>(direction)
      .Case("EQ", P::ICMP_EQ)
      .Case("NE", P::ICMP_NE)
      .Case("GE", isSigned ? P::ICMP_SGE : P::ICMP_UGE)
      .Case("GT", isSigned ? P::ICMP_SGT : P::ICMP_UGT)
      .Case("LE", isSigned ? P::ICMP_SLE : P::ICMP_ULE)
      .Default(isSigned ? P::ICMP_SLT : P::ICMP_ULT);
}

} // namespace

Value *compareComplex(IRBuilderBase &b, StringRef direction, Element x, Element y) {
  auto compare = [&](StringRef how, Value *p, Value *q) { return b.CreateFCmp(predicateOf(how, true, true), p, q); };
  if (direction == "EQ")
    return b.CreateAnd(compare("EQ", x.re, y.re), compare("EQ", x.im, y.im));
  if (direction == "NE")
    return b.CreateOr(compare("NE", x.re, y.re), compare("NE", x.im, y.im));
  Value *decided = compare(direction[0] == 'G' ? "GT" : "LT", x.re, y.re);
  Value *ordered = b.CreateFCmpORD(x.im, y.im);
  Value *tied = b.CreateAnd(compare("EQ", x.re, y.re), compare(direction, x.im, y.im));
  return b.CreateOr(b.CreateAnd(decided, ordered), tied);
}

Value *emitCompare(IRBuilderBase &b, StringRef direction, bool totalOrder, mlir::Type type, Element x, Element y) {
  if (isComplexType(type))
    return compareComplex(b, direction, x, y);
  if (isFloatType(type) && !totalOrder)
    return b.CreateFCmp(predicateOf(direction, true, true), toComputeFloat(b, type, x.re),
                        toComputeFloat(b, type, y.re));
  if (isFloatType(type))
    return b.CreateICmp(predicateOf(direction, false, true), totalOrderKey(b, type, x.re),
                        totalOrderKey(b, type, y.re));
  bool isSigned = !isUnsignedInteger(type) && !isBool(type);
  return b.CreateICmp(predicateOf(direction, false, isSigned), x.re, y.re);
}

// Where both are equal, zeros are chosen part by part, as those of real numbers are: the order of operands makes no
// difference.
static C extremum(C x, C y, StringRef direction) {
  IRBuilderBase &b = *x.re.b;
  auto hasNaN = [&](C z) { return b.CreateFCmpUNO(z.re.v, z.im.v); };
  Element ex{x.re.v, x.im.v}, ey{y.re.v, y.im.v};
  // Equal but for signs of zero, of which the bits that both or either have are the result's.
  Type *bits = sameLanes(b.getIntNTy(x.re.v->getType()->getScalarSizeInBits()), x.re.v);
  auto joined = [&](Value *first, Value *second) {
    first = b.CreateBitCast(first, bits), second = b.CreateBitCast(second, bits);
    Value *both = direction == "GE" ? b.CreateAnd(first, second) : b.CreateOr(first, second);
    return b.CreateBitCast(both, x.re.v->getType());
  };
  Element equal{joined(x.re.v, y.re.v), joined(x.im.v, y.im.v)};
  Value *first = b.CreateOr(hasNaN(x), compareComplex(b, direction, ex, ey));
  Value *second = b.CreateAnd(hasNaN(y), b.CreateNot(hasNaN(x)));
  Element result = selectElement(b, second, ey, selectElement(b, first, ex, ey));
  result = selectElement(b, compareComplex(b, "EQ", ex, ey), equal, result);
  return {{&b, result.re}, {&b, result.im}};
}
C minimum(C x, C y) { return extremum(x, y, "LE"); }
C maximum(C x, C y) { return extremum(x, y, "GE"); }

} // namespace tenon::codegen
