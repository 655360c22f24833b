// Values of LLVM IR with operators, so that the functions of this folder read as formulas.
//
// F holds floats (float or double), I integers, M masks; each a scalar or a fixed vector. Constants in an expression
// take the type of the other operand. Nothing here carries fast-math flags: a - b - c is computed as written.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/IRBuilder.h"

#include <initializer_list>
#include <utility>

namespace tenon::codegen::math {

struct F {
  llvm::IRBuilderBase *b;
  llvm::Value *v;
};
struct I {
  llvm::IRBuilderBase *b;
  llvm::Value *v;
};
struct M {
  llvm::IRBuilderBase *b;
  llvm::Value *v;
};

// --- Types ---
inline bool isDouble(llvm::Value *v) { return v->getType()->getScalarType()->isDoubleTy(); }
inline bool isDouble(F x) { return isDouble(x.v); }
unsigned laneCount(llvm::Type *type);
inline unsigned laneCount(F x) { return laneCount(x.v->getType()); }
// `scalar` or the vector of it with as many lanes as `like`.
llvm::Type *sameLanes(llvm::Type *scalar, llvm::Type *like);

// --- Constants, of the type of `like` ---
F constant(F like, double value);
I constant(I like, uint64_t value);

// --- Floats ---
F operator+(F a, F b);
F operator-(F a, F b);
F operator*(F a, F b);
F operator/(F a, F b);
F operator-(F a);
inline F operator+(F a, double b) { return a + constant(a, b); }
inline F operator-(F a, double b) { return a - constant(a, b); }
inline F operator*(F a, double b) { return a * constant(a, b); }
inline F operator/(F a, double b) { return a / constant(a, b); }
inline F operator+(double a, F b) { return constant(b, a) + b; }
inline F operator-(double a, F b) { return constant(b, a) - b; }
inline F operator*(double a, F b) { return constant(b, a) * b; }
inline F operator/(double a, F b) { return constant(b, a) / b; }
F fma(F a, F b, F c); // a * b + c, rounded once
inline F fma(F a, double b, F c) { return fma(a, constant(a, b), c); }
inline F fma(F a, F b, double c) { return fma(a, b, constant(a, c)); }
inline F fma(F a, double b, double c) { return fma(a, constant(a, b), constant(a, c)); }
F abs(F x);
F copysign(F magnitude, F sign);
F sqrt(F x);
F floor(F x);
F ceil(F x);
F trunc(F x);
F roundEven(F x);
// a < b ? a : b and a > b ? a : b: one instruction; b when either is NaN.
F minOr(F a, F b);
F maxOr(F a, F b);
// Coefficients from the constant term up; Horner, or even and odd chains side by side when long.
F poly(F x, llvm::ArrayRef<double> coefficients);

// --- Comparisons: ordered (false on NaN), but != ---
M operator<(F a, F b);
M operator<=(F a, F b);
M operator>(F a, F b);
M operator>=(F a, F b);
M operator==(F a, F b);
M operator!=(F a, F b); // true on NaN
inline M operator<(F a, double b) { return a < constant(a, b); }
inline M operator<=(F a, double b) { return a <= constant(a, b); }
inline M operator>(F a, double b) { return a > constant(a, b); }
inline M operator>=(F a, double b) { return a >= constant(a, b); }
inline M operator==(F a, double b) { return a == constant(a, b); }
inline M operator!=(F a, double b) { return a != constant(a, b); }
M isNaN(F x);
M isInf(F x);    // either sign
M isFinite(F x); // neither infinite nor NaN
M signBit(F x);

// --- Integers ---
I operator+(I a, I b);
I operator-(I a, I b);
I operator*(I a, I b);
I operator&(I a, I b);
I operator|(I a, I b);
I operator^(I a, I b);
inline I operator+(I a, uint64_t b) { return a + constant(a, b); }
inline I operator-(I a, uint64_t b) { return a - constant(a, b); }
inline I operator*(I a, uint64_t b) { return a * constant(a, b); }
inline I operator&(I a, uint64_t b) { return a & constant(a, b); }
inline I operator|(I a, uint64_t b) { return a | constant(a, b); }
inline I operator^(I a, uint64_t b) { return a ^ constant(a, b); }
I shl(I a, I b);
I lshr(I a, I b);
I ashr(I a, I b);
inline I shl(I a, uint64_t b) { return shl(a, constant(a, b)); }
inline I lshr(I a, uint64_t b) { return lshr(a, constant(a, b)); }
inline I ashr(I a, uint64_t b) { return ashr(a, constant(a, b)); }
M operator==(I a, I b);
M operator!=(I a, I b);
M slt(I a, I b);
M ult(I a, I b);
inline M operator==(I a, uint64_t b) { return a == constant(a, b); }
inline M operator!=(I a, uint64_t b) { return a != constant(a, b); }
inline M slt(I a, int64_t b) { return slt(a, constant(a, uint64_t(b))); }
inline M ult(I a, uint64_t b) { return ult(a, constant(a, b)); }
I maxSigned(I a, int64_t b);
I countLeadingZeros(I a);
I zext(I a, unsigned bits);
I truncate(I a, unsigned bits);

// --- Masks ---
M operator&(M a, M b);
M operator|(M a, M b);
M operator^(M a, M b);
M operator!(M a);
F select(M m, F a, F b);
I select(M m, I a, I b);
M select(M m, M a, M b);
inline F select(M m, F a, double b) { return select(m, a, constant(a, b)); }
inline I select(M m, I a, uint64_t b) { return select(m, a, constant(a, b)); }
inline F select(M m, double a, F b) { return select(m, constant(b, a), b); }
// i1: whether any lane is set.
llvm::Value *any(M m);

// --- Between them ---
I bits(F x);
F fromBits(I x); // to float or double by width
F toFloat(I x);  // signed, to the float type of the integer's width
F widen(F x);    // float to double
F narrow(F x);   // double to float, rounded once

// --- Exponents ---
// x * 2^n, correctly rounded and with overflow and underflow, for n in [-2044, 2046] (double), [-252, 254] (float).
F scaleByPowerOfTwo(F x, I n);
// 2^n for n in the normal range.
F powerOfTwo(F like, I n);

// a * b rounded to an integer n by adding 1.5 * 2^(mantissa bits): n stands in the low bits of the sum, so that no
// conversion is needed. Twice the bias of exponents is added too, for the sake of scaleByPowerOfTwo.
struct Rounded {
  F sum; // bits(sum) mod 512 (4096) is n plus twice the bias
  F n;
  I toInteger() const;
};
Rounded roundProduct(F a, double b);
// As scaleByPowerOfTwo of the integer, in fewer instructions. For n = -2046 (double) or -254 (float), zero.
F scaleByPowerOfTwo(F x, Rounded n);
// The same for x > 0. AMD's processors multiply as fast as ever where the product is normal, but take several times as
// long where it is subnormal, which they do not where a zero is added in the same instruction. The zero would take the
// sign of a product that is -0.
F scalePositive(F x, Rounded n);
// Whether that is one instruction, which says that it underflows where it does.
bool hasScaleInstruction(F x);

// --- Double-word arithmetic (hi + lo, |lo| <= ulp(hi)/2) ---
struct Pair {
  F hi, lo;
};
Pair twoSum(F a, F b);     // exact
Pair fastTwoSum(F a, F b); // exact when |a| >= |b| or a == 0
Pair twoProduct(F a, F b); // exact unless underflow
Pair add(Pair a, Pair b);
Pair add(Pair a, F b);
Pair mul(Pair a, Pair b);
Pair mul(Pair a, F b);
Pair div(Pair a, Pair b);
Pair constantPair(F like, double hi, double lo);

// --- Control ---
// if (any(rare)) result = slow() for the lanes of `rare`, else `fast`. Creates blocks.
F patchRare(M rare, F fast, llvm::function_ref<F()> slow);
// The same of several values, which `slow` replaces.
void patchRare(M rare, llvm::MutableArrayRef<F> values, llvm::function_ref<void(llvm::MutableArrayRef<F>)> slow);

// body(part) for each register of x, where x has several and the chip's registers are known; else body(x).
F byRegister(F x, llvm::function_ref<F(F)> body);

// Calls the private function `tenon.math.<name>.<type>`, written by `body` on first use in the module: for functions
// too large to be inlined. Attributes are copied from the calling function.
llvm::Value *callShared(llvm::IRBuilderBase &builder, llvm::StringRef name, llvm::ArrayRef<llvm::Value *> arguments,
                        llvm::Type *resultType,
                        llvm::function_ref<llvm::Value *(llvm::IRBuilderBase &, llvm::ArrayRef<llvm::Value *>)> body);
F callShared(llvm::StringRef name, F x, llvm::function_ref<F(F)> body);
F callShared(llvm::StringRef name, F x, F y, llvm::function_ref<F(F, F)> body);

// table[index mod 8] of eight floats: one permutation where the target has one, loads elsewhere.
F lookupOfEight(llvm::StringRef name, llvm::ArrayRef<double> table, I index);
// The same of several tables, on targets that read them best as rows of one; none on others.
llvm::SmallVector<F> lookupRowOfEight(llvm::StringRef name, llvm::ArrayRef<llvm::ArrayRef<double>> tables, I index);
// table[index] of a constant array of 64-bit (32-bit) words, kept once per module under `name`.
I lookup(llvm::StringRef name, llvm::ArrayRef<uint64_t> table, I index);
// The same of doubles, for an index of any width.
F lookup(llvm::StringRef name, llvm::ArrayRef<double> table, I index);

} // namespace tenon::codegen::math
