// Elementary functions. Floats up to f32 are computed in double and f64 in long double, then rounded once, so the error
// is 0.5 ulp and a hair where long double is wider than double. Complex functions run in long double throughout.
#include "tenon/interpreter/kernels.h"

#include <cmath>
#include <numbers>

namespace tenon::interpreter::kernels {
namespace {

using K = const ScalarKernel &;
using X = const Scalar *;
using Real = long double;
using Complex = std::complex<Real>;

template <auto F, typename T> Scalar floatUnary(K, X x) {
  return Scalar::ofFloat(static_cast<double>(F(static_cast<T>(x[0].f))));
}
template <auto F, typename T> Scalar floatBinary(K, X x) {
  return Scalar::ofFloat(static_cast<double>(F(static_cast<T>(x[0].f), static_cast<T>(x[1].f))));
}
template <auto F> Scalar complexUnary(K, X x) { return Scalar::ofComplex(F(x[0].complex<Real>())); }
template <auto F> Scalar complexBinary(K, X x) {
  return Scalar::ofComplex(F(x[0].complex<Real>(), x[1].complex<Real>()));
}

// FloatF is a function template of the precision, ComplexF a function of Complex.
template <auto FloatF, auto ComplexF> MaybeKernel unary(ElementType type) {
  if (isComplex(type))
    return ScalarKernel{complexUnary<ComplexF>, type, type, {0, 0}};
  if (!isFloat(type))
    return std::nullopt;
  return ScalarKernel{
      type == ElementType::kF64 ? floatUnary<FloatF, long double> : floatUnary<FloatF, double>, type, type, {0, 0}};
}
template <auto FloatF, auto ComplexF> MaybeKernel binary(ElementType type) {
  if (isComplex(type))
    return ScalarKernel{complexBinary<ComplexF>, type, type, {0, 0}};
  if (!isFloat(type))
    return std::nullopt;
  return ScalarKernel{
      type == ElementType::kF64 ? floatBinary<FloatF, long double> : floatBinary<FloatF, double>, type, type, {0, 0}};
}

bool isZero(Complex z) { return z.real() == 0 && z.imag() == 0; }

Complex cbrtComplex(Complex z) {
  if (isZero(z))
    return z;
  Real modulus = std::cbrt(std::abs(z)), sine = std::sin(std::arg(z) / 3);
  // On the real axis the imaginary part is zero, also at infinity.
  return {modulus * std::cos(std::arg(z) / 3), sine == 0 ? sine : modulus * sine};
}
Complex rsqrtComplex(Complex z) {
  if (isZero(z))
    return {std::numeric_limits<Real>::infinity(), std::numeric_limits<Real>::quiet_NaN()};
  return Complex(1) / std::sqrt(z);
}
// e^(a+bi) - 1 without cancellation: cos b - 1 is -2 sin^2(b/2).
Complex expm1Complex(Complex z) {
  Real a = z.real(), b = z.imag();
  if (b == 0)
    return {std::expm1(a), b};
  if (!std::isfinite(a) || !std::isfinite(b))
    return std::exp(z) - Complex(1);
  Real s = std::sin(b / 2);
  return {std::expm1(a) * std::cos(b) - 2 * s * s, std::exp(a) * std::sin(b)};
}
// |1+z|^2 - 1 is x(x+2) + y^2; the products are split with fma so that their cancellation is exact.
Complex log1pComplex(Complex z) {
  Real x = z.real(), y = z.imag();
  Real angle = std::atan2(y, 1 + x);
  Real magnitude = std::max(std::fabs(x), std::fabs(y)), modulus = std::hypot(1 + x, y);
  // Near the pole at -1, where 1 + x is exact, and far away the logarithm of the modulus is accurate; |1+z|^2 - 1 would
  // lose digits there.
  if (!(magnitude < 4) || modulus < 0.5)
    return {std::log(modulus), angle};
  Real p = x * (x + 2), pError = std::fma(x, x + 2, -p);
  Real q = y * y, qError = std::fma(y, y, -q);
  return {std::log1p((p + q) + (pError + qError)) / 2, angle};
}
Complex logisticComplex(Complex z) {
  // The exponential that does not overflow: e^z / (1 + e^z) in the left half plane.
  bool left = std::signbit(z.real());
  Complex e = std::exp(left ? z : -z), sum = Complex(1) + e;
  // Near the poles the sum cancels; its real part is 2 cos(y/2)^2 + (e^x - 1) cos y.
  Real x = -std::fabs(z.real()), y = z.imag(), half = std::cos(y / 2);
  if (x > -40 && std::isfinite(y))
    sum.real(2 * half * half + std::expm1(x) * std::cos(y));
  return (left ? e : Complex(1)) / sum;
}
Complex atan2Complex(Complex y, Complex x) {
  // -i log((x + iy) / sqrt(x^2 + y^2)); products with i would make NaN of an infinite part.
  Complex turned = std::log(Complex(x.real() - y.imag(), x.imag() + y.real()) / std::sqrt(x * x + y * y));
  return {turned.imag(), -turned.real()};
}
Complex powComplex(Complex base, Complex exponent) {
  if (isZero(exponent))
    return 1;
  if (isZero(base)) {
    if (exponent.real() > 0)
      return 0;
    Real nan = std::numeric_limits<Real>::quiet_NaN();
    return exponent.imag() == 0 && exponent.real() < 0 ? Complex(std::numeric_limits<Real>::infinity(), 0)
                                                       : Complex(nan, nan);
  }
  if (base.imag() == 0 && exponent.imag() == 0 && (base.real() > 0 || exponent.real() == std::floor(exponent.real())))
    return std::pow(base.real(), exponent.real());
  return std::exp(exponent * std::log(base));
}

// See chlo._asin_acos_kernel: asin(z) = complex(atan2(z.re, w.re), sign(z.im) * w.im).
Complex asinAcosKernelComplex(Complex z) {
  Complex below = std::sqrt(Complex(1 - z.real(), -z.imag())), above = std::sqrt(Complex(1 + z.real(), z.imag()));
  Real re = below.real() * above.real() - below.imag() * above.imag();
  return {std::fabs(re), std::fabs(std::asin(z).imag())};
}

constexpr auto cbrtFloat = []<typename T>(T x) { return std::cbrt(x); };
constexpr auto rsqrtFloat = []<typename T>(T x) { return 1 / std::sqrt(x); };
constexpr auto expFloat = []<typename T>(T x) { return std::exp(x); };
constexpr auto expComplex = [](Complex x) { return std::exp(x); };
constexpr auto expm1Float = []<typename T>(T x) { return std::expm1(x); };
constexpr auto logFloat = []<typename T>(T x) { return std::log(x); };
constexpr auto logComplex = [](Complex x) { return std::log(x); };
constexpr auto log1pFloat = []<typename T>(T x) { return std::log1p(x); };
constexpr auto logisticFloat = []<typename T>(T x) { return 1 / (1 + std::exp(-x)); };
constexpr auto sinFloat = []<typename T>(T x) { return std::sin(x); };
constexpr auto sinComplex = [](Complex x) { return std::sin(x); };
constexpr auto cosFloat = []<typename T>(T x) { return std::cos(x); };
constexpr auto cosComplex = [](Complex x) { return std::cos(x); };
constexpr auto tanFloat = []<typename T>(T x) { return std::tan(x); };
constexpr auto tanComplex = [](Complex x) { return std::tan(x); };
constexpr auto tanhFloat = []<typename T>(T x) { return std::tanh(x); };
constexpr auto tanhComplex = [](Complex x) { return std::tanh(x); };
constexpr auto sinhFloat = []<typename T>(T x) { return std::sinh(x); };
constexpr auto sinhComplex = [](Complex x) { return std::sinh(x); };
constexpr auto coshFloat = []<typename T>(T x) { return std::cosh(x); };
constexpr auto coshComplex = [](Complex x) { return std::cosh(x); };
constexpr auto asinFloat = []<typename T>(T x) { return std::asin(x); };
constexpr auto asinComplex = [](Complex x) { return std::asin(x); };
constexpr auto acosFloat = []<typename T>(T x) { return std::acos(x); };
constexpr auto acosComplex = [](Complex x) { return std::acos(x); };
constexpr auto atanFloat = []<typename T>(T x) { return std::atan(x); };
constexpr auto atanComplex = [](Complex x) { return std::atan(x); };
constexpr auto asinhFloat = []<typename T>(T x) { return std::asinh(x); };
constexpr auto asinhComplex = [](Complex x) { return std::asinh(x); };
constexpr auto acoshFloat = []<typename T>(T x) { return std::acosh(x); };
constexpr auto acoshComplex = [](Complex x) { return std::acosh(x); };
constexpr auto atanhFloat = []<typename T>(T x) { return std::atanh(x); };
constexpr auto atanhComplex = [](Complex x) { return std::atanh(x); };

constexpr auto atan2Float = []<typename T>(T y, T x) { return std::atan2(y, x); };
constexpr auto powFloat = []<typename T>(T x, T y) { return std::pow(x, y); };

// Correctly rounded in every format, so f64 must not pass through long double.
Scalar sqrtFloat(K, X x) { return Scalar::ofFloat(std::sqrt(x[0].f)); }
Complex sqrtComplex(Complex z) { return std::sqrt(z); }

} // namespace

MaybeKernel sqrt(ElementType t) {
  if (isFloat(t))
    return ScalarKernel{sqrtFloat, t, t, {0, 0}};
  if (isComplex(t))
    return ScalarKernel{complexUnary<sqrtComplex>, t, t, {0, 0}};
  return std::nullopt;
}
MaybeKernel rsqrt(ElementType t) { return unary<rsqrtFloat, rsqrtComplex>(t); }
MaybeKernel cbrt(ElementType t) { return unary<cbrtFloat, cbrtComplex>(t); }
MaybeKernel exponential(ElementType t) { return unary<expFloat, expComplex>(t); }
MaybeKernel exponentialMinusOne(ElementType t) { return unary<expm1Float, expm1Complex>(t); }
MaybeKernel log(ElementType t) { return unary<logFloat, logComplex>(t); }
MaybeKernel logPlusOne(ElementType t) { return unary<log1pFloat, log1pComplex>(t); }
MaybeKernel logistic(ElementType t) { return unary<logisticFloat, logisticComplex>(t); }
MaybeKernel sine(ElementType t) { return unary<sinFloat, sinComplex>(t); }
MaybeKernel cosine(ElementType t) { return unary<cosFloat, cosComplex>(t); }
MaybeKernel tan(ElementType t) { return unary<tanFloat, tanComplex>(t); }
MaybeKernel tanh(ElementType t) { return unary<tanhFloat, tanhComplex>(t); }
MaybeKernel sinh(ElementType t) { return unary<sinhFloat, sinhComplex>(t); }
MaybeKernel cosh(ElementType t) { return unary<coshFloat, coshComplex>(t); }
MaybeKernel asin(ElementType t) { return unary<asinFloat, asinComplex>(t); }
MaybeKernel acos(ElementType t) { return unary<acosFloat, acosComplex>(t); }
MaybeKernel atan(ElementType t) { return unary<atanFloat, atanComplex>(t); }
MaybeKernel asinh(ElementType t) { return unary<asinhFloat, asinhComplex>(t); }
MaybeKernel acosh(ElementType t) { return unary<acoshFloat, acoshComplex>(t); }
MaybeKernel atanh(ElementType t) { return unary<atanhFloat, atanhComplex>(t); }
MaybeKernel atan2(ElementType t) { return binary<atan2Float, atan2Complex>(t); }
MaybeKernel floatPower(ElementType t) { return binary<powFloat, powComplex>(t); }
MaybeKernel asinAcosKernel(ElementType t) {
  if (!isComplex(t))
    return std::nullopt;
  return ScalarKernel{complexUnary<asinAcosKernelComplex>, t, t, {0, 0}};
}

} // namespace tenon::interpreter::kernels
