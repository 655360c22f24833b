// The functions measured: how each is called, its exact value, and where its interesting arguments lie.
#pragma once

#include <mpc.h>
#include <mpfr.h>

#include <cstddef>
#include <string>
#include <vector>

namespace tenon::accuracy {

enum class Symmetry { kNone, kOdd, kEven };

struct Range {
  double low, high;
};

struct UnaryFunction {
  const char *op; // "stablehlo.sine"
  // Relative error far below a double's; special cases as C99 has them.
  void (*exact)(mpfr_ptr result, mpfr_srcptr x);
  // The same of doubles that are floats, to a few ULP of double (but for special functions near roots). `count` is a
  // multiple of 4.
  void (*fast)(const double *x, double *y, size_t count);
  Range range;
  Symmetry symmetry;
  // ULP that results may be off. Negative: none is stated.
  double goalF32, goalF64;
};

struct BinaryFunction {
  const char *op;
  void (*exact)(mpfr_ptr result, mpfr_srcptr x, mpfr_srcptr y);
  Range rangeX, rangeY;
  double goalF32, goalF64;
};

struct ComplexFunction {
  const char *op;
  void (*exact)(mpc_ptr result, mpc_srcptr z);
  double range; // of both parts
  // Error of the whole number, in ULP of its modulus.
  double goalC64, goalC128;
  // Each part has to be as good: within twice that, in its own ULP. Otherwise terms of one may cancel.
  bool eachPart = true;
};

struct ComplexBinaryFunction {
  const char *op;
  void (*exact)(mpc_ptr result, mpc_srcptr x, mpc_srcptr y);
  double range;
  double goalC64, goalC128;
};

const std::vector<UnaryFunction> &unaryFunctions();
const std::vector<BinaryFunction> &binaryFunctions();
const std::vector<ComplexFunction> &complexFunctions();
const std::vector<ComplexBinaryFunction> &complexBinaryFunctions();

// reference_special.cpp: what MPFR lacks.
void exactErfInv(mpfr_ptr result, mpfr_srcptr x);
void exactBesselI1e(mpfr_ptr result, mpfr_srcptr x);
void exactDigamma(mpfr_ptr result, mpfr_srcptr x);
void exactZeta(mpfr_ptr result, mpfr_srcptr x, mpfr_srcptr q);
void exactPolygamma(mpfr_ptr result, mpfr_srcptr n, mpfr_srcptr x);

// reference_vector.cpp: the C library's vector functions.
namespace fast {
using Function = void(const double *x, double *y, size_t count);
Function acos, acosh, asin, asinh, atan, atanh, cbrt, cos, cosh, erf, erfc, exp, expm1, log, log1p, sin, sinh, tan,
    tanh;
} // namespace fast

// reference_fast.cpp: what the C library lacks.
double fastErfInv(double x);
double fastBesselI1e(double x);
double fastDigamma(double x);
double fastLgamma(double x);

} // namespace tenon::accuracy
