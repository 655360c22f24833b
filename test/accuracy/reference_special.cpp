// Special functions in arbitrary precision.
#include "test/accuracy/functions.h"
#include "test/accuracy/real.h"

#include <cmath>

namespace tenon::accuracy {
namespace {

constexpr mpfr_prec_t kWorking = Real::kPrecision + 40;

// -infinity is taken for an integer, as large doubles are.
bool isPole(mpfr_srcptr x) { return mpfr_sgn(x) <= 0 && (mpfr_integer_p(x) || mpfr_inf_p(x)); }

} // namespace

// Halley's iteration on erf, or on erfc where erf is nearly one, from a double.
void exactErfInv(mpfr_ptr result, mpfr_srcptr x) {
  if (mpfr_nan_p(x) || mpfr_zero_p(x) || mpfr_cmpabs_ui(x, 1) >= 0) {
    int order = mpfr_nan_p(x) ? 1 : mpfr_zero_p(x) ? -1 : mpfr_cmpabs_ui(x, 1);
    if (order > 0)
      mpfr_set_nan(result);
    else if (order < 0)
      mpfr_set(result, x, MPFR_RNDN);
    else
      mpfr_set_inf(result, mpfr_sgn(x));
    return;
  }
  Real a(kWorking), y(kWorking), miss(kWorking), step(kWorking), scale(kWorking);
  mpfr_abs(a, x, MPFR_RNDN);
  if (mpfr_get_exp(x) < -200) {
    // sqrt(pi)/2 x to the last bit, and beyond the range of double's exponents.
    mpfr_const_pi(y, MPFR_RNDN);
    mpfr_sqrt(y, y, MPFR_RNDN);
    mpfr_div_2ui(y, y, 1, MPFR_RNDN);
    mpfr_mul(result, x, y, MPFR_RNDN);
    return;
  }
  bool complement = mpfr_cmp_d(a, 0.5) > 0;
  mpfr_set_d(y, fastErfInv(mpfr_get_d(a, MPFR_RNDN)), MPFR_RNDN);
  for (int i = 0; i < 2; ++i) {
    if (complement) {
      mpfr_erfc(miss, y, MPFR_RNDN);
      mpfr_ui_sub(step, 1, a, MPFR_RNDN);
      mpfr_sub(miss, miss, step, MPFR_RNDN);
    } else {
      mpfr_erf(miss, y, MPFR_RNDN);
      mpfr_sub(miss, a, miss, MPFR_RNDN);
    }
    // step = miss sqrt(pi)/2 e^(y^2), divided by 1 + y step.
    mpfr_sqr(scale, y, MPFR_RNDN);
    mpfr_exp(scale, scale, MPFR_RNDN);
    mpfr_mul(step, miss, scale, MPFR_RNDN);
    mpfr_const_pi(scale, MPFR_RNDN);
    mpfr_sqrt(scale, scale, MPFR_RNDN);
    mpfr_mul(step, step, scale, MPFR_RNDN);
    mpfr_div_2ui(step, step, 1, MPFR_RNDN);
    mpfr_mul(scale, y, step, MPFR_RNDN);
    mpfr_add_ui(scale, scale, 1, MPFR_RNDN);
    mpfr_div(step, step, scale, MPFR_RNDN);
    mpfr_add(y, y, step, MPFR_RNDN);
  }
  mpfr_setsign(result, y, mpfr_signbit(x), MPFR_RNDN);
}

// e^-a I1(a): the power series, whose terms are positive, or Hankel's expansion where its smallest term is 2^-140.
void exactBesselI1e(mpfr_ptr result, mpfr_srcptr x) {
  if (mpfr_nan_p(x) || mpfr_zero_p(x)) {
    mpfr_set(result, x, MPFR_RNDN);
    return;
  }
  Real a(kWorking), sum(kWorking), term(kWorking), factor(kWorking);
  mpfr_abs(a, x, MPFR_RNDN);
  if (mpfr_inf_p(a)) {
    mpfr_set_zero(result, mpfr_sgn(x));
    return;
  }
  auto negligible = [&] { return mpfr_zero_p(term) || mpfr_get_exp(term) < mpfr_get_exp(sum) - kWorking; };
  if (mpfr_cmp_ui(a, 60) < 0) {
    mpfr_div_2ui(term, a, 1, MPFR_RNDN);
    mpfr_sqr(factor, term, MPFR_RNDN);
    mpfr_set_zero(sum, 1);
    for (unsigned k = 0; k == 0 || !negligible(); ++k) {
      mpfr_add(sum, sum, term, MPFR_RNDN);
      mpfr_mul(term, term, factor, MPFR_RNDN);
      mpfr_div_ui(term, term, (k + 1) * (k + 2), MPFR_RNDN);
    }
    mpfr_neg(factor, a, MPFR_RNDN);
    mpfr_exp(factor, factor, MPFR_RNDN);
    mpfr_mul(sum, sum, factor, MPFR_RNDN);
  } else {
    // Terms -(4 - (2k - 1)^2) / (8 k a).
    mpfr_set_ui(term, 1, MPFR_RNDN);
    mpfr_set_zero(sum, 1);
    for (long k = 1; k == 1 || (!negligible() && k < 110); ++k) {
      mpfr_add(sum, sum, term, MPFR_RNDN);
      mpfr_mul_si(term, term, (2 * k - 1) * (2 * k - 1) - 4, MPFR_RNDN);
      mpfr_div(term, term, a, MPFR_RNDN);
      mpfr_div_ui(term, term, 8 * k, MPFR_RNDN);
    }
    mpfr_const_pi(factor, MPFR_RNDN);
    mpfr_mul(factor, factor, a, MPFR_RNDN);
    mpfr_mul_2ui(factor, factor, 1, MPFR_RNDN);
    mpfr_sqrt(factor, factor, MPFR_RNDN);
    mpfr_div(sum, sum, factor, MPFR_RNDN);
  }
  mpfr_setsign(result, sum, mpfr_signbit(x), MPFR_RNDN);
}

// NaN at the poles, zero among them: no limit exists there.
void exactDigamma(mpfr_ptr result, mpfr_srcptr x) {
  if (!mpfr_nan_p(x) && (isPole(x) || (mpfr_inf_p(x) && mpfr_sgn(x) < 0)))
    mpfr_set_nan(result);
  else
    mpfr_digamma(result, x, MPFR_RNDN);
}

// B(2k)/(2k)! = (-1)^(k+1) 2 zeta(2k) / (2 pi)^2k, without the power of 2 pi; made once a thread.
static mpfr_srcptr bernoulli(unsigned k) {
  constexpr unsigned kCount = 40;
  struct Table {
    mpfr_t values[kCount + 1];
    Table() {
      for (unsigned k = 1; k <= kCount; ++k) {
        mpfr_init2(values[k], kWorking);
        mpfr_zeta_ui(values[k], 2 * k, MPFR_RNDN);
        mpfr_mul_si(values[k], values[k], k % 2 ? 2 : -2, MPFR_RNDN);
      }
    }
    ~Table() {
      for (unsigned k = 1; k <= kCount; ++k)
        mpfr_clear(values[k]);
    }
  };
  thread_local Table table;
  return table.values[k];
}

// Euler's and Maclaurin's formula from the 60th term on, with 40 Bernoulli numbers; q > 0.
static void hurwitzPositive(mpfr_ptr sum, mpfr_srcptr x, mpfr_srcptr q) {
  Real base(kWorking), power(kWorking), minusX(kWorking), factor(kWorking), term(kWorking), inverse(kWorking);
  mpfr_neg(minusX, x, MPFR_RNDN);
  mpfr_set(base, q, MPFR_RNDN);
  mpfr_set_zero(sum, 1);
  for (int i = 0; i < 60; ++i) {
    mpfr_pow(power, base, minusX, MPFR_RNDN);
    mpfr_add(sum, sum, power, MPFR_RNDN);
    mpfr_add_ui(base, base, 1, MPFR_RNDN);
  }
  mpfr_pow(power, base, minusX, MPFR_RNDN);
  mpfr_mul(term, power, base, MPFR_RNDN);
  mpfr_sub_ui(factor, x, 1, MPFR_RNDN);
  mpfr_div(term, term, factor, MPFR_RNDN);
  mpfr_add(sum, sum, term, MPFR_RNDN);
  mpfr_div_2ui(term, power, 1, MPFR_RNDN);
  mpfr_add(sum, sum, term, MPFR_RNDN);
  Real pi2(kWorking);
  mpfr_const_pi(pi2, MPFR_RNDN);
  mpfr_mul_2ui(pi2, pi2, 1, MPFR_RNDN);
  mpfr_sqr(pi2, pi2, MPFR_RNDN);
  mpfr_ui_div(inverse, 1, base, MPFR_RNDN);
  mpfr_mul(power, power, inverse, MPFR_RNDN);
  mpfr_sqr(inverse, inverse, MPFR_RNDN);
  mpfr_div(inverse, inverse, pi2, MPFR_RNDN);
  mpfr_mul(power, power, x, MPFR_RNDN);
  mpfr_div(power, power, pi2, MPFR_RNDN);
  for (unsigned k = 1; k <= 40; ++k) {
    mpfr_mul(term, power, bernoulli(k), MPFR_RNDN);
    mpfr_add(sum, sum, term, MPFR_RNDN);
    mpfr_mul(power, power, inverse, MPFR_RNDN);
    for (unsigned i : {2 * k - 1, 2 * k}) {
      mpfr_add_ui(factor, x, i, MPFR_RNDN);
      mpfr_mul(power, power, factor, MPFR_RNDN);
    }
  }
}

// Integral x where q < 0: terms below zero are those of the positive side, with a sign.
static void hurwitz(mpfr_ptr sum, mpfr_srcptr x, mpfr_srcptr q, bool even) {
  if (mpfr_sgn(q) > 0)
    return hurwitzPositive(sum, x, q);
  Real fraction(kWorking), from(kWorking), part(kWorking);
  mpfr_floor(fraction, q);
  mpfr_sub(fraction, q, fraction, MPFR_RNDN);
  hurwitzPositive(sum, x, fraction);
  for (bool far : {false, true}) {
    mpfr_ui_sub(from, 1, far ? q : fraction, MPFR_RNDN);
    hurwitzPositive(part, x, from);
    mpfr_setsign(part, part, even == far, MPFR_RNDN);
    mpfr_add(sum, sum, part, MPFR_RNDN);
  }
}

void exactZeta(mpfr_ptr result, mpfr_srcptr x, mpfr_srcptr q) {
  bool nan = mpfr_nan_p(x) || mpfr_nan_p(q) || mpfr_cmp_ui(x, 1) < 0;
  Real minusInfinity;
  mpfr_set_inf(minusInfinity, -1);
  // Infinity is taken for an even integer, as large doubles are.
  bool integral = !nan && (mpfr_inf_p(x) || mpfr_integer_p(x)), even = integral;
  if (integral) {
    Real half;
    mpfr_div_2ui(half, x, 1, MPFR_RNDN);
    even = mpfr_inf_p(x) || mpfr_integer_p(half);
  }
  if (nan)
    mpfr_set_nan(result);
  else if (mpfr_cmp_ui(x, 1) == 0)
    mpfr_set_inf(result, 1);
  else if (isPole(q) && even)
    mpfr_set_inf(result, 1);
  else if (isPole(q) || (mpfr_sgn(q) < 0 && !integral))
    mpfr_set_nan(result);
  else if (mpfr_inf_p(q))
    mpfr_set_zero(result, 1);
  else if (mpfr_inf_p(x) && mpfr_sgn(q) < 0)
    mpfr_set_inf(result, 1);
  else if (mpfr_inf_p(x))
    mpfr_pow(result, q, minusInfinity, MPFR_RNDN);
  else {
    Real sum(kWorking);
    hurwitz(sum, x, q, even);
    mpfr_set(result, sum, MPFR_RNDN);
  }
}

// (-1)^(n+1) n! zeta(n + 1, x).
void exactPolygamma(mpfr_ptr result, mpfr_srcptr n, mpfr_srcptr x) {
  if (mpfr_nan_p(n) || mpfr_nan_p(x) || mpfr_sgn(n) < 0 || !mpfr_integer_p(n))
    return mpfr_set_nan(result);
  if (mpfr_zero_p(n))
    return exactDigamma(result, x);
  Real next(kWorking), factorial(kWorking), half(kWorking);
  mpfr_add_ui(next, n, 1, MPFR_RNDN);
  mpfr_gamma(factorial, next, MPFR_RNDN);
  if (mpfr_inf_p(x) && mpfr_sgn(x) > 0) {
    mpfr_set_zero(result, 1);
  } else if (mpfr_inf_p(factorial) && mpfr_sgn(x) > 0) {
    // Such orders leave nothing between zero and infinity, which the first term of zeta alone tells.
    mpfr_lngamma(factorial, next, MPFR_RNDN);
    mpfr_log(half, x, MPFR_RNDN);
    mpfr_mul(half, half, next, MPFR_RNDN);
    mpfr_sub(factorial, factorial, half, MPFR_RNDN);
    mpfr_exp(result, factorial, MPFR_RNDN);
  } else {
    exactZeta(result, next, x);
    mpfr_mul(result, result, factorial, MPFR_RNDN);
  }
  mpfr_div_2ui(half, n, 1, MPFR_RNDN);
  if (mpfr_integer_p(half))
    mpfr_neg(result, result, MPFR_RNDN);
}

} // namespace tenon::accuracy
