// Integer and boolean ops, and comparisons. Nothing traps: x / 0 is -1, INT_MIN / -1 is INT_MIN, and the remainders
// follow (x and 0). Shifts by the width or more give 0, or the sign.
#include "tenon/codegen/cpu/element_kind.h"
#include "tenon/codegen/cpu/math/fp.h"

#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace tenon::codegen {
namespace {

enum class Op {
  kUnknown,
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kRemainder,
  kPower,
  kMinimum,
  kMaximum,
  kAnd,
  kOr,
  kXor,
  kShiftLeft,
  kShiftRightLogical,
  kShiftRightArithmetic,
  kMulhi,
  kAbs,
  kNegate,
  kSign,
  kNot,
  kPopcnt,
  kCountLeadingZeros,
  kSquare
};

Op opOf(StringRef name) {
  return StringSwitch<Op>(name)
      .Case("add", Op::kAdd)
      .Case("subtract", Op::kSubtract)
      .Case("multiply", Op::kMultiply)
      .Case("divide", Op::kDivide)
      .Case("remainder", Op::kRemainder)
      .Case("power", Op::kPower)
      .Case("minimum", Op::kMinimum)
      .Case("maximum", Op::kMaximum)
      .Case("and", Op::kAnd)
      .Case("or", Op::kOr)
      .Case("xor", Op::kXor)
      .Case("shift_left", Op::kShiftLeft)
      .Case("shift_right_logical", Op::kShiftRightLogical)
      .Case("shift_right_arithmetic", Op::kShiftRightArithmetic)
      .Case("mulhi", Op::kMulhi)
      .Case("abs", Op::kAbs)
      .Case("negate", Op::kNegate)
      .Case("sign", Op::kSign)
      .Case("not", Op::kNot)
      .Case("popcnt", Op::kPopcnt)
      .Case("count_leading_zeros", Op::kCountLeadingZeros)
      .Case("square", Op::kSquare)
      .Default(Op::kUnknown);
}

// One integer type; sub-byte values come in extended and leave in need of it (the callers extend).
struct Integers {
  IRBuilderBase &b;
  mlir::Type type;
  bool isUnsigned;
  unsigned width;

  Integers(IRBuilderBase &b, mlir::Type type)
      : b(b), type(type), isUnsigned(isUnsignedInteger(type)), width(significantBits(type)) {}

  Value *constant(Value *like, int64_t value) { return intConstant(like, value); }
  // The bits alone, or sign-extended from the type's own width, whatever its signedness.
  Value *zeroExtended(Value *v) { return width >= 8 ? v : b.CreateAnd(v, constant(v, (1 << width) - 1)); }
  Value *signExtended(Value *v) { return width >= 8 ? v : b.CreateAShr(b.CreateShl(v, 8 - width), 8 - width); }

