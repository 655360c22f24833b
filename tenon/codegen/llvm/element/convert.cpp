// Conversions between all element types.
//
// Rounding is to nearest even, once: a double becomes bf16, f16 or f8 through a float rounded to odd, whose last bit
// remembers that something was lost. Floats become integers by truncation, saturated; NaN becomes 0.
#include "tenon/codegen/llvm/element/kind.h"
#include "tenon/codegen/llvm/math/fp.h"
#include "tenon/codegen/llvm/math/instruction_set.h"

#include "mlir/IR/BuiltinTypes.h"

#include <cmath>

using namespace llvm;

namespace tenon::codegen {

Type *sameLanes(Type *scalar, Value *like) {
  auto *vector = dyn_cast<FixedVectorType>(like->getType());
  return vector ? FixedVectorType::get(scalar, vector->getNumElements()) : scalar;
}

Constant *intConstant(Value *like, int64_t value) { return ConstantInt::getSigned(like->getType(), value); }

Value *extendSubByte(IRBuilderBase &b, mlir::Type type, Value *v) {
  unsigned width = significantBits(type);
  if (width >= 8 || !isInteger(type))
    return v;
  if (isUnsignedInteger(type))
    return b.CreateAnd(v, intConstant(v, (1 << width) - 1));
  return b.CreateAShr(b.CreateShl(v, 8 - width), 8 - width);
}

// --- bf16 ---

// The bits of a float rounded to bf16, above 16 that have no meaning.
static Value *roundToHighBits(IRBuilderBase &b, Value *v) {
  Value *bits = b.CreateBitCast(v, sameLanes(b.getInt32Ty(), v));
  Value *odd = b.CreateAnd(b.CreateLShr(bits, 16), intConstant(bits, 1));
  Value *rounded = b.CreateAdd(b.CreateAdd(bits, intConstant(bits, 0x7fff)), odd);
  Value *quiet = b.CreateOr(bits, intConstant(bits, 0x400000));
  return b.CreateSelect(b.CreateFCmpUNO(v, v), quiet, rounded);
}

constexpr const char *kRoundedMark = "tenon.bfloat";

// By an instruction that takes subnormals for zero: they, and zeros, go through it with the exponent of the least
// normal number, whose neighbours are as far away, and lose it again behind it.
static Value *floatToBfloatByInstruction(IRBuilderBase &b, Value *v) {
  Value *bits = b.CreateBitCast(v, sameLanes(b.getInt32Ty(), v));
  Value *isLow = b.CreateICmpEQ(b.CreateAnd(bits, intConstant(bits, 0x7f800000)), intConstant(bits, 0));
  Value *raised = b.CreateSelect(isLow, b.CreateOr(bits, intConstant(bits, 0x800000)), bits);
  Value *rounded = math::instructionsOf(b).roundToBfloat(b, b.CreateBitCast(raised, v->getType()));
  Value *result = b.CreateSelect(isLow, b.CreateSub(rounded, intConstant(rounded, 0x80)), rounded);
  if (auto *select = dyn_cast<SelectInst>(result))
    select->setMetadata(kRoundedMark, MDNode::get(b.getContext(), ValueAsMetadata::getConstant(b.getInt1(true))));
  return result;
}

// The bits of the float that the function above has rounded; null where that is not known.
static Value *bitsBeforeRounding(Value *v) {
  auto *select = dyn_cast<SelectInst>(v);
  if (!select || !select->hasMetadata(kRoundedMark))
    return nullptr;
  auto *isLow = dyn_cast<ICmpInst>(select->getCondition());
  auto *exponent = isLow ? dyn_cast<BinaryOperator>(isLow->getOperand(0)) : nullptr;
  return exponent ? exponent->getOperand(0) : nullptr;
}

// The floats of an even number of bf16, of which each word of 32 bits has two.
static Value *bfloatPairsToFloat(IRBuilderBase &b, Value *v, unsigned lanes) {
  Value *words = b.CreateBitCast(v, FixedVectorType::get(b.getInt32Ty(), lanes / 2));
  Value *even = b.CreateShl(words, 16), *odd = b.CreateAnd(words, intConstant(words, -0x10000));
  SmallVector<int> places;
  for (unsigned pair = 0; pair < lanes / 2; ++pair)
    places.append({int(pair), int(pair + lanes / 2)});
  return b.CreateBitCast(b.CreateShuffleVector(even, odd, places), sameLanes(b.getFloatTy(), v));
}

// What was rounded by the instruction, and is computed with again, takes less time if it is rounded in place: two
// roundings with a product between, 16 elements, 1.70 ns in place, 1.47 with the second by the instruction, 1.76 with
// both (Zen 5).
Value *bfloatToFloat(IRBuilderBase &b, Value *v) {
  Type *floatType = sameLanes(b.getFloatTy(), v);
  if (Value *bits = bitsBeforeRounding(v)) {
    Value *rounded = roundToHighBits(b, b.CreateBitCast(bits, floatType));
    return b.CreateBitCast(b.CreateAnd(rounded, intConstant(rounded, -0x10000)), floatType);
  }
  if (auto *vector = dyn_cast<FixedVectorType>(v->getType());
      vector && vector->getNumElements() % 2 == 0 && math::instructionsOf(b).widensBfloatPairs())
    return bfloatPairsToFloat(b, v, vector->getNumElements());
  Value *bits = b.CreateZExt(v, sameLanes(b.getInt32Ty(), v));
  return b.CreateBitCast(b.CreateShl(bits, 16), floatType);
}

Value *floatToBfloat(IRBuilderBase &b, Value *v) {
  auto *vector = dyn_cast<FixedVectorType>(v->getType());
  const math::InstructionSet &instructions = math::instructionsOf(b);
  if (instructions.roundsToBfloat(vector ? vector->getNumElements() : 1))
    return instructions.roundsSubnormals() ? instructions.roundToBfloat(b, v) : floatToBfloatByInstruction(b, v);
  // The shift comes last, so that one back to a float takes a single instruction with it.
  return b.CreateTrunc(b.CreateLShr(roundToHighBits(b, v), 16), sameLanes(b.getInt16Ty(), v));
}

Value *doubleToFloatOdd(IRBuilderBase &b, Value *v) {
  Type *floatType = sameLanes(b.getFloatTy(), v);
  Value *nearest = b.CreateFPTrunc(v, floatType);
  Value *back = b.CreateFPExt(nearest, v->getType());
  auto magnitude = [&](Value *x) { return b.CreateUnaryIntrinsic(Intrinsic::fabs, x); };
  Value *bits = b.CreateBitCast(nearest, sameLanes(b.getInt32Ty(), v));
  // Truncate: one less where rounding went away from zero. Then mark what is inexact.
  Value *away = b.CreateFCmpOGT(magnitude(back), magnitude(v));
  Value *truncated = b.CreateSub(bits, b.CreateZExt(away, bits->getType()));
  Value *inexact = b.CreateFCmpONE(back, v);
  Value *odd = b.CreateOr(truncated, b.CreateZExt(inexact, bits->getType()));
  return b.CreateBitCast(odd, floatType);
}

// --- Floats among themselves ---

static bool convertsHalves(IRBuilderBase &b) { return math::instructionsOf(b).convertsHalves(); }

Value *toComputeFloat(IRBuilderBase &b, mlir::Type type, Value *v) {
  if (type.isBF16())
    return bfloatToFloat(b, v);
  if (type.isF16() && convertsHalves(b))
    return b.CreateFPExt(v, sameLanes(b.getFloatTy(), v));
  if (type.isF16())
    return decodeSmallFloat(b, type, b.CreateBitCast(v, sameLanes(b.getInt16Ty(), v)));
  return isSmallFloat(type) ? decodeSmallFloat(b, type, v) : v;
}

Value *roundToFloatType(IRBuilderBase &b, mlir::Type type, Value *v) {
  bool wide = v->getType()->getScalarType()->isDoubleTy();
  if (type.isF64())
    return wide ? v : b.CreateFPExt(v, sameLanes(b.getDoubleTy(), v));
  if (type.isF32())
    return wide ? b.CreateFPTrunc(v, sameLanes(b.getFloatTy(), v)) : v;
  if (wide && isa<mlir::Float8E8M0FNUType>(type)) // as ml_dtypes does: what float has no number for is zero, thus NaN
    v = b.CreateFPTrunc(v, sameLanes(b.getFloatTy(), v));
  else if (wide)
    v = doubleToFloatOdd(b, v);
  if (type.isBF16())
    return floatToBfloat(b, v);
  if (type.isF16() && convertsHalves(b))
    return b.CreateFPTrunc(v, sameLanes(b.getHalfTy(), v));
  if (type.isF16())
    return b.CreateBitCast(encodeSmallFloat(b, type, v), sameLanes(b.getHalfTy(), v));
  return encodeSmallFloat(b, type, v);
}

// --- Between classes ---

namespace {

Value *isNonZero(IRBuilderBase &b, Value *v) {
  Constant *zero = Constant::getNullValue(v->getType());
  // NaN is not zero.
  return v->getType()->isFPOrFPVectorTy() ? b.CreateFCmpUNE(v, zero) : b.CreateICmpNE(v, zero);
}

Value *integerToFloat(IRBuilderBase &b, mlir::Type from, mlir::Type to, Value *v) {
  bool isSigned = !isUnsignedInteger(from) && !isBool(from);
  auto convert = [&](Type *type) {
    return isSigned ? b.CreateSIToFP(v, sameLanes(type, v)) : b.CreateUIToFP(v, sameLanes(type, v));
  };
  unsigned width = significantBits(from);
  if (to.isF64())
    return convert(b.getDoubleTy());
  if (to.isF32())
    return convert(b.getFloatTy());
  // Float holds what it needs to be rounded again exactly, or double does; 64 bits must be squeezed into a double
  // first, with what falls off remembered in the last bit.
  if (width <= 16)
    return roundToFloatType(b, to, convert(b.getFloatTy()));
  if (width == 64) {
    Value *fits = b.CreateICmpULT(b.CreateAdd(v, intConstant(v, isSigned ? int64_t(1) << 52 : 0)),
                                  intConstant(v, int64_t(1) << 53));
    Value *low = b.CreateAnd(v, intConstant(v, 0xfff));
    Value *sticky = b.CreateZExt(isNonZero(b, low), v->getType());
    Value *squeezed = b.CreateOr(b.CreateXor(v, low), b.CreateShl(sticky, 11));
    v = b.CreateSelect(fits, v, squeezed);
  }
  return roundToFloatType(b, to, convert(b.getDoubleTy()));
}

// An integer of 16 bits at most, whose bounds every float type has, is saturated as a float, and NaN is made zero as
// one: so no mask of the float's lanes is packed to the integer's, and the conversion itself says how few bits are
// left, for which processors pack by instructions that saturate. Unsigned, NaN is the lower bound already.
Value *floatToNarrowInteger(IRBuilderBase &b, unsigned width, bool isUnsigned, Value *v) {
  double low = isUnsigned ? 0 : -std::ldexp(1.0, int(width) - 1);
  math::F x{&b, v};
  if (!isUnsigned)
    x = select(isNaN(x), 0.0, x);
  math::F saturated = minOr(maxOr(x, constant(x, low)), constant(x, low + std::ldexp(1.0, int(width)) - 1));
  Type *type = sameLanes(b.getIntNTy(std::max(width, 8u)), v);
  return isUnsigned ? b.CreateFPToUI(saturated.v, type) : b.CreateFPToSI(saturated.v, type);
}

// Toward zero, saturating; NaN gives 0. In comparisons of its own: llvm.fptosi.sat of a vector goes element by element
// (of sixteen floats to i32 119 instructions against these 9).
Value *floatToInteger(IRBuilderBase &b, mlir::Type from, mlir::Type to, Value *v) {
  v = toComputeFloat(b, from, v);
  unsigned width = significantBits(to);
  bool isUnsigned = isUnsignedInteger(to);
  if (width <= 16)
    return floatToNarrowInteger(b, width, isUnsigned, v);
  Type *type = sameLanes(b.getIntNTy(width), v);
  APInt low = isUnsigned ? APInt::getZero(width) : APInt::getSignedMinValue(width);
  APInt high = isUnsigned ? APInt::getMaxValue(width) : APInt::getSignedMaxValue(width);
  // Both are powers of two (or zero), so exact in every format. Out of range, the instruction's result is not used.
  auto bound = [&](double value) { return ConstantFP::get(v->getType(), value); };
  Value *isHigh = b.CreateFCmpOGE(v, bound(std::ldexp(1.0, int(width) - (isUnsigned ? 0 : 1))));
  Value *isLow = b.CreateFCmpOLT(v, bound(isUnsigned ? 0.0 : -std::ldexp(1.0, int(width) - 1)));
  Value *result = isUnsigned ? b.CreateFPToUI(v, type) : b.CreateFPToSI(v, type);
  result = b.CreateSelect(isHigh, ConstantInt::get(type, high), result);
  result = b.CreateSelect(isLow, ConstantInt::get(type, low), result);
  return b.CreateSelect(b.CreateFCmpUNO(v, v), Constant::getNullValue(type), result);
}

Value *integerToInteger(IRBuilderBase &b, mlir::Type from, mlir::Type to, Value *v) {
  Type *storage = sameLanes(b.getIntNTy(std::max(significantBits(to), 8u)), v);
  bool isSigned = !isUnsignedInteger(from) && !isBool(from);
  Value *cast = isSigned ? b.CreateSExtOrTrunc(v, storage) : b.CreateZExtOrTrunc(v, storage);
  return extendSubByte(b, to, cast);
}

Value *convertReal(IRBuilderBase &b, mlir::Type from, mlir::Type to, Value *v) {
  if (from == to)
    return v;
  if (isBool(to))
    return isNonZero(b, isFloatType(from) ? toComputeFloat(b, from, v) : v);
  if (isFloatType(from))
    return isFloatType(to) ? roundToFloatType(b, to, toComputeFloat(b, from, v)) : floatToInteger(b, from, to, v);
  return isFloatType(to) ? integerToFloat(b, from, to, v) : integerToInteger(b, from, to, v);
}

} // namespace

Element emitConvert(IRBuilderBase &builder, mlir::Type from, mlir::Type to, Element value) {
  auto partOf = [](mlir::Type type) {
    auto complex = dyn_cast<mlir::ComplexType>(type);
    return complex ? complex.getElementType() : type;
  };
  Element result{convertReal(builder, partOf(from), partOf(to), value.re)};
  if (isComplexType(to))
    result.im = value.im ? convertReal(builder, partOf(from), partOf(to), value.im)
                         : Constant::getNullValue(result.re->getType());
  return result;
}

Element emitBitcast(IRBuilderBase &b, mlir::Type from, mlir::Type to, Element value) {
  if (isComplexType(from) || from == to)
    return value;
  Type *target = valueType(b.getContext(), to, 1);
  // Sub-byte types share i8; only the extension differs.
  if (isInteger(to) && significantBits(to) < 8)
    return {extendSubByte(b, to, value.re)};
  if (isSmallFloat(to) && significantBits(to) < 8)
    return {b.CreateAnd(value.re, intConstant(value.re, (1 << significantBits(to)) - 1))};
  return {b.CreateBitCast(value.re, sameLanes(target, value.re))};
}

// --- reduce_precision ---

namespace {

// On the bits of a float type with `mantissa` stored bits, as integers of its width.
Value *reduceBits(IRBuilderBase &b, Value *bits, unsigned width, unsigned mantissa, unsigned exponentBits,
                  unsigned mantissaBits) {
  auto word = [&](uint64_t value) { return ConstantInt::get(bits->getType(), value); };
  unsigned exponent = width - 1 - mantissa;
  uint64_t signMask = uint64_t(1) << (width - 1);
  uint64_t infinity = ((uint64_t(1) << exponent) - 1) << mantissa;
  Value *sign = b.CreateAnd(bits, word(signMask));
  Value *magnitude = b.CreateAnd(bits, word(signMask - 1));
  Value *isNaN = b.CreateICmpUGT(magnitude, word(infinity));
  if (mantissaBits < mantissa) {
    unsigned drop = mantissa - mantissaBits;
    Value *odd = b.CreateAnd(b.CreateLShr(magnitude, drop), word(1));
    magnitude = b.CreateAdd(b.CreateAdd(magnitude, word((uint64_t(1) << (drop - 1)) - 1)), odd);
    magnitude = b.CreateAnd(magnitude, word(~((uint64_t(1) << drop) - 1)));
  }
  if (exponentBits < exponent) {
    uint64_t bias = (uint64_t(1) << (exponent - 1)) - 1, reducedBias = (uint64_t(1) << (exponentBits - 1)) - 1;
    uint64_t largest = (bias + reducedBias) << mantissa, smallest = (bias - reducedBias + 1) << mantissa;
    Value *overflows = b.CreateICmpUGE(magnitude, word(largest + (uint64_t(1) << mantissa)));
    Value *underflows = b.CreateICmpULT(magnitude, word(smallest));
    magnitude = b.CreateSelect(overflows, word(infinity), magnitude);
    magnitude = b.CreateSelect(underflows, word(0), magnitude);
  }
  Value *quiet = b.CreateOr(bits, word(uint64_t(1) << (mantissa - 1)));
  // With no mantissa bits NaN cannot be told from infinity, but the value stays in its own format.
  return b.CreateSelect(isNaN, quiet, b.CreateOr(magnitude, sign));
}

// What the format of a small float holds below its normal range, which is the normal range of the float it is computed
// in: there, bits are dropped from the format's least exponent on.
Value *reduceSubnormals(IRBuilderBase &b, const fltSemantics &format, Value *value, Value *reduced,
                        unsigned mantissaBits) {
  int least = APFloat::semanticsMinExponent(format);
  auto number = [&](double x) { return ConstantFP::get(value->getType(), x); };
  Value *magnitude = b.CreateUnaryIntrinsic(Intrinsic::fabs, value);
  // Adding this leaves no bit below the last one that is kept.
  Value *shifter = number(std::ldexp(1.5, 23 + least - static_cast<int>(mantissaBits)));
  Value *rounded = b.CreateFSub(b.CreateFAdd(magnitude, shifter), shifter);
  rounded = b.CreateBinaryIntrinsic(Intrinsic::copysign, rounded, value);
  return b.CreateSelect(b.CreateFCmpOLT(magnitude, number(std::ldexp(1.0, least))), rounded, reduced);
}

} // namespace

Element emitReducePrecision(IRBuilderBase &b, mlir::Type type, Element value, unsigned exponentBits,
                            unsigned mantissaBits) {
  bool small = isSmallFloat(type);
  Value *v = small ? toComputeFloat(b, type, value.re) : value.re;
  unsigned width = v->getType()->getScalarSizeInBits();
  // bf16 is held as an integer.
  unsigned mantissa =
      type.isBF16() ? 7 : static_cast<unsigned>(v->getType()->getScalarType()->getFPMantissaWidth() - 1);
  const fltSemantics &format = cast<mlir::FloatType>(type).getFloatSemantics();
  unsigned ownMantissa = APFloat::semanticsPrecision(format) - 1;
  // Types narrower than the float they are computed in have no more exponents to lose than their own.
  unsigned ownExponent = type.getIntOrFloatBitWidth() - APFloat::semanticsHasSignedRepr(format) - ownMantissa;
  bool keepsExponents = small && exponentBits >= ownExponent;
  if (keepsExponents && mantissaBits >= ownMantissa)
    return value;
  Value *bits = b.CreateBitCast(v, sameLanes(b.getIntNTy(width), v));
  Value *reduced = reduceBits(b, bits, width, mantissa, keepsExponents ? width : exponentBits, mantissaBits);
  reduced = b.CreateBitCast(reduced, v->getType());
  if (keepsExponents)
    reduced = reduceSubnormals(b, format, v, reduced, mantissaBits);
  return {small ? roundToFloatType(b, type, reduced) : reduced};
}

} // namespace tenon::codegen
