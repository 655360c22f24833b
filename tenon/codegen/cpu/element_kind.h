// What the element emitters share: how an element type is computed with, and small helpers. Internal to element*.cpp.
#pragma once

#include "tenon/codegen/cpu/element.h"

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

// --- Conversions (element_convert.cpp, element_small_float.cpp) ---

// bf16, f16 and small floats as float; f32 and f64 pass.
llvm::Value *toComputeFloat(llvm::IRBuilderBase &b, mlir::Type type, llvm::Value *v);
// Rounds float or double, once, to any float type.
llvm::Value *roundToFloatType(llvm::IRBuilderBase &b, mlir::Type type, llvm::Value *v);
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

// --- Families of ops. `name` is the op's without its dialect; a null Element::re says that there is no such op for the
// type. ---

// add, subtract, multiply, divide, remainder, power, minimum, maximum, and, or, xor, shifts, atan2, ... (element_arith,
// element_float)
Element emitIntegerBinary(llvm::IRBuilderBase &b, llvm::StringRef name, mlir::Type type, llvm::Value *x,
                          llvm::Value *y);
Element emitIntegerUnary(llvm::IRBuilderBase &b, llvm::StringRef name, mlir::Type type, llvm::Value *x);
// On float or double.
llvm::Value *emitFloatBinary(llvm::IRBuilderBase &b, llvm::StringRef name, llvm::Value *x, llvm::Value *y);
llvm::Value *emitFloatUnary(llvm::IRBuilderBase &b, llvm::StringRef name, llvm::Value *x);
Element emitComplexBinary(llvm::IRBuilderBase &b, llvm::StringRef name, Element x, Element y);
Element emitComplexUnary(llvm::IRBuilderBase &b, llvm::StringRef name, Element x);

// Lexicographic: by the real parts, the imaginary parts deciding between equal ones. False with a NaN part, but NE.
llvm::Value *compareComplex(llvm::IRBuilderBase &b, llvm::StringRef direction, Element x, Element y);
// direction: EQ NE GE GT LE LT.
llvm::Value *emitCompare(llvm::IRBuilderBase &b, llvm::StringRef direction, bool totalOrder, mlir::Type type, Element x,
                         Element y);

} // namespace tenon::codegen
