// What the element emitters share: how an element type is computed with, and small helpers. Internal to element*.cpp.
#pragma once

#include "tenon/codegen/llvm/element/element.h"
#include "tenon/codegen/llvm/math/complex.h"

#include "mlir/IR/BuiltinTypes.h"

namespace tenon::codegen {

inline bool isComplexType(mlir::Type type) { return llvm::isa<mlir::ComplexType>(type); }
inline bool isFloatType(mlir::Type type) { return llvm::isa<mlir::FloatType>(type); }
inline bool isBool(mlir::Type type) { return type.isInteger(1); }
// In the sense of StableHLO: ui8 and so on, and not i1.
inline bool isUnsignedInteger(mlir::Type type) { return type.isUnsignedInteger(); }
inline bool isInteger(mlir::Type type) { return llvm::isa<mlir::IntegerType>(type) && !isBool(type); }
// Floats narrower than 16 bits, which are held as codes.
inline bool isSmallFloat(mlir::Type type) { return isFloatType(type) && type.getIntOrFloatBitWidth() < 16; }
inline bool isF32OrF64(mlir::Type type) { return type.isF32() || type.isF64(); }
// Bits of an integer type that count, for those stored in more.
inline unsigned significantBits(mlir::Type type) { return type.getIntOrFloatBitWidth(); }

// `scalar`, or the vector of it with as many lanes as `like`.
llvm::Type *sameLanes(llvm::Type *scalar, llvm::Value *like);
llvm::Constant *intConstant(llvm::Value *like, int64_t value);

// An i8 that holds an i2/i4/ui2/ui4 result in its low bits is extended again; other types pass.
llvm::Value *extendSubByte(llvm::IRBuilderBase &b, mlir::Type type, llvm::Value *v);

// --- Conversions (convert.cpp, small_float.cpp) ---

// bf16, f16 and small floats as float; f32 and f64 pass.
llvm::Value *toComputeFloat(llvm::IRBuilderBase &b, mlir::Type type, llvm::Value *v);
// Rounds float or double, once, to any float type.
llvm::Value *roundToFloatType(llvm::IRBuilderBase &b, mlir::Type type, llvm::Value *v);
// These take f16, too.
llvm::Value *decodeSmallFloat(llvm::IRBuilderBase &b, mlir::Type type, llvm::Value *code);
// From float. Values that came from double must have been rounded to odd.
llvm::Value *encodeSmallFloat(llvm::IRBuilderBase &b, mlir::Type type, llvm::Value *v);
// C's nextafter, on codes.
llvm::Value *nextAfterSmallFloat(llvm::IRBuilderBase &b, mlir::Type type, llvm::Value *x, llvm::Value *toward);
llvm::Value *bfloatToFloat(llvm::IRBuilderBase &b, llvm::Value *v);
llvm::Value *floatToBfloat(llvm::IRBuilderBase &b, llvm::Value *v);
// Double to float, inexact results made odd, so that a later rounding to fewer bits is right.
llvm::Value *doubleToFloatOdd(llvm::IRBuilderBase &b, llvm::Value *v);

Element emitBitcast(llvm::IRBuilderBase &b, mlir::Type from, mlir::Type to, Element value);
Element emitReducePrecision(llvm::IRBuilderBase &b, mlir::Type type, Element value, unsigned exponentBits,
                            unsigned mantissaBits);

// Whether the op is the logarithm of one and the exponential of what is never positive, as in softplus and the sum of
// two numbers of which there are the logarithms. Its function is shorter, and serves no other argument.
bool isLogPlusOneOfUnit(mlir::Operation *op);

// --- Arithmetic (arithmetic.cpp) ---

// Arithmetic on elements of one integer type. Operands narrower than a byte are extended to one; callers extend the
// results again.
struct Integers {
  llvm::IRBuilderBase &b;
  mlir::Type type;
  bool isUnsigned;
  unsigned width;

  Integers(llvm::IRBuilderBase &b, mlir::Type type)
      : b(b), type(type), isUnsigned(isUnsignedInteger(type)), width(significantBits(type)) {}

