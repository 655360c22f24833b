// The real functions. Goals are those of the accuracy record (docs/accuracy.md); the rest is held to what math.h
// states.
#include "test/accuracy/functions.h"
#include "test/accuracy/real.h"

#include <cmath>

namespace tenon::accuracy {
namespace {

template <auto mpfrFunction> void rounded(mpfr_ptr result, mpfr_srcptr x) { mpfrFunction(result, x, MPFR_RNDN); }
template <auto mpfrFunction> void rounded2(mpfr_ptr result, mpfr_srcptr x, mpfr_srcptr y) {
  mpfrFunction(result, x, y, MPFR_RNDN);
}

void square(mpfr_ptr result, mpfr_srcptr x) { mpfr_sqr(result, x, MPFR_RNDN); }
void absolute(mpfr_ptr result, mpfr_srcptr x) { mpfr_setsign(result, x, 0, MPFR_RNDN); }
void negate(mpfr_ptr result, mpfr_srcptr x) { mpfr_setsign(result, x, !mpfr_signbit(x), MPFR_RNDN); }
void floor(mpfr_ptr result, mpfr_srcptr x) { mpfr_rint_floor(result, x, MPFR_RNDN); }
void ceil(mpfr_ptr result, mpfr_srcptr x) { mpfr_rint_ceil(result, x, MPFR_RNDN); }
void roundAway(mpfr_ptr result, mpfr_srcptr x) { mpfr_rint_round(result, x, MPFR_RNDN); }
void roundEven(mpfr_ptr result, mpfr_srcptr x) { mpfr_rint_roundeven(result, x, MPFR_RNDN); }

void sign(mpfr_ptr result, mpfr_srcptr x) {
  if (mpfr_nan_p(x) || mpfr_zero_p(x))
    mpfr_set(result, x, MPFR_RNDN);
  else
    mpfr_set_si(result, mpfr_sgn(x), MPFR_RNDN);
}

// -infinity at -0, as of 1 / sqrt.
void rsqrt(mpfr_ptr result, mpfr_srcptr x) {
  if (mpfr_zero_p(x))
    mpfr_set_inf(result, mpfr_signbit(x) ? -1 : 1);
  else
    mpfr_rec_sqrt(result, x, MPFR_RNDN);
}

void logistic(mpfr_ptr result, mpfr_srcptr x) {
  Real e;
  mpfr_neg(e, x, MPFR_RNDN);
  mpfr_exp(e, e, MPFR_RNDN);
  mpfr_add_ui(e, e, 1, MPFR_RNDN);
  mpfr_ui_div(result, 1, e, MPFR_RNDN);
}

void lgamma(mpfr_ptr result, mpfr_srcptr x) {
  int sign;
  mpfr_lgamma(result, &sign, x, MPFR_RNDN);
}

template <double (*function)(double)> void each(const double *x, double *y, size_t count) {
  for (size_t i = 0; i < count; ++i)
    y[i] = function(x[i]);
}

double signOf(double x) { return x > 0 ? 1 : x < 0 ? -1 : x; }
double negative(double x) { return -x; }
double squareOf(double x) { return x * x; }
double sqrtOf(double x) { return std::sqrt(x); }
double absOf(double x) { return std::fabs(x); }
double floorOf(double x) { return std::floor(x); }
double ceilOf(double x) { return std::ceil(x); }
double roundAwayOf(double x) { return std::round(x); }
double roundEvenOf(double x) { return std::nearbyint(x); }
double rsqrtOf(double x) { return 1 / std::sqrt(x); }

// Beyond 700 no float can tell; the vector function takes its time there.
void expOf(const double *x, double *y, size_t count) {
  std::vector<double> bounded(count);
  for (size_t i = 0; i < count; ++i)
    bounded[i] = x[i] > 700 ? 700 : x[i] < -700 ? -700 : x[i];
  fast::exp(bounded.data(), y, count);
}

void logisticOf(const double *x, double *y, size_t count) {
  std::vector<double> minus(count);
  for (size_t i = 0; i < count; ++i)
    minus[i] = -x[i];
  expOf(minus.data(), y, count);
  for (size_t i = 0; i < count; ++i)
    y[i] = 1 / (1 + y[i]);
}

constexpr auto kNone = Symmetry::kNone, kOdd = Symmetry::kOdd, kEven = Symmetry::kEven;

} // namespace

const std::vector<UnaryFunction> &unaryFunctions() {
  static const std::vector<UnaryFunction> functions = {
      {"stablehlo.exponential", rounded<mpfr_exp>, expOf, {-750, 720}, kNone, 1, 1},
      {"stablehlo.exponential_minus_one", rounded<mpfr_expm1>, fast::expm1, {-40, 720}, kNone, 1, 1},
      {"stablehlo.log", rounded<mpfr_log>, fast::log, {0, 3}, kNone, 1, 1},
      {"stablehlo.log_plus_one", rounded<mpfr_log1p>, fast::log1p, {-1, 3}, kNone, 1, 1},
      {"stablehlo.logistic", logistic, logisticOf, {-750, 40}, kNone, 1, 1},
      {"stablehlo.tanh", rounded<mpfr_tanh>, fast::tanh, {-22, 22}, kOdd, 1, 1.5},
      {"stablehlo.sine", rounded<mpfr_sin>, fast::sin, {-100, 100}, kOdd, 1, 1},
      {"stablehlo.cosine", rounded<mpfr_cos>, fast::cos, {-100, 100}, kEven, 1, 1},
      {"stablehlo.tan", rounded<mpfr_tan>, fast::tan, {-100, 100}, kOdd, 2, 2},
      {"stablehlo.sqrt", rounded<mpfr_sqrt>, each<sqrtOf>, {0, 100}, kNone, 0.5, 0.5},
      {"stablehlo.rsqrt", rsqrt, each<rsqrtOf>, {0, 100}, kNone, 1, 1},
      {"stablehlo.cbrt", rounded<mpfr_cbrt>, fast::cbrt, {-100, 100}, kOdd, 1, 1},
      {"chlo.erf", rounded<mpfr_erf>, fast::erf, {-6, 6}, kOdd, 1, 1.1},
      {"chlo.erfc", rounded<mpfr_erfc>, fast::erfc, {-6, 28}, kNone, 1, 3},
      {"chlo.erf_inv", exactErfInv, each<fastErfInv>, {-1, 1}, kOdd, 1, 3},
      {"chlo.sinh", rounded<mpfr_sinh>, fast::sinh, {-712, 712}, kOdd, 1, 2},
      {"chlo.cosh", rounded<mpfr_cosh>, fast::cosh, {-712, 712}, kEven, 1, 2},
      {"chlo.asin", rounded<mpfr_asin>, fast::asin, {-1, 1}, kOdd, 1, 2},
      {"chlo.acos", rounded<mpfr_acos>, fast::acos, {-1, 1}, kNone, 1, 2},
      {"chlo.atan", rounded<mpfr_atan>, fast::atan, {-10, 10}, kOdd, 1, 1},
      {"chlo.asinh", rounded<mpfr_asinh>, fast::asinh, {-10, 10}, kOdd, 1, 2},
      {"chlo.acosh", rounded<mpfr_acosh>, fast::acosh, {1, 10}, kNone, 1, 2},
      {"chlo.atanh", rounded<mpfr_atanh>, fast::atanh, {-1, 1}, kOdd, 1, 2},
      {"chlo.lgamma", lgamma, each<fastLgamma>, {-10, 30}, kNone, 1, -1},
      {"chlo.digamma", exactDigamma, each<fastDigamma>, {-10, 30}, kNone, 1, -1},
      {"chlo.bessel_i1e", exactBesselI1e, each<fastBesselI1e>, {-60, 60}, kOdd, 1, 4},
      {"chlo.square", square, each<squareOf>, {-10, 10}, kEven, 0.5, 0.5},
      {"stablehlo.abs", absolute, each<absOf>, {-10, 10}, kEven, 0, 0},
      {"stablehlo.negate", negate, each<negative>, {-10, 10}, kOdd, 0, 0},
      {"stablehlo.sign", sign, each<signOf>, {-10, 10}, kOdd, 0, 0},
      {"stablehlo.floor", floor, each<floorOf>, {-10, 10}, kNone, 0, 0},
      {"stablehlo.ceil", ceil, each<ceilOf>, {-10, 10}, kNone, 0, 0},
      {"stablehlo.round_nearest_afz", roundAway, each<roundAwayOf>, {-10, 10}, kOdd, 0, 0},
      {"stablehlo.round_nearest_even", roundEven, each<roundEvenOf>, {-10, 10}, kOdd, 0, 0},
  };
  return functions;
}

const std::vector<BinaryFunction> &binaryFunctions() {
  static const std::vector<BinaryFunction> functions = {
      {"stablehlo.power", rounded2<mpfr_pow>, {0, 10}, {-300, 300}, 2, 1},
      {"stablehlo.atan2", rounded2<mpfr_atan2>, {-10, 10}, {-10, 10}, 2, 2},
      {"stablehlo.remainder", rounded2<mpfr_fmod>, {-100, 100}, {-10, 10}, 0, 0},
      {"stablehlo.add", rounded2<mpfr_add>, {-10, 10}, {-10, 10}, 0.5, 0.5},
      {"stablehlo.multiply", rounded2<mpfr_mul>, {-10, 10}, {-10, 10}, 0.5, 0.5},
      {"stablehlo.divide", rounded2<mpfr_div>, {-10, 10}, {-10, 10}, 0.5, 0.5},
      {"chlo.zeta", exactZeta, {1, 40}, {0, 40}, -1, -1},
      {"chlo.polygamma", exactPolygamma, {0, 12}, {-5, 40}, -1, -1},
  };
  return functions;
}

} // namespace tenon::accuracy
