// Functions of complex numbers on pairs of floats, lane by lane. Infinities and NaN follow C99's Annex G where that has
// an opinion; magnitudes do not overflow before the result does.
#pragma once

#include "tenon/codegen/llvm/math/fp.h"

namespace tenon::codegen::math {

struct C {
  F re, im;
};

// complex_arithmetic.cpp
// As patchRare of F, for both parts.
C patchRare(M rare, C fast, llvm::function_ref<C()> slow);
// z * 2^n, each part rounded once.
C scaleByPowerOfTwo(C z, I n);
// log |z| in double, also where |z| is beyond the largest double or subnormal.
F logOfModulus(C z);
C square(C z);
C operator-(C z);
C operator+(C x, C y);
C operator-(C x, C y);
C operator*(C x, C y);
C operator/(C x, C y);
F abs(C z);
C sign(C z); // z / |z|, 0 for 0
C sqrt(C z);
C rsqrt(C z);

// complex_functions.cpp
C exp(C z);
C expm1(C z);
C log(C z);
C log1p(C z);
C logistic(C z);
C sin(C z);
C cos(C z);
C tan(C z);
C sinh(C z);
C cosh(C z);
C tanh(C z);
C pow(C x, C y);
C cbrt(C z);

// complex_inverse.cpp
C atan2(C y, C x);
C asin(C z);
C acos(C z);
C atan(C z);
C asinh(C z);
C acosh(C z);
C atanh(C z);

} // namespace tenon::codegen::math
