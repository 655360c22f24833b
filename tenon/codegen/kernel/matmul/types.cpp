#include "tenon/codegen/kernel/matmul/types.h"

#include "tenon/codegen/llvm/math/instruction_set.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace llvm;

namespace tenon::codegen::matmul {

static bool isUnsigned(mlir::Type type) { return type.isUnsignedInteger() || type.isInteger(1); }
static bool isNarrowInteger(mlir::Type type) { return type.isIntOrFloat() && type.getIntOrFloatBitWidth() <= 8; }

Arithmetic widenedArithmetic(mlir::Type lhs, mlir::Type rhs, mlir::Type out) {
  Arithmetic result;
  auto any = [&](auto predicate) { return predicate(lhs) || predicate(rhs) || predicate(out); };
  result.complex = any([](mlir::Type type) { return isa<mlir::ComplexType>(type); });
  auto isWide = [](mlir::Type type) {
    auto complex = dyn_cast<mlir::ComplexType>(type);
    return (complex ? complex.getElementType() : type).isF64();
  };
  bool wide = isa<mlir::IntegerType>(out) ? out.getIntOrFloatBitWidth() > 32 : any(isWide);
  mlir::Builder b(out.getContext());
  if (isa<mlir::IntegerType>(out)) {
    result.compute = wide ? Compute::kInt64 : Compute::kInt32;
    result.sum = wide ? b.getI64Type() : b.getI32Type();
  } else {
    result.compute = wide ? Compute::kDouble : Compute::kFloat;
    result.sum = wide ? mlir::Type(b.getF64Type()) : b.getF32Type();
  }
  if (result.complex) {
    result.compute = wide ? Compute::kComplexDouble : Compute::kComplexFloat;
    result.sum = mlir::ComplexType::get(result.sum);
  }
  result.factor = result.sum;
  result.unitBytes = wide ? 8 : 4;
  return result;
}

// Whether the types are of kinds that go together.
static bool areCompatible(mlir::Type lhs, mlir::Type rhs, mlir::Type out) {
  auto isFloat = [](mlir::Type type) { return isa<mlir::FloatType>(type); };
  auto isNumber = [&](mlir::Type type) { return isFloat(type) || isa<mlir::ComplexType>(type); };
  if (isa<mlir::IntegerType>(out))
    return isa<mlir::IntegerType>(lhs) && isa<mlir::IntegerType>(rhs);
  return isFloat(out) ? isFloat(lhs) && isFloat(rhs) : isNumber(out) && isNumber(lhs) && isNumber(rhs);
}

std::optional<Arithmetic> chooseArithmetic(mlir::Type lhs, mlir::Type rhs, mlir::Type out, const MatmulTarget &target) {
  if (!areCompatible(lhs, rhs, out))
    return std::nullopt;
  Arithmetic result = widenedArithmetic(lhs, rhs, out);
  mlir::Builder b(out.getContext());
  if (lhs.isBF16() && rhs.isBF16() && result.compute == Compute::kFloat && target.avx512Bf16) {
    result.compute = Compute::kBf16Pairs;
    result.factor = lhs;
    result.groupK = 2;
  }
  if (result.compute != Compute::kInt32)
    return result;
  if (isNarrowInteger(lhs) && isNarrowInteger(rhs) &&
      (target.avx512Vnni || (target.avxVnni && target.vectorBits <= 256))) {
    result.compute = Compute::kInt8Quads;
    result.factor = b.getI8Type();
    result.groupK = 4;
    // VPDPBUSD multiplies an unsigned by a signed operand; a bool can be either.
    bool sameSign = isUnsigned(lhs) == isUnsigned(rhs);
    if (lhs.isInteger(1))
      result.rhsUnsigned = isUnsigned(rhs) && !rhs.isInteger(1);
    else if (rhs.isInteger(1))
      result.rhsUnsigned = !isUnsigned(lhs);
    else {
      result.rhsUnsigned = isUnsigned(rhs);
      result.flipLhs = sameSign;
    }
    return result;
  }
  auto fitsInt16 = [](mlir::Type type) { return isNarrowInteger(type) || type.isSignlessInteger(16); };
  if (target.int16Pairs && fitsInt16(lhs) && fitsInt16(rhs)) {
    result.compute = Compute::kInt16Pairs;
    result.factor = b.getI16Type();
    result.groupK = 2;
  }
  return result;
}

std::optional<Arithmetic> tileArithmetic(mlir::Type lhs, mlir::Type rhs, mlir::Type out, const MatmulTarget &target) {
  Arithmetic result = widenedArithmetic(lhs, rhs, out);
  if (target.amxBf16 && lhs.isBF16() && rhs.isBF16() && result.compute == Compute::kFloat) {
    result.compute = Compute::kBf16Tiles;
    result.factor = lhs;
    result.groupK = 2;
    return result;
  }
  if (!target.amxInt8 || result.compute != Compute::kInt32 || !isNarrowInteger(lhs) || !isNarrowInteger(rhs))
    return std::nullopt;
  result.compute = Compute::kInt8Tiles;
  result.factor = mlir::IntegerType::get(out.getContext(), 8);
  result.groupK = 4;
  result.lhsUnsigned = isUnsigned(lhs);
  result.rhsUnsigned = isUnsigned(rhs);
  return result;
}

llvm::Type *accumulatorType(LLVMContext &context, const Arithmetic &arithmetic) {
  return storageType(context, arithmetic.sum);
}

llvm::Type *unitType(LLVMContext &context, const Arithmetic &arithmetic) {
  return arithmetic.groupK > 1 ? llvm::Type::getInt32Ty(context) : unitElementType(context, arithmetic);
}

llvm::Type *unitElementType(LLVMContext &context, const Arithmetic &arithmetic) {
  return storageType(context, arithmetic.factor);
}

bool accumulatorIsFloat(const Arithmetic &arithmetic) { return !isa<mlir::IntegerType>(arithmetic.sum); }

bool haveSameBits(mlir::Type a, mlir::Type b) {
  return a == b || (isa<mlir::IntegerType>(a) && b.isInteger(a.getIntOrFloatBitWidth()));
}

// Whether elements are multiplied as the bytes they are stored in.
static bool keepsBytes(const Arithmetic &arithmetic) {
  return arithmetic.compute == Compute::kInt8Quads || arithmetic.compute == Compute::kInt8Tiles;
}

bool isNative(mlir::Type type, const Arithmetic &arithmetic, bool isLhs) {
  if (keepsBytes(arithmetic))
    return !(isLhs && arithmetic.flipLhs);
  return haveSameBits(type, arithmetic.factor);
}

Element toUnitElement(Emitter &e, mlir::Type type, Element element, const Arithmetic &arithmetic, bool isLhs) {
  if (!keepsBytes(arithmetic))
    return emitConvert(e.b, type, arithmetic.factor, element);
  if (isLhs && arithmetic.flipLhs)
    return {e.b.CreateXor(element.re, ConstantInt::get(element.re->getType(), 0x80))};
  return element;
}

Value *multiplyAdd(Emitter &e, Value *a, Value *b, Value *acc, bool negate, const MatmulTarget &target) {
  if (acc->getType()->isIntOrIntVectorTy())
    return negate ? e.b.CreateSub(acc, e.b.CreateMul(a, b)) : e.b.CreateAdd(acc, e.b.CreateMul(a, b));
  if (target.fma)
    return e.b.CreateIntrinsic(Intrinsic::fma, {acc->getType()}, {negate ? e.b.CreateFNeg(a) : a, b, acc});
  Value *product = e.b.CreateFMul(a, b);
  return negate ? e.b.CreateFSub(acc, product) : e.b.CreateFAdd(acc, product);
}

Value *dotStep(Emitter &e, const Arithmetic &arithmetic, Value *a, Value *b, Value *acc, const MatmulTarget &target) {
  const math::InstructionSet &instructions = math::instructionsOf(e.b);
  switch (arithmetic.compute) {
  case Compute::kBf16Pairs:
    return instructions.dot(e.b, math::DotProduct::kBf16Pairs, a, b, acc);
  case Compute::kInt8Quads:
    if (arithmetic.rhsUnsigned)
      std::swap(a, b);
    return instructions.dot(e.b, math::DotProduct::kInt8Quads, a, b, acc);
  case Compute::kInt16Pairs:
    return instructions.dot(e.b, math::DotProduct::kInt16Pairs, a, b, acc);
  default:
    return multiplyAdd(e, a, b, acc, false, target);
  }
}

} // namespace tenon::codegen::matmul
