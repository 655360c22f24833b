#include "test/accuracy/error.h"

#include <algorithm>

namespace tenon::accuracy {

double errorInUlp(const Format &format, double got, mpfr_srcptr exact) {
  if (mpfr_nan_p(exact))
    return std::isnan(got) ? 0 : kWrong;
  bool negative = mpfr_signbit(exact);
  // Formats without infinity overflow to NaN.
  bool overflowed = format.hasInfinity ? std::isinf(got) && std::signbit(got) == negative : std::isnan(got);
  if (mpfr_inf_p(exact))
    return overflowed ? 0 : kWrong;
  if (!overflowed && !std::isfinite(got))
    return kWrong;
  if (got == 0 && format.hasSignedZero && std::signbit(got) != negative)
    return kWrong;
  if (mpfr_zero_p(exact))
    return got == 0 ? 0 : kWrong;

  // What the next value after the largest would be stands for all that overflows.
  Real limit(format.maxFinite, Real::kPrecision), value, bounded;
  mpfr_add_d(limit, limit, std::ldexp(1.0, format.ulpExponent(format.maxExponent)), MPFR_RNDN);
  mpfr_set(bounded, exact, MPFR_RNDN);
  int exponent = std::min<mpfr_exp_t>(mpfr_get_exp(exact) - 1, format.maxExponent);
  if (mpfr_cmpabs(exact, limit) > 0) {
    if (!overflowed && mpfr_get_exp(exact) > mpfr_get_exp(limit) + 1)
      return kWrong;
    mpfr_setsign(bounded, limit, negative, MPFR_RNDN);
  }
  if (overflowed)
    mpfr_setsign(value, limit, negative, MPFR_RNDN);
  else
    mpfr_set_d(value, got, MPFR_RNDN);
  mpfr_sub(value, value, bounded, MPFR_RNDN);
  mpfr_mul_2si(value, value, -format.ulpExponent(exponent), MPFR_RNDN);
  return std::fabs(mpfr_get_d(value, MPFR_RNDN));
}

} // namespace tenon::accuracy
