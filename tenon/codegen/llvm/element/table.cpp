// The table of the functions that compute elementwise ops: each op has a row, with a function for each kind of elements
// that its first operand may have. An op of the Elementwise family without a row does not compile.
#include "tenon/codegen/llvm/element/constant_division.h"
#include "tenon/codegen/llvm/element/kind.h"
#include "tenon/codegen/llvm/math/instruction_set.h"
#include "tenon/codegen/llvm/math/math.h"
#include "tenon/ir/element_types.h"
#include "tenon/ir/op_table.h"

#include <cmath>

using namespace llvm;
using tenon::codegen::math::C;
using tenon::codegen::math::F;
using tenon::codegen::math::M;

namespace tenon::codegen {
namespace {

// --- Adapters: functions of numbers as functions of elements ---

F toFloat(const ElementSite &at, Element x) { return {&at.builder, toComputeFloat(at.builder, at.type, x.re)}; }

// Rounds what was computed to the element type: narrower types than float are computed in float and rounded once.
Element fromFloat(const ElementSite &at, F result) {
  Value *v = result.v;
  // The sign of a NaN that an operation makes is the machine's; a type without NaN has zero in its place.
  if (floatFormat(ir::toElementType(at.type)).special == FloatFormat::Special::Finite)
    v = at.builder.CreateSelect(at.builder.CreateFCmpORD(v, v), v, Constant::getNullValue(v->getType()));
  return {roundToFloatType(at.builder, at.type, v)};
}

template <F (*f)(F)> Element floats(const ElementSite &at, ArrayRef<Element> x) {
  return fromFloat(at, f(toFloat(at, x[0])));
}
template <F (*f)(F, F)> Element floats(const ElementSite &at, ArrayRef<Element> x) {
  F first = toFloat(at, x[0]), second = toFloat(at, x[1]);
  return fromFloat(at, f(first, second));
}
template <M (*f)(F)> Element floats(const ElementSite &at, ArrayRef<Element> x) { return {f(toFloat(at, x[0])).v}; }

C toPair(const ElementSite &at, Element x) { return {{&at.builder, x.re}, {&at.builder, x.im}}; }

template <C (*f)(C)> Element pairs(const ElementSite &at, ArrayRef<Element> x) {
  C result = f(toPair(at, x[0]));
  return {result.re.v, result.im.v};
}
template <C (*f)(C, C)> Element pairs(const ElementSite &at, ArrayRef<Element> x) {
  C result = f(toPair(at, x[0]), toPair(at, x[1]));
  return {result.re.v, result.im.v};
}
template <F (*f)(C)> Element pairs(const ElementSite &at, ArrayRef<Element> x) { return {f(toPair(at, x[0])).v}; }

template <Value *(Integers::*f)(Value *)> Element integers(const ElementSite &at, ArrayRef<Element> x) {
  Integers type(at.builder, at.type);
  return {extendSubByte(at.builder, at.type, (type.*f)(x[0].re))};
}
template <Value *(Integers::*f)(Value *, Value *)> Element integers(const ElementSite &at, ArrayRef<Element> x) {
  Integers type(at.builder, at.type);
  return {extendSubByte(at.builder, at.type, (type.*f)(x[0].re, x[1].re))};
}

// --- Functions that are an instruction or two ---

F addFloats(F x, F y) { return x + y; }
F subtractFloats(F x, F y) { return x - y; }
F multiplyFloats(F x, F y) { return x * y; }
F divideFloats(F x, F y) {
  Value *quotient = quotientByConstant(*x.b, x.v, y.v);
  return quotient ? F{x.b, quotient} : x / y;
}
F negateFloat(F x) { return -x; }
F squareFloat(F x) { return x * x; }
F itself(F x) { return x; }
F zeroLike(F x) { return math::constant(x, 0); }
// The sign of a zero or NaN is that value itself.
F signOfFloat(F x) { return math::select(math::abs(x) > 0.0, math::copysign(math::constant(x, 1), x), x); }
// The larger, or smaller, of two floats, of which either is chosen where they are equal: what they have in common, or
// have together, is right for zeros of different signs, too.
Value *mergedExtremum(IRBuilderBase &b, Value *x, Value *y, bool isMaximum) {
  auto chosen = [&](Value *first, Value *second) {
    Value *isFirst = isMaximum ? b.CreateFCmpOGT(first, second) : b.CreateFCmpOLT(first, second);
    Type *bits = first->getType()->getWithNewType(b.getIntNTy(first->getType()->getScalarSizeInBits()));
    return b.CreateBitCast(b.CreateSelect(isFirst, first, second), bits);
  };
  Value *one = chosen(x, y), *other = chosen(y, x);
  Value *merged = b.CreateBitCast(isMaximum ? b.CreateAnd(one, other) : b.CreateOr(one, other), x->getType());
  // Where one is NaN, either is chosen once, and NaN has all that a number's exponent may have.
  if (!isMaximum)
    return merged;
  return b.CreateSelect(b.CreateFCmpUNO(x, y), ConstantFP::getQNaN(x->getType()), merged);
}

// A NaN operand gives NaN, and -0 is less than +0. With a constant LLVM needs no more than two instructions.
F extremum(F x, F y, bool isMaximum) {
  IRBuilderBase &b = *x.b;
  Type *type = x.v->getType()->getScalarType();
  bool isKnown = isa<Constant>(x.v) || isa<Constant>(y.v);
  bool isPlain = !isKnown && (type->isFloatTy() || type->isDoubleTy());
  if (isPlain && math::instructionsOf(b).mergesExtremaByMasks(math::laneCount(x)))
    return {&b, mergedExtremum(b, x.v, y.v, isMaximum)};
  return {&b, isMaximum ? b.CreateMaximum(x.v, y.v) : b.CreateMinimum(x.v, y.v)};
}
F lesser(F x, F y) { return extremum(x, y, false); }
F greater(F x, F y) { return extremum(x, y, true); }
M isPositiveInf(F x) { return x == INFINITY; }
M isNegativeInf(F x) { return x == -INFINITY; }

C negatePair(C z) { return -z; }
C subtractPairs(C x, C y) { return x - y; }
C conjugate(C z) { return {z.re, -z.im}; }
F realPart(C z) { return z.re; }
F imaginaryPart(C z) { return z.im; }

Element either(const ElementSite &at, ArrayRef<Element> x) { return {at.builder.CreateOr(x[0].re, x[1].re)}; }
Element both(const ElementSite &at, ArrayRef<Element> x) { return {at.builder.CreateAnd(x[0].re, x[1].re)}; }
Element oneOf(const ElementSite &at, ArrayRef<Element> x) { return {at.builder.CreateXor(x[0].re, x[1].re)}; }
Element negation(const ElementSite &at, ArrayRef<Element> x) { return {at.builder.CreateNot(x[0].re)}; }

Element nextAfter(const ElementSite &at, ArrayRef<Element> x) {
  if (isF32OrF64(at.type))
    return floats<math::nextAfter>(at, x);
  if (isSmallFloat(at.type))
    return {nextAfterSmallFloat(at.builder, at.type, x[0].re, x[1].re)};
  IRBuilderBase &b = at.builder;
  Type *bits = sameLanes(b.getInt16Ty(), x[0].re);
  math::I next = math::nextAfterBits({&b, b.CreateBitCast(x[0].re, bits)}, {&b, b.CreateBitCast(x[1].re, bits)},
                                     at.type.isBF16() ? 0x7f80 : 0x7c00);
  return {b.CreateBitCast(next.v, x[0].re->getType())};
}

// Whether a float is zero or less, or NaN, by the op that gives it.
bool isNeverPositive(mlir::Value value) {
  if (auto negate = value.getDefiningOp<stablehlo::NegateOp>()) {
    mlir::Operation *op = negate.getOperand().getDefiningOp();
    auto product = dyn_cast_or_null<stablehlo::MultiplyOp>(op);
    return isa_and_nonnull<stablehlo::AbsOp, chlo::SquareOp>(op) || (product && product.getLhs() == product.getRhs());
  }
  // The difference of two numbers, as a smaller and a larger one.
  auto difference = value.getDefiningOp<stablehlo::SubtractOp>();
  auto lesser = difference ? difference.getLhs().getDefiningOp<stablehlo::MinimumOp>() : nullptr;
  auto greater = difference ? difference.getRhs().getDefiningOp<stablehlo::MaximumOp>() : nullptr;
  return lesser && greater &&
         ((lesser.getLhs() == greater.getLhs() && lesser.getRhs() == greater.getRhs()) ||
          (lesser.getLhs() == greater.getRhs() && lesser.getRhs() == greater.getLhs()));
}

} // namespace

bool isLogPlusOneOfUnit(mlir::Operation *op) {
  if (!isa<stablehlo::LogPlusOneOp>(op) || !isFloatType(mlir::getElementTypeOrSelf(op->getResult(0))))
    return false;
  auto exponential = op->getOperand(0).getDefiningOp<stablehlo::ExponentialOp>();
  return exponential && isNeverPositive(exponential.getOperand());
}

namespace {

// --- The rows ---

// The functions of one op; null for the kinds of elements that it is not defined for.
struct Kinds {
  ElementFunction real = nullptr, complex = nullptr, integer = nullptr, boolean = nullptr;

