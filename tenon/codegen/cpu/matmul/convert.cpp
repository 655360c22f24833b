// Conversions between stored elements, units and accumulators. Rounding is to nearest even, NaNs stay NaNs, subnormals
// are kept: LLVM's own fptrunc and fpext are used only where the CPU has the instruction, since they call into a
// runtime library elsewhere.
#include "tenon/codegen/cpu/matmul/types.h"

#include "llvm/IR/Module.h"

#include <cmath>
#include <limits>

using namespace llvm;

namespace tenon::codegen::matmul {

namespace {

unsigned lanesOf(Value *value) {
  auto *type = dyn_cast<FixedVectorType>(value->getType());
  return type ? type->getNumElements() : 1;
}

// Integer constants and casts that follow a value's lane count.
struct Bits {
  Emitter &e;
  unsigned lanes;

  llvm::Type *type(unsigned bits) { return e.vec(e.b.getIntNTy(bits), lanes); }
  llvm::Type *floatType() { return e.vec(e.b.getFloatTy(), lanes); }
  Value *u32(uint32_t value) { return ConstantInt::get(type(32), value); }
  Value *f32(double value) { return ConstantFP::get(floatType(), value); }
  Value *asInt(Value *value) { return e.b.CreateBitCast(value, type(32)); }
  Value *asFloat(Value *value) { return e.b.CreateBitCast(value, floatType()); }
};

Value *bf16ToFloat(Emitter &e, Value *stored) {
  Bits bits{e, lanesOf(stored)};
  return bits.asFloat(e.b.CreateShl(e.b.CreateZExt(stored, bits.type(32)), 16));
}

Value *floatToBf16(Emitter &e, Value *value) {
  Bits bits{e, lanesOf(value)};
  Value *raw = bits.asInt(value);
  Value *odd = e.b.CreateAnd(e.b.CreateLShr(raw, 16), bits.u32(1));
  Value *rounded = e.b.CreateAdd(raw, e.b.CreateAdd(odd, bits.u32(0x7fff)));
  Value *isNan = e.b.CreateFCmpUNO(value, value);
  Value *quiet = e.b.CreateOr(raw, bits.u32(0x400000));
  return e.b.CreateTrunc(e.b.CreateLShr(e.b.CreateSelect(isNan, quiet, rounded), 16), bits.type(16));
}

Value *halfToFloat(Emitter &e, Value *stored, const MatmulTarget &target) {
  Bits bits{e, lanesOf(stored)};
  if (target.f16c)
    return e.b.CreateFPExt(e.b.CreateBitCast(stored, e.vec(e.b.getHalfTy(), bits.lanes)), bits.floatType());
  Value *wide = e.b.CreateZExt(stored, bits.type(32));
  Value *magnitude = e.b.CreateShl(e.b.CreateAnd(wide, bits.u32(0x7fff)), 13);
  // Scaling by 2^112 moves the exponent's bias and normalises subnormals.
  Value *scaled = e.b.CreateFMul(bits.asFloat(magnitude), bits.f32(0x1p112));
  Value *special = e.b.CreateOr(magnitude, bits.u32(0x7f800000));
  Value *isSpecial = e.b.CreateICmpUGE(magnitude, bits.u32(0x7c00u << 13));
  Value *result = e.b.CreateSelect(isSpecial, special, bits.asInt(scaled));
  return bits.asFloat(e.b.CreateOr(result, e.b.CreateShl(e.b.CreateAnd(wide, bits.u32(0x8000)), 16)));
}

// A float type of up to 16 bits, described by its fields.
struct SmallFloat {
  int mantissaBits, minExponent, maxExponent; // exponents of normal numbers, unbiased
  int bias;
  uint32_t largest, infinity, nan; // magnitudes' encodings; overflow goes to `infinity`
  int width;
  bool hasNegativeZero, hasSign;
};

SmallFloat describe(Type type) {
  const fltSemantics &semantics = *floatSemantics(type);
  SmallFloat result;
  result.mantissaBits = int(APFloat::semanticsPrecision(semantics)) - 1;
  result.minExponent = APFloat::semanticsMinExponent(semantics);
  result.maxExponent = APFloat::semanticsMaxExponent(semantics);
  result.width = int(APFloat::semanticsSizeInBits(semantics));
  result.hasSign = type != Type::kF8E8M0FNU;
  result.bias = 1 - result.minExponent;
  auto encode = [](const APFloat &value) { return uint32_t(value.bitcastToAPInt().getZExtValue()); };
  result.largest = encode(APFloat::getLargest(semantics));
  bool hasNan = APFloat::semanticsHasNaN(semantics);
  result.nan = hasNan ? encode(APFloat::getNaN(semantics)) : result.largest;
  // Overflow: infinity, else NaN, else the largest number.
  result.infinity = APFloat::semanticsHasInf(semantics) ? encode(APFloat::getInf(semantics)) : result.nan;
  APFloat negativeZero = APFloat::getZero(semantics, result.hasSign);
  result.hasNegativeZero = result.hasSign && encode(negativeZero) != 0;
  return result;
}

// Rounds a float to a narrow type: the value in units of its last place is made by adding and subtracting a power of
// two that pushes the discarded bits out of the significand, which rounds to nearest even in hardware.
Value *floatToSmall(Emitter &e, Value *value, Type type) {
  SmallFloat format = describe(type);
  Bits bits{e, lanesOf(value)};
  Value *raw = bits.asInt(value);
  Value *magnitude = e.b.CreateAnd(raw, bits.u32(0x7fffffff));
  Value *exponent = e.b.CreateLShr(magnitude, 23);
  Value *lowest = bits.u32(uint32_t(format.minExponent + 127));
  exponent = e.b.CreateBinaryIntrinsic(Intrinsic::umax, exponent, lowest);
  // 1.5 would do for signed values; magnitudes need only 1.0 * 2^(exponent - mantissaBits + 23).
  Value *scaleExponent = e.b.CreateAdd(exponent, bits.u32(uint32_t(23 - format.mantissaBits)));
  scaleExponent = e.b.CreateBinaryIntrinsic(Intrinsic::umin, scaleExponent, bits.u32(254));
  Value *scale = bits.asFloat(e.b.CreateShl(scaleExponent, 23));
  Value *rounded = e.b.CreateFSub(e.b.CreateFAdd(bits.asFloat(magnitude), scale), scale);
  Value *roundedBits = bits.asInt(rounded);
  // Normal result: rebias. Subnormal result: the integer number of last places.
  Value *normal = e.b.CreateSub(e.b.CreateLShr(roundedBits, uint64_t(23 - format.mantissaBits)),
                                bits.u32(uint32_t(127 - format.bias) << format.mantissaBits));
  Value *lastPlaces = e.b.CreateFPToUI(
      e.b.CreateSelect(e.b.CreateFCmpOLT(rounded, bits.f32(std::ldexp(1.0, format.minExponent))),
                       e.b.CreateFMul(rounded, bits.f32(std::ldexp(1.0, format.mantissaBits - format.minExponent))),
                       bits.f32(0)),
      bits.type(32));
  Value *isSubnormal = e.b.CreateFCmpOLT(rounded, bits.f32(std::ldexp(1.0, format.minExponent)));
  Value *result = e.b.CreateSelect(isSubnormal, lastPlaces, normal);
  APFloat largest(*floatSemantics(type), APInt(unsigned(format.width), format.largest));
  bool loses;
  largest.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &loses);
  Value *overflows = e.b.CreateFCmpOGT(rounded, bits.f32(largest.convertToFloat()));
  result = e.b.CreateSelect(overflows, bits.u32(format.infinity), result);
  if (format.hasSign) {
    Value *sign = e.b.CreateShl(e.b.CreateLShr(raw, 31), uint64_t(format.width - 1));
    if (!format.hasNegativeZero) { // the sign bit alone is NaN
      Value *keep = e.b.CreateICmpNE(result, bits.u32(0));
      sign = e.b.CreateSelect(keep, sign, bits.u32(0));
    }
    result = e.b.CreateOr(result, sign);
  }
  result = e.b.CreateSelect(e.b.CreateFCmpUNO(value, value), bits.u32(format.nan), result);
  return e.b.CreateTrunc(result, bits.type(format.width > 8 ? 16 : 8));
}

// Floats of up to 8 bits are looked up: one table of 256 floats a type and module.
Value *smallToFloat(Emitter &e, Value *stored, Type type) {
  Module &module = *e.function->getParent();
  std::string name = std::string("tenon.decode.") + program::elementTypeName(type);
  GlobalVariable *table = module.getGlobalVariable(name, true);
  if (!table) {
    const fltSemantics &semantics = *floatSemantics(type);
    unsigned width = APFloat::semanticsSizeInBits(semantics);
    SmallVector<float, 256> values;
    for (unsigned i = 0; i < 256; ++i) {
      APFloat value(semantics, APInt(width, i & ((1u << width) - 1)));
      bool isNan = value.isNaN(), loses;
      value.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &loses);
      // The NaN of a type without a mantissa would become infinity.
      values.push_back(isNan ? std::numeric_limits<float>::quiet_NaN() : value.convertToFloat());
    }
    Constant *data = ConstantDataArray::get(module.getContext(), values);
    table = new GlobalVariable(module, data->getType(), true, GlobalValue::InternalLinkage, data, name);
    table->setAlignment(Align(64));
  }
  auto lookUp = [&](Value *code) {
    return e.load(e.b.getFloatTy(), e.gep(e.b.getFloatTy(), table, e.b.CreateZExt(code, e.b.getInt64Ty())));
  };
  unsigned lanes = lanesOf(stored);
  if (lanes == 1)
    return lookUp(stored);
  Value *result = PoisonValue::get(e.vec(e.b.getFloatTy(), lanes));
  for (unsigned i = 0; i < lanes; ++i)
    result = e.b.CreateInsertElement(result, lookUp(e.b.CreateExtractElement(stored, i)), i);
  return result;
}