  llvm::Value *add(llvm::Value *x, llvm::Value *y) { return b.CreateAdd(x, y); }
  llvm::Value *subtract(llvm::Value *x, llvm::Value *y) { return b.CreateSub(x, y); }
  llvm::Value *multiply(llvm::Value *x, llvm::Value *y) { return b.CreateMul(x, y); }
  llvm::Value *divide(llvm::Value *x, llvm::Value *y) { return quotientOrRemainder(x, y, false); }
  llvm::Value *remainder(llvm::Value *x, llvm::Value *y) { return quotientOrRemainder(x, y, true); }
  llvm::Value *power(llvm::Value *x, llvm::Value *y);
  llvm::Value *minimum(llvm::Value *x, llvm::Value *y);
  llvm::Value *maximum(llvm::Value *x, llvm::Value *y);
  llvm::Value *bitAnd(llvm::Value *x, llvm::Value *y) { return b.CreateAnd(x, y); }
  llvm::Value *bitOr(llvm::Value *x, llvm::Value *y) { return b.CreateOr(x, y); }
  llvm::Value *bitXor(llvm::Value *x, llvm::Value *y) { return b.CreateXor(x, y); }
  llvm::Value *shiftLeft(llvm::Value *x, llvm::Value *amount);
  llvm::Value *shiftRightLogical(llvm::Value *x, llvm::Value *amount);
  llvm::Value *shiftRightArithmetic(llvm::Value *x, llvm::Value *amount);
  llvm::Value *mulhi(llvm::Value *x, llvm::Value *y);
  llvm::Value *abs(llvm::Value *x);
  llvm::Value *negate(llvm::Value *x) { return b.CreateNeg(x); }
  llvm::Value *sign(llvm::Value *x);
  llvm::Value *square(llvm::Value *x) { return b.CreateMul(x, x); }
  llvm::Value *bitNot(llvm::Value *x) { return b.CreateNot(x); }
  llvm::Value *popcnt(llvm::Value *x);
  llvm::Value *countLeadingZeros(llvm::Value *x);

private:
  llvm::Value *constant(llvm::Value *like, int64_t value) { return intConstant(like, value); }
  // The bits alone, or sign-extended from the type's own width, whatever its signedness.
  llvm::Value *zeroExtended(llvm::Value *v) { return width >= 8 ? v : b.CreateAnd(v, constant(v, (1 << width) - 1)); }
  llvm::Value *signExtended(llvm::Value *v) {
    return width >= 8 ? v : b.CreateAShr(b.CreateShl(v, 8 - width), 8 - width);
  }
  llvm::Value *quotient(llvm::Value *x, llvm::Value *y);
  llvm::Value *quotientOrRemainder(llvm::Value *x, llvm::Value *y, bool remainder);
};

// The lesser and greater by the order of compareComplex. An operand with a NaN part is the result, the first if both
// have one.
math::C minimum(math::C x, math::C y);
math::C maximum(math::C x, math::C y);

// Lexicographic: by the real parts, the imaginary parts deciding between equal ones. False with a NaN part, but NE.
llvm::Value *compareComplex(llvm::IRBuilderBase &b, llvm::StringRef direction, Element x, Element y);
// direction: EQ NE GE GT LE LT.
llvm::Value *emitCompare(llvm::IRBuilderBase &b, llvm::StringRef direction, bool totalOrder, mlir::Type type, Element x,
                         Element y);

// --- Ops (element_table.cpp) ---

// The place where an op is emitted, and the op.
struct ElementSite {
  llvm::IRBuilderBase &builder;
  mlir::Type type;               // the element type of the first operand
  mlir::Operation *op = nullptr; // null if an emitter adds or compares without an op at hand
  unsigned lanes = 1;
};
using ElementFunction = Element (*)(const ElementSite &at, llvm::ArrayRef<Element> operands);

// The function that computes the op, of supported element types; null if there is none.
ElementFunction elementFunction(mlir::Operation *op);

} // namespace tenon::codegen
