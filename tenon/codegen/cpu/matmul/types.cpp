#include "tenon/codegen/cpu/matmul/types.h"

#include "llvm/IR/IntrinsicsX86.h"

using namespace llvm;

namespace tenon::codegen::matmul {

bool isInteger(Type type) {
  ElementKind kind = kindOf(type);
  return kind == ElementKind::kBool || kind == ElementKind::kSigned || kind == ElementKind::kUnsigned;
}
bool isUnsigned(Type type) { return isInteger(type) && kindOf(type) != ElementKind::kSigned; }

const fltSemantics *floatSemantics(Type type) {
  switch (type) {
#define TENON_FLOAT(xla, name, number, exponentBits, mantissaBits, bias, special, mlir, format, dlpack, numpy)         \
  case Type::k##xla:                                                                                                   \
    return &APFloat::format();
#include "tenon/support/element_types.def"
  default:
    return nullptr;
  }
}

llvm::Type *storageType(LLVMContext &context, Type type) {
  switch (type) {
  case Type::kF32:
  case Type::kComplexF32:
    return llvm::Type::getFloatTy(context);
  case Type::kF64:
  case Type::kComplexF64:
    return llvm::Type::getDoubleTy(context);
  default:
    return llvm::Type::getIntNTy(context, unsigned(program::byteSize(type)) * 8);
  }
}

static bool isNarrowInt(Type type) { return isInteger(type) && bitWidth(type) <= 8; }

Arithmetic widenedArithmetic(Type lhs, Type rhs, Type out) {
  Arithmetic result;
  auto any = [&](auto predicate) { return predicate(lhs) || predicate(rhs) || predicate(out); };
  result.complex = any(isComplex);
  bool wide = any([](Type type) { return type == Type::kF64 || type == Type::kComplexF64; });
  if (result.complex)
    result.compute = wide ? Compute::kComplexDouble : Compute::kComplexFloat;
  else if (isFloat(out))
    result.compute = wide ? Compute::kDouble : Compute::kFloat;
  else
    result.compute = bitWidth(out) > 32 ? Compute::kInt64 : Compute::kInt32;
  result.unitBytes = int(result.accumulatorBytes());
  return result;
}

std::optional<Arithmetic> chooseArithmetic(Type lhs, Type rhs, Type out, const MatmulTarget &target) {
  bool floats = isFloat(lhs) && isFloat(rhs) && isFloat(out);
  bool integers = isInteger(lhs) && isInteger(rhs) && isInteger(out);
  bool complexes = isComplex(out) && (isComplex(lhs) || isFloat(lhs)) && (isComplex(rhs) || isFloat(rhs));
  if (!floats && !integers && !complexes)
    return std::nullopt;
  Arithmetic result = widenedArithmetic(lhs, rhs, out);
  if (lhs == Type::kBF16 && rhs == Type::kBF16 && result.compute == Compute::kFloat && target.avx512Bf16) {
    result.compute = Compute::kBf16Pairs;
    result.groupK = 2;
  }
  if (result.compute != Compute::kInt32)
    return result;
  if (isNarrowInt(lhs) && isNarrowInt(rhs) && (target.avx512Vnni || (target.avxVnni && target.vectorBits <= 256))) {
    result.compute = Compute::kInt8Quads;
    result.groupK = 4;
    // VPDPBUSD multiplies an unsigned by a signed operand; a bool can be either.
    bool sameSign = isUnsigned(lhs) == isUnsigned(rhs);
    if (lhs == Type::kI1)
      result.rhsUnsigned = isUnsigned(rhs) && rhs != Type::kI1;
    else if (rhs == Type::kI1)
      result.rhsUnsigned = !isUnsigned(lhs);
    else {
      result.rhsUnsigned = isUnsigned(rhs);
      result.flipLhs = sameSign;
    }
    return result;
  }
  auto fitsInt16 = [](Type type) { return isNarrowInt(type) || type == Type::kI16; };
  if (target.int16Pairs && fitsInt16(lhs) && fitsInt16(rhs)) {
    result.compute = Compute::kInt16Pairs;
    result.groupK = 2;
  }
  return result;
}

llvm::Type *accumulatorType(LLVMContext &context, const Arithmetic &arithmetic) {
  switch (arithmetic.compute) {
  case Compute::kFloat:
  case Compute::kBf16Pairs:
  case Compute::kComplexFloat:
    return llvm::Type::getFloatTy(context);
  case Compute::kDouble:
  case Compute::kComplexDouble:
    return llvm::Type::getDoubleTy(context);
  case Compute::kInt8Quads:
  case Compute::kInt16Pairs:
  case Compute::kInt32:
    return llvm::Type::getInt32Ty(context);
  case Compute::kInt64:
    return llvm::Type::getInt64Ty(context);
  }
  return nullptr;
}

llvm::Type *unitType(LLVMContext &context, const Arithmetic &arithmetic) {
  if (arithmetic.groupK > 1)
    return llvm::Type::getInt32Ty(context);
  return accumulatorType(context, arithmetic);
}

llvm::Type *unitElementType(LLVMContext &context, const Arithmetic &arithmetic) {
  switch (arithmetic.groupK) {
  case 2:
    return llvm::Type::getInt16Ty(context);
  case 4:
    return llvm::Type::getInt8Ty(context);
  default:
    return accumulatorType(context, arithmetic);
  }
}

bool accumulatorIsFloat(const Arithmetic &arithmetic) {
  return arithmetic.compute == Compute::kFloat || arithmetic.compute == Compute::kDouble ||
         arithmetic.compute == Compute::kBf16Pairs || arithmetic.compute == Compute::kComplexFloat ||
         arithmetic.compute == Compute::kComplexDouble;
}

bool isNative(Type type, const Arithmetic &arithmetic, bool isLhs) {
  switch (arithmetic.compute) {
  case Compute::kFloat:
    return type == Type::kF32;
  case Compute::kDouble:
    return type == Type::kF64;
  case Compute::kBf16Pairs:
    return type == Type::kBF16;
  case Compute::kInt8Quads:
    return !(isLhs && arithmetic.flipLhs);
  case Compute::kInt16Pairs:
    return type == Type::kI16;
  case Compute::kInt32:
    return isInteger(type) && bitWidth(type) == 32;
  case Compute::kInt64:
    return isInteger(type) && bitWidth(type) == 64;
  case Compute::kComplexFloat:
    return type == Type::kComplexF32;
  case Compute::kComplexDouble:
    return type == Type::kComplexF64;
  }
  return false;
}

bool convertsAsVector(Type type) {
  return isInteger(type) || isComplex(type) || type == Type::kBF16 || type == Type::kF16 || type == Type::kF32 ||
         type == Type::kF64;
}

Value *multiplyAdd(Emitter &e, Value *a, Value *b, Value *acc, bool negate, const MatmulTarget &target) {
  if (acc->getType()->isIntOrIntVectorTy())
    return negate ? e.b.CreateSub(acc, e.b.CreateMul(a, b)) : e.b.CreateAdd(acc, e.b.CreateMul(a, b));
  if (target.fma)
    return e.b.CreateIntrinsic(Intrinsic::fma, {acc->getType()}, {negate ? e.b.CreateFNeg(a) : a, b, acc});
  Value *product = e.b.CreateFMul(a, b);
  return negate ? e.b.CreateFSub(acc, product) : e.b.CreateFAdd(acc, product);
}

static Value *callDot(Emitter &e, unsigned lanes, Intrinsic::ID x128, Intrinsic::ID x256, Intrinsic::ID x512,
                      ArrayRef<Value *> operands) {
  Intrinsic::ID id = lanes == 16 ? x512 : lanes == 8 ? x256 : x128;
  FunctionType *type = Intrinsic::getType(e.b.getContext(), id);
  Values arguments;
  for (auto [i, operand] : llvm::enumerate(operands))
    arguments.push_back(e.b.CreateBitCast(operand, type->getParamType(unsigned(i))));
  return e.b.CreateIntrinsic(id, {}, arguments);
}

Value *dotStep(Emitter &e, const Arithmetic &arithmetic, Value *a, Value *b, Value *acc, const MatmulTarget &target) {
  unsigned lanes = 1;
  if (auto *type = dyn_cast<FixedVectorType>(acc->getType()))
    lanes = type->getNumElements();
  switch (arithmetic.compute) {
  case Compute::kBf16Pairs:
    return callDot(e, lanes, Intrinsic::x86_avx512bf16_dpbf16ps_128, Intrinsic::x86_avx512bf16_dpbf16ps_256,
                   Intrinsic::x86_avx512bf16_dpbf16ps_512, {acc, a, b});
  case Compute::kInt8Quads:
    if (arithmetic.rhsUnsigned)
      std::swap(a, b);
    return callDot(e, lanes, Intrinsic::x86_avx512_vpdpbusd_128, Intrinsic::x86_avx512_vpdpbusd_256,
                   Intrinsic::x86_avx512_vpdpbusd_512, {acc, a, b});
  case Compute::kInt16Pairs: {
    Value *sum = callDot(e, lanes, Intrinsic::x86_sse2_pmadd_wd, Intrinsic::x86_avx2_pmadd_wd,
                         Intrinsic::x86_avx512_pmaddw_d_512, {a, b});
    return e.b.CreateAdd(acc, e.b.CreateBitCast(sum, acc->getType()));
  }
  default:
    return multiplyAdd(e, a, b, acc, false, target);
  }
}

} // namespace tenon::codegen::matmul