// A power of two without sign or zero: the nearest one, halves up as in conversions; what is not positive is NaN. The
// smallest one is a subnormal float.
Value *floatToExponent(Emitter &e, Value *value) {
  Bits bits{e, lanesOf(value)};
  Value *raw = bits.asInt(value);
  Value *code = e.b.CreateLShr(e.b.CreateAdd(raw, bits.u32(0x400000)), 23);
  Value *subnormal = e.b.CreateZExt(e.b.CreateICmpUGE(raw, bits.u32(0x600000)), bits.type(32));
  code = e.b.CreateSelect(e.b.CreateICmpULT(raw, bits.u32(0x800000)), subnormal, code);
  Value *valid = e.b.CreateFCmpOGT(value, bits.f32(0)); // infinity rounds to the code of NaN by itself
  return e.b.CreateTrunc(e.b.CreateSelect(valid, code, bits.u32(0xff)), bits.type(8));
}

Value *integerToFloat(Emitter &e, Value *stored, Type type, llvm::Type *scalar) {
  llvm::Type *to = e.vec(scalar, lanesOf(stored));
  return isUnsigned(type) ? e.b.CreateUIToFP(stored, to) : e.b.CreateSIToFP(stored, to);
}

Value *toFloat(Emitter &e, Value *stored, Type type, const MatmulTarget &target) {
  if (isInteger(type))
    return integerToFloat(e, stored, type, e.b.getFloatTy());
  switch (type) {
  case Type::kF32:
  case Type::kComplexF32:
    return stored;
  case Type::kF64:
    return e.b.CreateFPTrunc(stored, e.vec(e.b.getFloatTy(), lanesOf(stored)));
  case Type::kBF16:
    return bf16ToFloat(e, stored);
  case Type::kF16:
    return halfToFloat(e, stored, target);
  default:
    return smallToFloat(e, stored, type);
  }
}