  ElementFunction of(mlir::Type type) const {
    return isFloatType(type) ? real : isComplexType(type) ? complex : isBool(type) ? boolean : integer;
  }
};

#define TENON_ELEMENT(DIALECT, OP, ...)                                                                                \
  ElementFunction functionOf(DIALECT::OP, mlir::Type type) { return Kinds{__VA_ARGS__}.of(type); }
#define TENON_FLOAT(DIALECT, OP, FUNCTION) TENON_ELEMENT(DIALECT, OP, .real = floats<math::FUNCTION>)
#define TENON_ELEMENTARY(DIALECT, OP, FUNCTION)                                                                        \
  TENON_ELEMENT(DIALECT, OP, .real = floats<math::FUNCTION>, .complex = pairs<math::FUNCTION>)
#define TENON_INTEGER(DIALECT, OP, FUNCTION) TENON_ELEMENT(DIALECT, OP, .integer = integers<&Integers::FUNCTION>)

TENON_ELEMENT(stablehlo, AddOp, floats<addFloats>, pairs<math::operator+ >, integers<&Integers::add>, either)
TENON_ELEMENT(stablehlo, SubtractOp, floats<subtractFloats>, pairs<subtractPairs>, integers<&Integers::subtract>)
TENON_ELEMENT(stablehlo, MultiplyOp, floats<multiplyFloats>, pairs<math::operator*>, integers<&Integers::multiply>,
              both)
TENON_ELEMENT(stablehlo, DivideOp, floats<divideFloats>, pairs<math::operator/ >, integers<&Integers::divide>)
TENON_ELEMENT(stablehlo, RemainderOp, .real = floats<math::fmod>, .integer = integers<&Integers::remainder>)
TENON_ELEMENT(stablehlo, PowerOp, floats<math::pow>, pairs<math::pow>, integers<&Integers::power>)
TENON_ELEMENT(stablehlo, MinimumOp, floats<lesser>, pairs<minimum>, integers<&Integers::minimum>, both)
TENON_ELEMENT(stablehlo, MaximumOp, floats<greater>, pairs<maximum>, integers<&Integers::maximum>, either)
TENON_ELEMENT(stablehlo, NegateOp, floats<negateFloat>, pairs<negatePair>, integers<&Integers::negate>)
TENON_ELEMENT(stablehlo, AbsOp, floats<math::abs>, pairs<math::abs>, integers<&Integers::abs>)
TENON_ELEMENT(stablehlo, SignOp, floats<signOfFloat>, pairs<math::sign>, integers<&Integers::sign>)
TENON_ELEMENT(chlo, SquareOp, floats<squareFloat>, pairs<math::square>, integers<&Integers::square>)

TENON_ELEMENT(stablehlo, AndOp, .integer = integers<&Integers::bitAnd>, .boolean = both)
TENON_ELEMENT(stablehlo, OrOp, .integer = integers<&Integers::bitOr>, .boolean = either)
TENON_ELEMENT(stablehlo, XorOp, .integer = integers<&Integers::bitXor>, .boolean = oneOf)
TENON_ELEMENT(stablehlo, NotOp, .integer = integers<&Integers::bitNot>, .boolean = negation)
TENON_INTEGER(stablehlo, ShiftLeftOp, shiftLeft)
TENON_INTEGER(stablehlo, ShiftRightLogicalOp, shiftRightLogical)
TENON_INTEGER(stablehlo, ShiftRightArithmeticOp, shiftRightArithmetic)
TENON_INTEGER(stablehlo, PopcntOp, popcnt)
TENON_INTEGER(stablehlo, CountLeadingZerosOp, countLeadingZeros)
TENON_INTEGER(chlo, MulhiOp, mulhi)

TENON_ELEMENT(stablehlo, RealOp, floats<itself>, pairs<realPart>)
TENON_ELEMENT(stablehlo, ImagOp, floats<zeroLike>, pairs<imaginaryPart>)
TENON_ELEMENT(chlo, ConjOp, floats<itself>, pairs<conjugate>)
TENON_FLOAT(stablehlo, CeilOp, ceil)
TENON_FLOAT(stablehlo, FloorOp, floor)
TENON_FLOAT(stablehlo, RoundNearestAfzOp, roundAwayFromZero)
TENON_FLOAT(stablehlo, RoundNearestEvenOp, roundEven)
TENON_FLOAT(stablehlo, IsFiniteOp, isFinite)
TENON_FLOAT(chlo, IsInfOp, isInf)
TENON_ELEMENT(chlo, IsPosInfOp, .real = floats<isPositiveInf>)
TENON_ELEMENT(chlo, IsNegInfOp, .real = floats<isNegativeInf>)
TENON_ELEMENT(chlo, NextAfterOp, .real = nextAfter)

TENON_ELEMENTARY(stablehlo, ExponentialMinusOneOp, expm1)
TENON_ELEMENTARY(stablehlo, LogOp, log)
TENON_ELEMENTARY(stablehlo, LogisticOp, logistic)
TENON_ELEMENTARY(stablehlo, SqrtOp, sqrt)
TENON_ELEMENTARY(stablehlo, RsqrtOp, rsqrt)
TENON_ELEMENTARY(stablehlo, CbrtOp, cbrt)
TENON_ELEMENTARY(stablehlo, SineOp, sin)
TENON_ELEMENTARY(stablehlo, CosineOp, cos)
TENON_ELEMENTARY(stablehlo, TanOp, tan)
TENON_ELEMENTARY(chlo, TanOp, tan)
TENON_ELEMENTARY(stablehlo, TanhOp, tanh)
TENON_ELEMENTARY(chlo, SinhOp, sinh)
TENON_ELEMENTARY(chlo, CoshOp, cosh)
TENON_ELEMENTARY(chlo, AsinOp, asin)
TENON_ELEMENTARY(chlo, AcosOp, acos)
TENON_ELEMENTARY(chlo, AtanOp, atan)
TENON_ELEMENTARY(stablehlo, Atan2Op, atan2)
TENON_ELEMENTARY(chlo, AsinhOp, asinh)
TENON_ELEMENTARY(chlo, AcoshOp, acosh)
TENON_ELEMENTARY(chlo, AtanhOp, atanh)
TENON_FLOAT(chlo, ErfOp, erf)
TENON_FLOAT(chlo, ErfcOp, erfc)
TENON_FLOAT(chlo, ErfInvOp, erfInv)
TENON_FLOAT(chlo, LgammaOp, lgamma)
TENON_FLOAT(chlo, DigammaOp, digamma)
TENON_FLOAT(chlo, PolygammaOp, polygamma)
TENON_FLOAT(chlo, ZetaOp, zeta)
TENON_FLOAT(chlo, BesselI1eOp, besselI1e)

// Legalization rewrites these ops, so none reaches code generation.
TENON_ELEMENT(chlo, AsinAcosKernelOp)
TENON_ELEMENT(stablehlo, UniformQuantizeOp)
TENON_ELEMENT(stablehlo, UniformDequantizeOp)
TENON_ELEMENT(sdy, ShardingConstraintOp)
TENON_ELEMENT(sdy, ReshardOp)
TENON_ELEMENT(sdy, PropagationBarrierOp)
TENON_ELEMENT(sdy, DataFlowEdgeOp)

// --- Ops whose function depends on more than the element type ---

ElementFunction functionOf(stablehlo::ExponentialOp, mlir::Type type) {
  return Kinds{.real = type.isF16() ? floats<math::expOfHalf> : floats<math::exp>, .complex = pairs<math::exp>}.of(
      type);
}

ElementFunction functionOf(stablehlo::LogPlusOneOp op, mlir::Type type) {
  return Kinds{.real = isLogPlusOneOfUnit(op) ? floats<math::log1pOfUnit> : floats<math::log1p>,
               .complex = pairs<math::log1p>}
      .of(type);
}

mlir::Type resultType(const ElementSite &at) { return mlir::getElementTypeOrSelf(at.op->getResult(0)); }

ElementFunction functionOf(stablehlo::ConvertOp, mlir::Type) {
  return
      [](const ElementSite &at, ArrayRef<Element> x) { return emitConvert(at.builder, at.type, resultType(at), x[0]); };
}

ElementFunction functionOf(stablehlo::BitcastConvertOp op, mlir::Type from) {
  auto operand = cast<mlir::ShapedType>(op.getOperand().getType()), result = cast<mlir::ShapedType>(op.getType());
  mlir::Type to = result.getElementType();
  bool isComplex = isComplexType(from) || isComplexType(to);
  bool isSameSize = isComplex ? from == to : from.getIntOrFloatBitWidth() == to.getIntOrFloatBitWidth();
  if (!isSameSize || operand.getRank() != result.getRank())
    return nullptr;
  return
      [](const ElementSite &at, ArrayRef<Element> x) { return emitBitcast(at.builder, at.type, resultType(at), x[0]); };
}

ElementFunction functionOf(stablehlo::ReducePrecisionOp, mlir::Type type) {
  ElementFunction rounded = [](const ElementSite &at, ArrayRef<Element> x) {
    auto op = cast<stablehlo::ReducePrecisionOp>(at.op);
    return emitReducePrecision(at.builder, at.type, x[0], op.getExponentBits(), op.getMantissaBits());
  };
  return isFloatType(type) ? rounded : nullptr;
}

ElementFunction functionOf(stablehlo::ComplexOp, mlir::Type) {
  return [](const ElementSite &, ArrayRef<Element> x) { return Element{x[0].re, x[1].re}; };
}

ElementFunction functionOf(stablehlo::CompareOp, mlir::Type) {
  return [](const ElementSite &at, ArrayRef<Element> x) {
    auto op = cast<stablehlo::CompareOp>(at.op);
    StringRef direction = stablehlo::stringifyComparisonDirection(op.getComparisonDirection());
    bool totalOrder = op.getCompareType() == stablehlo::ComparisonType::TOTALORDER;
    return Element{emitCompare(at.builder, direction, totalOrder, at.type, x[0], x[1])};
  };
}

ElementFunction functionOf(stablehlo::SelectOp, mlir::Type) {
  return [](const ElementSite &at, ArrayRef<Element> x) { return selectElement(at.builder, x[0].re, x[1], x[2]); };
}

ElementFunction functionOf(stablehlo::ClampOp, mlir::Type) {
  return [](const ElementSite &at, ArrayRef<Element> x) {
    // In this order: of complex numbers with NaN parts the first stays.
    Element low = emitMaximum(at.builder, at.type, x[1], x[0]);
    return emitMinimum(at.builder, at.type, low, x[2]);
  };
}

ElementFunction functionOf(chlo::ConstantLikeOp op, mlir::Type) {
  ElementFunction constant = [](const ElementSite &at, ArrayRef<Element>) {
    mlir::Attribute value = cast<chlo::ConstantLikeOp>(at.op).getValue();
    return *constantElement(at.builder.getContext(), resultType(at), value, at.lanes);
  };
  return isa<mlir::IntegerAttr, mlir::FloatAttr>(op.getValue()) ? constant : nullptr;
}

// --- The table, generated from the records ---

template <typename Op>
concept HasFunction = requires(Op op, mlir::Type type) {
  { functionOf(op, type) } -> std::same_as<ElementFunction>;
};

using Find = ElementFunction (*)(mlir::Operation *op, mlir::Type type);

template <typename Op> Find findOf() {
  static_assert(HasFunction<Op> || !Op::template hasTrait<ir::Elementwise>(),
                "this elementwise op has no row in tenon/codegen/llvm/element/table.cpp");
  if constexpr (HasFunction<Op>)
    return [](mlir::Operation *op, mlir::Type type) { return functionOf(cast<Op>(op), type); };
  return nullptr;
}

template <typename Op> Element emit(IRBuilderBase &builder, mlir::Type type, Element a, Element b) {
  return functionOf(Op(), type)({builder, type}, {a, b});
}

} // namespace

ElementFunction elementFunction(mlir::Operation *op) {
  static const auto rows = ir::OpTable<Find>::make([]<typename Op>() { return findOf<Op>(); });
  Find find = rows.lookup(op->getName());
  return find ? find(op, mlir::getElementTypeOrSelf(op->getOperand(0))) : nullptr;
}

Element emitAdd(IRBuilderBase &builder, mlir::Type type, Element a, Element b) {
  return emit<stablehlo::AddOp>(builder, type, a, b);
}
Element emitMultiply(IRBuilderBase &builder, mlir::Type type, Element a, Element b) {
  return emit<stablehlo::MultiplyOp>(builder, type, a, b);
}
Element emitMinimum(IRBuilderBase &builder, mlir::Type type, Element a, Element b) {
  return emit<stablehlo::MinimumOp>(builder, type, a, b);
}
Element emitMaximum(IRBuilderBase &builder, mlir::Type type, Element a, Element b) {
  return emit<stablehlo::MaximumOp>(builder, type, a, b);
}

} // namespace tenon::codegen