  Value *quotient(Value *x, Value *y);
  Value *divide(Value *x, Value *y, bool remainder);
  Value *shift(Op op, Value *x, Value *amount);
  Value *power(Value *x, Value *y);
  Value *mulhi(Value *x, Value *y);
};

// y is neither 0 nor, with the smallest x, -1. Vectors have no integer division: the quotient of up to 32 bits is the
// truncated one of doubles (up to 16 bits, floats), which is too far from the next integer to be rounded to it.
Value *Integers::quotient(Value *x, Value *y) {
  if (!x->getType()->isVectorTy() || width == 64 || isa<Constant>(y))
    return isUnsigned ? b.CreateUDiv(x, y) : b.CreateSDiv(x, y);
  Type *real = sameLanes(width <= 16 ? b.getFloatTy() : b.getDoubleTy(), x);
  auto cast = [&](Value *v) { return isUnsigned ? b.CreateUIToFP(v, real) : b.CreateSIToFP(v, real); };
  Value *q = b.CreateFDiv(cast(x), cast(y));
  return isUnsigned ? b.CreateFPToUI(q, x->getType()) : b.CreateFPToSI(q, x->getType());
}

Value *Integers::divide(Value *x, Value *y, bool remainder) {
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

Value *Integers::shift(Op op, Value *x, Value *amount) {
  amount = zeroExtended(amount);
  Value *inRange = b.CreateICmpULT(amount, constant(amount, width));
  if (op == Op::kShiftRightArithmetic) {
    Value *most = b.CreateSelect(inRange, amount, constant(amount, width - 1));
    return b.CreateAShr(signExtended(x), most);
  }
  Value *safe = b.CreateSelect(inRange, amount, constant(amount, 0));
  Value *shifted = op == Op::kShiftLeft ? b.CreateShl(x, safe) : b.CreateLShr(zeroExtended(x), safe);
  return b.CreateSelect(inRange, shifted, constant(x, 0));
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

Value *boolBinary(IRBuilderBase &b, Op op, Value *x, Value *y) {
  switch (op) {
  case Op::kAdd:
  case Op::kOr:
  case Op::kMaximum:
    return b.CreateOr(x, y);
  case Op::kMultiply:
  case Op::kAnd:
  case Op::kMinimum:
    return b.CreateAnd(x, y);
  case Op::kSubtract:
  case Op::kXor:
    return b.CreateXor(x, y);
  default:
    return nullptr;
  }
}

Value *integerBinary(Integers &i, Op op, Value *x, Value *y) {
  IRBuilderBase &b = i.b;
  switch (op) {
  case Op::kAdd:
    return b.CreateAdd(x, y);
  case Op::kSubtract:
    return b.CreateSub(x, y);
  case Op::kMultiply:
    return b.CreateMul(x, y);
  case Op::kDivide:
    return i.divide(x, y, false);
  case Op::kRemainder:
    return i.divide(x, y, true);
  case Op::kPower:
    return i.power(x, y);
  case Op::kMinimum:
    return b.CreateBinaryIntrinsic(i.isUnsigned ? Intrinsic::umin : Intrinsic::smin, x, y);
  case Op::kMaximum:
    return b.CreateBinaryIntrinsic(i.isUnsigned ? Intrinsic::umax : Intrinsic::smax, x, y);
  case Op::kAnd:
    return b.CreateAnd(x, y);
  case Op::kOr:
    return b.CreateOr(x, y);
  case Op::kXor:
    return b.CreateXor(x, y);
  case Op::kShiftLeft:
  case Op::kShiftRightLogical:
  case Op::kShiftRightArithmetic:
    return i.shift(op, x, y);
  case Op::kMulhi:
    return i.mulhi(x, y);
  default:
    return nullptr;
  }
}

} // namespace

Element emitIntegerBinary(IRBuilderBase &b, StringRef name, mlir::Type type, Value *x, Value *y) {
  Op op = opOf(name);
  if (isBool(type))
    return {boolBinary(b, op, x, y)};
  Integers i(b, type);
  Value *result = integerBinary(i, op, x, y);
  return {result ? extendSubByte(b, type, result) : nullptr};
}

Element emitIntegerUnary(IRBuilderBase &b, StringRef name, mlir::Type type, Value *x) {
  Op op = opOf(name);
  if (op == Op::kNot)
    return {isBool(type) ? b.CreateNot(x) : extendSubByte(b, type, b.CreateNot(x))};
  if (isBool(type))
    return {};
  Integers i(b, type);
  Value *zero = intConstant(x, 0);
  Value *result = nullptr;
  if (op == Op::kAbs) {
    result = i.isUnsigned ? x : b.CreateBinaryIntrinsic(Intrinsic::abs, x, b.getFalse());
  } else if (op == Op::kNegate) {
    result = b.CreateNeg(x);
  } else if (op == Op::kSquare) {
    result = b.CreateMul(x, x);
  } else if (op == Op::kSign) {
    Value *positive = b.CreateZExt(b.CreateICmpNE(x, zero), x->getType());
    Value *negative = b.CreateICmpSLT(x, zero);
    result = i.isUnsigned ? positive : b.CreateSelect(negative, intConstant(x, -1), positive);
  } else if (op == Op::kPopcnt) {
    result = b.CreateUnaryIntrinsic(Intrinsic::ctpop, i.zeroExtended(x));
  } else if (op == Op::kCountLeadingZeros) {
    result = b.CreateBinaryIntrinsic(Intrinsic::ctlz, i.zeroExtended(x), b.getFalse());
    if (i.width < 8)
      result = b.CreateSub(result, intConstant(x, 8 - i.width));
  }
  return {result ? extendSubByte(b, type, result) : nullptr};
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

} // namespace tenon::codegen