Value *resizeInt(Emitter &e, Value *stored, Type type, unsigned bits) {
  return e.b.CreateIntCast(stored, e.vec(e.b.getIntNTy(bits), lanesOf(stored)), !isUnsigned(type));
}

} // namespace

Value *toUnitElement(Emitter &e, Value *stored, Type type, const Arithmetic &arithmetic, bool isLhs,
                     const MatmulTarget &target) {
  unsigned lanes = lanesOf(stored);
  switch (arithmetic.compute) {
  case Compute::kFloat:
  case Compute::kComplexFloat:
    return toFloat(e, stored, type, target);
  case Compute::kDouble:
  case Compute::kComplexDouble:
    if (type == Type::kF64 || type == Type::kComplexF64)
      return stored;
    if (isInteger(type))
      return integerToFloat(e, stored, type, e.b.getDoubleTy());
    return e.b.CreateFPExt(toFloat(e, stored, type, target), e.vec(e.b.getDoubleTy(), lanes));
  case Compute::kBf16Pairs:
    return type == Type::kBF16 ? stored : floatToBf16(e, toFloat(e, stored, type, target));
  case Compute::kInt8Quads:
    if (isLhs && arithmetic.flipLhs)
      return e.b.CreateXor(stored, ConstantInt::get(stored->getType(), 0x80));
    return stored;
  case Compute::kInt16Pairs:
    return resizeInt(e, stored, type, 16);
  case Compute::kInt32:
    return resizeInt(e, stored, type, 32);
  case Compute::kInt64:
    return resizeInt(e, stored, type, 64);
  }
  return nullptr;
}

Value *fromAccumulator(Emitter &e, Value *acc, Type out, const MatmulTarget &target) {
  unsigned lanes = lanesOf(acc);
  Bits bits{e, lanes};
  if (out == Type::kI1) {
    Value *any = e.b.CreateICmpNE(acc, Constant::getNullValue(acc->getType()));
    return e.b.CreateZExt(any, bits.type(8));
  }
  if (isInteger(out)) {
    unsigned width = unsigned(bitWidth(out)), storage = unsigned(program::byteSize(out)) * 8;
    Value *narrow = e.b.CreateTrunc(acc, bits.type(storage));
    if (width == storage)
      return narrow;
    Value *high = e.b.CreateShl(narrow, uint64_t(storage - width));
    return isUnsigned(out) ? e.b.CreateLShr(high, uint64_t(storage - width))
                           : e.b.CreateAShr(high, uint64_t(storage - width));
  }
  bool wide = acc->getType()->getScalarType()->isDoubleTy();
  if (out == Type::kF64 || out == Type::kComplexF64)
    return wide ? acc : e.b.CreateFPExt(acc, e.vec(e.b.getDoubleTy(), lanes));
  if (wide)
    acc = e.b.CreateFPTrunc(acc, bits.floatType());
  switch (out) {
  case Type::kF32:
  case Type::kComplexF32:
    return acc;
  case Type::kBF16:
    return floatToBf16(e, acc);
  case Type::kF16:
    if (target.f16c)
      return e.b.CreateBitCast(e.b.CreateFPTrunc(acc, e.vec(e.b.getHalfTy(), lanes)), bits.type(16));
    return floatToSmall(e, acc, out);
  case Type::kF8E8M0FNU:
    return floatToExponent(e, acc);
  default:
    return floatToSmall(e, acc, out);
  }
}

} // namespace tenon::codegen::matmul
