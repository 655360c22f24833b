// The floats of 8 bits and less, which are held as codes, and f16 on chips that do not convert it. Both directions go
// through float: decoding shifts the code into a float's fields and adds the difference of the biases; encoding rounds
// the bits of the float to nearest even. The edge cases (which codes are infinite or NaN, what overflow gives) are
// those of ml_dtypes, which JAX uses.
#include "tenon/codegen/llvm/element/kind.h"
#include "tenon/ir/element_types.h"

#include "mlir/IR/BuiltinTypes.h"

#include <cmath>

using namespace llvm;

namespace tenon::codegen {
namespace {

using Special = FloatFormat::Special;

struct Format : FloatFormat {
  int maxCode; // the code of the largest finite magnitude
  int nanCode; // -1 if the type has no NaN
};

Format formatOf(mlir::Type type) {
  const FloatFormat &format = floatFormat(ir::toElementType(type));
  bool hasNaN = format.special != Special::Finite;
  return {format, int(maxFiniteCode(format)), hasNaN ? int(encodeFloat(format, NAN)) : -1};
}

struct Words {
  IRBuilderBase &b;
  Type *intType;
  Type *floatType;

  Words(IRBuilderBase &b, Value *like)
      : b(b), intType(sameLanes(b.getInt32Ty(), like)), floatType(sameLanes(b.getFloatTy(), like)) {}
  Constant *word(uint32_t value) { return ConstantInt::get(intType, value); }
  Constant *number(double value) { return ConstantFP::get(floatType, value); }
  Value *toFloat(Value *bits) { return b.CreateBitCast(bits, floatType); }
  Value *toBits(Value *v) { return b.CreateBitCast(v, intType); }
};

// Powers of two without zero, sign or infinity; 0xff is NaN.
Value *decodeE8M0(Words w, Value *code) {
  IRBuilderBase &b = w.b;
  Value *bits = b.CreateShl(code, 23);
  bits = b.CreateSelect(b.CreateICmpEQ(code, w.word(0)), w.word(0x00400000), bits);
  return w.toFloat(b.CreateSelect(b.CreateICmpEQ(code, w.word(0xff)), w.word(0x7fc00000), bits));
}

// Halves up, as ml_dtypes does; what is not positive is NaN.
Value *encodeE8M0(Words w, Value *v) {
  IRBuilderBase &b = w.b;
  Value *bits = w.toBits(v);
  Value *code = b.CreateLShr(b.CreateAdd(bits, w.word(0x00400000)), 23);
  Value *subnormal = b.CreateZExt(b.CreateICmpUGE(bits, w.word(0x00600000)), w.intType);
  code = b.CreateSelect(b.CreateICmpULT(bits, w.word(0x00800000)), subnormal, code);
  // Unsigned, zero less one is above everything, like the negative ones.
  Value *valid = b.CreateICmpULT(b.CreateSub(bits, w.word(1)), w.word(0x7f800000 - 1));
  return b.CreateSelect(valid, code, w.word(0xff));
}

} // namespace

Value *decodeSmallFloat(IRBuilderBase &b, mlir::Type type, Value *code) {
  Words w(b, code);
  if (isa<mlir::Float8E8M0FNUType>(type))
    return decodeE8M0(w, b.CreateZExt(code, w.intType));
  Format f = formatOf(type);
  int signBit = f.exponentBits + f.mantissaBits, shift = 23 - f.mantissaBits;
  bool isWhole = signBit + 1 == static_cast<int>(code->getType()->getScalarSizeInBits());
  Value *wide = isWhole ? b.CreateSExt(code, w.intType) : b.CreateZExt(code, w.intType);
  Value *magnitude = b.CreateAnd(wide, w.word((1 << signBit) - 1));
  Value *fields = b.CreateShl(magnitude, shift);
  // As if every number were normal; and twice that, less what the bit that subnormals have not stands for. The lesser
  // one is right. No operand of these is subnormal itself, which would take a hundred times as long.
  uint32_t rebias = (127 - f.bias) << 23;
  Value *normal = w.toFloat(b.CreateAdd(fields, w.word(rebias)));
  Value *doubled = w.toFloat(b.CreateAdd(fields, w.word((128 - f.bias) << 23)));
  Value *subnormal = b.CreateFSub(doubled, w.number(std::ldexp(1.0, 1 - f.bias)));
  Value *bits = w.toBits(b.CreateSelect(b.CreateFCmpOLT(subnormal, normal), subnormal, normal));
  if (f.special == Special::Ieee || f.special == Special::Fn) {
    Value *special = w.word(0x7fc00000);
    if (f.special == Special::Ieee)
      special = b.CreateOr(fields, w.word(0x7f800000));
    // Floats are compared: LLVM would compare the codes in vectors of bytes, and widen the mask.
    Value *isSpecial = b.CreateFCmpOGT(normal, w.toFloat(w.word((f.maxCode << shift) + rebias)));
    bits = b.CreateSelect(isSpecial, special, bits);
  }
  Value *sign = isWhole ? wide : b.CreateShl(wide, 31 - signBit);
  bits = b.CreateOr(bits, b.CreateAnd(sign, w.word(0x80000000)));
  if (f.special == Special::Fnuz) // in the place of the negative zero
    bits = b.CreateSelect(b.CreateICmpEQ(bits, w.word(0x80000000)), w.word(0x7fc00000), bits);
  return w.toFloat(bits);
}

Value *encodeSmallFloat(IRBuilderBase &b, mlir::Type type, Value *v) {
  Words w(b, v);
  Type *codeType = sameLanes(b.getIntNTy(type.isF16() ? 16 : 8), v);
  if (isa<mlir::Float8E8M0FNUType>(type))
    return b.CreateTrunc(encodeE8M0(w, v), codeType);
  Format f = formatOf(type);
  Value *all = w.toBits(v);
  Value *bits = b.CreateAnd(all, w.word(0x7fffffff));
  int drop = 23 - f.mantissaBits;
  // Normal: round to nearest even by adding, then move the exponent to the smaller bias.
  Value *odd = b.CreateAnd(b.CreateLShr(bits, drop), w.word(1));
  Value *rounded = b.CreateAdd(b.CreateAdd(bits, w.word((1u << (drop - 1)) - 1)), odd);
  Value *code = b.CreateSub(b.CreateLShr(rounded, drop), w.word((127 - f.bias) << f.mantissaBits));
  // Subnormal: the sum with 2^23 quanta has the number of quanta in its low bits.
  double quantum = std::ldexp(1.0, 1 - f.bias - f.mantissaBits);
  Constant *shift = w.number(quantum * 0x1p23);
  Value *few = b.CreateSub(w.toBits(b.CreateFAdd(w.toFloat(bits), shift)), w.toBits(shift));
  Constant *minNormal = w.word((128 - f.bias) << 23);
  code = b.CreateSelect(b.CreateICmpULT(bits, minNormal), few, code);

  // Infinity, NaN where there is none, the largest value where there is neither.
  int beyond = f.special == Special::Ieee ? f.maxCode + 1 : f.special == Special::Finite ? f.maxCode : f.nanCode;
  code = b.CreateSelect(b.CreateICmpUGT(code, w.word(f.maxCode)), w.word(beyond), code);
  int signBit = f.exponentBits + f.mantissaBits;
  Value *sign = b.CreateAnd(b.CreateLShr(all, 31 - signBit), w.word(1 << signBit));
  Value *isNaN = b.CreateICmpUGT(bits, w.word(0x7f800000));
  if (f.nanCode < 0) {
    // No NaN in the type: zero, of the other sign.
    code = b.CreateXor(b.CreateSelect(isNaN, w.word(1 << signBit), code), sign);
  } else if (f.special == Special::Fnuz) {
    Value *plain = b.CreateICmpEQ(b.CreateAnd(code, w.word(0x7f)), w.word(0)); // zero or NaN
    code = b.CreateSelect(plain, code, b.CreateOr(code, sign));
    code = b.CreateSelect(isNaN, w.word(f.nanCode), code);
  } else {
    code = b.CreateOr(b.CreateSelect(isNaN, w.word(f.nanCode), code), sign);
  }
  return b.CreateTrunc(code, codeType);
}

Value *nextAfterSmallFloat(IRBuilderBase &b, mlir::Type type, Value *x, Value *toward) {
  Value *from = decodeSmallFloat(b, type, x), *to = decodeSmallFloat(b, type, toward);
  Value *zero = Constant::getNullValue(from->getType());
  // The code orders magnitudes.
  Value *outward = b.CreateICmpEQ(b.CreateFCmpOLT(from, to), b.CreateFCmpOGT(from, zero));
  Value *one = intConstant(x, 1);
  Value *next = b.CreateSelect(outward, b.CreateAdd(x, one), b.CreateSub(x, one));
  int nanCode = 0xff;
  if (!isa<mlir::Float8E8M0FNUType>(type)) {
    Format format = formatOf(type);
    nanCode = format.nanCode;
    Value *sign = intConstant(x, int64_t(1) << (format.exponentBits + format.mantissaBits));
    if (format.special == Special::Fnuz)
      next = b.CreateSelect(b.CreateICmpEQ(next, sign), intConstant(x, 0), next);
    Value *smallest = b.CreateSelect(b.CreateFCmpOLT(to, zero), b.CreateOr(sign, one), one);
    next = b.CreateSelect(b.CreateFCmpOEQ(from, zero), smallest, next);
  }
  next = b.CreateSelect(b.CreateFCmpOEQ(from, to), toward, next);
  return nanCode < 0 ? next : b.CreateSelect(b.CreateFCmpUNO(from, to), intConstant(x, nanCode), next);
}

} // namespace tenon::codegen
