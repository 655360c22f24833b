// Elementwise ops as functions of single elements. A kernel is chosen once for an op and element type, then applied to
// every element of tensors (elementwise.cpp) or inside scalar regions (element_function.cpp).
#pragma once

#include "tenon/interpreter/element_type.h"

#include <optional>

namespace tenon::interpreter {

struct ScalarKernel {
  // `self` gives access to the types and parameters. The result is not yet rounded to `result`.
  using Fn = Scalar (*)(const ScalarKernel &self, const Scalar *operands);
  Fn fn = nullptr;
  ElementType operand = ElementType::I1; // of the operand that decides the semantics
  ElementType result = ElementType::I1;
  int64_t parameters[2] = {0, 0};

  Scalar operator()(const Scalar *operands) const { return normalize(result, fn(*this, operands)); }
};

// nullopt: the op is not defined for the type.
using MaybeKernel = std::optional<ScalarKernel>;

enum class Direction { EQ, NE, GE, GT, LE, LT };

namespace kernels {

// Arithmetic and logic (kernels_arithmetic.cpp). One type for operands and result, unless said otherwise.
MaybeKernel add(ElementType type);
MaybeKernel subtract(ElementType type);
MaybeKernel multiply(ElementType type);
MaybeKernel divide(ElementType type);
MaybeKernel remainder(ElementType type);
MaybeKernel maximum(ElementType type);
MaybeKernel minimum(ElementType type);
MaybeKernel power(ElementType type);
MaybeKernel logicalAnd(ElementType type);
MaybeKernel logicalOr(ElementType type);
MaybeKernel logicalXor(ElementType type);
MaybeKernel logicalNot(ElementType type);
MaybeKernel shiftLeft(ElementType type);
MaybeKernel shiftRightArithmetic(ElementType type);
MaybeKernel shiftRightLogical(ElementType type);
MaybeKernel mulHigh(ElementType type);
MaybeKernel abs(ElementType type); // complex to real
MaybeKernel negate(ElementType type);
MaybeKernel sign(ElementType type);
MaybeKernel countLeadingZeros(ElementType type);
MaybeKernel populationCount(ElementType type);
// Selection and comparison.
MaybeKernel compare(ElementType type, Direction direction, bool totalOrder); // to i1
MaybeKernel select(ElementType type);                                        // (i1, type, type)
MaybeKernel clamp(ElementType type);                                         // (min, operand, max)
MaybeKernel identity(ElementType type);

// Rounding, conversion and classification (kernels_float.cpp).
MaybeKernel convert(ElementType from, ElementType to);
MaybeKernel ceil(ElementType type);
MaybeKernel floor(ElementType type);
MaybeKernel roundNearestAfz(ElementType type);
MaybeKernel roundNearestEven(ElementType type);
MaybeKernel reducePrecision(ElementType type, int64_t exponentBits, int64_t mantissaBits);
MaybeKernel isFinite(ElementType type); // to i1, like the next three
MaybeKernel isInf(ElementType type);
MaybeKernel isPosInf(ElementType type);
MaybeKernel isNegInf(ElementType type);
MaybeKernel nextAfter(ElementType type);
MaybeKernel real(ElementType type);
MaybeKernel imag(ElementType type);
MaybeKernel makeComplex(ElementType type); // real type to its complex type
MaybeKernel conj(ElementType type);
MaybeKernel square(ElementType type);

// Elementary functions (kernels_elementary.cpp).
MaybeKernel sqrt(ElementType type);
MaybeKernel rsqrt(ElementType type);
MaybeKernel cbrt(ElementType type);
MaybeKernel exponential(ElementType type);
MaybeKernel exponentialMinusOne(ElementType type);
MaybeKernel log(ElementType type);
MaybeKernel logPlusOne(ElementType type);
MaybeKernel logistic(ElementType type);
MaybeKernel sine(ElementType type);
MaybeKernel cosine(ElementType type);
MaybeKernel tan(ElementType type);
MaybeKernel tanh(ElementType type);
MaybeKernel sinh(ElementType type);
MaybeKernel cosh(ElementType type);
MaybeKernel asin(ElementType type);
MaybeKernel acos(ElementType type);
MaybeKernel atan(ElementType type);
MaybeKernel asinh(ElementType type);
MaybeKernel acosh(ElementType type);
MaybeKernel atanh(ElementType type);
MaybeKernel atan2(ElementType type);
MaybeKernel floatPower(ElementType type); // floats and complex values
MaybeKernel asinAcosKernel(ElementType type);

// Special functions (kernels_special.cpp); floats.
MaybeKernel erf(ElementType type);
MaybeKernel erfc(ElementType type);
MaybeKernel erfInv(ElementType type);
MaybeKernel lgamma(ElementType type);
MaybeKernel digamma(ElementType type);
MaybeKernel polygamma(ElementType type);
MaybeKernel zeta(ElementType type);
MaybeKernel besselI1e(ElementType type);

} // namespace kernels
} // namespace tenon::interpreter
